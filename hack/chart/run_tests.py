#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/chart/run_tests.py [PATTERN...]: run the tests of hack/chart/test with existing tools."""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)


def main(patterns):
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in patterns] or None
    suite = loader.discover(os.path.join(HERE, "tests"), "*_test.py")
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    # A failed subtest counts as an additional failure.
    bad = len(result.failures) + len(result.errors) + (not result.testsRun)
    passed = max(result.testsRun - bad - len(result.skipped), 0)
    print(f"{passed} passed, {bad} failed, {len(result.skipped)} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
