# SPDX-License-Identifier: Apache-2.0
"""capstan inject --dry-run predicts what the manager writes, for random targets and sources.

It also works on files without a cluster, as text and as the patch. Afterwards capstan audit names the
owner of each bundle. The scenario also checks capstan gates and completion.
"""
import base64
import json
import os
import random
import re
import subprocess

from lib import agent, injection, load
from lib.capstan import FAILED, FINE, FOUND, Capstan
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
TARGETS = 60
SEED = int(os.environ.get("CAPSTAN_SEED", "8"))  # another seed gives another run


class World:
    def __init__(self, scenario):
        self.scenario, self.cluster = scenario, scenario.cluster()
        self.client = self.cluster.client()
        self.capstan = Capstan(scenario.bin_dir, self.cluster.kubeconfig("admin"))
        self.random = random.Random(SEED)
        self.cas = [load.new_ca(f"root-{i}") for i in range(3)]
        self.old = load.new_ca("old", "20200101000000Z", "20210101000000Z")
        self.objects = []  # all created objects
        self.targets = []  # (kind, name)
        load.ensure_namespace(self.client, "ca")
        injection.install_certificates(self.client)

    def create(self, made):
        self.client.create(made)
        self.objects.append(made)

    def pems(self):
        """Returns random content: nothing, some CAs, a repeated one, an old one."""
        picked = self.random.choices([*self.cas, self.old], k=self.random.randrange(4))
        return "".join(picked)


def sources(world):
    """Returns [(annotation, value)]."""
    made = [(injection.FROM_API_SERVER, "true"), (injection.FROM_SECRET, "ca/absent"),
            (injection.FROM_CERTIFICATE, "nonsense")]
    for i in range(6):
        pem = world.pems()
        secret = load.ca_secret("ca", f"s-{i}", pem if i else pem + "no certificate")
        if i == 1:
            secret["metadata"]["annotations"] = {}
        world.create(secret)
        made.append((injection.FROM_SECRET, f"ca/s-{i}"))
        world.create(injection.certificate("ca", f"c-{i}", f"c-{i}-tls"))
        world.create(injection.certificate_secret("ca", f"c-{i}-tls", f"c-{i}", world.pems()))
        made.append((injection.FROM_CERTIFICATE, f"ca/c-{i}"))
        world.create(injection.config_map("ca", f"m-{i}", world.pems(), i % 2 == 0))
        made.append((injection.FROM_CONFIG_MAP, f"ca/m-{i}"))
    return made


def targets(world, possible):
    for i in range(TARGETS):
        kind = world.random.choice(list(injection.KINDS))
        made = injection.target(kind, f"t-{i}", *world.random.choice(possible), world.pems())
        if "webhooks" in made:
            made["webhooks"] = json.loads(json.dumps(made["webhooks"]))
            made["webhooks"][0]["clientConfig"]["caBundle"] = load.encoded(world.pems())
        if world.random.randrange(4) == 0:  # with two sources, the first in precedence wins
            made["metadata"]["annotations"].update([world.random.choice(possible)])
        world.create(made)
        world.targets.append((kind, f"t-{i}"))


def bundles_in(patch):
    configs = [webhook["clientConfig"] for webhook in patch.get("webhooks", [])]
    if patch["kind"] == "APIService":
        configs = [patch["spec"]]
    elif patch["kind"] == "CustomResourceDefinition":
        configs = [patch["spec"]["conversion"]["webhook"]["clientConfig"]]
    return [base64.b64decode(config["caBundle"]).decode() for config in configs]


def predictions(output):
    """Returns {(kind, name): (reason, bundles to be written or None)}."""
    return {(item["kind"], item["name"]):
            (item["reason"], bundles_in(item["patch"]) if "patch" in item else None)
            for item in output["items"]}


