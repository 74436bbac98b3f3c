# SPDX-License-Identifier: Apache-2.0
"""Changes Secrets and pods at a constant rate, also during outages."""
import itertools
import random
import threading
import time

from lib import agent, kube, load
from lib.busy_threads import BusyThreads

SECRETS, PODS = 2000, 110
THREADS = 5
POD_SHARE = 0.2  # of the changes
CONDITION = "net.example/up"  # the annotation that opens a pod's gates


class Churn(BusyThreads):
    """Makes `rate` changes a second: it creates, labels and deletes Secrets of the namespace "ca", and
    pods on two nodes."""

    def __init__(self, cluster, rate):
        super().__init__(self.run, [(cluster, number, THREADS / rate) for number in range(THREADS)])
        self.goes = threading.Event()
        self.goes.set()
        self.idle = [threading.Event() for _ in range(THREADS)]
        self.changes = itertools.count()
        self.made = 0

    def pause(self):
        """Returns when no change is on its way."""
        self.goes.clear()
        for idle in self.idle:
            idle.wait()

    def resume(self):
        self.goes.set()

    def run(self, cluster, number, interval):
        client, dice = cluster.client(), random.Random(number)
        secrets = Objects(dice, number, SECRETS, secret_path, create_secret, label_secret)
        pods = Objects(dice, number, 2 * PODS, agent.path, create_pod, open_pod)
        due = time.monotonic()
        while not self.stop.is_set():
            if not self.goes.is_set():
                self.idle[number].set()
                self.goes.wait(0.1)
                due = time.monotonic()
                continue
            self.idle[number].clear()
            try:
                (pods if dice.random() < POD_SHARE else secrets).change(client)
                self.made = next(self.changes)
            except OSError:
                self.stop.wait(0.2)  # the server is down
                due = time.monotonic()
            due += interval
            self.stop.wait(max(0.0, due - time.monotonic()))
        self.idle[number].set()


class Objects:
    """Objects of one kind that only one thread changes, so that it knows which exist."""

    def __init__(self, dice, thread, count, path, create, update):  # pylint: disable=too-many-arguments
        self.dice = dice
        self.names = [f"churn-{number}" for number in range(thread, count, THREADS)]
        self.path, self.create, self.update = path, create, update
        self.existing = set()

    def change(self, client):
        name = self.dice.choice(self.names)
        try:
            if name not in self.existing:
                self.create(client, name)
                self.existing.add(name)
            elif self.dice.random() < 0.4:
                client.call("DELETE", self.path(name), {"gracePeriodSeconds": 0})
                self.existing.discard(name)
            else:
                self.update(client, name, str(self.dice.random()))
        except kube.ApiError as error:
            if error.code == 409:  # a creation whose answer was lost in a kill
                self.existing.add(name)
            elif error.code == 404:
                self.existing.discard(name)
            elif error.code not in (403, 429, 500, 503, 504):  # a server that starts
                raise


def secret_path(name):
    return kube.path_of("v1", "secrets", "ca", name)


def create_secret(client, name):
    client.create(load.filler_secret("ca", name, kib=1))


def label_secret(client, name, value):
    client.merge_patch(secret_path(name), {"metadata": {"labels": {"n": value}}})


def create_pod(client, name):
    """Half of the pods are on another node, and must cost the agent nothing."""
    is_here = int(name.rsplit("-", 1)[1]) // THREADS % 2
    client.create(agent.pod(name, node=agent.NODE if is_here else "node-b"))


def open_pod(client, name, value):
    agent.annotate(client, name, **{CONDITION: value})
    agent.give_address(client, name)
