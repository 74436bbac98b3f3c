#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hack/chart/run_tests.py [PATTERN...]: run the tests of hack/chart/test with existing tools.

The files run beside each other, a process for each core.
"""
import glob
import io
import multiprocessing
import os
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)


def run_file(arguments):
    """Returns (output, tests, failures, skipped tests) of one file of tests."""
    path, patterns = arguments
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in patterns] or None
    suite = loader.discover(os.path.dirname(path), os.path.basename(path))
    output = io.StringIO()
    result = unittest.TextTestRunner(stream=output, verbosity=1).run(suite)
    # A failed subtest counts as an additional failure.
    return output.getvalue(), result.testsRun, len(result.failures) + len(result.errors), len(result.skipped)


def main(patterns):
    files = sorted(glob.glob(os.path.join(HERE, "tests", "*_test.py")), key=os.path.getsize, reverse=True)
    tests = bad = skipped = 0
    with multiprocessing.Pool() as pool:
        for output, *counts in pool.imap_unordered(run_file, [(path, patterns) for path in files], chunksize=1):
            if counts[0]:
                print(output)
            tests, bad, skipped = tests + counts[0], bad + counts[1], skipped + counts[2]
    bad += not tests
    print(f"{max(tests - bad - skipped, 0)} passed, {bad} failed, {skipped} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
