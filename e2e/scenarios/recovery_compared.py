# SPDX-License-Identifier: Apache-2.0
"""Measures recovery after ten kills (-9) of the API server in a row, each for 0.5 to 60 s.

The time counts from /readyz, also for cert-manager's cainjector on a real API server. cainjector runs
without leader election, because it exits when an outage costs it the Lease. capstan uses it.
"""
from lib import load, peer, recovery, targets
from lib.manager import Manager
from lib.scenario import Skipped, check_at_most, check_equal

KINDS = ("embedded", "real")
ALONE = True  # it measures
SLOW = True
OUTAGES = (0.5, 1, 5, 20, 60)
KILLS = 10
LIMIT = 2.0           # seconds from /readyz, at the 99th percentile
REQUESTS_MAX = 90     # requests of one process in an outage of 60 s


def show(scenario, program, rows):
    for away in OUTAGES:
        of_this = [seconds for length, seconds, _ in rows if length == away]
        scenario.figure(f"{program}, away for {away} s", recovery.describe(of_this))
    scenario.figure(f"{program}, all {len(rows)} kills",
                    recovery.describe([seconds for _, seconds, _ in rows]))


def run(scenario):
    cluster = scenario.cluster()
    cluster.client().create(targets.certificate_definition())  # cainjector exits without it
    pem = recovery.prepare(cluster.client())
    outages = [OUTAGES[i % len(OUTAGES)] for i in range(KILLS)]
    with Manager(scenario.bin_dir, cluster.kubeconfig()) as manager:
        manager.wait_ready()
        recovery.seconds_until_in_sync(cluster.client(), pem, manager.is_running)
        ours = recovery.kill_again_and_again(cluster, outages, manager.is_running,
                                             manager.requests_sent)
        show(scenario, "capstan", ours)
        scenario.figure("requests while the server was away for 60 s",
                        [round(row[2]) for row in ours if row[0] == 60])
        check_equal("exit code after SIGTERM", manager.stop()[0], 0)
    if scenario.kind == "real":
        try:
            with peer.Cainjector(cluster, scenario.path("cainjector.log")) as cainjector:
                pem = load.new_ca("before cainjector")
                recovery.rotate(cluster.client(), pem)

                def is_running():
                    return cainjector.process.poll() is None

                recovery.seconds_until_in_sync(cluster.client(), pem, is_running)
                theirs = recovery.kill_again_and_again(cluster, outages, is_running)
            show(scenario, "cainjector", theirs)
        except Skipped as why:
            scenario.figure("cainjector", f"not compared: {why}")
    check_at_most("99th percentile of the recovery, in seconds",
                  recovery.percentile([row[1] for row in ours], 99), LIMIT)
    check_at_most("requests in an outage of 60 s",
                  max(row[2] for row in ours if row[0] == 60), REQUESTS_MAX)
