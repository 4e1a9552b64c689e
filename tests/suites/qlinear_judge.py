# SPDX-License-Identifier: GPL-3.0-or-later
"""qlinear_judge.py CLI: runs every integer operator of ONNX and com.microsoft on random inputs in ONNX Runtime
(optimization disabled) and through `CLI run`, prints one line a case and exits 1 where any element differs.

The float results of MatMulIntegerToFloat and its kin must be equal too: sums are exact, multipliers are float32."""
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

CONTRIB = "com.microsoft"
random = numpy.random.default_rng(20)


def u8(*shape):
    return random.integers(0, 256, shape).astype(numpy.uint8)


def s8(*shape):
    return random.integers(-128, 128, shape).astype(numpy.int8)


def weight(*shape):
    """Within 7 bits: beyond them ONNX Runtime's u8 * s8 saturates on CPUs without VNNI (cases.md BC-39)."""
    return random.integers(-64, 65, shape).astype(numpy.int8)


def s32(*shape):
    return random.integers(-5000, 5000, shape).astype(numpy.int32)


def zero():
    return numpy.uint8(random.integers(0, 256))


def scales(dyadic):
    """A maker of scales: any, or powers of two, which make ties common."""
    def make(factor=1, count=None):
        exponent = random.integers(-7, -2, count) if dyadic else random.uniform(-7, -2, count)
        return (2.0**exponent * factor).astype(numpy.float32) if count else numpy.float32(2.0**exponent * factor)
    return make


def cases(scale):
    """(op, domain, attributes, inputs, slots that are graph inputs)"""
    soft = numpy.float32(1 / 256)
    window = dict(kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])
    filters, filter_scales, none = weight(8, 3, 3, 3), scale(count=8), numpy.zeros(8, numpy.int8)
    columns, no_zeros = scale(count=20), numpy.zeros(20, numpy.int8)
    yield "QuantizeLinear", "", {}, [random.normal(size=(100, 50)).astype(numpy.float32) * 4, scale(), zero()], (0,)
    yield "QLinearAdd", CONTRIB, {}, [u8(90, 70), scale(), zero(), u8(1, 70), scale(), zero(), scale(4), zero()], (0, 3)
    yield ("QLinearAdd", CONTRIB, {}, [s8(90, 70), scale(), numpy.int8(3), s8(70), scale(), numpy.int8(-7), scale(4),
                                       numpy.int8(1)], (0, 3))
    yield "QLinearMul", CONTRIB, {}, [u8(90, 70), scale(), zero(), u8(90, 1), scale(), zero(), scale(), zero()], (0, 3)
    yield "QLinearConcat", CONTRIB, {"axis": 1}, [scale(), zero(), u8(3, 40), scale(), zero(), u8(3, 50), scale(), zero()], (2, 5)
    yield "QLinearLeakyRelu", CONTRIB, {"alpha": 0.1}, [u8(1, 2048), scale(), zero(), scale(), zero()], (0,)
    yield "QLinearSigmoid", CONTRIB, {}, [u8(1, 2048), scale(), zero(), soft, numpy.uint8(0)], (0,)
    yield "QLinearSoftmax", CONTRIB, dict(opset=13, axis=-1), [u8(40, 10), scale(), zero(), soft, numpy.uint8(0)], (0,)
    yield ("QLinearSoftmax", CONTRIB, dict(opset=13, axis=1), [s8(40, 3, 10), scale(), numpy.int8(0), soft,
                                                               numpy.int8(-128)], (0,))
    yield ("QLinearSoftmax", CONTRIB, dict(opset=12, axis=1), [s8(40, 3, 10), scale(), numpy.int8(0), soft,
                                                               numpy.int8(-128)], (0,))
    yield ("QLinearWhere", CONTRIB, {}, [random.integers(0, 2, (3, 40)).astype(bool), u8(3, 40), scale(), zero(), u8(40),
                                         scale(), zero(), scale(), zero()], (0, 1, 4))
    pool = [u8(2, 4, 17, 15), scale(), zero(), scale(), zero()]
    yield "QLinearAveragePool", CONTRIB, dict(window, ceil_mode=1), pool, (0,)
    yield "QLinearAveragePool", CONTRIB, dict(window, count_include_pad=1), pool, (0,)
    yield "QLinearAveragePool", CONTRIB, dict(window, channels_last=1), pool, (0,)
    yield "QLinearAveragePool", CONTRIB, dict(kernel_shape=[17, 15]), pool, (0,)
    yield "QLinearGlobalAveragePool", CONTRIB, {}, pool, (0,)
    yield "QLinearGlobalAveragePool", CONTRIB, dict(channels_last=1), pool, (0,)
    conv = [u8(1, 3, 19, 21), scale(), zero(), filters, filter_scales, none, scale(64), zero(), s32(8)]
    yield "QLinearConv", "", dict(pads=[1, 1, 0, 2], strides=[1, 2]), conv, (0,)
    yield "QLinearConv", CONTRIB, dict(pads=[1, 1, 0, 2], channels_last=1), [u8(1, 19, 21, 3)] + conv[1:], (0,)
    yield ("QLinearConv", "", dict(group=8, pads=[1, 1, 1, 1]), [u8(1, 8, 19, 21), scale(), zero(), u8(8, 1, 3, 3), scale(),
                                                                 zero(), scale(64), zero()], (0,))
    yield ("QLinearConv", "", dict(dilations=[2, 1]), [s8(1, 8, 9, 9), scale(), numpy.int8(4), weight(4, 8, 3, 1), scale(),
                                                       numpy.int8(0), scale(64), numpy.int8(-3)], (0,))
    yield "ConvInteger", "", dict(pads=[1, 1, 0, 2]), [u8(1, 3, 19, 21), weight(4, 3, 3, 3), zero(), numpy.int8(5)], (0,)
    yield "MatMulInteger", "", {}, [u8(5, 30, 40), u8(40, 20), zero(), u8(20)], (0,)
    yield "QLinearMatMul", "", {}, [u8(2, 30, 40), scale(), zero(), weight(40, 20), columns, no_zeros, scale(256), zero()], (0,)
    gemm = [u8(30, 40), scale(), zero(), weight(20, 40), columns, no_zeros, s32(20)]
    yield "QGemm", CONTRIB, dict(transB=1, alpha=0.7), gemm + [scale(256), zero()], (0,)
    yield "QGemm", CONTRIB, dict(transB=1), gemm, (0,)
    bias = random.normal(size=20).astype(numpy.float32)
    yield "MatMulIntegerToFloat", CONTRIB, {}, [u8(30, 40), weight(40, 20), scale(), columns, zero(), no_zeros, bias], (0,)
    yield ("DynamicQuantizeMatMul", CONTRIB, {}, [random.normal(size=(30, 40)).astype(numpy.float32), weight(40, 20), columns,
                                                  no_zeros, bias], (0,))


