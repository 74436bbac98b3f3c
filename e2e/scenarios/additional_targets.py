# SPDX-License-Identifier: Apache-2.0
"""The programs inject into fields of any kind that the configuration file names.

The kind is a Gateway with a list of providers, and on a real API server also cert-manager's own Issuer
with its real definition. A rotation reaches each place. A mistake in a path ends the start with one line.
A kind that is installed later is injected from then on. Without the right to patch, the target is
Forbidden. capstan explains, audits and shows these targets with the same flag.
"""
import base64
import json
import os
import subprocess
import sys
import time

import yaml

from lib import certmanager, injection, kube, load, rights
from lib.capstan import FINE, FOUND, Capstan
from lib.cluster import ROOT
from lib.manager import Manager
from lib.scenario import Skipped, check_equal

sys.path.insert(0, os.path.join(ROOT, "hack/chart"))
import chart  # pylint: disable=wrong-import-position,import-error

KINDS = ("embedded", "real")
GROUP = "edge.example.com"
GATEWAYS = kube.path_of(GROUP + "/v1", "gateways", "ca")
ISSUERS = kube.path_of("cert-manager.io/v1", "issuers", "ca")
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SOURCE = {injection.FROM_SECRET: "ca/root"}
TARGETS = [{"group": GROUP, "version": "v1", "kind": "Gateway", "resource": "gateways",
            "fields": ["spec.tls.caBundle", "spec.providers[*].caBundle"]},
           {"group": "cert-manager.io", "version": "v1", "kind": "Issuer", "resource": "issuers",
            "fields": ["spec.acme.caBundle", "spec.vault.caBundle"]}]


