#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""generate_node_tests.py FOLDER: writes every node test that the onnx package generates, as FOLDER/NAME/model.onnx and
FOLDER/NAME/test_data_set_N/{input,output}_K.pb (formats.md 8.1), and its tolerances as FOLDER/NAME/data.json.
Does nothing where FOLDER is complete and of the same version of the package."""

import json
import os
import random
import sys
import warnings

warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import numpy_helper  # noqa: E402


def as_proto(value, type_proto, name):
    if isinstance(value, onnx.TensorProto):
        return value
    if type_proto.HasField("map_type"):
        return numpy_helper.from_dict(value, name)
    if type_proto.HasField("sequence_type"):
        return numpy_helper.from_list(value, name)
    if type_proto.HasField("optional_type"):
        return numpy_helper.from_optional(value, name)
    return numpy_helper.from_array(np.asarray(value), name)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def write_case(case, folder):
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "model.onnx"), case.model.SerializeToString(deterministic=True))
    write(os.path.join(folder, "data.json"), json.dumps({"rtol": case.rtol, "atol": case.atol}).encode())
    graph = case.model.graph
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = os.path.join(folder, f"test_data_set_{number}")
        os.makedirs(data, exist_ok=True)
        for kind, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for k, (value, info) in enumerate(zip(values, infos)):
                proto = as_proto(value, info.type, info.name)
                write(os.path.join(data, f"{kind}_{k}.pb"), proto.SerializeToString(deterministic=True))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: generate_node_tests.py FOLDER")
    folder = sys.argv[1]
    stamp = os.path.join(folder, "version.txt")
    if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == onnx.__version__:
        return
    from onnx.backend.test.case.node import collect_testcases

    random.seed(1)
    np.random.seed(1)
    failed = []
    cases = collect_testcases(None)
    for case in cases:
        try:
            write_case(case, os.path.join(folder, case.name))
        except Exception as error:  # a test that this numpy or onnx cannot write is named, never dropped in silence
            failed.append(f"{case.name}: {error}")
    for line in failed:
        print("not written:", line)
    print(f"{len(cases) - len(failed)} of {len(cases)} node tests written to {folder}")
    write(stamp, onnx.__version__.encode())


main()
