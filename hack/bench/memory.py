#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peak memory and CPU of a start, capstan beside the Go originals; see hack/bench/run."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "e2e"))
from lib import load  # pylint: disable=wrong-import-position
from lib.cluster import Cluster, free_port  # pylint: disable=wrong-import-position

CONFIGURATIONS = 50
IDLE_SECONDS = 1.5
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^VmHWM:\s+(\d+) kB", file.read(), re.M).group(1)) / 1024


def wait_until_idle(process, seconds=90):
    """Until it has worked, and then used no CPU to speak of for a while."""
    deadline = time.monotonic() + seconds
    quiet_since, used = time.monotonic(), 0.0
    while time.monotonic() < deadline:
        assert process.poll() is None, f"{process.args[0]} ended with {process.returncode}"
        now = cpu_seconds(process.pid)
        if now - used > 0.02:
            quiet_since, used = time.monotonic(), now
        if used > 0.03 and time.monotonic() - quiet_since > IDLE_SECONDS:
            return
        time.sleep(0.1)
    raise AssertionError(f"{process.args[0]} was busy for {seconds} s")


def measure(command, environment):
    """(peak MiB, CPU seconds) of a start, until the program has nothing more to do."""
    with subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            wait_until_idle(process)
            return peak_mib(process.pid), cpu_seconds(process.pid)
        finally:
            process.kill()


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


def spread(values, digits):
    return (f"{statistics.median(values):.{digits}f} "
            f"({min(values):.{digits}f} to {max(values):.{digits}f})")


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
