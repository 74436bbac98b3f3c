# SPDX-License-Identifier: Apache-2.0
"""Tests that the rights in each mode are exactly those of docs/operate.md and SECURITY.md."""
import os
import re
import sys
import unittest

from chart import ROOT, ChartError, objects, one

sys.path.insert(0, os.path.join(ROOT, "e2e"))
from lib import rights  # pylint: disable=wrong-import-position,import-error

ALL = ["get", "list", "watch"]


def granted(role):
    """Returns {(API group, resource, verb, name or None)} of a role."""
    return {(group, resource, verb, name) for rule in role["rules"] for group in rule["apiGroups"]
            for resource in rule["resources"] for verb in rule["verbs"]
            for name in rule.get("resourceNames", [None])}


def promised(*left_out):
    """Returns the rights in the table of docs/operate.md, without these resources."""
    return {(group, resource, verb, None) for group, resource, verbs, _ in rights.rights()
            for verb in verbs if resource not in left_out}


def found(**values):
    return objects({"controllerManager": values})


def cluster_role(**values):
    return granted(one(found(**values), "ClusterRole"))


def rows(document, heading, columns):
    """Returns the cells of the rows of the first table after a heading."""
    with open(os.path.join(ROOT, document), encoding="utf-8") as file:
        section = file.read().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in section.splitlines() if line.startswith("| ")]
    assert len(cells) > 3 and all(len(row) == columns for row in cells), (document, cells)
    return cells[1:]


def verbs_of(rendered):
    """Returns {(resource, verb)} of every role."""
    return {(resource, verb) for role in rendered if role["kind"] in ("Role", "ClusterRole")
            for _, resource, verb, _ in granted(role)}


class DocumentedRightsTest(unittest.TestCase):
    def test_security_lists_the_rights_of_the_manager(self):
        issuers = {"group": "cert-manager.io", "version": "v1", "kind": "Issuer", "resource": "issuers",
                   "fields": ["spec.acme.caBundle"]}
        everything = verbs_of(found(
            additionalTargets=[issuers], verifyEndpoints={"enabled": True}, sources={"clusterTrustBundles": True},
            targets={"configMaps": True, "clusterTrustBundles": {"enabled": True, "signers": ["a.b/c"]}}))
        listed = {(resource, verb) for resources, verbs, _ in rows("SECURITY.md", "Rights of capstan-controller-manager", 3)
                  for resource in re.findall("`([A-Za-z]+)`", resources) for verb in verbs.split(", ")}
        self.assertEqual({("issuers" if resource == "additionalTargets" else resource, verb)
                          for resource, verb in listed}, everything)

    def test_the_manual_lists_the_rights_of_the_agent(self):
        everything = verbs_of(objects({
            "controllerManager": {"enabled": False},
            "nodeAgent": {"enabled": True, "output": ["annotation", "condition"], "gateSetsConfigMap": "a/b",
                          "rbac": {"allConfigMaps": True}}}))
        listed = {(resource.strip("`"), verb) for _, resource, verbs, _, _ in rows("docs/node-agent.md", "Rights", 5)
                  for verb in verbs.split(", ")}
        self.assertEqual(listed, everything)


