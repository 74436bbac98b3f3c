# SPDX-License-Identifier: Apache-2.0
"""The injection suite, which ctest runs on the embedded API server, passes on a real one.

e2e_injection_test (e2e/injection) uses the cluster of CAPSTAN_INJECTION_CLUSTER. The tests have all
rights, and the process under test has those of capstan-controller-manager.
"""
import os

from lib.suite import run_suite

KINDS = ("real",)
# Kubernetes before 1.37 serves ClusterTrustBundles only with these flags, and before 1.33 not in v1beta1.
TRUST_BUNDLES = ("--feature-gates=ClusterTrustBundle=true",
                 "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true")


def run(scenario):
    version = os.environ.get("KUBE_VERSION", "")
    minor = int(version.split(".")[1]) if version else 37
    cluster = scenario.cluster(*(TRUST_BUNDLES if 33 <= minor < 37 else ()))
    run_suite(scenario, "e2e_injection_test",
              {"CAPSTAN_INJECTION_CLUSTER": cluster.folder})
