# SPDX-License-Identifier: Apache-2.0
"""Part of hack/bench/injector.py: a restart without changes and a rotation, with one Secret and 400
targets. The API server's audit log has the counts and times, so nothing polls meanwhile."""
import datetime

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

    def seconds(self):
        """Returns the seconds from the answer to the Secret's change to the last target's first write."""
        changed = next(answered(e) for e in self.events()
                       if e["verb"] == "patch" and e["objectRef"].get("resource") == "secrets")
        first = {}
        for event in self.writes():
            reference = event["objectRef"]
            first.setdefault((reference["resource"], reference["name"]), answered(event))
        return max(first.values()) - changed


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
    return (idle_writes, rotation.seconds(), rotation.secret_gets(), len(rotation.writes()), cpu)


def run(options, cluster, table):
    fill.base(cluster)
    found = {"ours": [], "peer": []}

    def run_round():
        for program in (programs.ours(options, cluster), programs.peer(options, cluster)):
            found[program.name].append(run_one(cluster, program))
    rounds.in_turn(options.rounds, run_round, "rotation")
    restart, seconds, gets, writes, cpu = (
        [[row[column] for row in found[name]] for name in ("ours", "peer")] for column in range(5))
    table.exactly(f"restart, {TARGETS} targets are right: writes", *restart, 0)
    what = f"rotation, {TARGETS} targets"
    table.ratio(f"{what}: until all hold it, s", *seconds, 0.25, digits=2)
    table.exactly(f"{what}: GETs of the Secret", *gets, 1)
    table.exactly(f"{what}: writes", *writes, TARGETS)
    table.ratio(f"{what}: CPU, s", *cpu, 0.5, digits=2)
