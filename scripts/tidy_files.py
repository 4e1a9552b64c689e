# SPDX-License-Identifier: GPL-3.0-or-later
"""The C++ files of core/ in a compile database, one a line."""

import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
for entry in json.load(open(sys.argv[1])):
    file = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
    if file.is_relative_to(root / "core"):
        print(file.relative_to(root))
