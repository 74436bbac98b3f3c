# SPDX-License-Identifier: Apache-2.0
"""The rights of the chart with verifyEndpoints are enough, and each has the effect in docs/operate.md.

With all of them there is no 403. Then each right that verifies servers is removed while the manager runs.
It keeps the last outcome, writes no Event, and verifies again when the right is back.
"""
import contextlib
import os
import sys
import time

from lib import injection, load, rights
from lib.cluster import ROOT
from lib.manager import Manager
from lib.scenario import Skipped, check_equal, eventually
from scenarios import endpoints

sys.path.insert(0, os.path.join(ROOT, "hack/chart"))
import chart  # pylint: disable=wrong-import-position,import-error

KINDS = ("embedded", "real")
WEBHOOKS, CRD = load.KINDS[0], "CustomResourceDefinition"
ROLE = {"controllerManager": {"verifyEndpoints": {"enabled": True}}}
TOTAL = "capstan_endpoint_verifications_total"


class World(endpoints.World):
    def __init__(self, scenario, stack):
        super().__init__(scenario, stack, rbac=True)
        self.cluster, = scenario.clusters
        self.rights = [(group, resource, rule["verbs"], "")
                       for rule in chart.one(chart.objects(ROLE), "ClusterRole")["rules"]
                       for group in rule["apiGroups"] for resource in rule["resources"]]
        self.grant()
        self.server = self.serve(self.good.issue("DNS:" + endpoints.NAME))
        self.service("orders", self.server)
        self.service("moved", self.serve(self.former.issue("DNS:moved.shop.svc")))
        self.target("hook", {"service": {"namespace": "shop", "name": "orders"}})
        self.client.create(injection.target(CRD, "order", injection.FROM_SECRET, "ca/root", self.good.pem))
        self.point(CRD, "order", "orders")

    def grant(self, resource=None, verb=None):
        """Grants the chart's rights, without this verb on this resource. Waits for the effect."""
        left = [(group, of, [one for one in verbs if (of, one) != (resource, verb)], "")
                for group, of, verbs, _ in self.rights]
        rights.grant(self.client, [right for right in left if right[2]])
        for group, of, verbs, _ in self.rights:
            for one in verbs:
                while rights.may(self.client, group, of, one) == ((of, one) == (resource, verb)):
                    time.sleep(0.02)

    def point(self, kind, name, service):
        """Points the target to another Service."""
        config = {"service": {"namespace": "shop", "name": service}}
        path = injection.path_of(kind, name)
        if kind == CRD:
            self.client.merge_patch(path, {"spec": {"conversion": {"webhook": {"clientConfig": config}}}})
            return
        webhook, = self.client.call("GET", path)["webhooks"]
        webhook["clientConfig"].update(config)
        self.client.merge_patch(path, {"webhooks": [webhook]})


def is_verified(manager, kind, name, value):
    """Returns a condition."""
    labels = {"kind": kind, "name": injection.name_of(kind, name)}
    return lambda: manager.metric("capstan_endpoint_verified", **labels) == value


def wait_verified(manager, value):
    for kind, name in ((WEBHOOKS, "hook"), (CRD, "order")):
        eventually(is_verified(manager, kind, name, value), f"verified is {value} for {kind} {name}")


def another(manager, outcome):
    """Waits for one more verification with this outcome."""
    before = manager.metric(TOTAL, outcome=outcome) or 0
    eventually(lambda: (manager.metric(TOTAL, outcome=outcome) or 0) > before, f"a server is {outcome}")


def server_is_unknown(world, manager, resource, verb, issuer):
    """The Service or its EndpointSlices cannot be read, while the server gets a certificate of `issuer`."""
    before, after = (1, 0) if issuer is world.former else (0, 1)
    wait_verified(manager, before)
    world.grant(resource, verb)
    another(manager, "Unknown")
    events = injection.event_count(world.client, WEBHOOKS, "hook")
    world.server.serve(issuer.issue("DNS:" + endpoints.NAME))
    another(manager, "Unknown")
    assert is_verified(manager, WEBHOOKS, "hook", before)(), "the metrics keep the last outcome"
    check_equal("Events", injection.event_count(world.client, WEBHOOKS, "hook"), events)
    status = manager.get("/statusz")[1]
    assert f'cannot {verb} resource "{resource}"' in status.replace("&quot;", '"'), status
    check_equal("/readyz", manager.get("/readyz")[0], 200)
    world.grant()
    wait_verified(manager, after)


def target_is_not_read(world, manager, kind, name, verb, report):
    """A target that has changed cannot be read. The other one is verified as before."""
    resource = kind.lower() + "s"
    world.grant(resource, verb)
    world.point(kind, name, "moved")
    eventually(report, f"a report without {verb} of {resource}")
    another(manager, "Verified")
    assert is_verified(manager, kind, name, 1)(), "the metrics keep the last outcome"
    check_equal("/readyz", manager.get("/readyz")[0], 200)
    world.grant()
    world.client.merge_patch(injection.path_of(kind, name), {"metadata": {"labels": {"look": "again"}}})
    eventually(is_verified(manager, kind, name, 0), "the new server is noticed with the right")
    world.point(kind, name, "orders")
    wait_verified(manager, 1)


def run(scenario):
    if chart.tools() is None:
        raise Skipped("no helm here; hack/chart/build makes one")
    with contextlib.ExitStack() as stack:
        world = World(scenario, stack)
        manager = stack.enter_context(Manager(
            scenario.bin_dir, world.cluster.kubeconfig(), "--leader-elect=false", "--verify-endpoints",
            "--verify-endpoints-period=10s"))
        manager.wait_ready()
        wait_verified(manager, 1)
        check_equal("403s with all rights", world.cluster.refusals(), [])
        for resource, verb, issuer in (("services", "get", world.former),
                                       ("endpointslices", "list", world.good)):
            server_is_unknown(world, manager, resource, verb, issuer)
            scenario.figure(f"without {verb} of {resource}", "Unknown")
        line = 'Failed to read targets, their servers are not verified" resource="validatingwebhookconfigurations"'
        target_is_not_read(world, manager, WEBHOOKS, "hook", "list", lambda: line in manager.log())
        scenario.figure("without list of validatingwebhookconfigurations", "a warning")
        target_is_not_read(world, manager, CRD, "order", "get",
                           lambda: "Forbidden" in injection.reasons(world.client, CRD, "order"))
        scenario.figure("without get of customresourcedefinitions", "Forbidden")
        check_equal("exit code", manager.stop()[0], 0)
