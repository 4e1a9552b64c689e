# SPDX-License-Identifier: GPL-3.0-or-later
"""What the four sample networks share: the data, the QAT schedule, the export and the measurement."""

import os
import pathlib
import re
import warnings

import numpy
import onnx
import onnxruntime
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.ao.quantization import (
    FakeQuantize,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    disable_observer,
    enable_fake_quant,
    disable_fake_quant,
)

SAMPLES = pathlib.Path(__file__).resolve().parent.parent
TEST_COUNT = 500


def load_data():
    digits = load_digits()
    images = (digits.images / 16).astype(numpy.float32)[:, None]
    labels = digits.target.astype(numpy.int64)
    return train_test_split(images, labels, test_size=TEST_COUNT, random_state=7, stratify=labels)


def write_test_images():
    _, images, _, labels = load_data()
    numpy.savez_compressed(SAMPLES / "digits.npz", input=images, labels=labels)


def activation_quantizer():
    """uint8, affine, per tensor."""
    return FakeQuantize.with_args(
        observer=MovingAverageMinMaxObserver,
        quant_min=0,
        quant_max=255,
        dtype=torch.quint8,
        qscheme=torch.per_tensor_affine,
    )


def weight_quantizer(per_channel):
    """int8, symmetric."""
    return FakeQuantize.with_args(
        observer=MovingAveragePerChannelMinMaxObserver if per_channel else MovingAverageMinMaxObserver,
        quant_min=-128,
        quant_max=127,
        dtype=torch.qint8,
        qscheme=torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric,
        **({"ch_axis": 0} if per_channel else {}),
    )


def qconfig(per_channel):
    return torch.ao.quantization.QConfig(activation=activation_quantizer(), weight=weight_quantizer(per_channel))


def shifted(images, generator):
    """Every image moved by up to one pixel: the only augmentation."""
    rows, columns = torch.randint(-1, 2, (2,), generator=generator).tolist()
    padded = torch.nn.functional.pad(images, (1, 1, 1, 1))
    return padded[:, :, 1 + rows : 9 + rows, 1 + columns : 9 + columns]


def run_epochs(model, epochs, rate, generator, images, labels, augment, frozen_norm=False):
    if epochs == 0:
        return
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-4)
    steps = epochs * ((len(images) + 63) // 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    for _ in range(epochs):
        model.train()
        if frozen_norm:
            for module in model.modules():
                if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
                    module.eval()
        for batch in torch.randperm(len(images), generator=generator).split(64):
            seen = shifted(images[batch], generator) if augment else images[batch]
            loss = torch.nn.functional.cross_entropy(model(seen), labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


def train(model, float_epochs=25, qat_epochs=12, frozen_epochs=4, augment=True):
    """Float first with the observers watching, then with fake quantization, then with frozen grids and statistics."""
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(1)
    images, _, labels, _ = (torch.from_numpy(array) for array in load_data())
    model.apply(disable_fake_quant)
    run_epochs(model, float_epochs, 4e-3, generator, images, labels, augment)
    model.apply(enable_fake_quant)
    run_epochs(model, qat_epochs, 1e-3, generator, images, labels, augment)
    model.apply(disable_observer)
    run_epochs(model, frozen_epochs, 1e-4, generator, images, labels, augment, frozen_norm=True)
    return model.eval()


def shorten_paths(file):
    """The dynamo exporter writes stack traces: keep them, but not where this machine keeps its files."""
    model = onnx.load(file)
    for node in model.graph.node:
        for entry in node.metadata_props:
            entry.value = re.sub(r'"[^"]*/(site-packages|samples/training)/', r'"\1/', entry.value)
    onnx.save(model, file)


def accuracy(file):
    """What ONNX Runtime makes of the file, its own graph optimizations switched off."""
    _, images, _, labels = load_data()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    (logits,) = session.run(None, {"input": images})
    return int((logits.argmax(1) == labels).sum())


def report(file):
    model = onnx.load(file)
    onnx.checker.check_model(model, full_check=True)
    count = accuracy(file)
    print(f"{file.name}: {count}/{TEST_COUNT} right, {len(model.graph.node)} nodes, {os.path.getsize(file)} bytes")


def export_torchscript(model, name, opset):
    """The exporter that was torch's default before 2.9."""
    file = SAMPLES / name
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (torch.zeros(1, 1, 8, 8),),
            str(file),
            dynamo=False,
            opset_version=opset,
            input_names=["input"],
            output_names=["logits"],
            dynamic_axes={"input": {0: "N"}, "logits": {0: "N"}},
        )
    report(file)


@torch.library.register_fake("aten::fake_quantize_per_tensor_affine_cachemask")
def _(x, scale, zero_point, quant_min, quant_max):
    return torch.empty_like(x), torch.empty_like(x, dtype=torch.bool)


@torch.library.register_fake("aten::fake_quantize_per_channel_affine_cachemask")
def _(x, scale, zero_point, axis, quant_min, quant_max):
    return torch.empty_like(x), torch.empty_like(x, dtype=torch.bool)


def export_dynamo(model, name, opset):
    """The default exporter of torch 2.13."""
    file = SAMPLES / name
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (torch.zeros(2, 1, 8, 8),),
            str(file),
            dynamo=True,
            external_data=False,
            opset_version=opset,
            input_names=["input"],
            output_names=["logits"],
            dynamic_shapes={"image": {0: torch.export.Dim("N")}},
            verbose=False,
        )
    shorten_paths(file)
    report(file)
