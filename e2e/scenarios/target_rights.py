# SPDX-License-Identifier: Apache-2.0
"""The rights on ConfigMaps, ClusterTrustBundles and additional targets in docs/targets.md are enough.

With all of them there is no 403. Then each is removed once. Only what needs it stops, with the reason or
the line in /readyz that the page names, and it is injected when the right is back.
"""
import base64
import json
import time

from lib import injection, kube, load, rights, trust_bundles
from lib.manager import Manager
from lib.scenario import Skipped, check_equal

KINDS = ("embedded", "real")
GROUP = "rights.example.com"
BUNDLES = "certificates.k8s.io"
SIGNER = "example.com/mesh"
FLAGS = ("--leader-elect=false", "--enable-configmaps-injectable", "--enable-clustertrustbundles-injectable",
         "--additional-targets=" + json.dumps([{
             "group": GROUP, "version": "v1", "kind": "Peer", "resource": "peers", "fields": ["spec.ca"]}]))
# (API group, resource, verbs, name): the targets that stop, and the report.
RIGHTS = {("", "configmaps", ("patch",), None): (["ConfigMap"], "Forbidden"),
          (BUNDLES, "clustertrustbundles", ("list", "watch"), None): (
              ["plain", "signed"], "[-]target-caches-clustertrustbundles"),
          (BUNDLES, "clustertrustbundles", ("patch",), None): (["plain", "signed"], "Forbidden"),
          (BUNDLES, "signers", ("attest",), SIGNER): (["signed"], "Forbidden"),
          (GROUP, "peers", ("list", "watch"), None): (["Peer"], "[-]target-caches-peers"),
          (GROUP, "peers", ("patch",), None): (["Peer"], "Forbidden")}


def peers():
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "peers." + GROUP},
            "spec": {"group": GROUP, "scope": "Namespaced",
                     "names": {"plural": "peers", "singular": "peer", "kind": "Peer", "listKind": "PeerList"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                             "type": "object", "properties": {"ca": {"type": "string"}}}}}}}]}}


class World:
    def __init__(self, scenario):
        self.scenario, self.cluster = scenario, scenario.cluster(rbac=True)
        self.client = self.cluster.client()
        version = trust_bundles.serve(self.cluster)
        if not version:
            raise Skipped("this version does not serve ClusterTrustBundles v1 or v1beta1")
        bundles = f"{BUNDLES}/{version}"
        self.paths = {"ConfigMap": "/api/v1/namespaces/ca/configmaps/trust",
                      "Peer": kube.path_of(GROUP + "/v1", "peers", "ca", "peer"),
                      "plain": f"/apis/{bundles}/clustertrustbundles/plain",
                      "signed": f"/apis/{bundles}/clustertrustbundles/example.com:mesh:signed"}
        load.ensure_namespace(self.client, "ca")
        self.newest = load.new_ca("first")
        self.client.create(load.ca_secret("ca", "root", self.newest))
        self.client.create(peers())
        source = {injection.FROM_SECRET: "ca/root"}
        trust = injection.config_map("ca", "trust", "", False)
        trust.update(data={})
        trust["metadata"].update(annotations=source, labels={"inject.capstan.dev/enabled": "true"})
        self.create(trust)
        self.create({"apiVersion": GROUP + "/v1", "kind": "Peer", "spec": {},
                     "metadata": {"name": "peer", "namespace": "ca", "annotations": source}})
        for name, spec in (("plain", {}), ("example.com:mesh:signed", {"signerName": SIGNER})):
            self.create({"apiVersion": bundles, "kind": "ClusterTrustBundle",
                         "metadata": {"name": name, "annotations": source},
                         "spec": {"trustBundle": self.newest, **spec}})
        self.client.create(rights.role("targets", []))
        self.client.create(rights.binding("targets", "User", rights.USER))

    def create(self, made):
        for _ in range(100):  # a new kind is served after a moment
            try:
                return self.client.create(made)
            except kube.ApiError as error:
                if error.code != 404:
                    raise
                time.sleep(0.1)
        raise AssertionError(f"{made['kind']} is not served")

    def grant(self, granted):
        """Grants exactly these rights on the targets, and waits until they take effect."""
        made = rights.role("targets", [])
        made["rules"] = [{"apiGroups": [group], "resources": [resource], "verbs": list(verbs),
                          **({"resourceNames": [name]} if name else {})}
                         for group, resource, verbs, name in granted]
        self.client.call("PUT", rights.ROLES + "clusterroles/targets", made)
        for right in RIGHTS:
            group, resource, verbs, name = right
            while rights.may(self.client, group, resource, verbs[0], None, name) != (right in granted):
                time.sleep(0.02)

    def rotate(self):
        self.newest = load.new_ca("next")
        self.client.merge_patch("/api/v1/namespaces/ca/secrets/root",
                                {"data": {"ca.crt": load.encoded(self.newest)}})

    def following(self):
        """Returns the targets that hold the newest CA."""
        held = {"ConfigMap": lambda found: found.get("data", {}).get("ca.crt", ""),
                "Peer": lambda found: base64.b64decode(found["spec"].get("ca", "")).decode()}
        return {name for name, path in self.paths.items()
                if held.get(name, lambda found: found["spec"]["trustBundle"])(
                    self.client.call("GET", path)).endswith(self.newest)}

    def refusals(self):
        return [refusal for refusal in self.cluster.refusals() if not refusal.endswith(" certificates")]


def without(world, right, stopped, report):
    what = f"without {'/'.join(right[2])} of {right[1]}"
    world.grant([other for other in RIGHTS if other != right])
    world.rotate()
    with Manager(world.scenario.bin_dir, world.cluster.kubeconfig(), *FLAGS) as manager:
        rest = set(world.paths) - set(stopped)
        manager.wait_until(lambda: world.following() >= rest, f"the rest, {what}", 60)
        if report == "Forbidden":
            kind = stopped[0] if stopped[0] in ("ConfigMap", "Peer") else "ClusterTrustBundle"
            manager.wait_until(lambda: manager.metric(
                "capstan_injection_total", kind=kind, result=report) == len(stopped), what, 30)
        else:
            manager.wait_until(lambda: report in manager.get("/readyz?verbose")[1], what, 30)
        check_equal(f"what stopped {what}", world.following(), rest)
        if right[1] == "signers":
            assert SIGNER in manager.log() and "attest on that signer" in manager.log(), manager.log()
        check_equal("exit code", manager.stop()[0], 0)
    world.scenario.figure(what, f"{', '.join(stopped)}: {report}")


def run(scenario):
    world = World(scenario)
    world.grant(RIGHTS)
    with Manager(scenario.bin_dir, world.cluster.kubeconfig(), *FLAGS) as manager:
        manager.wait_until(lambda: world.following() == set(world.paths), "all are injected", 60)
        manager.wait_ready()
        world.rotate()
        manager.wait_until(lambda: world.following() == set(world.paths), "the rotation", 60)
        check_equal("exit code", manager.stop()[0], 0)
    check_equal("403s with all rights", world.refusals(), [])
    for right, (stopped, report) in RIGHTS.items():
        without(world, right, stopped, report)
    world.grant(RIGHTS)
    with Manager(scenario.bin_dir, world.cluster.kubeconfig(), *FLAGS) as manager:
        manager.wait_until(lambda: world.following() == set(world.paths), "all rights are back", 60)
        manager.stop()
