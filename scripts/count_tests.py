# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the test functions of ctest runs (their JUnit files): "N passed, N failed, N skipped", skipped ones by name."""

import re
import sys
import xml.etree.ElementTree

TOTALS = re.compile(r"^Totals: (\d+) passed, (\d+) failed, (\d+) skipped", re.MULTILINE)
SKIP = re.compile(r"^SKIP\s*: (.*)$", re.MULTILINE)


def count(case):
    """Passed, failed and skipped functions of one executable, and what it skipped."""
    output = case.findtext("system-out") or ""
    status = case.get("status")
    if status == "disabled" or case.find("skipped") is not None and status != "notrun":
        return 0, 0, 1, [case.get("name") + " (disabled)"]
    totals = [tuple(map(int, match)) for match in TOTALS.findall(output)]
    passed, failed, skipped = (sum(column) for column in zip(*totals)) if totals else (0, 0, 0)
    if status != "run" and failed == 0:
        failed = 1
    if not totals and status == "run":
        passed = 1
    return passed, failed, skipped, SKIP.findall(output)


def main(files):
    cases = [case for file in files for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase")]
    counts = [count(case) for case in cases]
    skips = [name for entry in counts for name in entry[3]]
    if skips:
        print("Skipped:")
        for name in skips:
            print("  " + name)
    passed, failed, skipped = (sum(entry[column] for entry in counts) for column in range(3))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
