#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests how hack/suites counts."""
import json
import os
import tempfile
import unittest

import results


def events(*pairs):
    return [json.dumps({"Action": action, "Test": test}) for action, test in pairs]


class EventsTest(unittest.TestCase):
    def test_counts_tests_without_subtests(self):
        lines = events(("run", "TestA"), ("run", "TestA/one"), ("pass", "TestA/one"), ("run", "TestA/two"),
                       ("skip", "TestA/two"), ("pass", "TestA"), ("run", "TestB"), ("fail", "TestB"))
        self.assertEqual({"TestA/one": "passed", "TestA/two": "skipped", "TestB": "failed"},
                         results.of_events(lines))

    def test_a_test_without_an_end_failed(self):
        self.assertEqual({"TestA": "failed"}, results.of_events(events(("run", "TestA")) + ["panic: x"]))

    def test_leaves_out_what_runs_ginkgo(self):
        self.assertEqual({}, results.of_events(events(("run", "TestAll"), ("pass", "TestAll")), {"TestAll"}))


class ReportTest(unittest.TestCase):
    def test_reads_specs_and_tells_equal_names_apart(self):
        def spec(state, kind="It"):
            return {"LeafNodeType": kind, "ContainerHierarchyTexts": ["a", "b"], "LeafNodeText": "c", "State": state}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump([{"SpecReports": [spec("passed", "BeforeSuite"), spec("passed"), spec("panicked"),
                                            spec("pending")]}], file)
            self.assertEqual({"a b c": "passed", "a b c #2": "failed", "a b c #3": "skipped"},
                             results.of_report(path))
            self.assertEqual({}, results.of_report(path + ".none"))


class CompareTest(unittest.TestCase):
    def test_names_what_passes_only_on_the_real_server(self):
        real = {"p": {"a": "passed", "b": "passed", "c": "failed", "d": "passed"}}
        embedded = {"p": {"a": "passed", "b": "failed", "c": "failed"}}
        self.assertEqual([("p", "b"), ("p", "d")], results.missing(real, embedded))
        self.assertEqual(3, results.count(real, "passed"))

    def test_matches_names_with_random_numbers(self):
        real = {"p": {f"random({seed}853982249)": "passed" for seed in (11, 12, 13, 14)}}
        embedded = {"p": {"random(21853982249)": "passed", "random(22853982249)": "passed",
                          "random(23853982249)": "failed", "random(24853982249)": "failed"}}
        self.assertEqual([("p", "random(13853982249)"), ("p", "random(14853982249)")], results.missing(real, embedded))


if __name__ == "__main__":
    unittest.main()
