#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peak memory and CPU of a start, capstan beside the Go originals; see hack/bench/run."""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "e2e"))
from lib import load  # pylint: disable=wrong-import-position
from lib.cluster import Cluster, free_port  # pylint: disable=wrong-import-position
from process import measure, spread  # pylint: disable=wrong-import-position

CONFIGURATIONS = 50


def programs(options, kubeconfig):
    """name -> (command, environment)."""
    found = {}
    for watch_list in ("true", "false"):
        gate = {"KUBE_FEATURE_WatchListClient": watch_list, "KUBECONFIG": kubeconfig}
        how = "WATCH-LIST" if watch_list == "true" else "LIST"
        found[f"capstan-controller-manager, {how}"] = ([
            os.path.join(options.bin, "capstan-controller-manager"), f"--kubeconfig={kubeconfig}",
            "--leader-elect=false", f"--metrics-listen-address=127.0.0.1:{free_port()}",
            f"--feature-gates=WatchListClient={watch_list}"], {})
        found[f"client-go metadata informer, {how}"] = (
            [os.path.join(options.peers, "metadatainformer")], gate)
        found[f"cert-manager cainjector, {how}"] = (
            [os.path.join(options.peers, "cainjector")], gate)
    return dict(sorted(found.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--peers", required=True)
    parser.add_argument("--secrets", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    cluster = Cluster.create()
    try:
        client = cluster.client()
        load.load_secrets(client, options.secrets - 1, kib=5)
        load.ensure_namespace(client, "ca")
        client.create(load.ca_secret("ca", "root", load.new_ca("bench")))
        load.load_configurations(client, CONFIGURATIONS, "ca/root")
        measured = {}
        for number in range(options.rounds):
            for name, (command, environment) in programs(options, cluster.kubeconfig("admin")).items():
                measured.setdefault(name, []).append(measure(command, environment))
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    finally:
        cluster.destroy()
    print(f"{options.secrets} Secrets of 5 KiB, {CONFIGURATIONS} targets, {options.rounds} rounds: "
          "median (least to most)\n")
    print("| program | peak memory, MiB | CPU of the start, s |\n|---|---|---|")
    for name, values in measured.items():
        print(f"| {name} | {spread([v[0] for v in values], 1)} | {spread([v[1] for v in values], 2)} |")


if __name__ == "__main__":
    main()
