# SPDX-License-Identifier: Apache-2.0
"""The rights in docs/operate.md are enough, and each has the documented effect.

With all rights, and a Role for the Lease, no request is forbidden: during starts, rotations, deleted
and created sources, with and without streaming lists, and while another client writes the same
targets. Then each right is removed in turn. Only what needs it stops, with the documented report.
"""
import re
import time

from lib import injection, kube, load, rights
from lib.manager import Manager
from lib.meddler import Meddler, refused, rotate_until_conflict
from lib.scenario import check_equal

KINDS = ("embedded", "real")
NAMES = {"by-secret": (injection.FROM_SECRET, "ca/direct"),
         "by-certificate": (injection.FROM_CERTIFICATE, "ca/serving"),
         "by-labelled": (injection.FROM_CONFIG_MAP, "ca/labelled"),
         "by-plain": (injection.FROM_CONFIG_MAP, "ca/plain")}
SOURCES = {"by-secret": ("secrets", "direct"), "by-certificate": ("secrets", "serving"),
           "by-labelled": ("configmaps", "labelled"), "by-plain": ("configmaps", "plain")}
# The targets that need a right, by source or by kind. Other rights are needed by none or all.
OF_SOURCES = {("secrets", "get"): ("by-secret", "by-certificate"),
              ("secrets", "list"): ("by-secret", "by-certificate"),
              ("certificates", "list"): ("by-certificate",),
              ("configmaps", "get"): ("by-labelled", "by-plain")}
OF_KINDS = {kube.plural_of(kind): kind for kind in injection.KINDS}
LEASE_NAMESPACE = "kube-system"


class World:
    def __init__(self, scenario, cluster):
        self.scenario, self.cluster, self.client = scenario, cluster, cluster.client()
        self.ca = load.new_ca("first")
        injection.install_certificates(self.client)
        load.ensure_namespace(self.client, "ca")
        for made in (load.ca_secret("ca", "direct", self.ca),
                     injection.certificate("ca", "serving", "serving"),
                     injection.certificate_secret("ca", "serving", "serving", self.ca),
                     injection.config_map("ca", "labelled", self.ca, True),
                     injection.config_map("ca", "plain", self.ca, False)):
            self.client.create(made)
        for name, (annotation, value) in NAMES.items():
            injection.create(self.client, name, annotation, value)
        self.client.create(rights.role("lease", [], LEASE_NAMESPACE))
        self.client.create(rights.binding("lease", "User", rights.USER, LEASE_NAMESPACE))

    def grant(self, granted):
        rights.grant(self.client, granted, LEASE_NAMESPACE)

    def rotate(self):
        """Changes the CA of all sources. Targets that follow hold all CAs so far."""
        new = load.new_ca("next")
        self.ca += new
        for resource, name in SOURCES.values():
            value = new if resource == "configmaps" else load.encoded(new)
            self.client.merge_patch(f"/api/v1/namespaces/ca/{resource}/{name}",
                                    {"data": {"ca.crt": value}})
        return new

    def following(self, new):
        """Returns {(kind, name)} of the targets that hold the newest CA."""
        return {(kind, name) for kind in injection.KINDS for name in NAMES
                if all(bundle.endswith(new) for bundle in injection.held(self.client, kind, name))}

    def manager(self, *flags):
        return Manager(self.scenario.bin_dir, self.cluster.kubeconfig(), *flags)


ALL = {(kind, name) for kind in injection.KINDS for name in NAMES}


def enough(world):
    for gate in ("true", "false"):
        new = world.rotate()
        with world.manager(f"--feature-gates=WatchListClient={gate}") as manager:
            manager.wait_until(lambda n=new: world.following(n) == ALL, "all are injected", 60)
            manager.wait_ready()
            world.client.call("DELETE", "/api/v1/namespaces/ca/secrets/direct")
            manager.wait_until(lambda: "SourceNotFound" in injection.reasons(
                world.client, "APIService", "by-secret"), "an Event that the Secret is gone", 30)
            world.client.create(load.ca_secret("ca", "direct", new))
            for _ in range(2):  # repeats the Events
                new = world.rotate()
                follow = {(kind, name) for kind, name in ALL if name != "by-plain"}
                manager.wait_until(lambda n=new, f=follow: world.following(n) >= f, "rotation", 60)
            check_equal("exit code", manager.stop()[0], 0)
    for ownership in ("keep", "detach"):
        with world.manager(f"--field-ownership={ownership}") as manager:
            manager.wait_ready()
            with Meddler(world.cluster, [injection.path_of(*one) for one in sorted(ALL)]):
                new = rotate_until_conflict(manager, world.rotate)
            follow = {(kind, name) for kind, name in ALL if name != "by-plain"}
            manager.wait_until(lambda n=new, f=follow: world.following(n) >= f,
                               f"all are injected after conflicts, {ownership}", 60)
            world.scenario.figure(f"conflicts with another writer, {ownership}",
                                  int(refused(manager, 409)))
            check_equal("exit code", manager.stop()[0], 0)
    check_equal("403s with all rights", world.cluster.refusals(), [])


