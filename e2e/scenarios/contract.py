# SPDX-License-Identifier: Apache-2.0
"""The contract suite, as ctest runs it on the embedded API server, passes on a real one.

CAPSTAN_CONTRACT_KUBECONFIG makes e2e_contract_test (e2e/contract) ask that server; by
CAPSTAN_CONTRACT_ETCD it compacts what an expired continue token must no longer find.
"""
from lib.suite import run_suite

KINDS = ("real",)
# Otherwise the API server goes on serving old pages from memory, compacted or not.
FLAGS = ("--feature-gates=ListFromCacheSnapshot=false",)


def run(scenario):
    cluster = scenario.cluster(*FLAGS)
    # A new API server does not remember what was before it: there, version 1 is too old.
    cluster.kill("kube-apiserver")
    cluster.start_apiserver()
    run_suite(scenario, "e2e_contract_test",
              {"CAPSTAN_CONTRACT_KUBECONFIG": cluster.kubeconfig("admin"),
               "CAPSTAN_CONTRACT_ETCD": cluster.state["etcd_url"]})
