# SPDX-License-Identifier: GPL-3.0-or-later
"""A multi-layer perceptron, QDQ with one grid a tensor, weights too."""

import torch
from torch import nn
from torch.ao.nn import qat

import common

QCONFIG = common.qconfig(per_channel=False)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.quantize_input = QCONFIG.activation()
        self.first = qat.Linear(64, 64, qconfig=QCONFIG)
        self.quantize_first = QCONFIG.activation()
        self.second = qat.Linear(64, 32, qconfig=QCONFIG)
        self.quantize_second = QCONFIG.activation()
        self.head = qat.Linear(32, 10, qconfig=QCONFIG)
        self.quantize_logits = QCONFIG.activation()

    def forward(self, image):
        x = self.quantize_input(image).flatten(1)
        x = self.quantize_first(torch.relu(self.first(x)))
        x = self.quantize_second(torch.relu(self.second(x)))
        return self.quantize_logits(self.head(x))


if __name__ == "__main__":
    torch.manual_seed(3)
    common.export_torchscript(common.train(Mlp(), float_epochs=60, qat_epochs=25, augment=False), "mlp.onnx", opset=13)
