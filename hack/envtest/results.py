# SPDX-License-Identifier: Apache-2.0
"""Reads how the tests of a package went: from go's events and from ginkgo's report.

A result is {name: "passed", "failed" or "skipped"}. Of Go's tests only those without subtests count.
"""
import collections
import json
import os
import re

GO = {"pass": "passed", "fail": "failed", "skip": "skipped"}
GINKGO = {"passed": "passed", "skipped": "skipped", "pending": "skipped"}


def of_events(lines, runners=frozenset()):
    """Returns the results in the output of test2json. `runners` are tests that only run ginkgo's specs.

    A test that has begun and has no end failed: the process ended.
    """
    found, parents = {}, set()
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        test = event.get("Test")
        if not test or test.split("/")[0] in runners:
            continue
        if "/" in test:
            parents.add(test.rpartition("/")[0])
        if event["Action"] == "run":
            found.setdefault(test, "failed")
        elif event["Action"] in GO:
            found[test] = GO[event["Action"]]
    return {test: state for test, state in found.items() if test not in parents}


def of_report(path):
    """Returns the results in ginkgo's JSON report; none if the process ended before it wrote one."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        suites = json.load(file)
    found = {}
    for spec in (spec for suite in suites for spec in suite.get("SpecReports") or ()):
        if spec["LeafNodeType"] != "It":
            continue
        name = " ".join([*(spec.get("ContainerHierarchyTexts") or ()), spec["LeafNodeText"]])
        number = 1
        while name + f" #{number}" * (number > 1) in found:
            number += 1
        found[name + f" #{number}" * (number > 1)] = GINKGO.get(spec["State"], "failed")
    return found


def count(results, state):
    """Returns how many tests of {package: result} are in this state."""
    return sum(list(tests.values()).count(state) for tests in results.values())


def without_seeds(test):
    """Returns the name without random numbers. Names like "random(1796023106853982249)" differ in each run."""
    return re.sub(r"\d{10,}", "N", test)


def missing(real, embedded):
    """Returns the tests that pass on the real API server and not on the embedded one."""
    found = []
    for package, tests in sorted(real.items()):
        passed = collections.Counter(without_seeds(test) for test, state in embedded.get(package, {}).items()
                                     if state == "passed")
        for test in (test for test, state in tests.items() if state == "passed"):
            name = without_seeds(test)
            if passed[name] > 0:
                passed[name] -= 1
            else:
                found.append((package, test))
    return found
