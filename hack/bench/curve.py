# SPDX-License-Identifier: Apache-2.0
"""Part of hack/bench/runtime.py: the figures of informers with up to a million Secrets."""
import csv
import os
import statistics

import informers
import plot
from servers import EmbeddedServer, RealServer

SIZES = (0, 10000, 30000, 100000, 300000, 1000000)
# On the embedded API server, which is not in the picture: only what the cost of an object needs.
EMBEDDED_SIZES = (0, 100000, 1000000)
# Allowed for the most Secrets: 130 MB, 10 s. The cost of an object: 10% more than at BASE.
MOST_LIMITS = {"peak": {None: 124}, "seconds": {None: 10}}
BASE, LINEAR_LIMIT = 100000, 1.1
LINEAR = {"peak": "memory", "cpu": "CPU", "seconds": "time"}


def values_of(found, way, size, figure):
    """Returns {program: values}, empty for a missing program."""
    return {name: found.get((way, name, size), {}).get(figure, []) for name in informers.PROGRAMS}


def print_figures(table, found, way, size, limits, where=""):
    for figure, title in informers.FIGURES.items():
        table.compare(f"{where}{size:,} Secrets, {way}: {title}",
                      values_of(found, way, size, figure), limits.get(figure, {}),
                      1 if "MiB" in title else 2)


def costs(found, way, name, size, figure):
    """Returns what an object costs in each round. The start without objects is not counted."""
    without = statistics.median(found[way, name, 0][figure])
    return [(value - without) / size for value in found[way, name, size][figure]]


def print_linear(table, found, way, size, where):
    for figure, title in LINEAR.items():
        ratios = {}
        for name in informers.PROGRAMS:
            present = (way, name, size) in found
            base = statistics.median(costs(found, way, name, BASE, figure)) if present else None
            ratios[name] = [cost / base for cost in costs(found, way, name, size, figure)] \
                if present else []
        table.compare(f"{where}{way}: {title} of an object, {size:,} Secrets to {BASE:,}",
                      ratios, {None: LINEAR_LIMIT}, 2)


def write_csv(path, measured):
    with open(path, "w", encoding="ascii", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(plot.COLUMNS)
        for server, found in measured.items():
            for (way, name, size), figures in found.items():
                for figure, values in figures.items():
                    writer.writerow([server, way, name, size, figure,
                                     *(f"{value:.3f}" for value in
                                       (statistics.median(values), min(values), max(values)))])


def run(options, table):
    measured = {}
    for make, all_sizes in ((RealServer, SIZES), (EmbeddedServer, EMBEDDED_SIZES)):
        name, sizes = make.name, [size for size in all_sizes if size < options.most]
        sizes.append(options.most)
        server = make(options.bin)
        try:
            found = measured[name] = informers.measure_in_turn(options, server, sizes)
        finally:
            server.destroy()
        where, most = f"{name}, ", sizes[-1]
        for way in informers.WAYS:  # the other sizes are in the file
            print_figures(table, found, way, most, MOST_LIMITS, where)
            if most > BASE:
                print_linear(table, found, way, most, where)
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "informers.csv")
    write_csv(path, measured)
    plot.draw(path, os.path.join(options.out, "informers.svg"), RealServer.name, "WATCH-LIST")
