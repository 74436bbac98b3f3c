# SPDX-License-Identifier: Apache-2.0
"""The agent may write only its own keys on its own node, and nobody else may write them.

The scenario uses the policies and the RBAC of charts/capstan/policies on a real API server, with
tokens as a kubelet requests them. Each line is one allowed or denied request.
"""
import copy
import json
import os
import subprocess
import time

from lib import kube
from lib.cluster import ROOT
from lib.scenario import check_equal

KINDS = ("real",)
POLICIES = os.path.join(ROOT, "charts/capstan/policies")
DOMAIN = "readiness.capstan.dev/"
READY, STATUS, GATE_SET = DOMAIN + "ready", DOMAIN + "status", DOMAIN + "gate-set"
CONDITION = DOMAIN + "CertGates"
AGENT = {"namespace": "capstan-system", "name": "capstan-node-agent"}
USER = "system:serviceaccount:capstan-system:capstan-node-agent"
STRATEGIC, MERGE = "application/strategic-merge-patch+json", "application/merge-patch+json"
DRY = "?dryRun=All"


def pod(name, node, namespace="work", annotations=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "annotations": annotations or {}},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}], **spec}}


def pod_path(name, rest=""):
    return kube.path_of("v1", "pods", "work", name) + rest


def annotations(**values):
    return {"metadata": {"annotations": values}}


def condition(kind, status="True"):
    return {"status": {"conditions": [{"type": kind, "status": status}]}}


class Checks:
    """Sends requests with a known outcome and counts them."""

    def __init__(self):
        self.done = 0

    def outcome(self, what, client, *call):
        try:
            return 200, client.call(*call)
        except kube.ApiError as error:
            return error.code, str(error)
        finally:
            print(f"  {what}", end=": ", flush=True)

    def allow(self, what, client, *call):
        code, text = self.outcome(what, client, *call)
        print("allowed" if code == 200 else f"{code}", flush=True)
        assert code == 200, f"{what}: {text}"
        self.done += 1
        return text

    def deny(self, what, why, client, *call, code=422):
        got, text = self.outcome(what, client, *call)
        print(f"denied with {got}" if got == code else got, flush=True)
        assert got == code and why in str(text), f"{what}: {got} {str(text)[:600]}, expected {why!r}"
        self.done += 1


def token(admin, bound_to=None):
    spec = {"audiences": ["https://kubernetes.default.svc"], "expirationSeconds": 3600}
    if bound_to:
        meta = bound_to["metadata"]
        spec["boundObjectRef"] = {"apiVersion": "v1", "kind": "Pod", "name": meta["name"],
                                  "uid": meta["uid"]}
    path = kube.path_of("v1", "serviceaccounts", AGENT["namespace"], AGENT["name"]) + "/token"
    return admin.call("POST", path, {"apiVersion": "authentication.k8s.io/v1",
                                     "kind": "TokenRequest", "spec": spec})["status"]["token"]


def setup(admin):
    """Two nodes, an agent's pod on one of them, other pods on both, and the agent's account."""
    for name in (AGENT["namespace"], "work"):
        admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for name in ("node-a", "node-b"):
        admin.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    admin.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": AGENT})
    for name, node in (("here", "node-a"), ("there", "node-b"), ("plain", "node-a")):
        admin.create(pod(name, node, annotations={"owner": "author", GATE_SET: "web"}))
    admin.create(pod("nowhere", None))
    admin.call("PATCH", pod_path("plain", "/status"), condition("ContainersReady"), STRATEGIC)
    return admin.create(pod("agent", "node-a", AGENT["namespace"],
                            serviceAccountName=AGENT["name"]))


def wait_active(client, *call):
    """Waits for a new policy: sends dry runs until it denies."""
    before = time.monotonic()
    while time.monotonic() < before + 60:
        try:
            client.call(*call)
        except kube.ApiError as error:
            assert error.code == 422, error
            return time.monotonic() - before
        time.sleep(0.05)
    raise AssertionError(f"60 s later the policy still allows {call[:2]}")


