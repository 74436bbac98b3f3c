# SPDX-License-Identifier: Apache-2.0
"""Part of hack/bench/runtime.py: informers list again, after 1% of the Secrets changed.

The embedded API server ends every watch, and rejects new ones while the Secrets change. It then
forgets the past, so that the clients cannot continue their watches.
"""
import informers
import rounds
from servers import EmbeddedServer

RATIO_MAX = 1.2
FIGURES = {"before": ("memory before, MiB", {}, 1),
           "peak": ("peak memory / memory before", {None: RATIO_MAX}, 2),
           "after": ("memory after / memory before", {}, 2), "cpu": ("CPU, s", {}, 2)}


def measure(options, name, server, way):
    with informers.start(options, name, server.kubeconfig(), way) as process:
        informers.wait_until_synced(process, server.held)
        before, cpu = process.memory().resident, process.cpu_seconds()
        process.forget_peak()
        key = server.change_unseen()

        def has_listed():
            process.tell(key)
            return f"{key} present" in process.said()
        process.wait_until_idle(has_listed)
        memory = process.memory()
        return {"before": before, "peak": memory.peak / before, "after": memory.resident / before,
                "cpu": process.cpu_seconds() - cpu}


def run(options, table):
    found = {}
    server = EmbeddedServer(options.bin)

    def run_round():
        for way in informers.WAYS:
            for name in informers.programs(options):
                for figure, value in measure(options, name, server, way).items():
                    found.setdefault((way, figure), {}).setdefault(name, []).append(value)
    try:
        server.grow(options.most)
        rounds.in_turn(options.rounds, run_round, f"relist of {options.most:,} Secrets")
    finally:
        server.destroy()
    for way in informers.WAYS:
        for figure, (title, limits, digits) in FIGURES.items():
            values = {name: found[way, figure].get(name, []) for name in informers.PROGRAMS}
            table.compare(f"relist of {options.most:,} Secrets, 1% changed, {way}: {title}",
                          values, limits, digits)
