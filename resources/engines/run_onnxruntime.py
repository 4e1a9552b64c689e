# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a model in ONNX Runtime on folders test_data_set_N of input_K.pb; writes output_K.pb and, if asked, values.npz."""
import argparse
import io
import pathlib
import sys
import zipfile

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import numpy_helper
except ImportError as error:
    sys.exit(f"{sys.executable} lacks a package: {error}")

CODES = ("tensor(int8)", "tensor(uint8)", "tensor(int16)", "tensor(uint16)")


def session(model, arguments):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        levels.ORT_DISABLE_ALL if arguments.optimization == "disable" else levels.ORT_ENABLE_ALL)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def with_intermediates(path, arguments):
    """A session in which every tensor of codes is an output as well, and the names of those."""
    model = onnx.load(path)
    outputs = {value.name for value in model.graph.output}
    names = [name for node in model.graph.node for name in node.output if name and name not in outputs]
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    disabled = argparse.Namespace(optimization="disable")
    codes = [value.name for value in session(serialized(probe, path), disabled).get_outputs()
             if value.type in CODES and value.name not in outputs]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in codes)
    return session(serialized(model, path), arguments), codes


def serialized(model, path):
    onnx.load_external_data_for_model(model, str(pathlib.Path(path).parent))
    return model.SerializeToString()


def numbered(folder, pattern):
    return sorted(folder.glob(pattern), key=lambda path: int(path.stem.rsplit("_", 1)[1]))


def write_values(path, arrays):
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            numpy.lib.format.write_array(member, numpy.ascontiguousarray(array))
            archive.writestr(name + ".npy", member.getvalue())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--optimization", choices=("disable", "all"), default="disable")
    parser.add_argument("--intermediates", choices=("none", "integers"), default="none")
    parser.add_argument("model")
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("outputs", type=pathlib.Path)
    arguments = parser.parse_args()
    names = []
    if arguments.intermediates == "integers":
        runtime, names = with_intermediates(arguments.model, arguments)
    else:
        runtime = session(arguments.model, arguments)
    (arguments.outputs / "version.txt").write_text(onnxruntime.__version__ + "\n")
    wanted = [value.name for value in runtime.get_outputs()]
    for folder in numbered(arguments.inputs, "test_data_set_*"):
        feed = {}
        for value, path in zip(runtime.get_inputs(), numbered(folder, "input_*.pb")):
            feed[value.name] = numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))
        target = arguments.outputs / folder.name
        target.mkdir(parents=True, exist_ok=True)
        results = dict(zip(wanted, runtime.run(wanted, feed)))
        for place, name in enumerate(name for name in wanted if name not in names):
            proto = numpy_helper.from_array(numpy.asarray(results[name]), name)
            (target / f"output_{place}.pb").write_bytes(proto.SerializeToString())
        if names:
            write_values(target / "values.npz", {name: results[name] for name in names})


try:
    main()
except Exception as error:  # one line for the caller
    sys.exit(" ".join(f"{type(error).__name__}: {error}".split()))
