# SPDX-License-Identifier: Apache-2.0
"""Part of hack/bench/injector.py: unreferenced Secrets change constantly."""
import itertools
import sys
import time

import fill
import programs
import rounds
from lib import etcd

SECRETS = 2000
WINDOW_SECONDS = 20
TRIES = 5


def churn(secrets, rate):
    """Returns (changes a second, number of changes)."""
    objects = itertools.cycle(list(secrets.copies(1, SECRETS)))
    start = time.monotonic()
    done = 0
    while time.monotonic() < start + WINDOW_SECONDS:
        secrets.etcd.put(itertools.islice(objects, etcd.BATCH_PUTS))
        done += etcd.BATCH_PUTS
        time.sleep(max(0.0, start + done / rate - time.monotonic()))
    return done / (time.monotonic() - start), done


def cut_watches(cluster, since):
    """Returns the watches of Secrets that ended since. Their clients did not see all changes."""
    return sum(1 for event in cluster.audited(since)[0]
               if (event["verb"], event["objectRef"].get("resource")) == ("watch", "secrets"))


def run_round(options, cluster, secrets, processes):
    """Returns (changes a second, [microseconds of CPU for a change, of each process and of the API server])."""
    for _ in range(TRIES):
        for process in processes:
            process.wait_until_idle()
        watched = [*(process.cpu_seconds for process in processes), lambda: programs.server_cpu_seconds(cluster)]
        before, (_, log_size) = [used() for used in watched], cluster.audited()
        rate, done = churn(secrets, options.rate)
        for process in processes:
            process.wait_until_idle()  # the backlog counts as well
        cut = cut_watches(cluster, log_size)
        if not cut:
            return rate, [(used() - then) * 1e6 / done for used, then in zip(watched, before)]
        print(f"churn: the API server was too busy and cut {cut} watches; once more", file=sys.stderr, flush=True)
    raise AssertionError(f"churn: no round of {TRIES} without a cut watch; try --rate")


def run(options, cluster, table):
    fill.base(cluster)
    secrets = fill.secrets(cluster)
    secrets.add(1, SECRETS)
    rates, both, served = [], [], {"ours": [], "peer": []}
    sides = programs.ours(options, cluster), programs.peer(options, cluster)
    with sides[0].start() as ours, sides[1].start() as peer:

        def together():
            rate, figures = run_round(options, cluster, secrets, (ours, peer))
            rates.append(rate)
            both.append(figures[:2])
        rounds.in_turn(options.rounds, together, "churn")
    what = f"{options.rate:,} changes/s of unreferenced Secrets"
    table.ratio(f"{what}, both programs at once: CPU of a change, us", *zip(*both), 0.33)

    def alone():
        for program in sides:
            with program.start() as process:
                rate, figures = run_round(options, cluster, secrets, (process,))
                rates.append(rate)
                served[program.name].append(figures[1])
    rounds.in_turn(options.rounds, alone, "churn, one program")
    print(f"churn: {rounds.spread(rates, 0)} changes/s", file=sys.stderr, flush=True)
    table.ratio(f"{what}, one program: CPU of the API server for a change, us",
                served["ours"], served["peer"], 1.0)
