#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A metadata informer of clientgo beside client-go's, on a real API server; see hack/bench/run."""
import argparse
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "e2e"))
from lib import load  # pylint: disable=wrong-import-position
from lib.cluster import Cluster  # pylint: disable=wrong-import-position
from process import measure, spread  # pylint: disable=wrong-import-position

WAYS = {"WATCH-LIST": "true", "LIST": "false"}
# What is allowed, as a part of what the Go program takes.
LIMITS = {"peak memory, MiB": 0.25, "CPU, s": 0.5, "time to sync, s": 1.0}


def run_one(command, environment, objects):
    """The figures in the order of LIMITS."""
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
    """One line a figure; True when each ratio of medians is within its limit."""
    print("| list | figure | clientgo | client-go 0.36 | ratio | allowed | |\n" + "|---" * 7 + "|")
    kept = True
    for way in WAYS:
        for column, (figure, limit) in enumerate(LIMITS.items()):
            ours, peer = ([row[column] for row in measured[way, name]]
                          for name in ("clientgo", "client-go"))
            ratio = statistics.median(ours) / statistics.median(peer)
            verdict = "ok" if ratio <= limit else "MISSED"
            kept = kept and ratio <= limit
            digits = 1 if "MiB" in figure else 2
            print(f"| {way} | {figure} | {spread(ours, digits)} | {spread(peer, digits)} | "
                  f"{ratio:.2f} | {limit} | {verdict} |")
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--peers", required=True)
    parser.add_argument("--secrets", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    cluster = Cluster.create()
    measured = {}
    try:
        load.load_secrets(cluster.client(), options.secrets, kib=1)
        for number in range(options.rounds):
            run_round(options, cluster.kubeconfig("admin"), measured)
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    finally:
        cluster.destroy()
    print(f"\n{options.secrets} Secrets, {options.rounds} rounds in turn: "
          "median (least to most)\n")
    return 0 if print_table(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
