# SPDX-License-Identifier: Apache-2.0
"""The contract suite, as ctest runs it on the embedded API server, passes on a real one.

CAPSTAN_CONTRACT_KUBECONFIG makes e2e_contract_test (e2e/contract) ask that server; by
CAPSTAN_CONTRACT_ETCD it compacts what an expired continue token must no longer find.
"""
from lib.suite import run_suite

KINDS = ("real",)


def run(scenario):
    cluster = scenario.cluster()
    minor = int(cluster.client().call("GET", "/version")["minor"])
    # A new API server does not remember what was before it: there, version 1 is too old.
    cluster.kill("kube-apiserver")
    if minor >= 34:
        # Otherwise the API server goes on serving old pages from memory, compacted or not.
        cluster.state["apiserver_flags"] = ["--feature-gates=ListFromCacheSnapshot=false"]
    cluster.start_apiserver()
    run_suite(scenario, "e2e_contract_test",
              {"CAPSTAN_CONTRACT_KUBECONFIG": cluster.kubeconfig("admin"),
               "CAPSTAN_CONTRACT_ETCD": cluster.state["etcd_url"],
               # The tests of streaming lists: Kubernetes 1.30 has none by default.
               "GTEST_FILTER": "*" if minor >= 34 else "-WatchListTest.*"})
