# SPDX-License-Identifier: Apache-2.0
"""The contract suite, as ctest runs it on the embedded API server, passes on a real one.

CAPSTAN_CONTRACT_KUBECONFIG makes e2e_contract_test (e2e/contract) ask that server; by
CAPSTAN_CONTRACT_ETCD it compacts what an expired continue token must no longer find.
"""
import json
import os
import subprocess

KINDS = ("real",)
# Otherwise the API server goes on serving old pages from memory, compacted or not.
FLAGS = ("--feature-gates=ListFromCacheSnapshot=false",)


def run(scenario):
    cluster = scenario.cluster(*FLAGS)
    # A new API server does not remember what was before it: there, version 1 is too old.
    cluster.kill("kube-apiserver")
    cluster.start_apiserver()
    report = scenario.path("contract.json")
    program = os.path.join(os.path.dirname(scenario.bin_dir), "tests", "e2e_contract_test")
    result = subprocess.run(
        [program, "--gtest_brief=1", f"--gtest_output=json:{report}"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
        env={**os.environ, "CAPSTAN_CONTRACT_KUBECONFIG": cluster.kubeconfig("admin"),
             "CAPSTAN_CONTRACT_ETCD": cluster.state["etcd_url"]})
    if result.returncode != 0:
        print(result.stdout)
    assert os.path.exists(report), f"{program} breaks off and exits {result.returncode}"
    with open(report, encoding="utf-8") as file:
        suites = json.load(file)["testsuites"]
    tests = [test for suite in suites for test in suite["testsuite"]]
    failed = [f"{test['classname']}.{test['name']}" for test in tests if "failures" in test]
    skipped = [test["name"] for test in tests if test["result"] == "SKIPPED"]
    scenario.figure("tests", len(tests))
    assert not failed, f"{len(failed)} tests fail: {', '.join(failed)}"
    assert not skipped, f"{len(skipped)} tests are skipped: {', '.join(skipped)}"
    assert result.returncode == 0 and tests, f"{program} exits {result.returncode}"
