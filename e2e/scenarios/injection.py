# SPDX-License-Identifier: Apache-2.0
"""The injection suite, which ctest runs on the embedded API server, passes on a real one.

e2e_injection_test (e2e/injection) uses the cluster of CAPSTAN_INJECTION_CLUSTER. The tests have all
rights, and the process under test has those of capstan-controller-manager.
"""
from lib import trust_bundles
from lib.suite import run_suite

KINDS = ("real",)


def run(scenario):
    cluster = scenario.cluster()
    served = trust_bundles.serve(cluster)
    run_suite(scenario, "e2e_injection_test", {"CAPSTAN_INJECTION_CLUSTER": cluster.folder}, may_skip=not served)