def needs(right):
    """Returns the targets that stop without the right."""
    _, resource, verbs, _ = right
    if resource == "leases":
        return ALL
    if resource in OF_KINDS:
        return {(kind, name) for kind, name in ALL if kind == OF_KINDS[resource]}
    return {(kind, name) for kind, name in ALL if name in OF_SOURCES.get((resource, verbs[0]), ())}


def event_count(world, reason, stopped):
    return {one: sum(event.get("count", 1) for event in injection.events_of(world.client, *one)
                     if event["reason"] == reason) for one in stopped}


def without(world, right):
    group, resource, verbs, effect = right
    what = f"without {'/'.join(verbs)} of {resource}"
    stopped = needs(right)
    reason = re.search(r"`([A-Z]\w+)`", effect)
    reason = reason.group(1) if reason else None
    before = event_count(world, reason, stopped) if reason else {}
    world.grant([other for other in rights.rights() if other != right])
    new = world.rotate()
    with world.manager() as manager:
        manager.wait_until(lambda: world.following(new) >= ALL - stopped, f"the rest, {what}", 60)
        if resource == "leases":
            manager.wait_until(lambda: "forbidden" in manager.log(), f"a log line, {what}", 30)
            # The check at the start has already logged this word before the election begins.
            manager.wait_until(lambda: manager.metric("leader_election_master_status") == 0,
                               f"the metric says that it does not lead, {what}", 30)
        if reason:
            manager.wait_until(
                lambda: all(event_count(world, reason, stopped)[one] > before[one]
                            for one in stopped), f"{reason} on what needs it, {what}", 30)
            assert manager.metric("capstan_injection_total", result=reason), f"no metric, {what}"
        unready = "`/readyz` fails" in effect
        mark = f"[{'-' if unready else 'i'}]caches-{resource}"
        if unready or "note" in effect:
            manager.wait_until(lambda: mark in manager.get("/readyz?verbose")[1],
                               f"{mark} in /readyz?verbose, {what}", 30)
        else:
            manager.wait_ready(30)
        check_equal(f"/readyz {what}", manager.get("/readyz")[0], 500 if unready else 200)
        if resource == "events":
            world.rotate()  # repeats the Events
            manager.wait_until(
                lambda: (manager.metric("rest_client_requests_total", code="403") or 0) > 0,
                f"a metric of refused Events, {what}", 30)
        check_equal(f"what follows {what}", world.following(new) & stopped, set())
        check_equal(f"/livez {what}", manager.get("/livez")[0], 200)
        check_equal(f"exit code {what}", manager.stop()[0], 0)
    seen = set(world.cluster.refusals())
    assert any(f"{verb} {resource}" in seen for verb in verbs), f"nobody was refused {what}"
    world.scenario.figure(what, f"{len(stopped)} of {len(ALL)} targets stop; {effect}")


def trust_bundles(world):
    """The rights of ClusterTrustBundleSource, which the table does not have: it is off by default."""
    path = "/apis/certificates.k8s.io/v1/clustertrustbundles"
    if int(world.client.call("GET", "/version")["minor"]) < 37:
        return  # it does not serve them by default
    bundle = load.new_ca("roots")
    right = ("certificates.k8s.io", "clustertrustbundles", ["list", "watch"], "")
    world.client.call("POST", path, {"apiVersion": "certificates.k8s.io/v1", "kind": "ClusterTrustBundle",
                                     "metadata": {"name": "roots"}, "spec": {"trustBundle": bundle}})
    injection.create(world.client, "by-bundle", injection.FROM_TRUST_BUNDLE, "roots")
    for granted in (False, True):
        world.grant(rights.rights() + ([right] if granted else []))
        while rights.may(world.client, *right[:2], "watch") != granted:
            time.sleep(0.02)
        new = world.rotate()
        with world.manager("--feature-gates=ClusterTrustBundleSource=true") as manager:
            manager.wait_until(lambda n=new: world.following(n) == ALL, "other sources work", 60)
            if granted:
                manager.wait_until(lambda: injection.holds(world.client, "by-bundle", bundle),
                                   "the bundle is injected", 60)
                manager.wait_ready()
            else:
                manager.wait_until(lambda: all("SourceUnavailable" in injection.reasons(
                    world.client, kind, "by-bundle") for kind in injection.KINDS),
                    "all are SourceUnavailable", 30)
                manager.wait_until(lambda: "[-]caches-clustertrustbundles" in
                                   manager.get("/readyz?verbose")[1], "/readyz names them", 30)
            manager.stop()
    world.scenario.figure("without list/watch of clustertrustbundles",
                          f"{len(injection.KINDS)} targets stop, /readyz fails")


def run(scenario):
    world = World(scenario, scenario.cluster(rbac=True))
    granted = rights.rights()
    world.grant(granted)
    enough(world)
    scenario.figure("403s with all rights", 0)
    for right in granted:
        without(world, right)
    world.grant(granted)
    new = world.rotate()
    with world.manager() as manager:
        manager.wait_until(lambda: world.following(new) == ALL, "all, with all rights again", 60)
        manager.stop()  # which releases the Lease
    trust_bundles(world)
