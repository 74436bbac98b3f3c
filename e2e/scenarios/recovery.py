# SPDX-License-Identifier: Apache-2.0
"""After a kill (-9) of the API server for 0.5, 1 and 5 s, all targets are in sync within 2 s of /readyz.

The source is rotated at the moment when the server is ready. recovery_compared is a longer run.
"""
from lib import recovery
from lib.manager import Manager
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded", "real")
OUTAGES = (0.5, 1, 5)
LIMIT = 2.0  # seconds from /readyz, at the 99th percentile


def run(scenario):
    cluster = scenario.cluster()
    pem = recovery.prepare(cluster.client())
    with Manager(scenario.bin_dir, cluster.kubeconfig()) as manager:
        manager.wait_ready()
        recovery.seconds_until_in_sync(cluster.client(), pem, manager.is_running)
        rows = recovery.kill_again_and_again(cluster, OUTAGES, manager.is_running,
                                             manager.requests_sent)
        for away, seconds, requests in rows:
            scenario.figure(f"away for {away} s", f"all targets right {seconds:.2f} s after /readyz, "
                                                  f"{requests:.0f} requests meanwhile")
        check_equal("capstan_apiserver_reachable", manager.metric("capstan_apiserver_reachable"), 1)
        check_equal("exit code after SIGTERM", manager.stop()[0], 0)
    check_at_most("the slowest recovery, in seconds", max(row[1] for row in rows), LIMIT)