def minimal_rbac(check, agent):
    """Checks that the role grants its rights and no others."""
    pods = kube.path_of("v1", "pods")
    check.allow("RBAC: list pods of its node", agent, "GET",
                pods + "?fieldSelector=spec.nodeName%3Dnode-a")
    check.allow("RBAC: patch a pod", agent, "PATCH", pod_path("here", DRY), {}, MERGE)
    check.allow("RBAC: patch a pod's status", agent, "PATCH", pod_path("here", "/status" + DRY), {},
                STRATEGIC)
    check.allow("RBAC: create an Event", agent, "POST", kube.path_of("v1", "events", "work") + DRY,
                {"metadata": {"name": "e", "namespace": "work"},
                 "involvedObject": {"kind": "Pod", "namespace": "work", "name": "here"}})
    for what, verb, path, body in (
            ("get a pod", "GET", pod_path("here"), None),
            ("create a pod", "POST", kube.path_of("v1", "pods", "work"), pod("new", "node-a")),
            ("update a pod", "PUT", pod_path("here"), pod("here", "node-a")),
            ("delete a pod", "DELETE", pod_path("here"), None),
            ("list Secrets", "GET", kube.path_of("v1", "secrets"), None),
            ("patch a node", "PATCH", kube.path_of("v1", "nodes", None, "node-a"), {})):
        check.deny("RBAC: " + what, "forbidden", agent, verb, path, body, MERGE, code=403)