def on_files(world, predicted):
    """Checks a List in JSON, and YAML documents on stdin."""
    path = world.scenario.path("objects.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": world.objects}, file)
    from_files = predictions(world.capstan.json("inject", "--dry-run", "-f", path, code=FOUND,
                                                kubeconfig="/nowhere")[1])
    annotated = {key for key, made in zip(world.targets, [
        one for one in world.objects if one["kind"] in injection.KINDS])
                 if injection.FROM_API_SERVER in made["metadata"]["annotations"]}
    skipped = 0
    for kind, name in world.targets:
        key = (kind, injection.name_of(kind, name))
        if (kind, name) in annotated:
            skipped += 1  # no file contains that CA
            continue
        check_equal(f"by files, {key}", from_files[key], predicted[key])
    world.scenario.figure("same result from files", f"{len(world.targets) - skipped} targets")
    stream = "---\n".join(json.dumps(made) + "\n" for made in world.objects)
    again = predictions(world.capstan.json("inject", "--dry-run", "-f", "-", stdin=stream)[1])
    check_equal("by stdin", again, from_files)


def yaml(world):
    """Checks realistic YAML (stringData, comments, other kinds), and errors in it."""
    indented = world.cas[0].replace("\n", "\n    ")
    text = f"""# a comment
apiVersion: v1
kind: Secret
metadata:
  name: root  # in the namespace default
  annotations: {{cert-manager.io/allow-direct-injection: "true"}}
stringData:
  ca.crt: |
    {indented}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: other}}
---
apiVersion: networking.internal.knative.dev/v1alpha1
kind: Certificate
metadata: {{name: of-another-group}}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: v1.a.example.com
  annotations:
    cert-manager.io/inject-ca-from-secret: default/root
spec: {{group: a.example.com, version: v1, versionPriority: 1, groupPriorityMinimum: 1,
       service: {{namespace: ca, name: absent}}}}
"""
    code, out, err = world.capstan.run("inject", "--dry-run", "-f", "-", stdin=text)
    assert code == FOUND and "+ CN=root-0, expires 20" in out and "2 objects of other" in err, err
    for broken, words in (("a: [", "stdin:1: invalid YAML"), ("a: b", "stdin:1: not a Kube"), ("", "stdin: no objects"),
                          (text.replace("version: v1, ", "version: [v1], "), ": APIService v1.a")):
        _, out, err = world.capstan.run("inject", "--dry-run", "-f", "-", stdin=broken, code=FAILED)
        assert words in err and err.splitlines()[-1].startswith("Error: ") and not out, err
    world.capstan.run("inject", "-f", "x", code=FAILED)
    _, _, err = world.capstan.run("inject", "--dry-run", "-f", "/no/such", code=FAILED)
    assert "/no/such" in err, err


def compare(world, predicted):
    held = {}
    for kind, name in world.targets:
        held[(kind, name)] = injection.held(world.client, kind, name)

    def as_predicted():
        return all(predicted[(kind, injection.name_of(kind, name))][1]
                   in (None, injection.held(world.client, kind, name))
                   for kind, name in world.targets)

    with Manager(world.scenario.bin_dir, world.cluster.kubeconfig(),
                 "--leader-elect=false") as manager:
        manager.wait_ready()
        manager.wait_until(as_predicted, "the manager writes the prediction", 60)
        manager.stop()
    written = 0
    for kind, name in world.targets:
        reason, bundles = predicted[(kind, injection.name_of(kind, name))]
        now = injection.held(world.client, kind, name)
        check_equal(f"{kind} {name} ({reason})", now, bundles or held[(kind, name)])
        written += bundles is not None
        if reason not in ("Injected", "Unchanged"):
            assert reason in injection.reasons(world.client, kind, name), f"{kind} {name} {reason}"
    world.scenario.figure("targets as predicted",
                          f"{len(world.targets)}, {written} written (CAPSTAN_SEED={SEED})")
    assert 10 < written < len(world.targets), "the targets are not random enough"


def audit(world, predicted):
    entries = world.capstan.json("audit", code=FINE)[1]["items"]
    for (kind, name), (_, bundles) in predicted.items():
        rows = [row for row in entries if (row["kind"], row["name"]) == (kind, name)]
        if bundles is None:
            continue
        for row, bundle in zip(rows, bundles, strict=True):
            assert "cert-manager-cainjector" in row["owner"].split(", "), row
            check_equal(f"certificates of {kind} {name}", row["certificates"],
                        bundle.count("BEGIN CERT"))
            assert row["state"] in ("valid", "expires soon") and row["injectedFrom"], row
    world.client.create(injection.target("ValidatingWebhookConfiguration", "mine", "a", "b", world.old))
    row = next(row for row in world.capstan.json("audit")[1]["items"] if row["name"] == "mine")
    check_equal("what nobody manages", (row["state"], row.get("injectedFrom"), row["expires"]),
                ("expired", None, "2021-01-01T00:00:00Z"))
    assert "unmanaged" in world.capstan.run("audit", code=FINE)[1]


