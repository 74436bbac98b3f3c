# SPDX-License-Identifier: Apache-2.0
"""A Go project with envtest runs its tests on capstan-test-server, and on a real API server."""
from lib import test_server

KINDS = ("embedded", "real")


def run(scenario):
    test_server.need("go")
    test_server.run(["go", "test", "-count=1", "-v", "./..."], test_server.copy("go", scenario),
                    "--- PASS: TestLabelsNewConfigMap", KUBEBUILDER_ASSETS=test_server.assets(scenario),
                    GOFLAGS="-mod=readonly")
