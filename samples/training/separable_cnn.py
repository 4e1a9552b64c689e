# SPDX-License-Identifier: GPL-3.0-or-later
"""A depthwise-separable CNN in QCDQ: Brevitas, depthwise weights of 8 bits, pointwise weights of 4."""

import warnings

import torch
from brevitas import nn as bnn
from brevitas.export import export_onnx_qcdq
from brevitas.quant import Int8ActPerTensorFloat, Int8WeightPerChannelFloat, Uint8ActPerTensorFloat
from torch import nn

import common


def conv(inputs, outputs, size, bits, stride=1, groups=1):
    return nn.Sequential(
        bnn.QuantConv2d(
            inputs,
            outputs,
            size,
            stride=stride,
            padding=size // 2,
            groups=groups,
            bias=False,
            weight_quant=Int8WeightPerChannelFloat,
            weight_bit_width=bits,
        ),
        nn.BatchNorm2d(outputs),
        bnn.QuantReLU(act_quant=Uint8ActPerTensorFloat),
    )


def separable(inputs, outputs, stride=1):
    return nn.Sequential(
        conv(inputs, inputs, 3, bits=8, stride=stride, groups=inputs), conv(inputs, outputs, 1, bits=4)
    )


class SeparableCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantize_input = bnn.QuantIdentity(act_quant=Int8ActPerTensorFloat)
        self.features = nn.Sequential(
            conv(1, 16, 3, bits=8), separable(16, 24), separable(24, 32, stride=2), separable(32, 48)
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.quantize_pool = bnn.QuantIdentity(act_quant=Int8ActPerTensorFloat)
        self.head = bnn.QuantLinear(48, 10, bias=True, weight_quant=Int8WeightPerChannelFloat)

    def forward(self, image):
        x = self.features(self.quantize_input(image))
        return self.head(self.quantize_pool(self.pool(x).flatten(1)))


if __name__ == "__main__":
    torch.manual_seed(3)
    model = common.train(SeparableCnn(), float_epochs=40, qat_epochs=10)
    file = common.SAMPLES / "separable_cnn.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        export_onnx_qcdq(
            model,
            torch.zeros(1, 1, 8, 8),
            export_path=str(file),
            dynamo=False,
            opset_version=13,
            input_names=["input"],
            output_names=["logits"],
            dynamic_axes={"input": {0: "N"}, "logits": {0: "N"}},
        )
    common.report(file)
