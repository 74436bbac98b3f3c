# SPDX-License-Identifier: Apache-2.0
"""Measures one metadata informer for Secrets: of clientgo, of kube-rs, and of client-go."""
import os
import re

import rounds
from process import Process, cpu_seconds

WAYS = {"WATCH-LIST": True, "LIST": False}
OURS = "clientgo"
# The names of programs, and the files in the folder of the peers. None: ours.
PROGRAMS = {OURS: None, "kube-rs": "kubers", "kube-rs, jemalloc": "kubers-jemalloc",
            "client-go": "metadatainformer"}
# Memory at rest is that of the idle program, a few seconds after it has synced.
FIGURES = {"peak": "peak memory, MiB", "anonymous": "RssAnon at rest, MiB",
           "files": "RssFile at rest, MiB", "cpu": "CPU, s", "seconds": "time to sync, s",
           "server": "CPU of the API server, s"}
SYNCED = re.compile(r"^synced objects=(\d+) seconds=([\d.]+)", re.M)


def programs(options):
    """Returns the names of the programs that exist. Only kube-rs may be missing."""
    return [name for name, file in PROGRAMS.items()
            if file is None or os.path.exists(os.path.join(options.peers, file))]


def start(options, name, kubeconfig, way):
    """Returns a Process with one informer."""
    program = os.path.join(*((options.peers, PROGRAMS[name]) if PROGRAMS[name] else
                             (options.bin, "bench_metadata_informer")))
    watch_list = "true" if WAYS[way] else "false"
    if name == "client-go":
        return Process([program, f"--kubeconfig={kubeconfig}"],
                       {"KUBE_FEATURE_WatchListClient": watch_list})
    return Process([program, f"--kubeconfig={kubeconfig}", f"--watch-list={watch_list}"], {})


def wait_until_synced(process, objects):
    """Waits until it is idle with at least `objects`. Returns the seconds to sync."""
    process.wait_until_idle(lambda: SYNCED.search(process.said()))
    held, seconds = SYNCED.search(process.said()).groups()
    assert int(held) >= objects, f"{process.command[0]} holds {held} objects"
    return float(seconds)


def measure(options, name, server, way):
    """Returns the figures of one start."""
    before = cpu_seconds(server.pid())
    with start(options, name, server.kubeconfig(), way) as process:
        seconds = wait_until_synced(process, server.held)
        memory = process.memory()
        return {"peak": memory.peak, "anonymous": memory.anonymous, "files": memory.files,
                "cpu": process.cpu_seconds(), "seconds": seconds,
                "server": cpu_seconds(server.pid()) - before}


def measure_in_turn(options, server, sizes):
    """Returns {(way, name, size): {figure: values}}. The server is empty."""
    found = {}

    def run_round(size):
        for way in WAYS:
            for name in programs(options):
                values = found.setdefault((way, name, size), {})
                for figure, value in measure(options, name, server, way).items():
                    values.setdefault(figure, []).append(value)
    for size in sizes:
        server.grow(size)
        rounds.in_turn(options.rounds, lambda size=size: run_round(size),
                       f"{server.name}, {size:,} Secrets")
    return found
