# SPDX-License-Identifier: Apache-2.0
"""A Java project with fabric8's kube-api-test runs its tests on capstan-test-server, and on a real API server.

The first run fetches fabric8's client.
"""
import os

from lib import test_server

KINDS = ("embedded", "real")
SLOW = True


def run(scenario):
    test_server.need("mvn")
    test_server.need("kubectl")
    folder = test_server.copy("java", scenario)
    test_server.run(["./prepare"], folder, "", KUBEBUILDER_ASSETS=test_server.assets(scenario))
    test_server.run(["mvn", "-q", "-B", "test", "-Dsurefire.printSummary=true"], folder, "",
                    KUBE_API_TEST_DIR=os.path.join(folder, "target/kubeapitest"))
    reports = os.listdir(os.path.join(folder, "target/surefire-reports"))
    assert "TEST-example.LabelerTest.xml" in reports, reports
