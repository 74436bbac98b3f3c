# SPDX-License-Identifier: Apache-2.0
"""The network to the API server drops every packet silently, and the informer detects it soon.

The client runs in its own network namespace. While the link is dead, Secrets change. When the link
works again, the cache catches up by the previous watch, without a LIST. Needs root.
"""
import time

from lib import kube, load
from lib.cache_dump import CacheDump
from lib.embedded import EmbeddedCluster
from lib.netns import SERVER, Link
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded",)
SECRETS = 50
NOTICED_WITHIN = 45
DEAD_FOR = 40  # long enough for new connections to fail as well
AGENT = "e2e-cache-dump"


def connections(process):
    """Returns the number of established TCP connections in the namespace of that process."""
    with open(f"/proc/{process.pid}/net/tcp", encoding="ascii") as table:
        return sum(line.split()[3] == "01" for line in table.readlines()[1:])


def wait_until(condition, what, seconds):
    """Polls. Returns the seconds."""
    before = time.monotonic()
    while not condition():
        assert time.monotonic() < before + seconds, f"not within {seconds} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - before


def kubeconfig(scenario, cluster):
    """Returns a kubeconfig for the other side of the link. The certificate is for localhost."""
    port = cluster.server.rsplit(":", 1)[1]
    return kube.write_kubeconfig(scenario.path("kubeconfig"), f"https://{SERVER}:{port}", "admin",
                                 "admin-token", **{"certificate-authority": cluster.ca_file,
                                                   "tls-server-name": "localhost"})


def versions(client):
    return {f"{i['metadata']['namespace']}/{i['metadata']['name']}": i["metadata"]["resourceVersion"]
            for i in client.list_all("v1", "secrets")}


def change(client):
    """Deletes a third of the Secrets, updates a third, and creates as many new ones."""
    for index in range(0, SECRETS - 2, 3):
        client.call("DELETE", f"/api/v1/namespaces/ns/secrets/s-{index}")
        client.merge_patch(f"/api/v1/namespaces/ns/secrets/s-{index + 1}",
                           {"metadata": {"labels": {"seen": "late"}}})
        client.create(load.filler_secret("ns", f"new-{index}", kib=1))


def requests(cluster):
    """Returns {verb: count} of the informer since the last call."""
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
                                   link.prefix) as dump:
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
