#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory of the manager over many rotations of one CA on the embedded API server; see hack/bench/run.

104 targets. After 60 rotations and after each doubling: RssAnon, and of the heap what is in use and what is
free between blocks in use. It fails if RssAnon after 1,920 rotations is more than 3% above that after 480.
"""
import argparse
import os
import re
import statistics
import sys
import time

from lib import load
from lib.embedded import EmbeddedCluster
from lib.manager import Manager
from process import memory_of
from rounds import spread

TARGETS = 104
SECRET = "/api/v1/namespaces/ca/secrets/root"
GROWTH_MAX = 1.03
FROM, TO = 480, 1920
CAS = 8  # in turn


def heap(manager):
    """Returns the MiB of the heap that are in use, and free."""
    _, text = manager.get("/metrics")
    return [float(re.search(rf"^process_{name}_bytes (\S+)", text, re.M)[1]) / 2**20
            for name in ("heap", "heap_free")]


def measure(bin_dir, last):
    """Returns {rotations: (RssAnon, in use, free)} in MiB."""
    cluster = EmbeddedCluster.create(bin_dir)
    try:
        client, found = cluster.client(), {}
        authorities = [load.new_ca(f"ca-{i}") for i in range(CAS)]
        load.ensure_namespace(client, "ca")
        client.create(load.ca_secret("ca", "root", authorities[0]))
        load.load_configurations(client, TARGETS, "ca/root")
        with Manager(bin_dir, cluster.kubeconfig(), "--leader-elect=false") as manager:
            manager.wait_until(lambda: load.in_sync(client, authorities[0], TARGETS) == TARGETS,
                               "all in sync", 60)
            for rotation in range(1, last + 1):
                pem = authorities[rotation % CAS]
                client.merge_patch(SECRET, {"data": {"ca.crt": load.encoded(pem)}})
                manager.wait_until(lambda pem=pem: load.in_sync(client, pem, TARGETS) == TARGETS,
                                   "all in sync", 60)
                if rotation in rows(last):
                    time.sleep(2)
                    found[rotation] = (memory_of(manager.process.pid).anonymous, *heap(manager))
            manager.stop()
        return found
    finally:
        cluster.destroy()


def rows(last):
    return [count for count in (60, 120, 240, 480, 960, 1920) if count <= last]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rotations", type=int, default=TO)
    options, _ = parser.parse_known_args()
    taken = [measure(os.path.realpath(options.bin), options.rotations) for _ in range(options.rounds)]
    print("| rotations | RssAnon, MiB | heap in use, MiB | heap free, MiB |\n|---|---|---|---|")
    for count in rows(options.rotations):
        columns = zip(*(found[count] for found in taken))
        print(f"| {count} | " + " | ".join(spread(column, 2) for column in columns) + " |")
    if options.rotations < TO:
        return 0
    growth = statistics.median(found[TO][0] / found[FROM][0] for found in taken)
    print(f"{TO} beside {FROM} rotations: {growth:.3f}, at most {GROWTH_MAX}")
    return 0 if growth <= GROWTH_MAX else 1


if __name__ == "__main__":
    sys.exit(main())
