#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wake-ups and CPU an hour of capstan-node-agent without events; see hack/bench/run.

0, 10 and 110 pods wait for a gate; the loop is fixed, adaptive, or driven by events only. It counts
for --seconds after the loop is idle and extrapolates to an hour. There is no limit.
"""
import argparse
import glob
import os
import re
import sys
import time

from lib import agent, load
from lib.agent import Agent
from lib.embedded import EmbeddedCluster

MODES = {"fixed 100 ms": ("--feature-gates=AdaptiveGateLoop=false",), "adaptive": (),
         "events only": ("--gate-loop-events-only",)}
REST_SECONDS = 8


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def figures(process):
    """Returns (passes of the loop, voluntary context switches, CPU seconds) of all threads."""
    switches = cpu = 0
    for task in glob.glob(f"/proc/{process.process.pid}/task/*"):
        cpu += int(read(task + "/schedstat").split()[0]) / 1e9
        switches += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", read(task + "/status"),
                                  re.M).group(1))
    return process.metric("capstan_loop_wakeups_total") or 0, switches, cpu


def measure(cluster, bin_dir, flags, seconds):
    gates = ("--pod-readiness-gate=pod-ip:any", "--pending-event-after=0")
    with Agent(bin_dir, cluster.kubeconfig(), *gates, *flags) as process:
        process.wait_ready()
        time.sleep(REST_SECONDS)
        before, start = figures(process), time.monotonic()
        time.sleep(seconds)
        after, end = figures(process), time.monotonic()
        process.stop()
    return [(b - a) * 3600 / (end - start) for a, b in zip(before, after)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    options, _ = parser.parse_known_args()
    bin_dir = os.path.realpath(options.bin)
    print("| pods | loop | passes an hour | voluntary context switches an hour | "
          "CPU seconds an hour |\n" + "|---" * 5 + "|")
    cluster = EmbeddedCluster.create(bin_dir)
    try:
        load.ensure_namespace(cluster.client(), agent.NAMESPACE)
        created = 0
        for pods in (0, 10, 110):
            client = cluster.client()  # the server closes idle connections
            for index in range(created, pods):
                client.create(agent.pod(f"p-{index}"))
            created = pods
            for mode, flags in MODES.items():
                passes, switches, cpu = measure(cluster, bin_dir, flags, options.seconds)
                print(f"| {pods} | {mode} | {passes:.0f} | {switches:.0f} | {cpu:.2f} |",
                      flush=True)
    finally:
        cluster.destroy()
    return 0


if __name__ == "__main__":
    sys.exit(main())
