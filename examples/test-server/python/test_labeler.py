# SPDX-License-Identifier: Apache-2.0
import os
import time

import kubernetes
from kopf.testing import KopfRunner

LABELER = os.path.join(os.path.dirname(__file__), "labeler.py")


def test_labels_new_config_map(kubeconfig, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", kubeconfig)
    api = kubernetes.client.CoreV1Api(kubernetes.config.new_client_from_config(kubeconfig))
    with KopfRunner(["run", "--standalone", "--namespace=default", LABELER], timeout=30) as runner:
        created = api.create_namespaced_config_map("default", {"metadata": {"generateName": "settings-"}})
        deadline = time.monotonic() + 20
        labels = None
        while not labels and time.monotonic() < deadline:
            labels = api.read_namespaced_config_map(created.metadata.name, "default").metadata.labels
            time.sleep(0.01)
    assert runner.exception is None
    assert labels == {"labeled": "yes"}, runner.output
