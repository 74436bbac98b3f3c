# SPDX-License-Identifier: Apache-2.0
"""Three candidates are killed, paused and cut off. Never two act at once, and soon one acts.

Their wall clocks are an hour apart. Each prints when it acts, on the machine's monotonic clock, so
that the acts have one order. The lease duration is 3 s, the renew deadline 2 s, and the retry period
0.5 s to 1.1 s.
"""
import signal
import time

from lib.candidate import ACT_EVERY, LEASE, RENEW, RETRY, Candidate
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded", "real")
PATH = "/apis/coordination.k8s.io/v1/namespaces/default/leases/e2e"
LOOK = 2.2 * RETRY  # the longest retry period
SLACK = 0.5         # processes, TLS, and the time between two acts
RELEASED = LOOK + SLACK
CRASHED = LEASE + 2 * LOOK + SLACK
# A hanging request may delay a standby by half of the renew deadline, and at least 1 s.
OUTAGE = CRASHED + 1.0


class Election:
    def __init__(self, scenario, cluster):
        self.scenario, self.cluster, self.client = scenario, cluster, cluster.client()
        self.candidates = [Candidate(scenario, cluster, name, hours)
                           for name, hours in (("a", 0), ("b", 1), ("c", -1))]

    def leader(self):
        """Returns the candidate that acted last, if it acted recently."""
        last = max(self.candidates, key=lambda one: one.acts[-1] if one.acts else 0)
        return last if last.acts and time.monotonic() - last.acts[-1] < 4 * ACT_EVERY else None

    def wait_leader(self, what, since, seconds, other_than=None):
        """Returns the first other candidate that acts after `since`, and prints the gap."""
        while True:
            for one in self.candidates:
                acted = one is not other_than and one.acted_since(since)
                if acted:
                    self.scenario.figure(what, f"{acted - since:.2f} s (at most {seconds:.1f} s)")
                    check_at_most(what, acted - since, seconds)
                    return one
            assert time.monotonic() - since < seconds + 2, f"{what}: nobody acts"
            time.sleep(0.02)

    def settled(self):
        """Waits for a leader and two standbys that have observed it."""
        time.sleep(2 * LOOK)
        leader = self.leader()
        assert leader, "nobody leads"
        return leader, time.monotonic()

    def restart(self, one, code):
        check_equal(f"exit code of {one.identity}", one.wait(LEASE + RENEW + SLACK), code)
        one.start()

    def check_alone(self, handovers):
        """Counts handovers. An act of an old leader after the new one's would add two."""
        acts = sorted((at, one.identity) for one in self.candidates for at in one.acts)
        gaps = [then - at for (at, who), (then, other) in zip(acts, acts[1:]) if who != other]
        self.scenario.figure("acts, handovers, shortest time between two leaders' acts",
                             f"{len(acts)}, {len(gaps)}, {min(gaps):.2f} s")
        check_at_most("handovers", len(gaps), handovers)

    def close(self):
        for one in self.candidates:
            one.close()


def killed(election):
    leader, now = election.settled()
    leader.signal(signal.SIGKILL)
    election.wait_leader("SIGKILL: another acts after", now, CRASHED, leader)
    election.restart(leader, -signal.SIGKILL)


def paused(election):
    leader, now = election.settled()
    leader.signal(signal.SIGSTOP)
    election.wait_leader("SIGSTOP: another acts after", now, CRASHED, leader)
    resumed = time.monotonic()
    leader.signal(signal.SIGCONT)
    election.restart(leader, 1)
    late = [at for at in leader.acts if at > resumed]
    check_equal("acts of a leader that was paused for too long", late, [])


def stopped(election):
    leader, now = election.settled()
    leader.signal(signal.SIGTERM)
    election.wait_leader("SIGTERM: another acts after", now, RELEASED, leader)
    election.restart(leader, 0)


def deleted(election):
    leader, now = election.settled()
    election.client.call("DELETE", PATH)
    time.sleep(CRASHED)
    check_equal("who leads after the Lease was deleted", election.leader(), leader)
    check_equal("who holds the Lease that was deleted",
                election.client.call("GET", PATH)["spec"]["holderIdentity"], leader.identity)
    gap = max(then - at for at, then in zip(leader.acts, leader.acts[1:]) if at > now)
    election.scenario.figure("Lease deleted: the leader goes on, its longest pause", f"{gap:.2f} s")


def edited(election):
    leader, now = election.settled()
    named = next(one for one in election.candidates if one is not leader)
    election.client.merge_patch(PATH, {"spec": {"holderIdentity": named.identity}})
    election.restart(leader, 1)
    check_at_most("the old leader acts after the edit", leader.acts[-1] - now, RENEW)
    election.wait_leader("another holder named by hand: somebody acts after", leader.acts[-1],
                         CRASHED)


def partitioned(election):
    leader, now = election.settled()
    leader.link.cut = True
    election.wait_leader("leader cut off: another acts after", now, CRASHED, leader)
    check_at_most("acts after the cut", leader.acts[-1] - now, LEASE)
    leader.link.cut = False
    election.restart(leader, 1)


def short_outage(election):
    leader, now = election.settled()
    election.cluster.kill("kube-apiserver")
    time.sleep(max(0.0, RENEW / 4 - (time.monotonic() - now)))
    election.cluster.start_apiserver()
    election.scenario.figure("API server away for", f"{time.monotonic() - now:.1f} s")
    return leader


def long_outage(election):
    leader, _ = election.settled()
    election.cluster.kill("kube-apiserver")
    gone = time.monotonic()
    election.restart(leader, 1)
    check_at_most("acts after the API server went", leader.acts[-1] - gone, LEASE)
    election.cluster.start_apiserver()
    election.wait_leader("API server back: somebody acts after", time.monotonic(), OUTAGE)


def run(scenario):
    cluster = scenario.cluster()
    election = Election(scenario, cluster)
    try:
        election.wait_leader("first leader", time.monotonic(), 5)
        handing_over = (killed, paused, stopped, edited, partitioned)
        for phase in (*handing_over, deleted):
            phase(election)
        if scenario.kind == "embedded":  # a real server takes longer to start than the lease duration
            leader = short_outage(election)
            time.sleep(LEASE)
            check_equal("who leads after a short outage", election.leader(), leader)
        long_outage(election)
        election.settled()
        election.check_alone(len(handing_over) + 1)
    finally:
        election.close()
