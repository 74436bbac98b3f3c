#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures compressed lists over a slow link from a real API server; see hack/bench/run."""
import argparse
import os
import re
import sys
import time

import rounds
from lib import kube, load
from lib.cluster import Cluster
from process import Process
from slow_link import SERVER, SlowLink

MODES = {"LIST": "false", "WATCH-LIST": "true"}
# (figure, digits)
FIGURES = (("bytes to the client, MB", 2), ("time to sync, s", 2), ("CPU of the client, s", 2),
           ("CPU of the API server, s", 2), ("peak memory of the client, MiB", 1))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kubeconfig(cluster):
    """Returns a kubeconfig for the other side of the link."""
    return kube.write_kubeconfig(cluster.path("kubeconfig.far"),
                                 f"https://{SERVER}:{cluster.state['port']}", "admin",
                                 "admin-token", **{"certificate-authority": cluster.ca_file,
                                                   "tls-server-name": "kubernetes"})


def wait_until_synced(process):
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        assert process.process.poll() is None, "the informer has ended"
        if said := re.search(r"synced objects=(\d+) seconds=([\d.]+)", process.said()):
            return said
        time.sleep(0.05)
    raise AssertionError("the informer has not synced in 600 s")


def run_one(options, cluster, link, watch_list, compression):
    """Returns the figures in the order of FIGURES."""
    command = [*link.prefix, os.path.join(options.bin, "bench_metadata_informer"),
               f"--kubeconfig={kubeconfig(cluster)}", f"--watch-list={watch_list}",
               f"--list-compression={compression}"]
    server = cluster.state["kube-apiserver"]["pid"]
    bytes_before, cpu_before = link.bytes_to_client, cpu_seconds(server)
    with Process(command, {}) as process:
        said = wait_until_synced(process)
        assert int(said.group(1)) >= options.secrets, said.group(0)
        received = link.bytes_to_client - bytes_before
        time.sleep(1)  # the server collects its garbage
        return (received / 1e6, float(said.group(2)), process.cpu_seconds(),
                cpu_seconds(server) - cpu_before, process.peak_mib())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    for name, default in {"rounds": 5, "secrets": 100000, "mbit": 1000, "milliseconds": 50}.items():
        parser.add_argument("--" + name, type=int, default=default)
    options = parser.parse_args()
    cluster = Cluster.create(None, ["--bind-address=0.0.0.0"])
    measured = {}

    def run_round(link):
        for mode, watch_list in MODES.items():
            for compression in ("off", "auto"):
                measured.setdefault((mode, compression), []).append(
                    run_one(options, cluster, link, watch_list, compression))

    try:
        load.load_secrets(cluster.client(), options.secrets, kib=1)
        with SlowLink(options.mbit, options.milliseconds / 1000) as link:
            rounds.in_turn(options.rounds, lambda: run_round(link), "wire")
    finally:
        cluster.destroy()
    print(f"\n{options.secrets} Secrets, {options.mbit} Mbit/s, {options.milliseconds} ms round trip, "
          f"{options.rounds} rounds in turn: median (least to most)\n\n"
          "| figure | --list-compression=off | auto | ratio |\n|---|---|---|---|")
    for mode in MODES:
        for column, (figure, digits) in enumerate(FIGURES):
            off, auto = ([row[column] for row in measured[mode, compression]]
                         for compression in ("off", "auto"))
            ratio = rounds.statistics.median(auto) / rounds.statistics.median(off)
            print(f"| {mode}: {figure} | {rounds.spread(off, digits)} | "
                  f"{rounds.spread(auto, digits)} | {ratio:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
