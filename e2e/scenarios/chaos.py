# SPDX-License-Identifier: Apache-2.0
"""After kills (-9) of the API server every 20 s under churn, the caches equal a fresh LIST.

The scenario compares the cache of a clientgo informer (e2e_cache_dump), each key with its
resourceVersion, and the bundles that the manager injected after the last rotation.
"""
import random
import time

from lib import kube, load
from lib.busy_threads import BusyThreads
from lib.cache_dump import CacheDump
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
KILL_EVERY = 20
TARGETS = 20
NAMES = 400


class Churn(BusyThreads):
    """Creates, updates and deletes Secrets, also during outages."""

    def __init__(self, cluster, threads=3):
        super().__init__(self.run, [(cluster.client(), seed) for seed in range(threads)])
        self.writes = 0

    def run(self, client, seed):
        dice = random.Random(seed)
        while not self.stop.is_set():
            name = f"churn-{dice.randrange(NAMES)}"
            path = f"/api/v1/namespaces/ca/secrets/{name}"
            try:
                action = dice.random()
                if action < 0.3:
                    client.call("DELETE", path)
                elif action < 0.6:
                    client.merge_patch(path, {"metadata": {"labels": {"n": str(self.writes)}}})
                else:
                    client.create(load.filler_secret("ca", name, kib=1))
                self.writes += 1
            except kube.ApiError:
                continue  # missing, or existing
            except OSError:
                self.stop.wait(0.2)  # the server is down


def rotate(client, pem):
    client.merge_patch("/api/v1/namespaces/ca/secrets/root", {"data": {"ca.crt": load.encoded(pem)}})


def fresh_list(client):
    return {f"{i['metadata']['namespace']}/{i['metadata']['name']}": i["metadata"]["resourceVersion"]
            for i in client.list_all("v1", "secrets")}


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    load.ensure_namespace(client, "ca")
    client.create(load.ca_secret("ca", "root", load.new_ca("root 0")))
    load.load_configurations(client, TARGETS, "ca/root")
    minutes = scenario.options.minutes or (3 if scenario.kind == "real" else 1)
    kills = 0
    with CacheDump(scenario.bin_dir, cluster.kubeconfig("admin")) as dump, \
            Manager(scenario.bin_dir, cluster.kubeconfig()) as manager:
        manager.wait_ready()
        end = time.monotonic() + 60 * minutes
        with Churn(cluster) as churn:
            while time.monotonic() < end:
                churn.stop.wait(KILL_EVERY)
                cluster.kill("kube-apiserver")
                kills += 1
                cluster.start_apiserver()
                last = load.new_ca(f"root {kills}")
                client.close()
                rotate(client, last)
        scenario.figure("kills", kills)
        scenario.figure("writes of the churn", churn.writes)
        settled = manager.wait_until(lambda: load.in_sync(client, last, TARGETS) == TARGETS,
                                     "the last bundle is in all configurations", 90)
        listed, held = fresh_list(client), {}
        deadline = time.monotonic() + 90
        while held != listed and time.monotonic() < deadline:
            held = dump.read()
            time.sleep(0.5)
        differ = {key for key in listed.keys() | held.keys() if listed.get(key) != held.get(key)}
        scenario.figure("Secrets in a fresh LIST, in the cache, different",
                        f"{len(listed)}, {len(held)}, {len(differ)}")
        check_equal("the difference of cache and fresh LIST", sorted(differ)[:10], [])
        check_equal("the manager's own count",
                    manager.metric("capstan_cache_objects", resource="secrets"), len(listed))
        scenario.figure("manager's run", f"{settled:.0f} s, VmHWM {manager.memory_kib()} KiB")
        check_equal("exit code after SIGTERM", manager.stop()[0], 0)
