# SPDX-License-Identifier: Apache-2.0
"""Part of hack/bench/injector.py: from the start of the process until every target has its bundle."""
import json
import threading
import time

import fill
import programs
import rounds
from lib import kube, load
from lib.embedded import EmbeddedCluster

SECRETS, SECRET_KIB, TARGETS = 20000, 5, 50


class TargetWatch:
    """Watches the configurations, as an API server's informer does."""

    def __init__(self, cluster):
        self.synced = {}  # kind/name -> when its bundles were first seen
        self.changed = threading.Condition()
        for kind in load.KINDS:
            client = cluster.client()
            lines = client.watch(load.CONFIGURATIONS + kube.plural_of(kind))
            threading.Thread(target=self.read, args=(kind, lines), daemon=True).start()

    def read(self, kind, lines):
        for line in lines:
            now = time.monotonic()
            found = json.loads(line)["object"]
            webhooks = found.get("webhooks", [])
            if not webhooks or not all(w["clientConfig"].get("caBundle") for w in webhooks):
                continue
            with self.changed:
                self.synced.setdefault((kind, found["metadata"]["name"]), now)
                self.changed.notify()

    def last(self):
        """Waits for all targets, and returns when the last one was complete."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.synced) == TARGETS, 60), (
                f"{len(self.synced)} of {TARGETS} targets have a CA bundle after 60 s")
            return max(self.synced.values())


def seconds(cluster, program):
    fill.new_targets(cluster.client(), TARGETS)
    time.sleep(1)  # until both API servers are quiet again
    watch = TargetWatch(cluster)
    begin = time.monotonic()
    with program.start():
        return watch.last() - begin


def on_embedded(options):
    """Returns our times."""
    cluster = EmbeddedCluster.create(options.bin)
    try:
        client = cluster.client()
        load.ensure_namespace(client, "ca")
        client.create(load.ca_secret("ca", "root", load.new_ca("bench")))
        load.load_secrets(client, SECRETS, SECRET_KIB)
        found = []
        program = programs.ours(options, cluster)
        rounds.in_turn(options.rounds, lambda: found.append(seconds(cluster, program)),
                       "start, embedded")
        return found
    finally:
        cluster.destroy()


def run(options, cluster, table):
    what = f"start beside {SECRETS:,} Secrets until {TARGETS} targets are in sync, s"
    alone = on_embedded(options)
    fill.base(cluster)
    fill.secrets(cluster, kib=SECRET_KIB).add(1, SECRETS)
    found = {"ours": [], "peer": []}

    def run_round():
        for program in (programs.ours(options, cluster), programs.peer(options, cluster)):
            found[program.name].append(seconds(cluster, program))
    rounds.in_turn(options.rounds, run_round, "start")
    table.ratio(what, found["ours"], found["peer"], 0.5, digits=2)
    table.ratio("our start on the embedded API server, beside our own on the real one, s",
                alone, found["ours"], 1.0, digits=2)