def gates(world):
    """Checks the output for a pod with the agent's status, and for another pod with a copy."""
    status = {"v": 1, "gen": "g", "state": "Pending", "by": "n/v1", "gates": [
        {"name": "pod-ip:ipv4", "kind": "pod-ip", "ok": False, "reason": "NoAddress",
         "msg": "pod has no ipv4 address yet", "since": "2026-01-02T03:04:05Z"}]}
    for name in ("web", "copy", "plain", "condition"):
        made = agent.pod(name, annotations={"readiness.capstan.dev/gate-set": "mesh"})
        load.ensure_namespace(world.client, made["metadata"]["namespace"])
        world.client.create(made)
    status["uid"] = world.client.call("GET", agent.path("web"))["metadata"]["uid"]
    for name in ("web", "copy"):
        agent.annotate(world.client, name, **{agent.STATUS: json.dumps(status)})
    world.client.call("PATCH", agent.path("condition", "/status"), {"status": {"conditions": [
        {"type": "readiness.capstan.dev/CertGates", "status": "False", "reason": "GatesPending",
         "lastTransitionTime": "2026-02-03T04:05:06Z"}]}},
                      "application/strategic-merge-patch+json")
    items = {item["pod"].split("/")[1]: item for item in
             world.capstan.json("gates", code=FINE)[1]["items"]}
    check_equal("states", {name: item["state"] for name, item in items.items()},
                {"web": "Pending", "copy": "Unknown", "condition": "Pending"})
    check_equal("the condition's", (items["condition"]["reason"], items["condition"]["since"]),
                ("GatesPending", "2026-02-03T04:05:06Z"))
    text = world.capstan.run("gates", items["condition"]["pod"], code=FINE)[1]
    assert re.search(r"mesh +Pending +- +closed  2026-02-03T04:05:06Z  GatesPending", text), text
    check_equal("the gate", items["web"]["gates"], [
        {"name": "pod-ip:ipv4", "open": False, "reason": "NoAddress",
         "message": "pod has no ipv4 address yet", "since": "2026-01-02T03:04:05Z"}])
    text = world.capstan.run("gates", items["web"]["pod"], code=FINE)[1]
    assert "mesh" in text and "closed  2026-01-02T03:04:05Z  NoAddress: pod has no" in text, text
    namespace = items["web"]["pod"].split("/")[0]
    _, _, err = world.capstan.run("gates", namespace + "/plain", code=FAILED)
    assert "has no status" in err, err
    world.capstan.run("gates", namespace + "/", code=FAILED)


def completion(world):
    for shell in ("bash", "zsh", "fish"):
        script = world.capstan.run("completion", shell, code=FINE)[1]
        assert "explain" in script and "--output" in script, script
        if shell == "bash":
            done = subprocess.run(
                ["bash", "-c", script + 'COMP_WORDS=(capstan exp); COMP_CWORD=1; _capstan;'
                 'echo "${COMPREPLY[@]}"'], text=True, capture_output=True, check=True)
            check_equal("completed", done.stdout.strip(), "explain")
    world.capstan.run("completion", "csh", code=FAILED)


def run(scenario):
    world = World(scenario)
    targets(world, sources(world))
    predicted = predictions(world.capstan.json("inject", "--dry-run", code=FOUND)[1])
    text = world.capstan.run("inject", "--dry-run", code=FOUND)[1]
    assert "  + CN=root-" in text and "nothing is written: " in text, text
    on_files(world, predicted)
    yaml(world)
    compare(world, predicted)
    audit(world, predicted)
    again = world.capstan.json("inject", "--dry-run")[1]
    check_equal("to be written afterwards", [i for i in again["items"] if "patch" in i], [])
    gates(world)
    completion(world)
    assert "PRIVATE KEY-----" not in "".join(world.capstan.outputs)
