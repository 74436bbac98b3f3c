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

# Our allowed ratios to other programs.
KUBE_RS = {"kube-rs": 1, "kube-rs, jemalloc": 1}
LIMITS = {"peak": {"client-go": 0.25, **KUBE_RS}, "anonymous": KUBE_RS,
          "cpu": {"client-go": 0.5, **KUBE_RS}, "seconds": {"client-go": 1, **KUBE_RS}}


def compare(options, table):
    """No objects and 100,000 Secrets on a real API server."""
    server = RealServer(options.bin)
    try:
        found = informers.measure_in_turn(options, server, (0, options.secrets))
    finally:
        server.destroy()
    for way in informers.WAYS:
        curve.print_figures(table, found, way, 0, {})
        curve.print_figures(table, found, way, options.secrets, LIMITS)
        empty, full = (curve.values_of(found, way, size, "anonymous")
                       for size in (0, options.secrets))
        table.compare(f"{way}: a cached Secret, bytes of RssAnon",
                      {name: [(value - statistics.median(empty[name])) * 2**20 / options.secrets
                              for value in values] for name, values in full.items()}, {}, 0)


PARTS = {"compare": compare, "curve": curve.run, "relist": relist.run}


def main():
    options = rounds.parse(__doc__, choices=list(PARTS), secrets=100000, most=1000000,
                           out="build/bench")
    print(f"{options.rounds} rounds in turn: median (least to most)")
    table = rounds.Table(("figure", *informers.PROGRAMS, "allowed", ""))
    for name, part in PARTS.items():
        if not options.only or name in options.only:
            part(options, table)
    return 0 if table.kept else 1


if __name__ == "__main__":
    sys.exit(main())
