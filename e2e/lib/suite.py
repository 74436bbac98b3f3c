# SPDX-License-Identifier: Apache-2.0
"""Runs a test program of the unit suite against the API server of a scenario."""
import json
import os
import re
import subprocess


def run_suite(scenario, name, environment, may_skip=False):
    """Checks that all tests of build/<preset>/tests/<name> pass. Returns the seconds.

    Unless they `may_skip`, none is skipped. Otherwise the reasons are printed.
    """
    report = scenario.path(name + ".json")
    program = os.path.join(os.path.dirname(scenario.bin_dir), "tests", name)
    result = subprocess.run(
        [program, "--gtest_brief=1", f"--gtest_output=json:{report}"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900, check=False,
        env={**os.environ, **environment})
    if result.returncode != 0:
        print(result.stdout)
    assert os.path.exists(report), f"{program} breaks off and exits {result.returncode}"
    with open(report, encoding="utf-8") as file:
        report = json.load(file)
    tests = [test for suite in report["testsuites"] for test in suite["testsuite"]]
    failed = [f"{test['classname']}.{test['name']}" for test in tests if "failures" in test]
    skipped = [test["name"] for test in tests if test["result"] == "SKIPPED"]
    scenario.figure("tests, time", f"{len(tests)}, {report['time']}")
    assert not failed, f"{len(failed)} tests fail: {', '.join(failed)}"
    assert result.returncode == 0 and tests, f"{program} exits {result.returncode}"
    if may_skip:
        scenario.figure("skipped tests", len(skipped))
        for reason in sorted(set(re.findall(r": Skipped\n(.+)", result.stdout))):
            print(f"    {reason}")
    assert may_skip or not skipped, f"{len(skipped)} tests are skipped: {', '.join(skipped)}"
    return float(report["time"].rstrip("s"))