def confined(check, agent, unbound, admin):
    """Checks policy A with an agent to which RBAC allows everything."""
    here, status = pod_path("here"), pod_path("here", "/status")
    own = annotations(**{READY: "v1.01234567.1", STATUS: "{}"})
    check.allow("A: own keys on own node", agent, "PATCH", here, own, MERGE)
    check.allow("A: own keys again", agent, "PATCH", here, annotations(**{READY: "x"}), MERGE)
    check.allow("A: own keys removed", agent, "PATCH", here,
                annotations(**{READY: None, STATUS: None}), MERGE)
    check.allow("A: own condition", agent, "PATCH", status, condition(CONDITION, "False"), STRATEGIC)
    check.allow("A: own condition changed", agent, "PATCH", status, condition(CONDITION), STRATEGIC)
    node = "pods of its own node only"
    check.deny("A: other node", node, agent, "PATCH", pod_path("there"), own, MERGE)
    check.deny("A: pod without a node", node, agent, "PATCH", pod_path("nowhere"), own, MERGE)
    check.deny("A: other node's condition", node, agent, "PATCH", pod_path("there", "/status"),
               condition(CONDITION), STRATEGIC)
    unknown = "names no node"
    check.deny("A: unbound token", unknown, unbound, "PATCH", here, own, MERGE)
    check.deny("A: unbound token, condition", unknown, unbound, "PATCH", status,
               condition(CONDITION), STRATEGIC)
    keys = "only the annotations"
    for what, change in (("set", {"other": "x"}), ("changed", {"owner": "agent"}),
                         ("deleted", {"owner": None}), ("set beside its own", {READY: "1", "o": "x"}),
                         ("gate-set changed", {GATE_SET: "db"}), ("of its domain", {READY + "2": "x"})):
        check.deny("A: foreign annotation " + what, keys, agent, "PATCH", here,
                   annotations(**change), MERGE)
    check.deny("A: foreign annotation through status", keys, agent, "PATCH", status,
               annotations(owner="agent"), MERGE)
    check.allow("A: own keys through status", agent, "PATCH", pod_path("here", "/status" + DRY),
                own, MERGE)
    label = "may not change labels or other metadata"
    check.deny("A: label", label, agent, "PATCH", here, {"metadata": {"labels": {"a": "b"}}}, MERGE)
    check.deny("A: label through status", label, agent, "PATCH", status,
               {"metadata": {"labels": {"a": "b"}}}, MERGE)
    check.deny("A: finalizer", label, agent, "PATCH", here,
               {"metadata": {"finalizers": ["example.com/hold"]}}, MERGE)
    check.deny("A: owner", label, agent, "PATCH", here, {"metadata": {"ownerReferences": [
        {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u"}]}}, MERGE)
    check.deny("A: image", "may not change a pod's spec", agent, "PATCH", here,
               {"spec": {"containers": [{"name": "c", "image": "evil"}]}}, STRATEGIC)
    check.deny("A: condition Ready", "may write only the condition", agent, "PATCH", status,
               condition("Ready"), STRATEGIC)
    check.deny("A: all conditions replaced", "may write only the condition", agent, "PATCH",
               pod_path("plain", "/status"), {"status": {"conditions": []}}, MERGE)
    check.deny("A: phase", "only its condition", agent, "PATCH", status,
               {"status": {"phase": "Succeeded"}}, MERGE)
    check.deny("A: pod IP", "only its condition", agent, "PATCH", status,
               {"status": {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}}, MERGE)
    only = "may only update pods"
    check.deny("A: create", only, agent, "POST", kube.path_of("v1", "pods", "work"),
               pod("new", "node-a"))
    check.deny("A: delete", only, agent, "DELETE", here)
    check.deny("A: evict", only, agent, "POST", here + "/eviction",
               {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "here"}})
    check.deny("A: bind", only, agent, "POST", pod_path("nowhere", "/binding"), binding({}))
    check.deny("A: ephemeral container", only, agent, "PATCH", here + "/ephemeralcontainers",
               {"spec": {"ephemeralContainers": [{"name": "e", "image": "i"}]}}, STRATEGIC)
    left = admin.call("GET", here)
    check_equal("annotations after all that", left["metadata"]["annotations"],
                {"owner": "author", GATE_SET: "web"})
    check_equal("conditions after all that",
                [c["status"] for c in left["status"]["conditions"] if c["type"] == CONDITION],
                ["True"])


def binding(keys):
    return {"apiVersion": "v1", "kind": "Binding",
            "metadata": {"name": "nowhere", "namespace": "work", "annotations": keys},
            "target": {"apiVersion": "v1", "kind": "Node", "name": "node-a"}}


def by_hand(admin, name):
    return f"v1.{admin.call('GET', pod_path(name))['metadata']['uid'][:8]}.0"


def reserved(check, agent, admin):
    """Checks policy B with an administrator, who may do everything else."""
    check.allow("B: the agent itself opens", agent, "PATCH", pod_path("here"),
                annotations(**{READY: "v1.01234567.2"}), MERGE)
    pods, here = kube.path_of("v1", "pods", "work"), pod_path("here")
    alone = "may write the annotations"
    for key in (READY, STATUS, DOMAIN + "anything"):
        check.deny(f"B: create with {key}", alone, admin, "POST", pods,
                   pod("new", "node-a", annotations={key: "x"}))
        check.deny(f"B: set {key}", alone, admin, "PATCH", pod_path("plain"),
                   annotations(**{key: "x"}), MERGE)
    check.deny("B: change the key", alone, admin, "PATCH", here, annotations(**{READY: "x"}), MERGE)
    check.deny("B: delete the key", "stay for the pod's life", admin, "PATCH", here,
               annotations(**{READY: None}), MERGE)
    check.deny("B: delete all annotations", "stay for the pod's life", admin, "PATCH", here,
               {"metadata": {"annotations": None}}, MERGE)
    check.deny("B: set the key through status", alone, admin, "PATCH", pod_path("plain", "/status"),
               annotations(**{READY: "x"}), MERGE)
    check.allow("B: open by hand", admin, "PATCH", pod_path("plain", DRY),
                annotations(**{READY: by_hand(admin, "plain")}), MERGE)
    check.deny("B: open by hand, with another pod's value", alone, admin, "PATCH",
               pod_path("plain", DRY), annotations(**{READY: by_hand(admin, "here")}), MERGE)
    check.deny("B: open by hand a pod that is open", alone, admin, "PATCH", here,
               annotations(**{READY: by_hand(admin, "here")}), MERGE)
    check.deny("B: open by hand, and write a status", alone, admin, "PATCH", pod_path("plain", DRY),
               annotations(**{READY: by_hand(admin, "plain"), STATUS: "{}"}), MERGE)
    for path in (pod_path("nowhere", "/binding"), kube.path_of("v1", "bindings", "work")):
        check.deny(f"B: set the key by {path.rsplit('/', 1)[1]}", alone, admin, "POST", path,
                   binding({READY: "x"}))
        check.deny(f"B: choose a gate set by {path.rsplit('/', 1)[1]}", alone, admin, "POST", path,
                   binding({GATE_SET: "db"}))
    updated = copy.deepcopy(admin.call("GET", here))
    updated["metadata"]["annotations"][READY] = "x"
    check.deny("B: change the key by update", alone, admin, "PUT", here, updated)
    updated["metadata"]["annotations"][READY] = "v1.01234567.2"
    updated["metadata"]["labels"] = {"fine": "yes"}
    check.allow("B: update what is not reserved", admin, "PUT", here, updated)
    check.allow("B: choose a gate set at creation", admin, "POST", pods + DRY,
                pod("new", "node-a", annotations={GATE_SET: "web"}))
    check.deny("B: change the gate set", alone, admin, "PATCH", here,
               annotations(**{GATE_SET: "db"}), MERGE)
    check.deny("B: choose a gate set later", alone, admin, "PATCH", pod_path("nowhere"),
               annotations(**{GATE_SET: "db"}), MERGE)
    check.allow("B: other annotations", admin, "PATCH", here, annotations(owner="else"), MERGE)
    conditions = "may write the conditions"
    status = pod_path("here", "/status")
    check.deny("B: change the condition", conditions, admin, "PATCH", status,
               condition(CONDITION, "False"), STRATEGIC)
    check.allow("B: open by hand, by the condition", admin, "PATCH",
                pod_path("plain", "/status" + DRY), condition(CONDITION), STRATEGIC)
    check.deny("B: write a condition that is not True", conditions, admin, "PATCH",
               pod_path("plain", "/status" + DRY), condition(CONDITION, "Unknown"), STRATEGIC)
    check.deny("B: delete the condition", conditions, admin, "PATCH", status,
               {"status": {"conditions": []}}, MERGE)
    check.deny("B: another condition of the domain", conditions, admin, "PATCH",
               pod_path("plain", "/status"), condition(DOMAIN + "Other"), STRATEGIC)
    check.allow("B: a kubelet's condition", admin, "PATCH", status, condition("Ready"), STRATEGIC)
    check.allow("B: bind without reserved keys", admin, "POST", pod_path("nowhere", "/binding"),
                binding({"fine": "yes"}))
    check.allow("B: delete a pod with the keys", admin, "DELETE",
                pod_path("here", "?gracePeriodSeconds=0"))


def run(scenario):
    cluster = scenario.cluster()
    admin = cluster.client()
    agents_pod = setup(admin)
    agent = cluster.client(token(admin, agents_pod))
    unbound = cluster.client(token(admin))
    kubectl = [os.path.join(cluster.state["binaries"], "kubectl"),
               "--kubeconfig=" + cluster.kubeconfig("admin"), "apply", "-f"]
    subprocess.run([*kubectl, POLICIES], check=True, stdout=subprocess.DEVNULL)
    check = Checks()
    label = {"metadata": {"labels": {"a": "b"}}}
    seconds = [wait_active(agent, "PATCH", pod_path("here", DRY), label, MERGE),
               wait_active(admin, "PATCH", pod_path("here", DRY), annotations(**{READY: "x"}), MERGE)]
    scenario.figure("until the fresh policies deny", " s, ".join(f"{s:.1f}" for s in seconds) + " s")

    minimal_rbac(check, agent)
    # RBAC must allow what the policy is expected to deny.
    admin.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                  "metadata": {"name": "too-much"},
                  "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                              "name": "cluster-admin"},
                  "subjects": [{"kind": "ServiceAccount", **AGENT}]})
    confined(check, agent, unbound, admin)
    reserved(check, agent, admin)
    for name in ("capstan-node-agent-confined", "capstan-readiness-keys-reserved"):
        policy = admin.call("GET", kube.path_of("admissionregistration.k8s.io/v1",
                                                "validatingadmissionpolicies", None, name))
        check_equal(f"failurePolicy of {name}", policy["spec"]["failurePolicy"], "Fail")
        assert USER in json.dumps(policy), f"{name} does not name {USER}"
    scenario.figure("allowed or denied as they should be", check.done)
