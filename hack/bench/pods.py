#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares caches of whole Pods: of clientgo, of kube-rs, and of client-go; see hack/bench/run."""
import os
import statistics
import sys
import time

import fill
import informers
import rounds
from lib import load
from lib.cluster import Cluster
from lib.etcd import TOKEN
from process import Process, cpu_seconds

NAMESPACE = "pods"
OURS, KEPT = "clientgo", "clientgo, kept fields"
PEERS = {"kube-rs": "kubers-podinformer", "client-go": "podinformer"}
# A cached Pod takes at most these shares of the others' bytes.
LIMITS = {"client-go": 0.7, "kube-rs": 0.7}


def pod(name):
    """Returns a Pod as a Deployment and a node make it: two containers with probes, and a status."""
    container = {
        "image": "registry.example.com/team/web:1.2.3", "imagePullPolicy": "IfNotPresent",
        "env": [{"name": f"SETTING_{i}", "value": f"value-{i}"} for i in range(8)] + [
            {"name": "NODE", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}}],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}],
        "livenessProbe": {"httpGet": {"path": "/livez", "port": "http", "scheme": "HTTP"}, "periodSeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http", "scheme": "HTTP"}, "periodSeconds": 5},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/web", "readOnly": True}],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5d8f", "controller": True,
             "uid": "12345678-1234-1234-1234-123456789012", "blockOwnerDeletion": True}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": NAMESPACE, "ownerReferences": [owner],
                         "labels": {"app": "web", "pod-template-hash": "5d8f", "team": "a"},
                         "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8080"}},
            "spec": {"nodeName": "node-1", "serviceAccountName": "default", "automountServiceAccountToken": False,
                     "containers": [{"name": "web", **container}, {"name": "proxy", **container}],
                     "volumes": [{"name": "config", "configMap": {"name": "web"}}],
                     "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute"}]}}


STATUS = {"phase": "Running", "hostIP": "10.1.2.3", "podIP": "10.2.3.4", "podIPs": [{"ip": "10.2.3.4"}],
          "startTime": "2026-01-01T00:00:00Z", "qosClass": "Burstable",
          "conditions": [{"type": kind, "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
                         for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")],
          "containerStatuses": [{"name": name, "ready": True, "restartCount": 0, "started": True,
                                 "image": "registry.example.com/team/web:1.2.3",
                                 "imageID": "registry.example.com/team/web@sha256:" + "0" * 64,
                                 "containerID": "containerd://" + "0" * 64,
                                 "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
                                for name in ("web", "proxy")]}


def fill_pods(cluster, count):
    client = cluster.client()
    load.ensure_namespace(client, NAMESPACE)
    name = "p-" + TOKEN
    path = f"/api/v1/namespaces/{NAMESPACE}/pods"
    filler = fill.Filler(cluster, path, pod(name), f"/registry/pods/{NAMESPACE}/{name}")
    client.merge_patch(f"{path}/{name}/status", {"status": STATUS})
    filler.add(1, count - 1)
    fill.wait_until_served(client, f"{path}/p-x{count - 1:07}?resourceVersion=0", seconds=300)


def command(options, name, kubeconfig):
    if name in PEERS:
        return [os.path.join(options.peers, PEERS[name]), f"--kubeconfig={kubeconfig}"]
    keep = ["--keep"] if name == KEPT else []
    return [os.path.join(options.bin, "bench_pod_informer"), f"--kubeconfig={kubeconfig}", *keep]


def measure(options, name, cluster, count):
    before = cpu_seconds(cluster.state["kube-apiserver"]["pid"])
    with Process(command(options, name, cluster.kubeconfig("admin")), {}) as process:
        seconds = informers.wait_until_synced(process, count)
        memory = process.memory()
        return {"peak": memory.peak, "anonymous": memory.anonymous, "cpu": process.cpu_seconds(), "seconds": seconds,
                "server": cpu_seconds(cluster.state["kube-apiserver"]["pid"]) - before}


def main():
    options = rounds.parse(__doc__, writes=True, pods=10000)
    names = [OURS, KEPT] + [name for name, file in PEERS.items() if os.path.exists(os.path.join(options.peers, file))]
    empty, full = {}, {}
    cluster = Cluster.create()
    try:
        for found, count in ((empty, 0), (full, options.pods)):
            if count:
                fill_pods(cluster, count)
                time.sleep(5)  # kube-apiserver collects its garbage

            def run_round(found=found, count=count):
                for name in names:
                    for figure, value in measure(options, name, cluster, count).items():
                        found.setdefault(figure, {}).setdefault(name, []).append(value)
            rounds.in_turn(options.rounds, run_round, f"{count:,} Pods")
    finally:
        cluster.destroy()
    print("Median (least to most) of rounds in turn")
    table = rounds.Table(("figure", *names, "allowed", ""))
    for figure, values in full.items():
        table.compare(f"{options.pods:,} whole Pods: {informers.FIGURES[figure]}", values, {}, 2 if figure != "peak" else 1)
    table.compare("a cached Pod, bytes of RssAnon",
                  {name: [(value - statistics.median(empty["anonymous"][name])) * 2**20 / options.pods
                          for value in values] for name, values in full["anonymous"].items()}, LIMITS, 0)
    return table.finish("pods", options)


if __name__ == "__main__":
    sys.exit(main())
