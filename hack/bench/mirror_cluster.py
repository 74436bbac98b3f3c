# SPDX-License-Identifier: Apache-2.0
"""The cluster of hack/bench/mirror.py: sources, copies and other Secrets; and its audit log."""
import collections
import datetime
import json
import os

import fill
from lib import load
from lib.cluster import Cluster
from lib.etcd import TOKEN, numbered

# A tenth of the Secrets are sources, eight tenths are their copies, and the rest are neither.
GROUPS = 10
NAMESPACES = 8  # with the label of each group
EMPTIED = 2  # of group 0, before each start
GROUP_LABEL = "example.com/mirror-group"
COPY_LABEL = "example.com/mirror-copy"
OTHERS = "others"
NAME = "s-" + TOKEN


def home(group):
    """Returns the namespace of the sources."""
    return f"home-{group}"


def team(group, number):
    """Returns a namespace with copies."""
    return f"team-{group}-{number}"


def path_of(namespace, name=""):
    return f"/api/v1/namespaces/{namespace}/secrets" + (f"/{name}" if name else "")


def secret(namespace, data, **metadata):
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": data,
            "metadata": {"namespace": namespace, "name": NAME, **metadata}}


class MirrorCluster:
    """A real API server. Each group has as many sources, in one namespace."""

    def __init__(self, secrets):
        self.per_group = secrets // 10 // GROUPS
        self.cluster = Cluster.create()
        try:
            for group in range(GROUPS):
                self.add_group(group)
            load.ensure_namespace(self.client(), OTHERS)
            others = fill.secrets(self.cluster, OTHERS)
            others.add(1, secrets // 10 - 1)
            fill.wait_until_served(self.client(), path_of(
                OTHERS, "s-" + numbered(secrets // 10 - 1)) + "?resourceVersion=0")
        except BaseException:
            self.destroy()
            raise

    def client(self):
        return self.cluster.client()

    def kubeconfig(self):
        return self.cluster.kubeconfig("admin")

    def destroy(self):
        self.cluster.destroy()

    def add_group(self, group):
        client = self.client()
        load.ensure_namespace(client, home(group))
        # The data has the token, so that each source has other data.
        data = load.filler_secret("", NAME, kib=1)["data"]
        data["name"] = load.encoded(NAME)
        made = [secret(home(group), data, labels={GROUP_LABEL: str(group)})]
        for number in range(NAMESPACES):
            client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {
                "name": team(group, number), "labels": {GROUP_LABEL: str(group)}}})
            made.append(secret(team(group, number), data, labels={COPY_LABEL: "true"}, annotations={
                "example.com/mirror-of": f"{home(group)}/{NAME}"}))
        for one in made:
            namespace = one["metadata"]["namespace"]
            fill.Filler(self.cluster, path_of(namespace), one,
                        f"/registry/secrets/{namespace}/{NAME}").add(1, self.per_group - 1)

    def empty(self):
        """Deletes the copies of some namespaces."""
        for number in range(EMPTIED):
            self.client().call("DELETE", path_of(team(0, number)) + "?labelSelector=" + COPY_LABEL)

    def change_sources(self, count):
        """Changes `count` sources of group 0."""
        data = load.encoded(os.urandom(384).hex())
        numbers = range(0, self.per_group, max(1, self.per_group // count))[:count]
        assert len(numbers) == count, f"only {self.per_group} sources are in a group"
        self.client().parallel(
            lambda client, number: client.merge_patch(path_of(home(0), "s-" + numbered(number)), {
                "data": {"payload": data}}), numbers)

    def data_in(self, namespace):
        listed = self.client().call("GET", path_of(namespace))["items"]
        return {item["metadata"]["name"]: item["data"] for item in listed}

    def check(self, group):
        """Compares each copy of a group with its source."""
        wanted = self.data_in(home(group))
        assert len(wanted) == self.per_group, f"{home(group)} has {len(wanted)} sources"
        for number in range(NAMESPACES):
            found = self.data_in(team(group, number))
            wrong = [name for name in wanted.keys() | found.keys()
                     if wanted.get(name) != found.get(name)]
            assert not wrong, f"{team(group, number)}: {len(wrong)} copies are wrong, as {wrong[0]}"


def answered(event):
    return datetime.datetime.fromisoformat(
        event["stageTimestamp"].replace("Z", "+00:00")).timestamp()


class Log:
    """The requests of the program in the audit log from now on, by their user agent."""

    def __init__(self, cluster):
        self.path = cluster.cluster.path("audit.log")
        self.size = os.path.getsize(self.path)

    def events(self):
        """Returns the answered requests of the bench and of the program."""
        with open(self.path, encoding="utf-8") as file:
            file.seek(self.size)
            # The last line may be incomplete.
            events = [json.loads(line) for line in file if line.endswith("\n")]
        return [e for e in events if e["user"]["username"] == "admin"]

    def requests(self):
        # A watch ends after the program, and a long request is logged when it starts, too.
        found = [e for e in self.events() if e.get("userAgent") not in ("e2e", None)
                 and e["stage"] == ("ResponseStarted" if e["verb"] == "watch"
                                    else "ResponseComplete")]
        agents = {e["userAgent"] for e in found}
        assert all(agent.startswith("secret-mirror") for agent in agents), agents
        return found

    def verbs(self):
        return collections.Counter(
            e["verb"] if "objectRef" in e else "discovery" for e in self.requests())

    def conflicts(self):
        return sum(1 for e in self.requests() if e["responseStatus"]["code"] == 409)

    def writes(self):
        """Returns the successful writes of Secrets."""
        return [e for e in self.requests() if e["verb"] in ("create", "update")
                and e["objectRef"]["resource"] == "secrets" and e["responseStatus"]["code"] < 300]

    def written(self, verb):
        """Returns the number of written Secrets."""
        return len({(e["objectRef"]["namespace"], e["objectRef"].get("name") or e["auditID"])
                    for e in self.writes() if e["verb"] == verb})

    def last_write(self):
        return max(answered(e) for e in self.writes())

    def first_change(self):
        return min(answered(e) for e in self.events()
                   if e["verb"] == "patch" and e["userAgent"] == "e2e")
