# SPDX-License-Identifier: Apache-2.0
"""Part of hack/bench/injector.py: a restart without changes and a rotation, with one Secret and 400
targets. The API server's audit log has the counts and times, so nothing polls meanwhile."""
import base64
import datetime
import hashlib
import ssl
import time

import fill
import programs
import rounds
from lib import load

TARGETS = 400
RESOURCES = {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"}
SECRET = "/api/v1/namespaces/ca/secrets/root"


def answered(event):
    return datetime.datetime.fromisoformat(event["stageTimestamp"].rstrip("Z")).timestamp()


class Log:
    """The audit log from now on."""

    def __init__(self, cluster):
        self.cluster = cluster
        _, self.size = cluster.audited(0)

    def events(self):
        return self.cluster.audited(self.size)[0]

    def writes(self):
        """Returns the program's successful writes to targets."""
        return [e for e in self.events() if e["user"]["username"] == "capstan"
                and e["verb"] in ("patch", "update") and e["responseStatus"]["code"] < 300
                and e["objectRef"]["resource"] in RESOURCES]

    def all_written(self):
        return len({(e["objectRef"]["resource"], e["objectRef"]["name"])
                    for e in self.writes()}) == TARGETS

    def secret_gets(self):
        return sum(1 for e in self.events() if e["user"]["username"] == "capstan"
                   and (e["verb"], e["objectRef"].get("resource")) == ("get", "secrets"))

    def secret_changed(self):
        """Returns when the Secret's change was answered."""
        return next(answered(e) for e in self.events()
                    if e["verb"] == "patch" and e["objectRef"].get("resource") == "secrets")

    def seconds(self, since):
        """Returns the seconds from the time `since` to the last target's first write."""
        first = {}
        for event in self.writes():
            reference = event["objectRef"]
            first.setdefault((reference["resource"], reference["name"]), answered(event))
        return max(first.values()) - since


def run_one(cluster, program):
    """Returns the figures in the order of the table's rows."""
    client = cluster.client()
    fill.new_targets(client, TARGETS)
    with program.start() as process:
        process.wait_until_idle()
    restart = Log(cluster)
    with program.start() as process:
        process.wait_until_idle()
        idle_writes = len(restart.writes())
        pem = load.new_ca("rotated")
        rotation, before = Log(cluster), process.cpu_seconds()
        client.merge_patch(SECRET, {"data": {"ca.crt": load.encoded(pem)}})
        process.wait_until_idle(rotation.all_written)
        cpu = process.cpu_seconds() - before
    held = load.in_sync(client, pem, TARGETS)
    assert held == TARGETS, f"{program.name}: {held} of {TARGETS} targets hold the new CA"
    return (idle_writes, rotation.seconds(rotation.secret_changed()), rotation.secret_gets(),
            len(rotation.writes()), cpu)


def distrust_one(options, cluster):
    """Returns the seconds from a start with --distrust until the current CA has left all targets."""
    client = cluster.client()
    pem = base64.b64decode(client.call("GET", SECRET)["data"]["ca.crt"]).decode()
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    client.merge_patch(SECRET, {"data": {"ca.crt": load.encoded(load.new_ca("after the theft"))}})
    with programs.ours(options, cluster).start() as process:
        process.wait_until_idle()
    assert load.in_sync(client, pem, TARGETS) == TARGETS, "the targets hold both CAs"
    log, started = Log(cluster), time.time()
    with programs.ours(options, cluster, "--distrust=" + digest).start() as process:
        process.wait_until_idle(log.all_written)
    left = sum(pem.strip() in bundle for bundles in load.bundles(client).values() for bundle in bundles)
    assert left == 0, f"{left} targets still hold the distrusted CA"
    return log.seconds(started)


def run(options, cluster, table):
    fill.base(cluster)
    found = {"ours": [], "peer": []}
    distrust = []

    def run_round():
        for program in (programs.ours(options, cluster), programs.peer(options, cluster)):
            found[program.name].append(run_one(cluster, program))
            if program.name == "ours":
                distrust.append(distrust_one(options, cluster))
    rounds.in_turn(options.rounds, run_round, "rotation")
    restart, seconds, gets, writes, cpu = (
        [[row[column] for row in found[name]] for name in ("ours", "peer")] for column in range(5))
    table.exactly(f"restart, {TARGETS} targets in sync: writes", *restart, 0)
    what = f"rotation, {TARGETS} targets"
    table.ratio(f"{what}: time until all are in sync, s", *seconds, 0.25, digits=2)
    table.exactly(f"{what}: GETs of the Secret", *gets, 1)
    table.exactly(f"{what}: writes", *writes, TARGETS)
    table.ratio(f"{what}: CPU, s", *cpu, 0.5, digits=2)
    # cainjector cannot do it. Its rotation is what the time is compared with.
    table.ratio(f"`--distrust`: until the CA has left {TARGETS} targets, beside cainjector's rotation, s",
                distrust, seconds[1], 1.0, digits=2)
