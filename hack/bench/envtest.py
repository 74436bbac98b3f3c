#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cold start of a test: the embedded API server beside envtest; see hack/bench/run.

Both programs start an API server with the same CRDs and a manager, and create an object. Measured is the
time from the start of the process until the controller has reconciled the object, and until the process
has ended.

Then the Go program runs with the programs of capstan-test-server, and with the real ones: the time until
envtest has started, and the peak memory of kube-apiserver and etcd with 500 objects.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import rounds  # before the next, which are in the folders that it adds
import fill  # pylint: disable=wrong-import-order
import process
from lib.cluster import ROOT

GROUP = "bench.capstan.dev"
MILLISECONDS_MAX = 50
STARTED_SECONDS_MAX = 0.2
OBJECTS = 500
PARTS = ("first", "server")
MEMORY_RATIO_MAX = 0.1
# A description and a type for each of a hundred fields: about the size of a Deployment's schema.
LARGE_KIB = 25


def definitions(count):
    """Returns the CRD of Widgets, and others until there are `count`."""
    spec = {"type": "object", "properties": {"size": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    return [fill.crd(GROUP, "widgets", "Widget", schema)] + [
        fill.crd(GROUP, f"larges{i}", f"Large{i}", fill.schema_of(LARGE_KIB))
        for i in range(1, count)]


def started(command, environment):
    """Returns the seconds until envtest has started, and the peak MiB of the programs that it starts."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE,
                          env={**os.environ, **environment}, text=True) as running:
        assert running.stdout.readline() == "started\n", command
        seconds = time.monotonic() - begin
        assert running.stdout.readline() == "reconciled\n", command
        children = [int(pid) for task in os.listdir(f"/proc/{running.pid}/task")
                    for pid in read(f"/proc/{running.pid}/task/{task}/children").split()]
        assert len(children) == 2, f"{children} are not kube-apiserver and etcd"
        peak = sum(process.memory_of(pid).peak for pid in children)
        running.stdin.close()
        code = running.wait()
    assert code == 0, f"{command[0]}: exit code {code}"
    return seconds, peak


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def measure(command, environment):
    """Returns the milliseconds until the object was reconciled, and until the end."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env={**os.environ, **environment}, text=True) as running:
        line = running.stdout.readline()
        if line == "started\n":
            line = running.stdout.readline()
        reconciled = time.monotonic()
        code = running.wait()
    ended = time.monotonic()
    assert line == "reconciled\n" and code == 0, f"{command[0]}: exit code {code}"
    return 1000 * (reconciled - begin), 1000 * (ended - begin)


def run(options, assets, count, table):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for crd in definitions(count):
            files.append(os.path.join(folder, crd["metadata"]["name"] + ".json"))
            with open(files[-1], "w", encoding="utf-8") as file:
                json.dump(crd, file)
        found = {"ours": [], "peer": []}

        def run_round():
            found["ours"].append(measure([os.path.join(options.bin, "bench_first_reconcile"),
                                          *files], {}))
            found["peer"].append(measure([os.path.join(options.peers, "envtest"), folder],
                                         {"KUBEBUILDER_ASSETS": assets}))
        rounds.in_turn(options.rounds, run_round, f"{count} CRDs")
    crds = "1 CRD" if count == 1 else f"{count} CRDs"
    for part, what in enumerate(("until the first reconciliation", "until the process has ended")):
        times = {name: [pair[part] for pair in pairs] for name, pairs in found.items()}
        limits = {"peer": 0.02, **({None: MILLISECONDS_MAX} if count == 1 else {})}
        table.compare(f"{crds}, {what}, ms", times, limits, 1)


def run_server(options, assets, table):
    """Compares capstan-test-server with kube-apiserver and etcd, through envtest."""
    with tempfile.TemporaryDirectory() as folder:
        ours = subprocess.run([os.path.join(options.bin, "capstan"), "envtest"], check=True, text=True,
                              stdout=subprocess.PIPE, env={**os.environ, "XDG_CACHE_HOME": folder}).stdout.strip()
        with open(os.path.join(folder, "widgets.json"), "w", encoding="utf-8") as file:
            json.dump(definitions(1)[0], file)
        found = {"ours": [], "peer": []}

        def run_round():
            for name, programs in (("ours", ours), ("peer", assets)):
                found[name].append(started([os.path.join(options.peers, "envtest"), folder, str(OBJECTS)],
                                           {"KUBEBUILDER_ASSETS": programs}))
        rounds.in_turn(options.rounds, run_round, f"{OBJECTS} objects")
    for part, what, limit, digits in (
            (0, "envtest with capstan-test-server, until it has started, s", {None: STARTED_SECONDS_MAX}, 2),
            (1, f"capstan-test-server, {OBJECTS} objects, peak memory, MiB", {"peer": MEMORY_RATIO_MAX}, 1)):
        table.compare(what, {name: [pair[part] for pair in pairs] for name, pairs in found.items()}, limit, digits)


def main():
    options = rounds.parse(__doc__, choices=PARTS)
    parts = options.only or PARTS
    assets = subprocess.run([os.path.join(ROOT, "e2e/cluster/build")], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    table = rounds.Table(("figure", "embedded", "envtest", "allowed", ""))
    if "first" in parts:
        for count in (1, 20):
            run(options, assets, count, table)
    if "server" in parts:
        run_server(options, assets, table)
    sys.exit(0 if table.kept else 1)


if __name__ == "__main__":
    main()
