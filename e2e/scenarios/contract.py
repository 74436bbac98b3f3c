# SPDX-License-Identifier: Apache-2.0
"""The contract suite, which ctest runs on the embedded API server, passes on a real one.

e2e_contract_test (e2e/contract) uses the server of CAPSTAN_CONTRACT_KUBECONFIG. With
CAPSTAN_CONTRACT_ETCD it compacts the history, so that a continue token expires. The tests of garbage
collection run if a kube-controller-manager lies beside the kube-apiserver. On older versions, tests of
what they do not have are skipped, and the reasons are printed.
"""
from lib.suite import run_suite

KINDS = ("real",)


def run(scenario):
    cluster = scenario.cluster()
    minor = int(cluster.client().call("GET", "/version")["minor"])
    # A new API server has no history, so version 1 is too old for it.
    cluster.kill("kube-apiserver")
    if minor >= 34:
        # Otherwise the API server serves old pages from memory even after the compaction.
        cluster.state["apiserver_flags"] = ["--feature-gates=ListFromCacheSnapshot=false"]
    cluster.start_apiserver()
    collects = cluster.start_controller_manager()
    left_out = [] if collects else ["GarbageCollectionTest.*", "AggregationTest.*"]
    run_suite(scenario, "e2e_contract_test",
              {"CAPSTAN_CONTRACT_KUBECONFIG": cluster.kubeconfig("admin"),
               "CAPSTAN_CONTRACT_ETCD": cluster.state["etcd_url"],
               "CAPSTAN_CONTRACT_GARBAGE_COLLECTION": "1" if collects else "",
               "GTEST_FILTER": "*" + ("-" if left_out else "") + ":".join(left_out)}, may_skip=minor < 37)
