# SPDX-License-Identifier: Apache-2.0
"""Two API servers that hold a growing number of Secrets of 1 KiB, in 20 namespaces."""
import json
import os
import time

import fill
from lib import load
from lib.cluster import Cluster
from lib.embedded import EmbeddedCluster
from lib.etcd import numbered

NAMESPACES = 20
BATCH = 20000  # objects of one file for the embedded server
# Of kube-apiserver and of etcd, each. With a million Secrets kube-apiserver would otherwise have a heap of
# 15 GiB after the fill, most of it garbage.
GO_LIMIT = {"GOMEMLIMIT": "10GiB"}
SETTLE_SECONDS = 5  # a Go server still collects garbage
CHANGED = 0.01


def namespace_of(number):
    return f"load-{number % NAMESPACES}"


def name_of(number):
    return "s-" + numbered(number)


def path_of(number):
    return f"/api/v1/namespaces/{namespace_of(number)}/secrets/{name_of(number)}"


class RealServer:
    """kube-apiserver and etcd. Only the first Secret of each namespace is created through the API
    server. The others are put into etcd, because a million POSTs would take an hour."""

    name = "kube-apiserver"

    def __init__(self, _bin):
        self.cluster = Cluster.create(environment=GO_LIMIT)
        self.fillers = []
        self.held = 0

    def kubeconfig(self):
        return self.cluster.kubeconfig("admin")

    def grow(self, count):
        """Adds Secrets until there are `count`, and waits until the API server has seen them."""
        if count <= self.held:
            return
        client = self.cluster.client()
        if not self.fillers:
            for number in range(NAMESPACES):
                load.ensure_namespace(client, namespace_of(number))
                self.fillers.append(fill.secrets(self.cluster, namespace_of(number)))
            self.held = NAMESPACES
        for number in range(self.held, self.held + NAMESPACES):
            self.fillers[number % NAMESPACES].put(range(number, count, NAMESPACES))
        last = range(max(self.held, count - NAMESPACES), count)
        self.held = max(self.held, count)
        for number in last:
            fill.wait_until_served(client, path_of(number) + "?resourceVersion=0", seconds=900)
        time.sleep(SETTLE_SECONDS)

    def pid(self):
        return self.cluster.state["kube-apiserver"]["pid"]

    def destroy(self):
        self.cluster.destroy()


class EmbeddedServer:
    """The embedded API server. It can also make clients list again."""

    name = "embedded"

    def __init__(self, bin_dir):
        self.cluster = EmbeddedCluster.create(bin_dir)
        self.held = 0

    def kubeconfig(self):
        return self.cluster.kubeconfig("admin")

    def grow(self, count):
        while self.held < count:
            numbers = range(self.held, min(count, self.held + BATCH))
            self.create(numbers)
            self.held = numbers.stop

    def pid(self):
        return self.cluster.process.pid

    def create(self, numbers):
        """Creates Secrets from a file, without HTTP."""
        path = os.path.join(self.cluster.folder, "objects")
        text = json.dumps(load.filler_secret("@namespace", "@name", kib=1))
        with open(path, "w", encoding="ascii") as file:
            for number in numbers:
                file.write(text.replace("@namespace", namespace_of(number))
                           .replace("@name", name_of(number)) + "\n")
        self.cluster.ask("create " + path)
        os.unlink(path)

    def change_unseen(self):
        """Ends every watch and changes 1% of the Secrets. Every watch that then continues where it
        ended gets 410 (Gone). Returns the key of a new Secret, which clients hold when they have
        listed again."""
        self.cluster.ask("refuse secrets 503")
        step = int(1 / CHANGED)
        changes = {"metadata": {"labels": {"part": str(time.monotonic_ns())}}}
        self.cluster.client().parallel(
            lambda client, number: client.merge_patch(path_of(number), changes),
            range(0, self.held, step))
        marker = self.held
        self.create(range(marker, marker + 1))
        self.held += 1
        self.cluster.ask("compact")
        self.cluster.ask("allow")
        return f"{namespace_of(marker)}/{name_of(marker)}"

    def destroy(self):
        self.cluster.destroy()
