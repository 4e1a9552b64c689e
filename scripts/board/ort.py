# SPDX-License-Identifier: GPL-3.0-or-later
"""ONNX Runtime as a judge: outputs, accuracy, and the integer kernels of the session it makes."""

import pathlib
import tempfile

import numpy
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as refusals

import counting

LEVELS = {
    "disabled": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "default": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}

# What ONNX Runtime raises where it cannot load or run a model.
REFUSALS = (
    refusals.Fail,
    refusals.InvalidArgument,
    refusals.InvalidGraph,
    refusals.InvalidProtobuf,
    refusals.NotImplemented,
    refusals.RuntimeException,
)


def open_session(file, level, optimized=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = LEVELS[level]
    options.intra_op_num_threads = 1
    if optimized is not None:
        options.optimized_model_filepath = str(optimized)
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def kernels_of_session(file):
    """How many linear operators are integer after ONNX Runtime's own optimization; None where it refuses the file."""
    with tempfile.TemporaryDirectory() as folder:
        optimized = pathlib.Path(folder) / "optimized.onnx"
        try:
            open_session(file, "default", optimized)
        except REFUSALS:
            return None
        return counting.integer_kernels(counting.load(optimized))


def batches(session, samples):
    """The samples one image at a time where the batch is fixed to one, else as they are."""
    inputs = {entry.name: entry.shape for entry in session.get_inputs()}
    count = len(next(iter(samples.values())))
    fixed = any(isinstance(shape[0], int) and shape[0] != count for shape in inputs.values() if shape)
    if not fixed:
        return [{name: samples[name] for name in inputs}]
    size = next(shape[0] for shape in inputs.values() if shape)
    return [{name: samples[name][at : at + size] for name in inputs} for at in range(0, count, size)]


def outputs(file, level, samples):
    session = open_session(file, level)
    results = [session.run(None, batch) for batch in batches(session, samples)]
    names = [entry.name for entry in session.get_outputs()]
    return {name: numpy.concatenate([numpy.atleast_1d(result[index]) for result in results]) for index, name in enumerate(names)}


def right(output, labels):
    """How many images an output gets right: classes by argmax, a mask of probabilities by the share of its pixels."""
    if output.shape == labels.shape:
        return float(((output > 0.5) == (labels > 0)).mean() * len(labels))
    return float((output.argmax(1) == labels).sum())
