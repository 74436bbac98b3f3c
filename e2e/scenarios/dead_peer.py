# SPDX-License-Identifier: Apache-2.0
"""The network to the API server swallows every packet, without a word: the informer notices soon.

The client runs in a network namespace of its own. While the link is dead, Secrets change; once it is
back, the cache follows by the watch it had, without a LIST. Needs root.
"""
import os
import subprocess
import time

from lib import kube, load
from lib.cache_dump import CacheDump
from lib.embedded import EmbeddedCluster
from lib.scenario import Skipped, check_at_most, check_equal

KINDS = ("embedded",)
SERVER, CLIENT = "198.18.231.1", "198.18.231.2"  # of the range for tests of networks
SECRETS = 50
NOTICED_WITHIN = 45
DEAD_FOR = 40  # long enough for new connections to fail, too
AGENT = "e2e-cache-dump"


def ip(*arguments, check=True):
    try:
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Skipped("needs ip: apt-get install iproute2") from error
    if check and done.returncode != 0:
        raise Skipped(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


class Link:
    """A namespace for the client, and a pair of virtual interfaces that leads here from it."""

    def __init__(self):
        self.namespace = f"capstan-{os.getpid()}"
        self.here, self.there = f"cap{os.getpid()}h", f"cap{os.getpid()}c"

    def __enter__(self):
        if os.geteuid() != 0:
            raise Skipped("needs root, for a network namespace")
        try:
            ip("netns", "add", self.namespace)
            ip("link", "add", self.here, "type", "veth", "peer", "name", self.there,
               "netns", self.namespace)
            ip("addr", "add", SERVER + "/30", "dev", self.here)
            ip("link", "set", self.here, "up")
            ip("-n", self.namespace, "addr", "add", CLIENT + "/30", "dev", self.there)
            ip("-n", self.namespace, "link", "set", self.there, "up")
        except (Skipped, OSError):
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        ip("route", "del", "blackhole", CLIENT, check=False)
        ip("link", "del", self.here, check=False)
        ip("netns", "del", self.namespace, check=False)

    def kill(self):
        """Nothing goes to the client, nothing of it is taken, and neither side is told."""
        ip("route", "add", "blackhole", CLIENT)

    def revive(self):
        ip("route", "del", "blackhole", CLIENT)


def connections(process):
    """How many TCP connections are established in the namespace of that process."""
    with open(f"/proc/{process.pid}/net/tcp", encoding="ascii") as table:
        return sum(line.split()[3] == "01" for line in table.readlines()[1:])


def wait_until(condition, what, seconds):
    """Polls; the seconds that it took."""
    before = time.monotonic()
    while not condition():
        assert time.monotonic() < before + seconds, f"not within {seconds} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - before


def kubeconfig(scenario, cluster):
    """For a client beyond the link; the server's certificate knows it as localhost only."""
    port = cluster.server.rsplit(":", 1)[1]
    return kube.write_kubeconfig(scenario.path("kubeconfig"), f"https://{SERVER}:{port}", "admin",
                                 "admin-token", **{"certificate-authority": cluster.ca_file,
                                                   "tls-server-name": "localhost"})


def versions(client):
    return {f"{i['metadata']['namespace']}/{i['metadata']['name']}": i["metadata"]["resourceVersion"]
            for i in client.list_all("v1", "secrets")}


def change(client):
    """Every third Secret is deleted, every third updated; as many are new."""
    for index in range(0, SECRETS - 2, 3):
        client.call("DELETE", f"/api/v1/namespaces/ns/secrets/s-{index}")
        client.merge_patch(f"/api/v1/namespaces/ns/secrets/s-{index + 1}",
                           {"metadata": {"labels": {"seen": "late"}}})
        client.create(load.filler_secret("ns", f"new-{index}", kib=1))


def requests(cluster):
    """{verb: count} of the informer since the last call."""
    counts = {}
    for agent, verb, _, count in cluster.requests():
        if agent == AGENT:
            counts[verb] = counts.get(verb, 0) + count
    return counts


def run(scenario):
    cluster = EmbeddedCluster.create(scenario.bin_dir, "0.0.0.0")
    scenario.clusters.append(cluster)
    cluster.server = cluster.server.replace("0.0.0.0", "127.0.0.1")
    client = cluster.client()
    load.ensure_namespace(client, "ns")
    for index in range(SECRETS):
        client.create(load.filler_secret("ns", f"s-{index}", kib=1))
    with Link() as link, CacheDump(scenario.bin_dir, kubeconfig(scenario, cluster),
                                   ["ip", "netns", "exec", link.namespace]) as dump:
        wait_until(lambda: dump.read() == versions(client), "the cache is synced", 20)
        requests(cluster)
        link.kill()
        died = time.monotonic()
        change(client)
        noticed = wait_until(lambda: connections(dump.process) == 0,
                             "the informer gives its connection up", 120)
        scenario.figure("the dead peer was noticed after", f"{noticed:.1f} s")
        check_at_most("the time until it was noticed", noticed, NOTICED_WITHIN)
        time.sleep(max(0, died + DEAD_FOR - time.monotonic()))
        check_equal("requests that got through a dead link", requests(cluster), {})
        link.revive()
        synced = wait_until(lambda: dump.read() == versions(client), "the cache follows", 60)
        scenario.figure("in sync again, after the link is back", f"{synced:.1f} s")
        counts = requests(cluster)
        scenario.figure("requests for that", counts)
        check_equal("LISTs among them", counts.get("list", 0), 0)
