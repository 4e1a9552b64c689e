# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts linear operators in ONNX files, apart from Crease: behind quantizers in a source, integer in a folded file or a session."""

import sys

import onnx
from google.protobuf.message import DecodeError

LINEAR = {"Conv": (0, 1), "ConvTranspose": (0, 1), "Gemm": (0, 1), "MatMul": (0, 1)}
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


def integer_kernels(model):
    return sum(node.op_type in INTEGER_KERNELS for node in model.graph.node)


def integer_linear_ops(model):
    """Integer kernels, and linear operators in QDQ form: data and weight straight from a DequantizeLinear."""
    made_by = producers(model.graph)

    def is_code(name):
        node = made_by.get(name)
        return node is not None and node.op_type == "DequantizeLinear"

    written_as_qdq = sum(
        node.op_type in LINEAR and all(is_code(node.input[index]) for index in LINEAR[node.op_type])
        for node in model.graph.node
    )
    return integer_kernels(model) + written_as_qdq


def load(file):
    try:
        return onnx.load(str(file), load_external_data=False)
    except DecodeError as error:
        sys.exit(f"{file}: not an ONNX file: {error}")
