# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts linear operators in ONNX files, apart from Crease: behind quantizers in a source, integer in a folded file or a session."""

import sys

import onnx
from google.protobuf.message import DecodeError
from onnx import numpy_helper

LINEAR = {"Conv": (0, 1), "ConvTranspose": (0, 1), "Gemm": (0, 1), "MatMul": (0, 1)}
FLOAT_ONLY = {"ConvTranspose"}
INTEGER_KERNELS = {
    "QLinearConv",
    "QLinearMatMul",
    "QGemm",
    "ConvInteger",
    "MatMulInteger",
    "MatMulIntegerToFloat",
    "DynamicQuantizeMatMul",
}
QUANTIZERS = {"DequantizeLinear", "Quant", "IntQuant", "BipolarQuant"}
# What stands between a quantizer and the operator that reads it without leaving the grid.
MOVEMENT = {
    "Identity",
    "Cast",
    "CastLike",
    "Reshape",
    "Flatten",
    "Transpose",
    "Squeeze",
    "Unsqueeze",
    "Pad",
    "MaxPool",
    "Slice",
    "Gather",
    "Expand",
    "Relu",
    "Clip",
    "Dropout",
    "Split",
    "Concat",
    "Resize",
    "DepthToSpace",
    "SpaceToDepth",
}


def constants_of(model):
    return {entry.name: entry for entry in model.graph.initializer}


def producers(graph):
    return {output: node for node in graph.node for output in node.output}


def behind_quantizer(name, made_by):
    node = made_by.get(name)
    while node is not None and node.op_type in MOVEMENT:
        node = made_by.get(node.input[0])
    return node is not None and node.op_type in QUANTIZERS


def quantized_linear_ops(model):
    made_by = producers(model.graph)
    nodes = [node for node in model.graph.node if node.op_type in LINEAR]
    return sum(all(behind_quantizer(node.input[index], made_by) for index in LINEAR[node.op_type]) for node in nodes)


def is_average(node, constants, made_by):
    """An average that is written as a convolution: all of its weights are the same code."""
    if node.op_type not in ("QLinearConv", "ConvInteger", "Conv"):
        return False
    weight = node.input[3 if node.op_type == "QLinearConv" else 1]
    if weight in made_by and made_by[weight].op_type == "DequantizeLinear":
        weight = made_by[weight].input[0]
    if weight not in constants:
        return False
    codes = numpy_helper.to_array(constants[weight])
    return bool((codes == codes.flat[0]).all())


def integer_kernels(model):
    constants, made_by = constants_of(model), producers(model.graph)
    return sum(
        node.op_type in INTEGER_KERNELS and not is_average(node, constants, made_by) for node in model.graph.node
    )


def from_codes(node, made_by):
    """In QDQ form: data and weight straight from a DequantizeLinear."""

    def is_code(name):
        return name in made_by and made_by[name].op_type == "DequantizeLinear"

    return node.op_type in LINEAR and all(is_code(node.input[index]) for index in LINEAR[node.op_type])


def integer_linear_ops(model):
    """Integer kernels, and linear operators in QDQ form that have an integer kernel."""
    constants, made_by = constants_of(model), producers(model.graph)
    written_as_qdq = sum(
        from_codes(node, made_by) and node.op_type not in FLOAT_ONLY and not is_average(node, constants, made_by)
        for node in model.graph.node
    )
    return integer_kernels(model) + written_as_qdq


def float_only(model):
    """Linear operators between quantizers for which ONNX Runtime has no integer kernel: islands in any file."""
    made_by = producers(model.graph)
    return sum(from_codes(node, made_by) and node.op_type in FLOAT_ONLY for node in model.graph.node)


def output_steps(model):
    """The step of each graph output that comes from a DequantizeLinear with one scale, else None."""
    constants, made_by = constants_of(model), producers(model.graph)
    steps = {}
    for output in model.graph.output:
        node = made_by.get(output.name)
        while node is not None and node.op_type in MOVEMENT:
            node = made_by.get(node.input[0])
        scale = constants.get(node.input[1]) if node is not None and node.op_type == "DequantizeLinear" else None
        values = numpy_helper.to_array(scale).ravel() if scale is not None else ()
        steps[output.name] = float(values[0]) if len(values) == 1 else None
    return steps


def dead_nodes(model):
    """Nodes that no graph output needs."""
    made_by = producers(model.graph)
    needed, wanted = set(), [entry.name for entry in model.graph.output]
    while wanted:
        node = made_by.get(wanted.pop())
        if node is None or id(node) in needed:
            continue
        needed.add(id(node))
        wanted.extend(node.input)
    return [node for node in model.graph.node if id(node) not in needed]


def load(file):
    try:
        return onnx.load(str(file), load_external_data=False)
    except DecodeError as error:
        sys.exit(f"{file}: not an ONNX file: {error}")
