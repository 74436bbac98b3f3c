#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares metadata informers of clientgo and client-go on a real API server; see hack/bench/run."""
import os
import re
import sys

import rounds
from lib import load
from lib.cluster import Cluster
from process import measure

WAYS = {"WATCH-LIST": "true", "LIST": "false"}
# Allowed ratios to the Go program.
LIMITS = {"peak memory, MiB": 0.25, "CPU, s": 0.5, "time to sync, s": 1.0}


def run_one(command, environment, objects):
    """Returns the figures in the order of LIMITS."""
    memory, cpu, output = measure(command, environment)
    said = re.search(r"synced objects=(\d+) seconds=([\d.]+)", output)
    assert said, f"{command[0]} did not say that it synced: {output!r}"
    assert int(said.group(1)) >= objects, f"{command[0]} holds {said.group(1)} objects"
    return memory, cpu, float(said.group(2))


def run_round(options, kubeconfig, measured):
    for way, watch_list in WAYS.items():
        ours = [os.path.join(options.bin, "bench_metadata_informer"),
                f"--kubeconfig={kubeconfig}", f"--watch-list={watch_list}"]
        peer = [os.path.join(options.peers, "metadatainformer"), f"--kubeconfig={kubeconfig}"]
        gate = {"KUBE_FEATURE_WatchListClient": watch_list}
        for name, command in (("clientgo", ours), ("client-go", peer)):
            figures = run_one(command, gate, options.secrets)
            measured.setdefault((way, name), []).append(figures)


def print_table(measured):
    """Prints one line for each figure. Returns whether each ratio of medians is within its limit."""
    table = rounds.Table(("figure", "clientgo", "client-go 0.36", "ratio", "allowed", ""))
    for way in WAYS:
        for column, (figure, limit) in enumerate(LIMITS.items()):
            ours, peer = ([row[column] for row in measured[way, name]]
                          for name in ("clientgo", "client-go"))
            table.ratio(f"{way}: {figure}", ours, peer, limit, digits=1 if "MiB" in figure else 2)
    return table.kept


def main():
    options = rounds.parse(__doc__, secrets=100000)
    cluster = Cluster.create()
    measured = {}
    try:
        load.load_secrets(cluster.client(), options.secrets, kib=1)
        rounds.in_turn(options.rounds,
                       lambda: run_round(options, cluster.kubeconfig("admin"), measured), "runtime")
    finally:
        cluster.destroy()
    print(f"\n{options.secrets} Secrets, {options.rounds} rounds in turn: "
          "median (least to most)")
    return 0 if print_table(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
