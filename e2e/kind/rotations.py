# SPDX-License-Identifier: Apache-2.0
"""CAs are rotated under servers that reload their certificate early, late and never.

Each server has its own webhook. The API server calls it all the time, and each call makes a new
connection. The manager verifies the servers with the settings of docs/trust.md, but more often.
"""
import contextlib
import time

import install
import webhooks
from cluster import RELEASE
from lib.kubectl import Repeat, Watch
from lib.scenario import check_equal

KIND = "validatingwebhookconfiguration"
VERIFY = {"enabled": True, "period": "10s", "retireUnusedCAsAfter": "20s"}
DELAYS = {"early": "0", "late": "30", "never": "never"}  # seconds from the new files to their use
LIFE = 120  # seconds of the CA whose server never reloads
STEPS = ("CAPublished", "CAVerified", "CARetired")


class Rotation:
    """The rotation of the CA of one webhook, and what a user sees of it."""

    def __init__(self, cluster, case, until=None):
        self.cluster, self.case, self.name = cluster, case, "reloads-" + case
        host = f"{self.name}.{self.name}.svc"
        self.former = webhooks.authority(cluster, self.name + "-former", host, until)
        self.new = webhooks.authority(cluster, self.name + "-new", host)
        self.caller = Repeat(self.failure)
        self.began, self.refused_at = 0, 0
        self.events = {}  # reason: (Unix seconds, message) of the first one

    def failure(self):
        why = webhooks.failure(self.cluster, self.name)
        if why and not self.refused_at:
            self.refused_at = time.time()
        return why

    def start(self):
        webhooks.start(self.cluster, self.former, self.name, DELAYS[self.case])
        self.cluster.apply(webhooks.configuration(self.name, webhooks.source(self.name), self.name))
        self.cluster.wait(lambda: webhooks.failure(self.cluster, self.name) == "",
                          f"the API server calls {self.name}")

    def rotate(self):
        """Changes CA and certificate at once. The server gets its files as early as possible."""
        self.cluster.wait(lambda: self.caller.calls > 2, "the first calls")
        self.began = time.time()
        self.cluster.apply(webhooks.secret(self.new, self.name, self.name))
        webhooks.refresh(self.cluster, self.name, self.name)

    def holds(self, *authorities):
        """Returns whether the target holds exactly these CAs."""
        return webhooks.bundle(self.cluster, self.name) == "".join(one["ca.crt"] for one in authorities)

    def serves(self, authority):
        return webhooks.serves(self.cluster, authority["ca.crt"], self.name, self.name)

    def wait_for(self, reason, seconds=120):
        self.cluster.wait(lambda: reason in self.events, f"{self.name} has the Event {reason}", seconds)

    def after(self, reason):
        """Returns the seconds from the rotation to the Event."""
        return self.events[reason][0] - self.began

    def figure(self, what, value):
        self.cluster.figure(f"{self.case}: {what}", value)

    def report_calls(self):
        self.figure("calls, refused", f"{self.caller.calls}, {len(self.caller.failures)}")


def noted(rotations):
    """Returns a function that notes the lines of a Watch of Events."""
    by_name = {rotation.name: rotation for rotation in rotations}

    def note(line):
        name, reason, message = line.split("|", 2)
        if name in by_name:
            by_name[name].events.setdefault(reason, (time.time(), message))
    return note


def verified(cluster, rotation):
    """Returns capstan_endpoint_verified of the target."""
    path = f"/api/v1/namespaces/{RELEASE}/pods/{webhooks.leader(cluster)}:9402/proxy/metrics"
    labels = f'{{kind="ValidatingWebhookConfiguration",name="{rotation.name}"}} '
    line, = [line for line in cluster.kubectl("get", "--raw", path).splitlines()
             if line.startswith("capstan_endpoint_verified" + labels)]
    return float(line.rsplit(" ", 1)[-1])


def check_loaded(rotation):
    """The server loads its new certificate while the target still has the former CA."""
    rotation.cluster.wait(lambda: rotation.serves(rotation.new), f"{rotation.name} serves its new certificate")
    rotation.figure("seconds until its server had the new certificate", f"{time.time() - rotation.began:.1f}")
    assert rotation.holds(rotation.former, rotation.new), "the former CA has left the target before"


def check_retired(rotation):
    """The former CA leaves the target after all steps, and no call is refused."""
    for step in STEPS:
        rotation.wait_for(step)
    took = [rotation.after(step) for step in STEPS]
    check_equal("the order of the Events", took, sorted(took))
    rotation.figure(f"seconds until {', '.join(STEPS)}", ", ".join(f"{one:.1f}" for one in took))
    assert rotation.holds(rotation.new), "only the new CA is in the target"
    before = rotation.caller.calls
    rotation.cluster.wait(lambda: rotation.caller.calls - before >= webhooks.CALLS_MIN,
                          "calls with the new CA alone")
    rotation.report_calls()
    assert not rotation.caller.failures, rotation.caller.failures[0]


def check_reported(rotation, expiry):
    """The server is reported while the API server still trusts it, and its CA stays."""
    rotation.wait_for("CAStillNeeded")
    reported, message = rotation.events["CAStillNeeded"]
    assert f"{rotation.name}.{rotation.name}.svc:8443" in message, message
    rotation.figure("the Event", message)
    rotation.figure("seconds until CAStillNeeded, from then until the CA expired",
                    f"{rotation.after('CAStillNeeded'):.1f}, {expiry - reported:.1f}")
    assert rotation.holds(rotation.former, rotation.new), "the former CA has left the target"
    check_equal("capstan_endpoint_verified", verified(rotation.cluster, rotation), 1)
    assert rotation.serves(rotation.former), "the server has loaded its new certificate"
    assert time.time() < expiry, "the former CA expired during the checks; it needs a longer LIFE"


def check_expired(rotation, expiry):
    """The report was right: the API server does not trust the server when its CA has expired."""
    rotation.cluster.wait(lambda: rotation.refused_at, "calls are refused when the CA has expired", LIFE)
    first = rotation.caller.failures[0]
    assert rotation.refused_at >= expiry and "certificate" in first, first
    rotation.report_calls()
    rotation.figure("seconds from the expiry until the first refused call",
                    f"{rotation.refused_at - expiry:.1f}, {first[first.find('x509:'):]}")
    rotation.wait_for("EndpointUnknownAuthority")
    check_equal("capstan_endpoint_verified", verified(rotation.cluster, rotation), 0)
    assert "CARetired" not in rotation.events, rotation.events["CARetired"]


def rotated(cluster):
    cluster.values["controllerManager"]["verifyEndpoints"] = VERIFY
    install.upgrade(cluster)
    expiry = int(time.time()) + LIFE
    early, late, never = rotations = [Rotation(cluster, "early"), Rotation(cluster, "late"),
                                      Rotation(cluster, "never", expiry)]
    for rotation in rotations:
        rotation.start()
    with contextlib.ExitStack() as stack:
        stack.enter_context(Watch(cluster, ("events",), "{.involvedObject.name}|{.reason}|{.message}",
                                  noted(rotations)))
        for rotation in rotations:
            stack.enter_context(rotation.caller)
        early.rotate()
        check_loaded(early)
        late.rotate()
        never.rotate()
        check_reported(never, expiry)
        check_loaded(late)
        check_retired(early)
        check_retired(late)
        check_expired(never, expiry)
    for rotation in rotations:
        cluster.kubectl("delete", KIND, rotation.name)
        cluster.kubectl("delete", "namespace", rotation.name, "--wait=false")
    del cluster.values["controllerManager"]["verifyEndpoints"]
    install.upgrade(cluster)
