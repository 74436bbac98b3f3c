# SPDX-License-Identifier: Apache-2.0
"""The commands of the two CA injectors: capstan-controller-manager and the Go original."""
import os
import subprocess

from lib.cluster import free_port
from lib.manager import ENVIRONMENT
from process import Process, cpu_seconds

PEER_VERSION = "cainjector 1.21.2"


class Program:
    """One injector for one cluster."""

    def __init__(self, name, command, kubeconfig, environment=None):
        self.name, self.environment = name, {"KUBECONFIG": kubeconfig, **(environment or {})}
        self.command = [*command, "--leader-elect=false"]

    def start(self):
        port = free_port()  # each process has its own
        process = Process([*self.command, f"--metrics-listen-address=127.0.0.1:{port}"],
                          self.environment)
        process.metrics = f"http://127.0.0.1:{port}/metrics"
        return process

    def measure(self):
        with self.start() as process:
            process.wait_until_idle()
            return process.peak_mib()


def ours(options, cluster, *flags):
    program = os.path.join(options.bin, "capstan-controller-manager")
    kubeconfig = cluster.kubeconfig()
    return Program("ours", [program, f"--kubeconfig={kubeconfig}", *flags], kubeconfig,
                   ENVIRONMENT)


def peer(options, cluster):
    """Returns $CAINJECTOR_BIN, or upstream's package as a program of hack/bench/peers."""
    program = os.environ.get("CAINJECTOR_BIN") or os.path.join(options.peers, "cainjector")
    return Program("peer", [program], cluster.kubeconfig())


def server_cpu_seconds(cluster):
    """Returns the CPU that the API server has used so far."""
    return cpu_seconds(cluster.state["kube-apiserver"]["pid"])


def has_gate(options, gate):
    """Returns whether our build knows the feature gate."""
    text = subprocess.run([os.path.join(options.bin, "capstan-controller-manager"), "--help"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return gate in text
