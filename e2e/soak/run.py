#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the manager and the node agent for hours on a real API server; see hack/soak."""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from lib import captured  # pylint: disable=wrong-import-position
from lib.scenario import Scenario  # pylint: disable=wrong-import-position
from soak import samples  # pylint: disable=wrong-import-position
from soak.churn import Churn  # pylint: disable=wrong-import-position
from soak.world import World  # pylint: disable=wrong-import-position

PARTS = 8  # of the run, each ends with a check
GROWTH_MAX = 1.03
QUIET_SECONDS = 15  # before a sample, so that no answer or retry is on its way
# A watch leaves the connection of a former client certificate within five minutes.
CONNECTION_SECONDS = 330


class Disturbances:
    """Calls each of the world's disturbances in its period."""

    def __init__(self, world):
        self.world = world
        self.periods = {world.rotate: 20, world.edit_gate_sets: 30,
                        world.rotate_client_certificate: 60, world.kill_apiserver: 240,
                        world.change_leader: 300}
        self.due = {call: time.monotonic() + period for call, period in self.periods.items()}

    def run_until(self, end):
        """A call that is late does not make later ones more frequent."""
        while True:
            call = min(self.due, key=self.due.get)
            time.sleep(max(0.0, min(self.due[call], end) - time.monotonic()))
            if time.monotonic() >= end:
                return
            if call != self.world.rotate_client_certificate or end - time.monotonic() > CONNECTION_SECONDS:
                call()
            self.due[call] = time.monotonic() + self.periods[call]


def verdicts(first, last):
    """Yields (what, at the first check, at the end, ok)."""
    for program in first:
        for field, limit in (("resident", GROWTH_MAX), ("files", 1), ("threads", 1)):
            before, after = (getattr(sample[program], field) for sample in (first, last))
            what = "memory (VmRSS), MiB" if field == "resident" else field
            shown = [f"{value / 1024:.2f}" if field == "resident" else str(value)
                     for value in (before, after)]
            yield f"{program}, {what}", *shown, f"{after / before:.3f}", after <= limit * before


def print_table(world, churn, taken):
    print("\n| | after the first part | at the end | ratio | |\n|---|---|---|---|---|")
    kept = True
    for *columns, good in verdicts(taken[0], taken[-1]):
        print("| " + " | ".join([*columns, "ok" if good else "MISSED"]) + " |")
        kept = kept and good
    print("\n" + ", ".join(f"{count} {what}" for what, count in
                           {"changes": churn.made, **world.counts}.items()))
    return kept


def run(scenario, options):
    taken = []
    path = os.path.join(options.out, "soak.csv")
    with World(scenario) as world, samples.Sampler(path, world.pids()), \
            Churn(world.cluster, options.rate) as churn:
        begin, disturbances = time.monotonic(), Disturbances(world)
        for part in range(1, PARTS + 1):
            disturbances.run_until(begin + options.hours * 3600 * part / PARTS)
            churn.pause()
            world.check()
            time.sleep(QUIET_SECONDS)
            taken.append({name: samples.read(pid) for name, pid in world.pids().items()})
            shown = "; ".join(f"{name} {sample.resident / 1024:.2f} MiB, {sample.files} files, "
                              f"{sample.threads} threads" for name, sample in taken[-1].items())
            print(f"{(time.monotonic() - begin) / 60:6.1f} min: everything is right; {shown}", flush=True)
            churn.resume()
        return print_table(world, churn, taken)


def main():
    parser = argparse.ArgumentParser(usage="see hack/soak --help")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--hours", type=float, default=2)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--out", default="build/soak")
    options = parser.parse_args()
    if options.hours <= 0 or options.rate <= 0:
        parser.error("--hours and --rate must be positive")
    os.makedirs(options.out, exist_ok=True)
    captured.begin()
    scenario = Scenario("soak", "real", os.path.realpath(options.bin), options)
    try:
        kept = run(scenario, options)
    finally:
        scenario.close()
    leaks = captured.OUTPUT.leaks()
    print("\n".join(leaks + [f"searched {len(captured.OUTPUT.lines)} lines of output"]))
    print("1 passed, 0 failed" if kept and not leaks else "0 passed, 1 failed")
    return 0 if kept and not leaks else 1


if __name__ == "__main__":
    sys.exit(main())
