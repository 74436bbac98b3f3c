# SPDX-License-Identifier: Apache-2.0
"""Runs capstan-node-agent, creates pods for it, and reads the ready key as csi-driver does."""
import json
import os
import threading
import time

import yaml

from lib import kube, rights
from lib.cluster import ROOT
from lib.manager import Manager

NODE, NAMESPACE = "node-a", "work"
DOMAIN = "readiness.capstan.dev/"
READY, STATUS, GATE_SET = DOMAIN + "ready", DOMAIN + "status", DOMAIN + "gate-set"
RBAC = os.path.join(ROOT, "charts/capstan/policies/rbac.yaml")


class Agent(Manager):
    PROGRAM = "capstan-node-agent"

    def __init__(self, bin_dir, kubeconfig, *flags):
        super().__init__(bin_dir, kubeconfig, f"--node-id={NODE}", *flags)


def grant(cluster):
    """Grants the rights of an agent to the user of the returned kubeconfig."""
    if hasattr(cluster, "state"):  # a real API server
        client = cluster.client()
        with open(RBAC, encoding="utf-8") as file:
            client.create(next(yaml.safe_load_all(file)))
        client.create(rights.binding("capstan-node-agent", "User", "capstan"))
    return cluster.kubeconfig()


def account_kubeconfig(scenario, cluster, namespace, name, bound_to=None):
    """Returns a kubeconfig of a service account. The token is bound to the pod, if given."""
    spec = {"audiences": ["https://kubernetes.default.svc"]}
    if bound_to:
        meta = bound_to["metadata"]
        spec["boundObjectRef"] = {"apiVersion": "v1", "kind": "Pod", "name": meta["name"],
                                  "uid": meta["uid"]}
    account = kube.path_of("v1", "serviceaccounts", namespace, name)
    token = cluster.client().call("POST", account + "/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": spec})["status"]["token"]
    return kube.write_kubeconfig(scenario.path("kubeconfig." + name), cluster.server, name, token,
                                 **{"certificate-authority": cluster.ca_file})


def pod_of_agent(client, namespace, account):
    """Creates a pod that an agent's token can be bound to."""
    made = pod("agent")
    made["metadata"]["namespace"] = namespace
    made["spec"].update(serviceAccountName=account, volumes=[])
    return client.create(made)


def pod(name, node=NODE, annotations=None, driver="csi.cert-manager.io"):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": NAMESPACE, "annotations": annotations or {}},
            "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}],
                     "volumes": [{"name": "tls", "csi": {"driver": driver, "readOnly": True}}]}}


def path(name="", subresource=""):
    return kube.path_of("v1", "pods", NAMESPACE, name or None) + subresource


def give_address(client, name, address="10.0.0.1"):
    client.call("PATCH", path(name, "/status"),
                {"status": {"podIP": address, "podIPs": [{"ip": address}]}},
                "application/strategic-merge-patch+json")


def annotate(client, name, **values):
    client.merge_patch(path(name), {"metadata": {"annotations": values}})


def annotations(client, name):
    return client.call("GET", path(name))["metadata"].get("annotations") or {}


def is_open(client, name):
    """csi-driver's pod-annotation gate: any value that is not empty opens it."""
    return annotations(client, name).get(READY, "") != ""


def status(client, name):
    return json.loads(annotations(client, name).get(STATUS, "{}"))


class PodWatch(threading.Thread):
    """Watches the pods as csi-driver's informer does, and notes when each fact was first seen."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.client = cluster.client()
        self.lock = threading.Lock()
        self.seen = {}  # (uid, "address" | "open") -> seconds
        self.ready_values = {}  # uid -> every value that the ready key ever had
        self.start()

    def run(self):
        for line in self.client.watch(path()):
            now = time.monotonic()
            found = json.loads(line)["object"]
            uid = found["metadata"].get("uid")
            value = (found["metadata"].get("annotations") or {}).get(READY)
            with self.lock:
                if found.get("status", {}).get("podIPs"):
                    self.seen.setdefault((uid, "address"), now)
                if value:
                    self.seen.setdefault((uid, "open"), now)
                    self.ready_values.setdefault(uid, set()).add(value)

    def latencies(self):
        """Returns the seconds from the address to the open gate of each pod that has both."""
        with self.lock:
            return [at - self.seen[uid, "address"] for (uid, what), at in self.seen.items()
                    if what == "open" and (uid, "address") in self.seen]
