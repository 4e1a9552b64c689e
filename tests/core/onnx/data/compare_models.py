# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges models that Crease wrote: standard input has lines "source<TAB>written".

A written model must pass onnx's checker and load in ONNX Runtime where its source does, have the same inputs and outputs, and give
the same bits on the same random inputs, with graph optimization disabled. One line for each fault; the last line counts.
"""
import os
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(bool)": np.bool_,
    "tensor(int8)": np.int8, "tensor(int16)": np.int16, "tensor(int32)": np.int32, "tensor(int64)": np.int64,
    "tensor(uint8)": np.uint8, "tensor(uint16)": np.uint16, "tensor(uint32)": np.uint32, "tensor(uint64)": np.uint64,
}


def checker_fault(path):
    try:
        onnx.checker.check_model(path)
        return None
    except Exception as error:
        return str(error).splitlines()[0]


def session(path):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feeds(source, inputs):
    """The inputs of the model's test data where it has some, else random ones."""
    generator = np.random.default_rng(1)
    values = {}
    for k, value in enumerate(inputs):
        stored = os.path.join(os.path.dirname(source), "test_data_set_0", f"input_{k}.pb")
        if os.path.exists(stored):
            with open(stored, "rb") as file:
                values[value.name] = numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))
            continue
        shape = [size if isinstance(size, int) else 2 for size in value.shape]
        dtype = TYPES[value.type]
        if np.issubdtype(dtype, np.floating):
            values[value.name] = (2 * generator.standard_normal(shape)).astype(dtype)
        else:
            values[value.name] = generator.integers(0, 2, shape).astype(dtype)
    return values


def signature(values):
    return [(value.name, value.type, value.shape) for value in values]


def same(a, b):
    if isinstance(a, np.ndarray):
        if a.dtype == object:  # strings
            return np.array_equal(a, b)
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b


def judge(source, written):
    """(fault or None, whether results were compared)"""
    fault = checker_fault(written)
    if fault and not checker_fault(source):
        return f"checker: {fault}", False
    try:
        first = session(source)
    except Exception:
        return None, False
    try:
        second = session(written)
    except Exception as error:
        return f"does not load: {error}", False
    if signature(first.get_inputs()) != signature(second.get_inputs()):
        return "inputs differ", False
    if [value.name for value in first.get_outputs()] != [value.name for value in second.get_outputs()]:
        return "outputs differ", False
    try:
        values = feeds(source, first.get_inputs())
        expected = first.run(None, values)
    except Exception:
        return None, False
    try:
        actual = second.run(None, values)
    except Exception as error:
        return f"does not run: {error}", False
    return (None if same(expected, actual) else "results differ"), True


def main():
    compared = 0
    for line in sys.stdin:
        source, written = line.rstrip("\n").split("\t")
        fault, ran = judge(source, written)
        compared += ran
        if fault:
            print(f"fault: {source}: {fault}")
    print(f"compared {compared}")


if __name__ == "__main__":
    main()
