# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every case below a folder in ONNX Runtime, with optimization disabled and all of it.

A case is a folder with model.onnx and inputs.txt (name, type, dims a line) and input_K.bin; it gets
output_LEVEL_K.bin (raw, contiguous) and types_LEVEL.txt, or error_LEVEL.txt."""
import os
import sys

import numpy as np
import onnxruntime as ort

ort.set_default_logger_severity(4)
levels = {
    "disabled": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def run(case, level):
    feed = {}
    with open(os.path.join(case, "inputs.txt"), encoding="utf-8") as lines:
        for k, line in enumerate(lines):
            name, kind, *dims = line.split()
            data = np.fromfile(os.path.join(case, f"input_{k}.bin"), dtype=kind)
            feed[name] = data.reshape([int(dim) for dim in dims])
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = levels[level]
    session = ort.InferenceSession(
        os.path.join(case, "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    types = []
    for k, output in enumerate(session.run(None, feed)):
        np.ascontiguousarray(output).tofile(os.path.join(case, f"output_{level}_{k}.bin"))
        types.append(f"{output.dtype} {'x'.join(map(str, output.shape))}")
    with open(os.path.join(case, f"types_{level}.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(types))


for entry in sorted(os.listdir(sys.argv[1])):
    for level_name in levels:
        folder = os.path.join(sys.argv[1], entry)
        try:
            run(folder, level_name)
        except Exception as error:  # the test reports it for the case
            with open(os.path.join(folder, f"error_{level_name}.txt"), "w", encoding="utf-8") as out:
                out.write(str(error))
