# SPDX-License-Identifier: GPL-3.0-or-later
"""The closing line of a test run: what is counted for executables that pass, fail, skip, crash, leak or never ran."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import count_tests

QT = "Totals: {} passed, {} failed, {} skipped, 0 blacklisted, 1ms\n"


def case(status, output=""):
    return f'<testcase name="t" status="{status}"><system-out>{output}</system-out></testcase>'


def count(*cases):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tests.xml"
        file.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = count_tests.main([file])
    return said.getvalue().splitlines()[-1], status


class CountTests(unittest.TestCase):
    def test_functions_are_added_up(self):
        lines = case("run", QT.format(3, 0, 0)), case("run", QT.format(4, 0, 2))
        self.assertEqual(count(*lines), ("7 passed, 0 failed, 2 skipped", 0))

    def test_two_suites_in_one_executable(self):
        self.assertEqual(count(case("run", QT.format(3, 0, 0) + QT.format(1, 0, 0))), ("4 passed, 0 failed, 0 skipped", 0))

    def test_failed_functions(self):
        self.assertEqual(count(case("fail", QT.format(3, 2, 0))), ("3 passed, 2 failed, 0 skipped", 1))

    def test_a_crash_is_one_failure(self):
        self.assertEqual(count(case("run", QT.format(1, 0, 0)), case("fail")), ("1 passed, 1 failed, 0 skipped", 1))

    def test_a_leak_after_passed_functions_is_a_failure(self):
        self.assertEqual(count(case("fail", QT.format(3, 0, 0))), ("3 passed, 1 failed, 0 skipped", 1))

    def test_an_executable_that_never_ran(self):
        self.assertEqual(count(case("run", QT.format(1, 0, 0)), case("notrun")), ("1 passed, 1 failed, 0 skipped", 1))

    def test_another_kind_of_test_counts_once(self):
        self.assertEqual(count(case("run", "hello")), ("1 passed, 0 failed, 0 skipped", 0))

    def test_no_test_at_all_is_no_success(self):
        self.assertEqual(count(), ("0 passed, 0 failed, 0 skipped", 1))


if __name__ == "__main__":
    unittest.main()
