# SPDX-License-Identifier: Apache-2.0
"""cert-manager and capstan on a real API server without kubelets, both installed with their charts."""
import os
import ssl
import subprocess

from lib import captured, certmanager, console
from lib.cluster import ROOT, free_port
from lib.deployments import Deployments
from lib.kubectl import Kubectl
from lib.scenario import Skipped


class Chain:
    """A context manager: the programs of the charts run until its end."""

    def __init__(self, scenario, cainjector):
        folder = certmanager.folder()
        self.scenario, self.cluster = scenario, scenario.cluster()
        self.kubectl = Kubectl(scenario.folder, path(scenario.bin_dir))
        os.symlink(self.cluster.kubeconfig("admin"), self.kubectl.path("kubeconfig"))
        self.ports = {name: free_port() for name in (
            "webhook", "health", "cert-manager-webhook", "capstan-controller-manager", "orders")}
        programs = {name: os.path.join(folder, name) for name in certmanager.PROGRAMS}
        for name in ("capstan-controller-manager", "e2e_webhook"):
            programs[name] = os.path.join(scenario.bin_dir, name)
        self.deployments = Deployments(scenario, self.cluster, programs, self.ports, self.arguments())
        self.cainjector = cainjector

    def __enter__(self):
        self.deployments.__enter__()
        return self

    def __exit__(self, *error):
        try:
            for secret in self.cluster.client().call("GET", "/api/v1/secrets")["items"]:
                captured.OUTPUT.add_secrets_of(secret)
        finally:
            self.deployments.__exit__(*error)

    def arguments(self):
        local = "127.0.0.1:"
        return {
            "cert-manager": [f"--internal-healthz-listen-address={local}{self.ports['health']}"],
            "cert-manager-webhook": [f"--healthz-port={self.ports['cert-manager-webhook']}",
                                     f"--secure-port={self.ports['webhook']}",
                                     "--dynamic-serving-dns-names=localhost"],
            "capstan-controller-manager": [
                f"--metrics-listen-address={local}{self.ports['capstan-controller-manager']}"]}

    def values(self):
        """Returns cert-manager's values. The API server calls the webhook at a local port."""
        values = certmanager.values(self.cainjector)
        values["webhook"]["url"] = {"host": f"localhost:{self.ports['webhook']}"}
        return values

    def install_capstan(self):
        self.upgrade_capstan("--install", "--create-namespace")

    def upgrade_capstan(self, *options):
        self.kubectl.run("helm", "upgrade", "capstan", os.path.join(ROOT, "charts/capstan"), "-n", "capstan",
                         *options)
        self.kubectl.kubectl("rollout", "status", "-n", "capstan", "deployment/capstan-controller-manager",
                             "--timeout=60s")

    def client_config(self):
        return {"url": f"https://localhost:{self.ports['orders']}/"}

    def serves(self, pem):
        """Returns whether the shop's webhook serves a certificate of this CA."""
        try:
            ssl.get_server_certificate(("localhost", self.ports["orders"]), ca_certs=self.file(pem))
            return True
        except ssl.SSLError:
            return False

    def file(self, pem):
        with open(self.kubectl.path("ca.pem"), "w", encoding="ascii") as file:
            file.write(pem)
        return file.name


def path(bin_dir):
    """Returns a PATH with helm and kubectl."""
    built = subprocess.run([os.path.join(ROOT, "hack/chart/build"), "--cached"], check=False,
                           text=True, capture_output=True).stdout.strip()
    if not built:
        raise Skipped("no helm here; hack/chart/build builds it")
    return f"{built}:{console.path_with(bin_dir, 'kubectl')}"
