# SPDX-License-Identifier: Apache-2.0
"""Both programs run where IPv6 is the only protocol.

The API server, the programs and the probes are in a network namespace without an IPv4 address. The
programs have their default listen address. They find the API server by a kubeconfig with [::1], and by
KUBERNETES_SERVICE_HOST=::1 as in a pod. Needs root.
"""
import os
import subprocess
import sys

from lib.agent import Agent
from lib.embedded import EmbeddedCluster
from lib.manager import Manager
from lib.netns import Ipv6Only
from lib.scenario import check_equal

KINDS = ("embedded",)
PROBE = """
import sys, urllib.error, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1], timeout=5) as answer:
        print(answer.status, answer.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print(0, error)
"""
# ip-netns(8) gives each command mounts of its own.
IN_POD = """
mkdir -p /var/run/secrets && mount -t tmpfs tmpfs /var/run/secrets || exit 1
account=/var/run/secrets/kubernetes.io/serviceaccount
mkdir -p $account && cp "$0" $account/ca.crt && printf manager-token >$account/token || exit 1
exec "$@"
"""


class Beyond:
    """Runs the program of a Manager in the namespace and reads its pages there."""

    def place(self, namespace, command, port):
        self.port, self.namespace = port, namespace
        arguments = [a for a in self.arguments if not a.startswith("--metrics-listen-address")]
        self.arguments = [*command[1:], self.program, *arguments]
        self.program = command[0]
        return self

    def get(self, path):
        done = subprocess.run([*self.namespace.prefix, sys.executable, "-c", PROBE,
                               f"http://[::1]:{self.port}{path}"], capture_output=True, text=True,
                              check=True)
        code, _, text = done.stdout.partition(" ")
        return int(code), text


class ManagerBeyond(Beyond, Manager):
    pass


class AgentBeyond(Beyond, Agent):
    pass


def probe(scenario, program, how):
    with program:
        program.wait_ready()
        check_equal(f"/livez of {program.PROGRAM}", program.get("/livez")[0], 200)
    scenario.figure(f"{program.PROGRAM} with {how}", "ready, and its probes succeed on [::1]")


def run(scenario):
    with Ipv6Only() as namespace:
        cluster = EmbeddedCluster.create(scenario.bin_dir, "::1", prefix=namespace.prefix)
        try:
            kubeconfig = cluster.kubeconfig()
            port = cluster.server.rsplit(":", 1)[1]
            check_equal("the address of the API server", cluster.server, f"https://[::1]:{port}")
            elect = "--leader-elect=false"
            gate = "--pod-readiness-gate=pod-ip:any"
            probe(scenario, ManagerBeyond(scenario.bin_dir, kubeconfig, elect).place(
                namespace, namespace.prefix, 9402), "a kubeconfig")
            probe(scenario, AgentBeyond(scenario.bin_dir, kubeconfig, gate).place(
                namespace, namespace.prefix, 9403), "a kubeconfig")
            pod = [*namespace.prefix, "env", "-u", "KUBECONFIG", "HOME=/nonexistent",
                   "KUBERNETES_SERVICE_HOST=::1", f"KUBERNETES_SERVICE_PORT={port}", "sh", "-c",
                   IN_POD, os.path.abspath(cluster.ca_file)]
            probe(scenario, ManagerBeyond(scenario.bin_dir, "", elect).place(namespace, pod, 9402),
                  "KUBERNETES_SERVICE_HOST")
        finally:
            cluster.destroy()
