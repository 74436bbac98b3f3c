# SPDX-License-Identifier: Apache-2.0
"""The injection suite, which ctest runs on the embedded API server, passes on a real one.

e2e_injection_test (e2e/injection) uses the cluster of CAPSTAN_INJECTION_CLUSTER. The tests have all
rights, and the process under test has those of capstan-controller-manager.
"""
from lib.suite import run_suite

KINDS = ("real",)
# Kubernetes before 1.37 serves ClusterTrustBundles only with these flags, and before 1.33 not in v1beta1.
TRUST_BUNDLES = ("--feature-gates=ClusterTrustBundle=true",
                 "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true")


def run(scenario):
    cluster = scenario.cluster()
    minor = int(cluster.client().call("GET", "/version")["minor"])
    if 33 <= minor < 37:
        cluster.kill("kube-apiserver")
        cluster.state["apiserver_flags"] = list(TRUST_BUNDLES)
        cluster.start_apiserver()
    left_out = "-TrustBundleSourceTest.*:TrustBundleTargetsTest.*"
    run_suite(scenario, "e2e_injection_test",
              {"CAPSTAN_INJECTION_CLUSTER": cluster.folder, "GTEST_FILTER": "*" if minor >= 33 else left_out})
