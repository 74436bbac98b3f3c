# SPDX-License-Identifier: Apache-2.0
"""Tests that the manager accepts the arguments and the file that the chart makes of its values.

The manager checks its options before it reads the kubeconfig. So with a missing kubeconfig, that is the
only error.
"""
import glob
import os
import subprocess
import tempfile
import unittest

from chart import ROOT, objects, one, pod_of, variants

NAME = "capstan-controller-manager"
CONFIG = "--config=/var/capstan/config/config.yaml"
KUBECONFIG = "/nonexistent/kubeconfig"
COLONS = ":".join(["5F"] * 32)
ISSUERS = {"group": "cert-manager.io", "version": "v1", "kind": "Issuer", "resource": "issuers",
           "fields": ["spec.acme.caBundle", "spec.vault.caBundle"]}
ACCEPTED = {
    "verification": {"verifyEndpoints": {"enabled": True}},
    "its period": {"verifyEndpoints": {"enabled": True, "period": "10s"}},
    "retirement": {"verifyEndpoints": {"enabled": True, "period": "1h30m", "retireUnusedCAsAfter": "24h"}},
    "no retirement": {"verifyEndpoints": {"enabled": True, "retireUnusedCAsAfter": "0"}},
    "distrust": {"config": {"distrust": [COLONS, "5f" * 32]}},
    "nothing distrusted": {"config": {"distrust": []}},
    "an additional target": {"additionalTargets": [ISSUERS]},
    "several": {"additionalTargets": [
        {**ISSUERS, "namespaced": True, "encoding": "base64"},
        {**ISSUERS, "kind": "ClusterIssuer", "resource": "clusterissuers", "namespaced": False},
        {"version": "v1", "kind": "Mesh", "resource": "meshes", "encoding": "pem",
         "fields": ["spec.peers[*].trust-ca", "spec.ca"]}]},
    "optional targets": {"targets": {"configMaps": True, "clusterTrustBundles": {
        "enabled": True, "signers": ["example.com/mesh"]}}},
    "no targets": {"targets": dict.fromkeys((
        "validatingWebhookConfigurations", "mutatingWebhookConfigurations", "customResourceDefinitions",
        "apiServices"), False)},
    "sources": {"sources": {"certificates": False, "configMaps": False, "clusterTrustBundles": True,
                            "sharedNamespaces": ["trust"]}},
}
# What the schema does not know. The program's one line has to name the flag and the reason.
REFUSED = {
    "--verify-endpoints-period must be at least 10s": {"verifyEndpoints": {"enabled": True, "period": "9s"}},
    "additionalTargets[0]: Secrets cannot be targets": {"additionalTargets": [
        {"version": "v1", "kind": "Secret", "resource": "secrets", "fields": ["data.ca"]}]},
    "--retire-unused-cas-after needs --verify-endpoints": {"config": {"retireUnusedCAsAfter": "24h"}},
}


def program():
    """Returns the newest build of the manager, or None."""
    return max(glob.glob(os.path.join(ROOT, "build/*/bin", NAME)), key=os.path.getmtime, default=None)


def started(values=None, files=()):
    """Returns the output of the manager with what the chart makes of the values."""
    found = objects({"controllerManager": values or {}}, files)
    arguments = pod_of(one(found, "Deployment"))["containers"][0]["args"]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        if CONFIG in arguments:
            config.write(one(found, "ConfigMap", NAME[len("capstan"):])["data"]["config.yaml"])
            config.flush()
            arguments = ["--config=" + config.name if a == CONFIG else a for a in arguments]
        result = subprocess.run([program(), *arguments, "--kubeconfig=" + KUBECONFIG], text=True,
                                capture_output=True, check=False, timeout=30)
    assert result.returncode == 1, result
    return result.stderr.strip().splitlines()[-1]


@unittest.skipUnless(program(), NAME + " is not built")
class ProgramTest(unittest.TestCase):
    def test_accepts_the_arguments_of_values(self):
        for name, values in ACCEPTED.items():
            with self.subTest(name):
                self.assertIn(KUBECONFIG, started(values))

    def test_accepts_the_arguments_of_each_variant(self):
        with_manager = {name: path for name, path in variants().items()
                        if any(o["kind"] == "Deployment" for o in objects(files=[path]))}
        self.assertIn("everything", with_manager)
        for name, path in with_manager.items():
            with self.subTest(name):
                self.assertIn(KUBECONFIG, started(files=[path]))

    def test_names_what_it_refuses(self):
        for message, values in REFUSED.items():
            with self.subTest(values):
                self.assertIn(message, started(values))