def model_of(op, domain, attributes, inputs, slots):
    tensors = {f"i{slot}": numpy.asarray(array) for slot, array in enumerate(inputs)}
    feeds = {f"i{slot}": tensors[f"i{slot}"] for slot in slots}
    values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
              for name, array in feeds.items()]
    graph = helper.make_graph([helper.make_node(op, list(tensors), ["y"], domain=domain, **attributes)], "case", values,
                              [helper.make_empty_tensor_value_info("y")],
                              [numpy_helper.from_array(array, name) for name, array in tensors.items() if name not in feeds])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), feeds


def differing(cli, folder, case):
    """How many elements differ, of how many."""
    model, feeds = model_of(*case)
    path = folder / "model.onnx"
    onnx.save(model, path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    expected = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, feeds)[0]
    samples = folder / "samples"
    samples.mkdir(exist_ok=True)
    for old in samples.iterdir():
        old.unlink()
    for index, (name, array) in enumerate(feeds.items()):
        (samples / f"input_{index}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())
    output = folder / "out.npz"
    run = subprocess.run([cli, "run", "--force", path, "--samples", samples, "-o", output, "-q"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{case[0]}: {run.stderr.strip()}")
    arrays = numpy.load(output)
    actual = arrays[arrays.files[0]]
    if actual.size != expected.size or actual.dtype != expected.dtype:
        return expected.size, expected.size
    return int((actual.reshape(expected.shape) != expected).sum()), expected.size


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for dyadic in (False, True):
            for case in cases(scales(dyadic)):
                different, count = differing(sys.argv[1], pathlib.Path(folder), case)
                failures += different > 0
                print(f"{case[0]} {case[2]}: {different} of {count} differ", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
