# SPDX-License-Identifier: Apache-2.0
"""capstan with a manager's flags predicts what a manager with these flags does.

The flags disable merging, namespaces, sources and kinds, or come from /flagz. The scenario also covers
annotations without effect, and the API server's CA.
"""
import re

from lib import injection, load
from lib.capstan import FAILED, FINE, FOUND, Capstan
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
WEBHOOKS = "ValidatingWebhookConfiguration"
CRD = "CustomResourceDefinition"
VERBATIM = "--feature-gates=CAInjectorMerging=false"
NO_CRDS = "--enable-customresourcedefinitions-injectable=false"
DECIDING = re.compile(r"^--(namespace|ignore-namespaces|shared-source-namespaces|enable-[a-z]+-(?:data-source|injectable)|"
                      r"additional-targets|distrust|feature-gates)=.*$", re.M)
ADDITIONAL = "--additional-targets=[]"


class World:
    def __init__(self, scenario):
        self.scenario, self.cluster = scenario, scenario.cluster()
        self.client = self.cluster.client()
        self.capstan = Capstan(scenario.bin_dir, self.cluster.kubeconfig("admin"))
        self.old, self.new = load.new_ca("old"), load.new_ca("new")
        load.ensure_namespace(self.client, "ca")
        self.client.create(load.ca_secret("ca", "source", "# of the team\n" + self.new))
        self.client.create(injection.target(WEBHOOKS, "hook", injection.FROM_SECRET, "ca/source",
                                            self.old))
        self.client.create(injection.target(CRD, "thing", injection.FROM_SECRET, "ca/source"))

    def explain(self, kind, name, *flags):
        """Returns (state, reason)."""
        found = self.capstan.json("explain", kind, injection.name_of(kind, name), *flags)[1]
        return found["state"], found.get("reason") or None

    def predicted(self, *flags):
        """Returns {kind: number of its targets that would be written}."""
        items = self.capstan.json("inject", "--dry-run", *flags)[1]["items"]
        return {kind: sum(item["kind"] == kind and "patch" in item for item in items)
                for kind in (WEBHOOKS, CRD)}


def predicted(world):
    """Checks the results with each set of flags, before any manager runs."""
    for flags, verdict in (((), ("Pending", "Injected")),
                           ((VERBATIM,), ("Pending", "Injected")),
                           (("--namespace=ca,b",), ("Pending", "Injected")),
                           (("--namespace=b",), ("Broken", "OutsideNamespace")),
                           (("--ignore-namespaces=a,ca",), ("Broken", "OutsideNamespace"))):
        check_equal(f"the verdict with {flags}", world.explain(WEBHOOKS, "hook", *flags), verdict)
    check_equal("a kind that is not watched", world.explain(CRD, "thing", NO_CRDS),
                ("NotWatched", None))
    check_equal("would be written", world.predicted(NO_CRDS), {WEBHOOKS: 1, CRD: 0})
    listed = world.capstan.json("status", NO_CRDS, code=FINE)[1]["items"]
    check_equal("kinds in the table", {item["kind"] for item in listed}, {WEBHOOKS})
    code, _, err = world.capstan.run("check", CRD, "things.example.com", NO_CRDS)
    assert code == FAILED and NO_CRDS in err, err
    world.client.create(injection.target(WEBHOOKS, "mapped", injection.FROM_CONFIG_MAP, "ca/map"))
    for gate, reason in (("true", "SourceNotFound"), ("false", "SourceDisabled")):
        check_equal("of a ConfigMap", world.explain(
            WEBHOOKS, "mapped", f"--feature-gates=ConfigMapSource={gate}"), ("Broken", reason))
    world.client.create(injection.target(WEBHOOKS, "issued", injection.FROM_CERTIFICATE, "ca/c"))
    check_equal("of a Certificate", world.explain(
        WEBHOOKS, "issued", "--enable-certificates-data-source=false"), ("Broken", "SourceDisabled"))
    for name in ("mapped", "issued"):
        world.client.call("DELETE", injection.path_of(WEBHOOKS, name))
    for flags, words in ((("--namespace=a", "--ignore-namespaces=b"), "exclude each other"),
                         (("--feature-gates=CAInjectorMergin=false",), "unrecognized feature gate"),
                         (("--namespace=A_b",), "not the name of a namespace")):
        code, out, err = world.capstan.run("status", *flags)
        assert code == FAILED and words in err and err.count("\n") == 1 and not out, err


def then_done(world):
    """Checks that a manager with these flags writes what was predicted with them."""
    items = world.capstan.json("inject", "--dry-run", VERBATIM, NO_CRDS, code=FOUND)[1]["items"]
    check_equal("targets", [item["name"] for item in items], ["hook"])
    with Manager(world.scenario.bin_dir, world.cluster.kubeconfig(), "--leader-elect=false",
                 VERBATIM, NO_CRDS, ADDITIONAL) as manager:
        manager.wait_ready()
        flags = [match.group(0) for match in DECIDING.finditer(manager.get("/flagz")[1])]
        assert {VERBATIM, NO_CRDS, ADDITIONAL} <= set(flags) and len(flags) == 13, flags
        world.capstan.run("check", "--wait=60s", *flags, code=FINE)
        manager.stop()
    check_equal("the bundle", injection.held(world.client, WEBHOOKS, "hook"),
                [world.new] * 2)
    check_equal("with its flags", world.explain(WEBHOOKS, "hook", *flags), ("InSync", "Unchanged"))
    check_equal("without them", world.explain(WEBHOOKS, "hook"), ("InSync", "Unchanged"))
    check_equal("what nobody injected", world.explain(CRD, "thing"), ("Pending", "Injected"))
    world.scenario.figure("flags from /flagz", len(flags))


def api_server(world):
    """The API server's CA is that of service accounts, otherwise the kubeconfig's."""
    world.client.create(injection.target("APIService", "own", injection.FROM_API_SERVER, "true"))
    world.client.create(injection.target("APIService", "not", injection.FROM_API_SERVER, "false",
                                         world.old))

    def source():
        explained = world.capstan.json("explain", "apiservice", "v1.own.example.com")[1]
        link = next(link for link in explained["links"] if link["name"] == "API server")
        item = next(item for item in world.capstan.json("inject", "--dry-run")[1]["items"]
                    if item["name"] == "v1.own.example.com")
        return link["detail"], load.base64.b64decode(item["patch"]["spec"]["caBundle"]).decode()

    with open(world.cluster.ca_file, encoding="ascii") as file:
        ours = "".join(file.read().split())
    where, pem = source()
    check_equal("without a ConfigMap", (where, "".join(pem.split())),
                ("the API server (the CA of the kubeconfig)", ours))
    for namespace, content in (("default", world.old), ("kube-system", world.new)):
        load.ensure_namespace(world.client, namespace)
        world.client.create(injection.config_map(namespace, "kube-root-ca.crt", content, False))
        check_equal("with one", source(), (
            f"the API server (ConfigMap {namespace}/kube-root-ca.crt)", content))
    names = {item["name"] for item in world.capstan.json("status")[1]["items"]}
    assert "v1.own.example.com" in names and "v1.not.example.com" not in names, names
    rows = {row["name"]: row for row in world.capstan.json("audit", code=FINE)[1]["items"]}
    check_equal("what asks with \"false\"", rows["v1.not.example.com"].get("injectedFrom"), None)
    check_equal("what asks with \"true\"", rows["v1.own.example.com"]["injectedFrom"],
                injection.FROM_API_SERVER + ": true")


def run(scenario):
    world = World(scenario)
    predicted(world)
    then_done(world)
    api_server(world)
