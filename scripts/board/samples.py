# SPDX-License-Identifier: GPL-3.0-or-later
"""The samples that go with a model: labelled images of an .npz beside it, else random ones within the grid of its inputs."""

import numpy
import onnx
from onnx import numpy_helper

import counting


def inputs_of(model):
    constants = {entry.name for entry in model.graph.initializer}
    return [entry for entry in model.graph.input if entry.name not in constants]


def fits(model, arrays):
    inputs = inputs_of(model)
    outputs = model.graph.output[0].type.tensor_type.shape.dim
    if len(inputs) != 1 or inputs[0].name not in arrays or "labels" not in arrays:
        return False
    kind = inputs[0].type.tensor_type
    images, labels = arrays[inputs[0].name], arrays["labels"]
    if onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type) != images.dtype:
        return False
    if tuple(entry.dim_value for entry in kind.shape.dim)[1:] != images.shape[1:]:
        return False
    return labels.ndim == len(outputs) or labels.ndim == 1 and len(outputs) == 2


def labelled(file, model, given):
    for candidate in [given] if given else sorted(file.parent.glob("*.npz")):
        if fits(model, numpy.load(candidate)):
            return candidate
    return None


def shape_of(entry):
    dims = [dim.dim_value or None for dim in entry.type.tensor_type.shape.dim]
    image_like = len(dims) == 4 and dims[1] in (1, 3)
    return [size or (224 if image_like and at >= 2 else 1) for at, size in enumerate(dims)]


def grid_range(model, name):
    """The real interval of the quantizer that an input goes into, if it goes into one."""
    constants = {entry.name: entry for entry in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "QuantizeLinear" or node.input[0] != name or len(node.input) < 3:
            continue
        scale, zero_point = (constants.get(operand) for operand in node.input[1:3])
        if scale is None or zero_point is None or numpy.prod(scale.dims) > 1:
            return None
        codes = numpy_helper.to_array(zero_point)
        step, zero = float(numpy_helper.to_array(scale).ravel()[0]), int(codes.ravel()[0])
        limits = numpy.iinfo(codes.dtype)
        return step * (limits.min - zero), step * (limits.max - zero)
    return None


def write_random(model, count, target):
    random = numpy.random.default_rng(1)
    arrays = {}
    for entry in inputs_of(model):
        shape = shape_of(entry)
        shape[0] *= count
        kind = numpy.dtype(onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type))
        interval = grid_range(model, entry.name)
        if kind.kind in "iu":
            limits = numpy.iinfo(kind)
            arrays[entry.name] = random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
        elif interval:
            arrays[entry.name] = random.uniform(*interval, shape).astype(kind)
        else:
            arrays[entry.name] = random.standard_normal(shape).astype(kind)
    numpy.savez_compressed(target, **arrays)
    return target


def choose(file, given, count, folder):
    model = counting.load(file)
    return labelled(file, model, given) or write_random(model, count, folder / (file.stem + ".samples.npz"))
