# SPDX-License-Identifier: Apache-2.0
"""Memory, open files, threads and CPU of programs over time."""
import collections
import csv
import os
import re
import time

from lib.busy_threads import BusyThreads

PERIOD = 10  # seconds
TICKS = os.sysconf("SC_CLK_TCK")
# `resident` and `anonymous`: KiB; `cpu`: seconds since the start of the process.
Sample = collections.namedtuple("Sample", "resident anonymous files threads cpu")


def read(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        status = dict(re.findall(r"^(\w+):\s+(\d+)", file.read(), re.M))
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        times = file.read().rsplit(")", 1)[1].split()[11:13]
    return Sample(int(status["VmRSS"]), int(status["RssAnon"]), len(os.listdir(f"/proc/{pid}/fd")),
                  int(status["Threads"]), round(sum(map(int, times)) / TICKS, 2))


class Sampler(BusyThreads):
    """Appends a row for each program to a CSV file every ten seconds."""

    def __init__(self, path, pids):
        super().__init__(self.run, [(path, pids)])

    def run(self, path, pids):
        begin = time.monotonic()
        with open(path, "w", encoding="ascii", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["seconds", "program", *Sample._fields])
            while not self.stop.wait(PERIOD):
                for program, pid in pids.items():
                    try:
                        rows.writerow([round(time.monotonic() - begin), program, *read(pid)])
                    except FileNotFoundError:
                        return  # it has ended, which the run reports
                file.flush()
