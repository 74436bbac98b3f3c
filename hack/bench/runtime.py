#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares metadata informers of clientgo, kube-rs and client-go; see hack/bench/run."""
import statistics
import sys

import rounds
import curve
import informers
import relist
from servers import RealServer

# Our allowed ratios to other programs. None: our allowed value, which is 6 MB without an object, and
# 19 MB with 100,000 Secrets.
KUBE_RS = {"kube-rs": 1, "kube-rs, jemalloc": 1}
EMPTY_LIMITS = {"peak": {None: 5.7}}
LIMITS = {"peak": {None: 18.1, "client-go": 0.25, "kube-rs": 0.25, "kube-rs, jemalloc": 1},
          "cpu": {"client-go": 0.5, **KUBE_RS}, "seconds": {"client-go": 1, **KUBE_RS}}


def compare(options, table):
    """No objects and 100,000 Secrets on a real API server."""
    server = RealServer(options.bin)
    try:
        found = informers.measure_in_turn(options, server, (0, options.secrets))
    finally:
        server.destroy()
    for way in informers.WAYS:
        curve.print_figures(table, found, way, 0, EMPTY_LIMITS)
        curve.print_figures(table, found, way, options.secrets, LIMITS)
        empty, full = (curve.values_of(found, way, size, "anonymous")
                       for size in (0, options.secrets))
        table.compare(f"{way}: a cached Secret, bytes of RssAnon",
                      {name: [(value - statistics.median(empty[name])) * 2**20 / options.secrets
                              for value in values] for name, values in full.items()}, {}, 0)


# The function of each part, and its rounds by default.
PARTS = {"compare": (compare, 5), "curve": (curve.run, 3), "relist": (relist.run, 3)}


def main():
    options = rounds.parse(__doc__, choices=list(PARTS), writes=True, rounds=0, secrets=100000, most=1000000,
                           out="build/bench")
    wanted = options.rounds
    print("Median (least to most) of rounds in turn")
    table = rounds.Table(("figure", *informers.PROGRAMS, "allowed", ""))
    for name, (part, part_rounds) in PARTS.items():
        if not options.only or name in options.only:
            options.rounds = wanted or part_rounds
            part(options, table)
    return table.finish("runtime", options)


if __name__ == "__main__":
    sys.exit(main())
