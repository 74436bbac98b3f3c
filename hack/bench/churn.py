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
    """Returns (changes a second, [microseconds of CPU for a change, for each process])."""
    for process in processes:
        process.wait_until_idle()
    before, (_, log_size) = [process.cpu_seconds() for process in processes], cluster.audited()
    rate, done = churn(secrets, options.rate)
    for process in processes:
        process.wait_until_idle()  # the backlog counts as well
    cut = cut_watches(cluster, log_size)
    figures = [(process.cpu_seconds() - used) * 1e6 / done
               for process, used in zip(processes, before)]
    return rate, figures, cut


def run(options, cluster, table):
    fill.base(cluster)
    secrets = fill.secrets(cluster)
    secrets.add(1, SECRETS)
    rates, found = [], []
    with programs.ours(options, cluster).start() as ours, \
            programs.peer(options, cluster).start() as peer:

        def until_whole():
            for _ in range(TRIES):
                rate, figures, cut = run_round(options, cluster, secrets, (ours, peer))
                if not cut:
                    rates.append(rate)
                    found.append(figures)
                    return
                print(f"churn: the API server was too busy and cut {cut} watches; once more",
                      file=sys.stderr, flush=True)
            raise AssertionError(f"churn: no round of {TRIES} without a cut watch; try --rate")
        rounds.in_turn(options.rounds, until_whole, "churn")
    print(f"churn: {rounds.spread(rates, 0)} changes/s", file=sys.stderr, flush=True)
    table.ratio(f"{options.rate:,} changes/s of unreferenced Secrets, both programs at once: CPU of a change, us",
                *zip(*found), 0.33)
