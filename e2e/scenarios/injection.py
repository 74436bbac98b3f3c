# SPDX-License-Identifier: Apache-2.0
"""The injection suite, which ctest runs on the embedded API server, passes on a real one.

e2e_injection_test (e2e/injection) uses the cluster of CAPSTAN_INJECTION_CLUSTER. The tests have all
rights, and the process under test has those of capstan-controller-manager.
"""
from lib import trust_bundles
from lib.suite import run_suite

KINDS = ("real",)
NEED_TRUST_BUNDLES = ("TrustBundleSourceTest.*", "TrustBundleTargetsTest.*", "ChainsTest.*ClusterTrustBundle*",
                      "ChainsTest.ABundleMayTakeThoseOfItsOwnSigner", "ChainsTest.ALoopOfBothKindsIsReported")


def run(scenario):
    cluster = scenario.cluster()
    tests = "*" if trust_bundles.serve(cluster) else "-" + ":".join(NEED_TRUST_BUNDLES)
    run_suite(scenario, "e2e_injection_test",
              {"CAPSTAN_INJECTION_CLUSTER": cluster.folder, "GTEST_FILTER": tests})
