#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares capstan-controller-manager with cainjector on a real API server; see hack/bench/run."""
import sys

import rounds
import churn
import cold_start
import memory
import rotation
from lib.cluster import Cluster
from programs import PEER_VERSION

PARTS = {"certificates": memory.certificates, "rotation": rotation.run, "churn": churn.run,
         "start": cold_start.run, "secrets": memory.secrets, "crds": memory.crds}


def main():
    options = rounds.parse(__doc__, choices=list(PARTS), writes=True, few_secrets=20000, many_secrets=100000,
                           certificates=5000, rate=2000)
    print(f"{options.rounds} rounds in turn: median (least to most)")
    table = rounds.Table(("figure", "capstan-controller-manager", PEER_VERSION, "ratio",
                          "allowed", ""))
    for name, part in PARTS.items():
        if options.only and name not in options.only:
            continue
        cluster = Cluster.create()  # each part has its own cluster
        try:
            part(options, cluster, table)
        finally:
            cluster.destroy()
    return table.finish("injector", options)


if __name__ == "__main__":
    sys.exit(main())
