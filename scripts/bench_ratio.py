# SPDX-License-Identifier: GPL-3.0-or-later
"""Times bench_evaluate (tests/bench) and ONNX Runtime with optimization disabled on the same models."""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy
import onnxruntime

ROUNDS = 5
TYPES = {"tensor(float)": numpy.float32, "tensor(double)": numpy.float64, "tensor(float16)": numpy.float16,
         "tensor(int8)": numpy.int8, "tensor(uint8)": numpy.uint8, "tensor(int64)": numpy.int64,
         "tensor(int32)": numpy.int32}


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def shapes(runtime, size):
    """Of each input; of open dimensions the first is 1 (the batch), the others have the given size."""
    return {value.name: [dim if isinstance(dim, int) else size if axis > 0 else 1 for axis, dim in enumerate(value.shape)]
            for value in runtime.get_inputs()}


def feeds(runtime, size):
    generator = numpy.random.default_rng(1)
    types = {value.name: TYPES[value.type] for value in runtime.get_inputs()}
    arrays = {}
    for name, shape in shapes(runtime, size).items():
        high = 256 if numpy.issubdtype(types[name], numpy.integer) else 1
        arrays[name] = generator.uniform(0, high, shape).astype(types[name])
    return arrays


def onnxruntime_milliseconds(runtime, arrays):
    times = []
    for _ in range(10):
        start = time.process_time()
        runtime.run(None, arrays)
        times.append((time.process_time() - start) * 1000)
    return statistics.median(times)


def crease_milliseconds(program, model, inputs):
    stated = [f"{name}={'x'.join(map(str, shape))}" for name, shape in inputs.items()]
    command = [program, model, *stated, "--benchmark_filter=float32", "--benchmark_format=json", "--benchmark_min_time=0.3"]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{program} failed: {result.stderr.strip()}")
    entry = json.loads(result.stdout)["benchmarks"][0]
    if entry.get("error_occurred"):
        sys.exit(f"{model}: {entry['error_message']}")
    return entry["cpu_time"]


def main():
    repository = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=repository / "build" / "ci", help="the build folder (%(default)s)")
    parser.add_argument("--limit", type=float, default=5.0, help="the ratio above which it fails (%(default)s)")
    parser.add_argument("--size", type=int, default=224, help="of open dimensions but the batch (%(default)s)")
    parser.add_argument("models", type=pathlib.Path, nargs="+", metavar="MODEL")
    arguments = parser.parse_args()
    program = arguments.build / "bin" / "bench_evaluate"
    if not program.exists():
        sys.exit(f"no {program}: configure with -DCREASE_BUILD_BENCH=ON and build bench_evaluate")
    worst = 0.0
    print("| model | Crease ms | ONNX Runtime ms | ratio |\n| --- | ---: | ---: | ---: |")
    for model in arguments.models:
        runtime = session(model)
        arrays = feeds(runtime, arguments.size)
        runtime.run(None, arrays)
        own, other = [], []
        for _ in range(ROUNDS):
            other.append(onnxruntime_milliseconds(runtime, arrays))
            own.append(crease_milliseconds(program, model, shapes(runtime, arguments.size)))
        ratio = statistics.median(own) / statistics.median(other)
        worst = max(worst, ratio)
        print(f"| {model.name} | {statistics.median(own):.2f} | {statistics.median(other):.2f} | {ratio:.2f} |", flush=True)
    return 1 if worst > arguments.limit else 0


if __name__ == "__main__":
    sys.exit(main())
