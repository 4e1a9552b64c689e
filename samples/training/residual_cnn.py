# SPDX-License-Identifier: GPL-3.0-or-later
"""A residual CNN, QDQ with per-channel weights, BatchNorm behind the quantized convolutions."""

import torch
from torch import nn
from torch.ao.nn import qat
from torch.ao.quantization import FakeQuantize

import common

QCONFIG = common.qconfig(per_channel=True)


class ConvNorm(nn.Module):
    def __init__(self, inputs, outputs, size, stride=1):
        super().__init__()
        self.conv = qat.Conv2d(
            inputs, outputs, size, stride=stride, padding=size // 2, bias=False, qconfig=QCONFIG
        )
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return self.norm(self.conv(x))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = ConvNorm(inputs, outputs, 3, stride)
        self.second = ConvNorm(outputs, outputs, 3)
        self.shortcut = ConvNorm(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else nn.Identity()
        self.quantize_first = QCONFIG.activation()
        self.quantize_second = QCONFIG.activation()
        self.quantize_shortcut = QCONFIG.activation() if isinstance(self.shortcut, ConvNorm) else nn.Identity()
        self.quantize_sum = QCONFIG.activation()

    def forward(self, x):
        left = self.quantize_first(torch.relu(self.first(x)))
        left = self.quantize_second(self.second(left))
        right = self.quantize_shortcut(self.shortcut(x))
        return self.quantize_sum(torch.relu(left + right))


class ResidualCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantize_input = QCONFIG.activation()
        self.stem = ConvNorm(1, 16, 3)
        self.quantize_stem = QCONFIG.activation()
        self.blocks = nn.Sequential(Block(16, 16, 1), Block(16, 32, 2))
        self.quantize_pool = QCONFIG.activation()
        self.head = qat.Linear(32, 10, qconfig=QCONFIG)
        self.quantize_logits = QCONFIG.activation()

    def forward(self, image):
        x = self.quantize_stem(torch.relu(self.stem(self.quantize_input(image))))
        x = self.blocks(x)
        x = self.quantize_pool(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))
        return self.quantize_logits(self.head(x))


class FixedQuantize(nn.Module):
    """A trained FakeQuantize as one call with constant grid: eager FakeQuantize cannot be exported by dynamo."""

    def __init__(self, source):
        super().__init__()
        self.per_channel = source.is_per_channel
        self.range = (source.quant_min, source.quant_max)
        if self.per_channel:
            self.axis = source.ch_axis
            self.register_buffer("scale", source.scale.clone())
            self.register_buffer("zero_point", source.zero_point.to(torch.int32))
        else:
            self.scale = float(source.scale)
            self.zero_point = int(source.zero_point)

    def forward(self, x):
        if self.per_channel:
            return torch.fake_quantize_per_channel_affine(x, self.scale, self.zero_point, self.axis, *self.range)
        return torch.fake_quantize_per_tensor_affine(x, self.scale, self.zero_point, *self.range)


def fix_quantizers(module):
    for name, child in module.named_children():
        if isinstance(child, FakeQuantize):
            setattr(module, name, FixedQuantize(child))
        else:
            fix_quantizers(child)


if __name__ == "__main__":
    torch.manual_seed(3)
    model = common.train(ResidualCnn())
    fix_quantizers(model)
    model.requires_grad_(False)
    common.write_test_images()
    common.export_dynamo(model, "residual_cnn.onnx", opset=18)
