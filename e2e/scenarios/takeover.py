# SPDX-License-Identifier: Apache-2.0
"""A migration from cainjector to capstan and back changes only the writer, without needless writes.

There are targets of each kind and one Secret. cainjector injects and stops. capstan takes over, and
writes when the Secret changes. Then cainjector returns. One target is in the state of cert-manager up
to 1.20: written by PUT, with an "Update" entry in managedFields.
"""
from lib import load, targets
from lib.manager import Manager
from lib.peer import Cainjector, program
from lib.scenario import check_equal

KINDS = ("real",)
OLD = load.CONFIGURATIONS + "validatingwebhookconfigurations/by-put"
SECRET = "/api/v1/namespaces/ca/secrets/root"
WRITES = {"create", "update", "patch", "delete", "deletecollection"}
RESOURCES = {"validatingwebhookconfigurations", "mutatingwebhookconfigurations", "apiservices",
             "customresourcedefinitions"}


class Takeover:
    def __init__(self, scenario):
        self.scenario, self.cluster = scenario, scenario.cluster()
        self.client = self.cluster.client()
        # cainjector does not start without this.
        self.client.create(targets.certificate_definition())
        made = [targets.webhook_configuration(load.KINDS[0], "takeover-v", "ca/root"),
                targets.webhook_configuration(load.KINDS[1], "takeover-m", "ca/root"),
                targets.api_service("takeover", "ca/root"),
                targets.definition("takeover", "ca/root")]
        for path, manifest in made:
            self.client.call("POST", path.rsplit("/", 1)[0] + "?fieldManager=helm", manifest)
        self.paths = [path for path, _ in made]
        self.size = 0

    def rotate(self, pem):
        self.client.merge_patch(SECRET, {"data": {"ca.crt": load.encoded(pem)}})
        return pem

    def injected(self, *pems, paths=None):
        return all(targets.holds(self.client, path, *pems) for path in paths or self.paths)

    def objects(self):
        return [self.client.call("GET", path) for path in self.paths]

    def upstream(self, name):
        return Cainjector(self.cluster, self.scenario.path(name + ".log"))

    def names(self):
        return {path.rsplit("/", 1)[1] for path in self.paths}

    def capstan(self, *flags):
        return Manager(self.scenario.bin_dir, self.cluster.kubeconfig(), *flags)

    def writes(self):
        """Returns capstan's writes to targets since the last call."""
        calls, self.size = self.cluster.calls(self.size)
        return sum(1 for verb, what in calls if verb in WRITES and what in RESOURCES)

    def check_same(self, what, before, fields=lambda found: found):
        for old, new in zip(before, self.objects()):
            name = old["metadata"]["name"]
            check_equal(f"{name} {what}", fields(new), fields(old))


def put_as_before_121(takeover, bundles):
    """Writes the whole object by PUT, as cert-manager up to 1.20 did."""
    path, manifest = targets.webhook_configuration(load.KINDS[0], "by-put", "ca/root")
    takeover.client.call("POST", path.rsplit("/", 1)[0] + "?fieldManager=helm", manifest)
    found = takeover.client.call("GET", path)
    for config, bundle in zip(targets.client_configs(found), bundles):
        config["caBundle"] = load.encoded(bundle)
    found = takeover.client.call("PUT", path + "?fieldManager=" + targets.MANAGER, found)
    check_equal("entries of the PUT", list(targets.entries(found)), ["Update"])


def run(scenario):
    scenario.figure("cainjector", program())
    takeover = Takeover(scenario)
    load.ensure_namespace(takeover.client, "ca")
    first, second, third = (load.new_ca(name) for name in ("first", "second", "third"))
    takeover.client.create(load.ca_secret("ca", "root", first))
    with takeover.upstream("first") as upstream:
        upstream.wait_until(lambda: takeover.injected(first), "all are injected")
        upstream.wait_looked_at(takeover.names())
    by_upstream = takeover.objects()

    # A takeover without changes does not change one byte.
    with takeover.capstan() as manager:
        manager.wait_ready()
        takeover.check_same("after the takeover", by_upstream)
        check_equal("writes of the takeover", takeover.writes(), 0)
        takeover.rotate(second)
        manager.wait_until(lambda: takeover.injected(first, second), "rotated", 30)
        manager.stop()
    check_equal("writes of the rotation", takeover.writes(), len(takeover.paths))
    takeover.check_same("owned after the rotation", by_upstream, targets.entries)
    takeover.check_same("but for its bundle", by_upstream, targets.without_bundles)

    # Back to upstream, whose usual writes change nothing.
    by_capstan = takeover.objects()
    with takeover.upstream("second") as upstream:
        upstream.wait_looked_at(takeover.names())
    takeover.check_same("after going back", by_capstan)
    scenario.figure("to capstan and back", f"{len(by_capstan)} targets, no diff, no write")

    detached(scenario, takeover, by_capstan)
    from_before_121(scenario, takeover, first + second, third)


def detached(scenario, takeover, before):
    """With detach our entry is removed, and upstream adds its own again. Nothing else changes."""
    with takeover.capstan("--field-ownership=detach") as manager:
        manager.wait_ready()
        manager.stop()
    check_equal("writes of detach", takeover.writes(), len(takeover.paths))
    takeover.check_same("after detach", before, targets.without_managers)
    assert not any(targets.entries(found) for found in takeover.objects()), "an entry is left"
    with takeover.upstream("third") as upstream:
        upstream.wait_looked_at(takeover.names())
    takeover.check_same("after detach and back", before, targets.without_managers)
    takeover.check_same("owned after detach and back", before, targets.entries)
    scenario.figure("to detach and back", "no diff but managedFields and the version")


def from_before_121(scenario, takeover, bundle, third):
    # One place already holds the next bundle. An apply does not take over unchanged fields from the
    # "Update" entry, so that entry has to be removed.
    put_as_before_121(takeover, (bundle + third, bundle))
    with takeover.capstan() as manager:
        manager.wait_ready()
        check_equal("writes of a takeover from a PUT", takeover.writes(), 0)
        takeover.rotate(third)
        manager.wait_until(lambda: takeover.injected(third, paths=[*takeover.paths, OLD]),
                           "rotated", 30)
        manager.stop()
    check_equal("writes of the rotation after a PUT", takeover.writes(), len(takeover.paths) + 2)
    found = takeover.client.call("GET", OLD)
    owned = targets.entries(found)
    check_equal("entries after the first apply", list(owned), ["Apply"])
    check_equal("fields of that entry", owned["Apply"],
                targets.entries(takeover.client.call("GET", takeover.paths[0]))["Apply"])
    scenario.figure("an entry of a PUT", "is one of an apply after the first bundle")