class RightsTest(unittest.TestCase):
    def test_the_whole_cluster(self):
        self.assertEqual(cluster_role(), promised("leases"))

    def test_the_lease_is_named(self):
        role = one(found(), "Role", "-leader-election")
        lease = "cert-manager-cainjector-leader-election"
        self.assertEqual(role["metadata"]["namespace"], "kube-system")
        self.assertEqual(granted(role), {
            ("coordination.k8s.io", "leases", verb, None if verb == "create" else lease)
            for _, resource, verbs, _ in rights.rights() if resource == "leases" for verb in verbs})

    def test_disabled_kinds_need_no_rights(self):
        self.assertEqual(cluster_role(sources={"certificates": False}),
                         promised("leases", "certificates"))
        self.assertEqual(cluster_role(sources={"configMaps": False}),
                         promised("leases", "configmaps"))
        for target in ("validatingWebhookConfigurations", "mutatingWebhookConfigurations",
                       "customResourceDefinitions", "apiServices"):
            self.assertEqual(cluster_role(targets={target: False}),
                             promised("leases", target.lower()))

    def test_trust_bundles_need_rights_only_as_a_source(self):
        bundles = {("certificates.k8s.io", "clustertrustbundles", verb, None) for verb in ("list", "watch")}
        self.assertEqual(cluster_role(sources={"clusterTrustBundles": True}), promised("leases") | bundles)
        # They are not in namespaces.
        sources = ("secrets", "certificates", "configmaps")
        self.assertEqual(cluster_role(namespaces=["a"], sources={"clusterTrustBundles": True}),
                         promised("leases", *sources) | bundles)

    def test_namespaces(self):
        rendered = found(namespaces=["a", "b"])
        sources = ("secrets", "certificates", "configmaps")
        self.assertEqual(granted(one(rendered, "ClusterRole")), promised("leases", *sources))
        roles = [o for o in rendered if o["kind"] == "Role" and o["metadata"]["name"].endswith("-sources")]
        self.assertEqual(sorted(r["metadata"]["namespace"] for r in roles), ["a", "b"])
        for role in roles:
            self.assertEqual(granted(role),
                             {right for right in promised() if right[1] in sources})
        bindings = [o for o in rendered if o["kind"] == "RoleBinding" and o["roleRef"]["name"].endswith(
            "-sources")]
        self.assertEqual(sorted(b["metadata"]["namespace"] for b in bindings), ["a", "b"])

    def test_config_maps_as_targets(self):
        write = {("", "configmaps", verb, None) for verb in ("list", "watch", "patch")}
        self.assertEqual(cluster_role(targets={"configMaps": True}), promised("leases") | write)
        self.assertEqual(cluster_role(targets={"configMaps": True}, sources={"configMaps": False}),
                         promised("leases", "configmaps") | write)
        rendered = found(targets={"configMaps": True}, namespaces=["a"])
        self.assertFalse({r for r in granted(one(rendered, "ClusterRole")) if r[1] == "configmaps"})
        self.assertTrue(write <= granted(one(rendered, "Role", "-sources")))

    def test_cluster_trust_bundles_as_targets(self):
        group = "certificates.k8s.io"
        write = {(group, "clustertrustbundles", verb, None) for verb in ("list", "watch", "patch")}
        self.assertEqual(cluster_role(targets={"clusterTrustBundles": {"enabled": True}}),
                         promised("leases") | write)
        signers = ["example.com/a", "example.com/b"]
        self.assertEqual(
            cluster_role(targets={"clusterTrustBundles": {"enabled": True, "signers": signers}}),
            promised("leases") | write | {(group, "signers", "attest", name) for name in signers})

    def test_additional_targets(self):
        issuers = {"group": "cert-manager.io", "version": "v1", "kind": "Issuer", "resource": "issuers",
                   "fields": ["spec.acme.caBundle"]}
        cluster = {**issuers, "kind": "ClusterIssuer", "resource": "clusterissuers", "namespaced": False}

        def rights_on(target):
            return {(target["group"], target["resource"], verb, None) for verb in ("list", "watch", "patch")}
        self.assertEqual(cluster_role(additionalTargets=[issuers, cluster]),
                         promised("leases") | rights_on(issuers) | rights_on(cluster))
        rendered = found(additionalTargets=[issuers, cluster], namespaces=["a"])
        sources = ("secrets", "certificates", "configmaps")
        self.assertEqual(granted(one(rendered, "ClusterRole")),
                         promised("leases", *sources) | rights_on(cluster))
        role = one(rendered, "Role", "-sources")
        self.assertEqual(role["metadata"]["namespace"], "a")
        self.assertEqual(granted(role), {r for r in promised() if r[1] in sources} | rights_on(issuers))

    def test_verify_endpoints(self):
        for namespaces in ([], ["a"]):
            rights = {("", "services", "get", None), ("discovery.k8s.io", "endpointslices", "list", None)}
            without = granted(one(found(namespaces=namespaces), "ClusterRole"))
            self.assertEqual(
                granted(one(found(namespaces=namespaces, verifyEndpoints={"enabled": True}), "ClusterRole")),
                without | rights)
            self.assertFalse(without & rights)

    def test_named_secrets(self):
        rendered = found(referencedSecretsOnly={"enabled": True, "secrets": {"a": ["x", "y"], "b": ["z"]}})
        self.assertEqual(granted(one(rendered, "ClusterRole")), promised("leases", "secrets"))
        roles = {o["metadata"]["namespace"]: granted(o) for o in rendered
                 if o["kind"] == "Role" and o["metadata"]["name"].endswith("-sources")}
        self.assertEqual(roles, {namespace: {("", "secrets", verb, name) for verb in ALL
                                             for name in secrets}
                                 for namespace, secrets in (("a", ["x", "y"]), ("b", ["z"]))})

    def test_named_secrets_in_namespaces(self):
        rendered = found(namespaces=["a", "c"],
                         referencedSecretsOnly={"enabled": True, "secrets": {"a": ["x"]}})
        self.assertFalse({r for r in granted(one(rendered, "ClusterRole")) if r[1] == "secrets"})
        roles = {o["metadata"]["namespace"]: {r for r in granted(o) if r[1] == "secrets"}
                 for o in rendered if o["kind"] == "Role" and o["metadata"]["name"].endswith("-sources")}
        self.assertEqual(roles, {"a": {("", "secrets", verb, "x") for verb in ALL}, "c": set()})

    def test_without_named_secrets_there_are_no_rights_on_secrets(self):
        rendered = found(referencedSecretsOnly={"enabled": True})
        self.assertFalse([r for o in rendered if "rules" in o for r in granted(o) if r[1] == "secrets"])

    def test_rejects_contradictions(self):
        for message, values in (
                ("exclude each other", {"namespaces": ["a"], "ignoreNamespaces": ["b"]}),
                ("names the namespace b, which is not in", {
                    "namespaces": ["a"],
                    "referencedSecretsOnly": {"enabled": True, "secrets": {"b": ["x"]}}}),
                ("signers has no effect", {"targets": {"clusterTrustBundles": {"signers": ["a.b/c"]}}}),
                ("has no effect", {"referencedSecretsOnly": {"secrets": {"b": ["x"]}}})):
            with self.assertRaisesRegex(ChartError, message):
                found(**values)

    def test_no_rbac(self):
        rendered = objects({"global": {"rbac": {"create": False}}})
        self.assertFalse([o for o in rendered if "Role" in o["kind"]])
