#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what hack/soak measured: memory, CPU and open files of its programs over time.

usage: hack/bench/plot_soak.py CSV SVG
"""
import csv
import sys

import drawing

# The colour and the dashes of each program.
LINES = {"manager": ("#0a84c6", ""), "agent": ("#d9641e", "7 4"), "informer": ("#199e78", "10 3 2 3")}
PANELS = (("resident", "memory (VmRSS), MiB", 1024), ("cpu", "CPU since the start, s", 1),
          ("files", "open files", 1))
# Each point is the median of this many neighbouring samples.
SAMPLES_A_POINT = 3


def read(path):
    """Returns {program: [row]}, in order."""
    found = {}
    with open(path, encoding="ascii", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["program"], []).append({
                key: float(value) for key, value in row.items() if key != "program"})
    return found


def curve(rows, field, unit):
    """Returns [(minutes, value)]."""
    points = []
    for start in range(0, len(rows), SAMPLES_A_POINT):
        part = sorted(row[field] for row in rows[start:start + SAMPLES_A_POINT])
        points.append((rows[start]["seconds"] / 60, part[len(part) // 2] / unit))
    return points


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 1
    found = read(sys.argv[1])
    drawing.write(sys.argv[2], "capstan under churn and failures on a real API server", "minutes",
                  [(title, {name: curve(rows, field, unit) for name, rows in found.items()})
                   for field, title, unit in PANELS], LINES, drawing.LinearAxis)
    return 0


if __name__ == "__main__":
    sys.exit(main())
