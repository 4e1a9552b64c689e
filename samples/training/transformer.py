# SPDX-License-Identifier: GPL-3.0-or-later
"""A transformer block over the 16 patches of an image, QDQ with per-channel weights, attention products quantized."""

import torch
from torch import nn
from torch.ao.nn import qat

import common

QCONFIG = common.qconfig(per_channel=True)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.head_width = width // heads
        self.width = width
        self.query = qat.Linear(width, width, qconfig=QCONFIG)
        self.key = qat.Linear(width, width, qconfig=QCONFIG)
        self.value = qat.Linear(width, width, qconfig=QCONFIG)
        self.output = qat.Linear(width, width, qconfig=QCONFIG)
        self.quantize_query = QCONFIG.activation()
        self.quantize_key = QCONFIG.activation()
        self.quantize_value = QCONFIG.activation()
        self.quantize_weights = QCONFIG.activation()
        self.quantize_mixed = QCONFIG.activation()

    def split(self, x):
        return x.reshape(-1, 16, self.heads, self.head_width).transpose(1, 2)

    def forward(self, x):
        query = self.split(self.quantize_query(self.query(x)))
        key = self.split(self.quantize_key(self.key(x)))
        value = self.split(self.quantize_value(self.value(x)))
        scores = query @ key.transpose(-2, -1) / self.head_width**0.5
        weights = self.quantize_weights(scores.softmax(-1))
        mixed = self.quantize_mixed(weights @ value).transpose(1, 2).reshape(-1, 16, self.width)
        return self.output(mixed)


class Transformer(nn.Module):
    def __init__(self, width=32, heads=4, hidden=64):
        super().__init__()
        self.quantize_input = QCONFIG.activation()
        self.embed = qat.Linear(4, width, qconfig=QCONFIG)
        self.position = nn.Parameter(torch.randn(1, 16, width) * 0.1)
        self.quantize_embedded = QCONFIG.activation()
        self.norm_attention = nn.LayerNorm(width)
        self.quantize_attention = QCONFIG.activation()
        self.attention = Attention(width, heads)
        self.quantize_residual = QCONFIG.activation()
        self.norm_hidden = nn.LayerNorm(width)
        self.quantize_norm = QCONFIG.activation()
        self.expand = qat.Linear(width, hidden, qconfig=QCONFIG)
        self.quantize_hidden = QCONFIG.activation()
        self.contract = qat.Linear(hidden, width, qconfig=QCONFIG)
        self.quantize_pool = QCONFIG.activation()
        self.head = qat.Linear(width, 10, qconfig=QCONFIG)
        self.quantize_logits = QCONFIG.activation()

    def forward(self, image):
        patches = self.quantize_input(image).reshape(-1, 4, 2, 4, 2).permute(0, 1, 3, 2, 4).reshape(-1, 16, 4)
        x = self.quantize_embedded(self.embed(patches) + self.position)
        x = self.quantize_residual(x + self.attention(self.quantize_attention(self.norm_attention(x))))
        hidden = self.quantize_hidden(nn.functional.gelu(self.expand(self.quantize_norm(self.norm_hidden(x)))))
        x = x + self.contract(hidden)
        return self.quantize_logits(self.head(self.quantize_pool(x.mean(1))))


if __name__ == "__main__":
    torch.manual_seed(3)
    model = common.train(Transformer(), float_epochs=150, qat_epochs=40)
    common.export_torchscript(model, "transformer.onnx", opset=17)
