#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares examples/secret-mirror with the same controller in Go and in Rust; see hack/bench/run."""
import glob
import os
import re
import statistics
import sys
import time

import rounds
import mirror_cluster
from lib.cluster import ROOT, free_port
from mirror_cluster import EMPTIED, Log, MirrorCluster
from process import Process

OURS = "capstan"
PEERS = ("controller-runtime 0.24.1", "kube-rs 5.0, jemalloc")
# The files of each program without tests, and its name in --bin or --peers.
SOURCES = {OURS: ("examples/secret-mirror/*.h", "examples/secret-mirror/[!s]*.cc"),
           PEERS[0]: ("hack/bench/peers/secretmirror/*.go",),
           PEERS[1]: ("hack/bench/peers/kubers/src/bin/kubers-secretmirror/*.rs",)}
FILES = {OURS: "bench_secret_mirror", PEERS[0]: "secretmirror", PEERS[1]: "kubers-secretmirror-jemalloc"}
NO_CODE = re.compile(r"\s*(//.*)?$")
# Of our median beside that of either peer.
LIMITS = {"peak memory, MiB": 1, "requests": 1}
DIGITS = {"CPU, s": 2, "requests": 0}
SECONDS = 300  # of one step; the slowest takes a fifth


def start(options, name, kubeconfig):
    flags = [f"--kubeconfig={kubeconfig}"]
    if name != PEERS[1]:  # it has no metrics
        flags.append(f"--metrics-listen-address=127.0.0.1:{free_port()}")
    folder = options.bin if name == OURS else options.peers
    return Process([os.path.join(folder, FILES[name]), *flags], {})


def lines_of_code(name):
    count = 0
    for pattern in SOURCES[name]:
        for path in glob.glob(os.path.join(ROOT, pattern)):
            with open(path, encoding="utf-8") as file:
                count += sum(1 for line in file if not NO_CODE.match(line))
    return count


class Step:
    """The figures of one step of a program."""

    def __init__(self, cluster, process):
        self.process, self.log, self.cpu = process, Log(cluster), process.cpu_seconds()

    def figures(self, memory=True):
        verbs = self.log.verbs()
        figures = {"peak memory, MiB": self.process.peak_mib()} if memory else {}
        return {**figures, "CPU, s": self.process.cpu_seconds() - self.cpu,
                "requests": sum(verbs.values()), **{f"of these {v}": n for v, n in verbs.items()},
                "of all, answered with 409": self.log.conflicts()}


def measure(options, cluster, name):
    """Returns {step: {figure: value}} of one program. The other programs do the same from here."""
    found = {}
    cluster.empty()
    begin = time.time()
    with start(options, name, cluster.kubeconfig()) as process:
        step = Step(cluster, process)
        wanted = cluster.per_group * EMPTIED
        process.wait_until_idle(lambda: step.log.written("create") == wanted, SECONDS)
        found["start"] = {"time until all copies exist, s": step.log.last_write() - begin,
                          **step.figures()}
        cluster.check(0)

        step = Step(cluster, process)
        cluster.change_sources(options.changes)
        wanted = options.changes * mirror_cluster.NAMESPACES
        process.wait_until_idle(lambda: step.log.written("update") == wanted, SECONDS)
        found["change"] = {
            "time until all copies are right, s": step.log.last_write() - step.log.first_change(),
            **step.figures()}
        cluster.check(0)
    with start(options, name, cluster.kubeconfig()) as process:
        step = Step(cluster, process)
        process.wait_until_idle(seconds=SECONDS)
        found["restart"] = step.figures()
        writes = {verb for verb in step.log.verbs() if verb not in ("get", "list", "watch")}
        assert writes <= {"discovery"}, f"{name}: a restart in sync wrote: {writes}"
    return found


def print_row(table, figure, found, limit, digits):
    """`found`: [values of each program], ours first."""
    medians = [statistics.median(values) for values in found]
    ratios = ["" if not median else f"{medians[0] / median:.2f}" for median in medians[1:]]
    good = None if limit is None else all(medians[0] <= limit * other for other in medians[1:])
    table.row(figure, [rounds.spread(values, digits) for values in found] + ratios
              + ["" if limit is None else f"{limit:g}"], good)


def print_table(table, options, found):
    """`found`: {program: [{step: {figure: value}} of each round]}."""
    steps = {"start": f"start, {options.secrets // 10 // mirror_cluster.GROUPS * EMPTIED:,} of "
                      f"{options.secrets // 10 * mirror_cluster.NAMESPACES:,} copies are missing",
             "change": f"{options.changes:,} sources change",
             "restart": "restart, nothing to do"}
    for step, what in steps.items():
        figures = dict.fromkeys(
            figure for program in found.values() for one in program for figure in one[step])
        for figure in sorted(figures, key=lambda name: name.startswith("of ")):
            values = [[one[step].get(figure, 0) for one in program] for program in found.values()]
            counted = figure.startswith("of ")
            print_row(table, f"{what}: {figure}", values, LIMITS.get(figure),
                      0 if counted else DIGITS.get(figure, 1))
    print_row(table, "lines of code", [[lines_of_code(name)] for name in found], None, 0)


def main():
    options = rounds.parse(__doc__, secrets=100000, changes=250)
    names = [name for name in FILES if name == OURS
             or os.path.exists(os.path.join(options.peers, FILES[name]))]
    found = {name: [] for name in names}
    cluster = MirrorCluster(options.secrets)
    try:
        def run_round():
            for name in names:
                found[name].append(measure(options, cluster, name))
        rounds.in_turn(options.rounds, run_round, f"{options.secrets:,} Secrets")
        for group in range(mirror_cluster.GROUPS):
            cluster.check(group)
    finally:
        cluster.destroy()
    print(f"{options.rounds} rounds in turn: median (least to most)")
    table = rounds.Table(("figure", *names, *(f"{OURS} / {name}" for name in names[1:]),
                          "allowed", ""))
    print_table(table, options, found)
    return 0 if table.kept else 1


if __name__ == "__main__":
    sys.exit(main())
