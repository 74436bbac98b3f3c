# SPDX-License-Identifier: Apache-2.0
"""An API server hangs behind a balancer that keeps the connection open, and the informer detects it.

embedded: the balancer stops forwarding on open connections. real: one of two API servers is stopped
with SIGSTOP, and its kernel still acknowledges everything. Keepalive succeeds. With HTTP/1.1 the
informer misses two bookmarks, with HTTP/2 the answer to a PING. It then watches again on a new
connection.
"""
import os
import shutil
import signal
import tempfile
import time

from lib import kube, load
from lib.balancer import Balancer
from lib.cache_dump import CacheDump
from lib.cluster import Cluster
from lib.embedded import EmbeddedCluster
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded", "real")
SLOW = True
SECRETS = 30
AGENT = "e2e-cache-dump"


class Embedded:
    """Starts one server that sends a bookmark each second. Its clients use HTTP/1.1."""

    passes = (("off", 4, 200),)

    def __init__(self, scenario):
        self.cluster = EmbeddedCluster.create(scenario.bin_dir, "127.0.0.1", "1")
        scenario.clusters.append(self.cluster)
        self.ports = [self.cluster.client().address.port]
        self.listed = 0

    def client(self, _hung):
        return self.cluster.client()

    @staticmethod
    def hang(balancer):
        balancer.freeze()

    def revive(self):
        pass

    def lists(self):
        self.listed += sum(count for agent, verb, _, count in self.cluster.requests()
                           if agent == AGENT and verb == "list")
        return self.listed


class Second(Cluster):
    """Starts another API server on the etcd of `first`, with its certificate and users."""

    def __init__(self, first):
        super().__init__(tempfile.mkdtemp(prefix="capstan-cluster-"))
        for name in ("certs", "service-account.key", "tokens.csv", "audit-policy.json"):
            copy = shutil.copytree if name == "certs" else shutil.copy
            copy(first.path(name), self.path(name))
        self.state = {key: first.state[key] for key in ("apiserver_flags", "binaries", "etcd_url")}
        self.start_apiserver(new_port=True)


class Real:
    """Starts two servers on one etcd that send a bookmark each minute."""

    # (--http2, seconds before the server hangs, seconds until the cache must be equal). With HTTP/1.1
    # the first bookmark comes after two minutes, the second after three.
    passes = (("auto", 5, 40), ("off", 220, 200))

    def __init__(self, scenario):
        self.cluster = scenario.cluster()
        self.second = Second(self.cluster)
        scenario.clusters.append(self.second)
        self.servers = {each.state["port"]: each for each in (self.cluster, self.second)}
        self.ports = list(self.servers)
        self.stopped = None

    def client(self, hung):
        return next(each for port, each in self.servers.items() if port != hung).client()

    def hang(self, balancer):
        self.stopped = self.servers[balancer.serving()].state["kube-apiserver"]["pid"]
        os.kill(self.stopped, signal.SIGSTOP)

    def revive(self):
        os.kill(self.stopped, signal.SIGCONT)

    def lists(self):
        return sum(event["verb"] == "list" and event["userAgent"].startswith(AGENT)
                   for each in self.servers.values() for event in each.audited()[0])


def versions(client):
    return {f"{i['metadata']['namespace']}/{i['metadata']['name']}": i["metadata"]["resourceVersion"]
            for i in client.list_all("v1", "secrets")}


def wait_equal(dump, client, seconds):
    """Returns the seconds until the cache equals a LIST."""
    before = time.monotonic()
    while dump.read() != versions(client):
        assert time.monotonic() < before + seconds, f"the cache is behind after {seconds} s"
        time.sleep(0.2)
    return time.monotonic() - before


def run_pass(scenario, world, http2, wait, within):
    client = world.client(None)
    namespace = "ns-" + http2
    load.ensure_namespace(client, namespace)
    for index in range(SECRETS):
        client.create(load.filler_secret(namespace, f"s-{index}", kib=1))
    with Balancer(*world.ports) as balancer:
        kubeconfig = kube.write_kubeconfig(
            scenario.path("kubeconfig"), balancer.url, "admin", "admin-token",
            **{"certificate-authority": world.cluster.ca_file})
        with CacheDump(scenario.bin_dir, kubeconfig, http2=http2) as dump:
            wait_equal(dump, client, 20)
            time.sleep(wait)
            lists = world.lists()
            hung = balancer.serving()
            world.hang(balancer)
            try:
                other = world.client(hung)
                for index in range(0, SECRETS - 1, 2):
                    other.call("DELETE", f"/api/v1/namespaces/{namespace}/secrets/s-{index}")
                    other.create(load.filler_secret(namespace, f"new-{index}", kib=1))
                behind = wait_equal(dump, other, within + 30)
            finally:
                world.revive()
            scenario.figure(f"--http2={http2}: the cache equals a LIST again after",
                            f"{behind:.1f} s")
            check_at_most("that time", behind, within)
            check_equal("LISTs for that", world.lists() - lists, 0)


def run(scenario):
    world = (Real if scenario.kind == "real" else Embedded)(scenario)
    for each in world.passes:
        run_pass(scenario, world, *each)
