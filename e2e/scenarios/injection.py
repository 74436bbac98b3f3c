# SPDX-License-Identifier: Apache-2.0
"""What is injected where, as ctest shows it on the embedded API server, holds on a real one.

CAPSTAN_INJECTION_CLUSTER makes e2e_injection_test (e2e/injection) use that cluster: the tests as an
administrator, the process under test with the rights that capstan-controller-manager needs.
"""
from lib.suite import run_suite

KINDS = ("real",)


def run(scenario):
    run_suite(scenario, "e2e_injection_test",
              {"CAPSTAN_INJECTION_CLUSTER": scenario.cluster().folder})