def definition():
    bundle = {"type": "string", "format": "byte"}
    spec = {"tls": {"type": "object", "properties": {"caBundle": bundle, "host": {"type": "string"}}},
            "providers": {"type": "array", "items": {
                "type": "object", "properties": {"name": {"type": "string"}, "caBundle": bundle}}}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": spec}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "gateways." + GROUP},
            "spec": {"group": GROUP, "scope": "Namespaced",
                     "names": {"plural": "gateways", "singular": "gateway", "kind": "Gateway",
                               "listKind": "GatewayList"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


def issuer_definition():
    """Returns cert-manager's definition of Issuers, from its chart."""
    text = subprocess.run(
        [os.path.join(chart.tools(), "helm"), "template", "x", os.path.join(certmanager.folder(), "chart"),
         "--set", "crds.enabled=true", "--kube-version", chart.KUBERNETES], check=True,
        capture_output=True, text=True).stdout
    return next(found for found in yaml.load_all(text, yaml.CSafeLoader)
                if found and found["metadata"]["name"] == "issuers.cert-manager.io")


def install(client, made, path):
    client.create(made)
    deadline = time.monotonic() + 30
    while True:
        try:
            client.call("GET", path)
            return
        except kube.ApiError as error:
            assert error.code in (404, 429, 503) and time.monotonic() < deadline, error
            time.sleep(0.1)


class Story:
    def __init__(self, scenario, cluster):
        self.scenario, self.cluster, self.client = scenario, cluster, cluster.client()
        self.ca = load.new_ca("root")
        self.real = scenario.kind == "real"
        self.targets = TARGETS if self.real else TARGETS[:1]

    def config(self, targets, **more):
        path = self.scenario.path("config.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "cainjector.config.cert-manager.io/v1alpha1",
                       "kind": "CAInjectorConfiguration", "additionalTargets": targets, **more}, file)
        return "--config=" + path

    def manager(self, targets):
        return Manager(self.scenario.bin_dir, self.cluster.kubeconfig(), "--leader-elect=false",
                       self.config(targets))

    def grant(self, verbs):
        """Grants these verbs on the additional targets. The embedded server allows everything."""
        made = rights.role("additional-targets", [
            (target["group"], target["resource"], verbs, "") for target in TARGETS])
        self.client.call("PUT", rights.ROLES + "clusterroles/additional-targets", made)  # or creates it
        try:
            self.client.create(rights.binding("additional-targets", "User", rights.USER))
        except kube.ApiError as error:
            assert error.code == 409, error

    def spec(self, path, name):
        return self.client.call("GET", f"{path}/{name}")["spec"]

    def gateway(self, name, spec):
        self.client.create({"apiVersion": GROUP + "/v1", "kind": "Gateway", "spec": spec,
                            "metadata": {"name": name, "namespace": "ca", "annotations": SOURCE}})

    def rotate(self):
        new = load.new_ca("next")
        self.ca += new
        self.client.merge_patch("/api/v1/namespaces/ca/secrets/root",
                                {"data": {"ca.crt": load.encoded(new)}})

    def injected(self):
        """Returns whether each place of each target holds the bundle."""
        spec = self.spec(GATEWAYS, "edge")
        held = [spec["tls"].get("caBundle")] + [one.get("caBundle") for one in spec["providers"]]
        if self.real:
            held += [self.spec(ISSUERS, "acme")["acme"].get("caBundle"),
                     self.spec(ISSUERS, "vault")["vault"].get("caBundle")]
        return all(base64.b64decode(one or "").decode() == self.ca for one in held)


def mistakes(story):
    """Each mistake ends the start with one line that names the fix."""
    gateway = TARGETS[0]
    for change, words in (
            ({"fields": ["spec.tls.caBundel"]}, "no field spec.tls.caBundel; did you mean spec.tls.caBundle?"),
            ({"fields": ["spec.providers.caBundle"]}, "is an array; write spec.providers[*]"),
            ({"fields": ["spec.tls[*].caBundle"]}, "is not an array; remove [*]"),
            ({"fields": ["spec.providers"]}, "a bundle needs a string"),
            ({"encoding": "pem"}, "set encoding: base64"),
            ({"namespaced": False}, "the kind is namespaced"),
            ({"resource": "gateway"}, "does not serve the resource gateway"),
            ({"fields": ["spec..x"]}, "position 6: expected a field name"),
            ({"group": "", "kind": "Secret", "resource": "secrets"}, "Secrets cannot be targets")):
        with story.manager([{**gateway, **change}]) as manager:
            code = manager.process.wait(timeout=30)
            last = manager.log().strip().splitlines()[-1]
            check_equal(f"exit code with {change}: {last}", code, 1)
            assert words in last, f"{change}: {last}"
    story.scenario.figure("mistakes that end the start", "9 of 9, each with one line")


def injects(story, manager):
    took = manager.wait_until(story.injected, "each place holds the bundle", 60)
    story.scenario.figure("seconds from the start until all places held the bundle", f"{took:.1f}")
    manager.wait_ready()
    story.rotate()
    manager.wait_until(story.injected, "the rotation", 30)
    spec = story.spec(GATEWAYS, "edge")
    check_equal("other fields", ([one["name"] for one in spec["providers"]], spec["tls"]["host"]),
                (["a", "b"], "edge.example.com"))
    check_equal("in sync", manager.metric("capstan_injectable_in_sync", kind="Gateway"), 1)
    writes = manager.metric("capstan_injection_total", kind="Gateway", result="Injected")
    check_equal("writes", writes, 2)


def command_line(story):
    capstan = Capstan(story.scenario.bin_dir, story.cluster.kubeconfig("admin"))
    flag = "--additional-targets=" + json.dumps(story.targets)
    code, found = capstan.json("explain", flag, "gateway", "ca/edge", code=FINE)
    check_equal(f"explain: {found}", (found["state"], found["reason"], found["name"]),
                ("InSync", "Unchanged", "ca/edge"))
    story.gateway("empty", {})
    story.gateway("waiting", {"providers": [{"name": "a"}]})
    found = capstan.json("explain", flag, "gateways.edge.example.com", "ca/empty", code=FINE)[1]
    check_equal("without a place", found["reason"], "NothingToInjectInto")
    found = capstan.json("status", flag, code=FINE)[1]
    rows = {item["name"]: item["state"] for item in found["items"] if item["kind"] == "Gateway"}
    check_equal("status", rows, {"ca/edge": "InSync", "ca/empty": "Skipped", "ca/waiting": "Pending"})
    found = capstan.json("inject", "--dry-run", flag, "gateway", "ca/waiting", code=FOUND)[1]["items"][0]
    check_equal("dry run", found["patch"][1]["path"], "/spec/providers/0/caBundle")
    items = [item for item in capstan.json("audit", flag, code=FINE)[1]["items"]
             if item["kind"] == "Gateway" and item["name"] == "ca/edge"]
    check_equal("audit", [item["place"] for item in items],
                ["spec.tls.caBundle", "spec.providers[0].caBundle", "spec.providers[1].caBundle"])
    assert "cert-manager-cainjector" in items[0]["owner"], items
    code, _, err = capstan.run("explain", flag, "gateway", "edge")
    assert code == 1 and "write NAMESPACE/edge" in err, err


def later(story):
    """A kind that is missing at the start is injected when it is installed."""
    story.client.call("DELETE", f"{DEFINITIONS}/gateways.{GROUP}")
    deadline = time.monotonic() + 30
    while True:
        try:
            story.client.call("GET", GATEWAYS)
        except kube.ApiError:
            break
        assert time.monotonic() < deadline, "Gateways are still served"
        time.sleep(0.1)
    with story.manager(TARGETS[:1]) as manager:
        manager.wait_ready()
        manager.wait_until(lambda: "[i]target-caches-gateways" in manager.get("/readyz?verbose")[1],
                           "a note in /readyz", 30)
        assert "Fields are not checked yet" in manager.log(), manager.log()
        install(story.client, definition(), GATEWAYS)
        story.gateway("edge", {"tls": {"host": "edge.example.com"}, "providers": []})
        took = manager.wait_until(lambda: base64.b64decode(story.spec(GATEWAYS, "edge")["tls"].get(
            "caBundle", "")).decode().endswith(story.ca[-200:]), "injected after the installation", 120)
        story.scenario.figure("seconds until a kind installed later was injected", f"{took:.1f}")
        check_equal("exit code", manager.stop()[0], 0)


def forbidden(story):
    """Without the right to patch, the target is Forbidden, and everything else is injected."""
    story.grant(["list", "watch"])
    story.gateway("denied", {"tls": {}})
    with story.manager(TARGETS[:1]) as manager:
        manager.wait_until(lambda: manager.metric("capstan_injection_total", kind="Gateway",
                                                  result="Forbidden"), "Forbidden", 60)
        events = story.client.call("GET", "/api/v1/namespaces/ca/events")["items"]
        assert any(event["involvedObject"]["name"] == "denied" and event["reason"] == "Forbidden"
                   for event in events), "no Event in the target's namespace"
        check_equal("exit code", manager.stop()[0], 0)


def run(scenario):
    cluster = scenario.cluster()
    story = Story(scenario, cluster)
    load.ensure_namespace(story.client, "ca")
    story.client.create(load.ca_secret("ca", "root", story.ca))
    install(story.client, definition(), GATEWAYS)
    story.gateway("edge", {"tls": {"host": "edge.example.com"}, "providers": [{"name": "a"}, {"name": "b"}]})
    if story.real:
        try:
            install(story.client, issuer_definition(), ISSUERS)
        except Skipped as skipped:
            scenario.figure("Issuers are left out", skipped)
            story.real, story.targets = False, TARGETS[:1]
    if story.real:
        for name, spec in (
                ("acme", {"acme": {"server": "https://acme.ca.svc", "privateKeySecretRef": {"name": "x"},
                                   "solvers": []}}),
                ("vault", {"vault": {"server": "https://vault.ca.svc", "path": "pki/sign/x",
                                     "auth": {"tokenSecretRef": {"name": "x", "key": "y"}}}})):
            story.client.create({"apiVersion": "cert-manager.io/v1", "kind": "Issuer", "spec": spec,
                                 "metadata": {"name": name, "namespace": "ca", "annotations": SOURCE}})
    if scenario.kind == "real":
        story.grant(["list", "watch", "patch"])
    mistakes(story)
    with story.manager(story.targets) as manager:
        injects(story, manager)
        check_equal("exit code", manager.stop()[0], 0)
    command_line(story)
    later(story)
    if scenario.kind == "real":
        forbidden(story)
