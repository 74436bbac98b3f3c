#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the curves that hack/bench/run runtime measured: memory, CPU and time by number of Secrets.

usage: hack/bench/plot.py CSV SVG [SERVER [LIST]]

Both axes are logarithmic. SERVER is kube-apiserver (default) or embedded, LIST is WATCH-LIST
(default) or LIST. The picture is readable on light and dark pages.
"""
import csv
import sys

import drawing

COLUMNS = ("server", "list", "program", "objects", "figure", "median", "least", "most")
PANELS = (("peak", "peak memory, MiB"), ("cpu", "CPU, s"), ("seconds", "time to sync, s"))
# The colour and the dashes of each program.
LINES = {"clientgo": ("#0a84c6", ""), "kube-rs": ("#d9641e", "7 4"),
         "kube-rs, jemalloc": ("#b0679b", "2 4"), "client-go": ("#199e78", "10 3 2 3")}


def read(path, server, way):
    """Returns {figure: {program: [(objects, median)]}}. A logarithmic axis has no 0."""
    found = {}
    with open(path, encoding="ascii", newline="") as file:
        for row in csv.DictReader(file):
            objects, median = int(row["objects"]), float(row["median"])
            if (row["server"], row["list"]) == (server, way) and objects and median > 0:
                curves = found.setdefault(row["figure"], {})
                curves.setdefault(row["program"], []).append((objects, median))
    return found


def draw(csv_path, svg_path, server, way):
    found = read(csv_path, server, way)
    drawing.write(svg_path, f"One metadata informer by number of Secrets, {server}, {way}",
                  f"Secrets ({server}, {way})",
                  [(name, found[figure]) for figure, name in PANELS if figure in found],
                  LINES, drawing.LogAxis)


def main():
    arguments = sys.argv[1:]
    if not 2 <= len(arguments) <= 4 or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 1
    draw(*(arguments + ["kube-apiserver", "WATCH-LIST"][len(arguments) - 2:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
