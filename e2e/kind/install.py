# SPDX-License-Identifier: Apache-2.0
"""Installs the chart, upgrades it to WatchListClient=false, measures it, and uninstalls it."""
import json

import chain
import examples
import gates
import latency
import webhooks
from cluster import RELEASE

VALUES = {
    "global": {"leaderElection": {"namespace": RELEASE, "leaseDuration": "10s",
                                  "renewDeadline": "8s", "retryPeriod": "2s"}},
    "controllerManager": {"replicaCount": 2, "featureGates": "WatchListClient=true"},
    "nodeAgent": {"enabled": True, "featureGates": "WatchListClient=true",
                  "csiDriver": gates.DRIVER, "gates": ["pod-annotation:" + gates.GO],
                  "gateSets": latency.SETS,
                  "tolerations": [{"operator": "Exists"}]},
}


def ready_pods(cluster, component):
    missing = [{"ready": False}]
    return [pod for pod in cluster.pods(component)
            if not pod["metadata"].get("deletionTimestamp")
            and all(one["ready"] for one in pod["status"].get("containerStatuses", missing))]


def check_gates(cluster, gate):
    """Checks that each ready pod of both programs logged this setting at its start."""
    for component in ("controller-manager", "node-agent"):
        pods = ready_pods(cluster, component)
        assert pods, f"no ready pod of {component}"
        for pod in pods:
            log = cluster.kubectl("logs", "-n", RELEASE, pod["metadata"]["name"])
            logged = next(line for line in log.splitlines() if '"Feature gates"' in line)
            assert gate in logged, logged


def install(cluster):
    cluster.before = cluster.objects()
    cluster.helm("install", **VALUES)
    assert len(ready_pods(cluster, "controller-manager")) == 2, "two managers are ready"
    cluster.wait(lambda: len(ready_pods(cluster, "node-agent")) == len(cluster.nodes),
                 "an agent is ready on each node")
    check_gates(cluster, "WatchListClient=true")
    for pod in cluster.pods("controller-manager") + cluster.pods("node-agent"):
        for container in pod["spec"]["containers"]:
            context = container["securityContext"]
            assert context["readOnlyRootFilesystem"] and context["runAsUser"] == 65532, context


def upgrade(cluster):
    """Upgrades with helm until only new managers are left."""
    cluster.helm("upgrade")
    cluster.wait(lambda: len(ready_pods(cluster, "controller-manager")) == 2
                 and len(cluster.pods("controller-manager")) == 2, "the old managers are deleted")


def without_watch_list(cluster):
    """Both programs work on new targets and pods."""
    for key in ("controllerManager", "nodeAgent"):
        cluster.values[key]["featureGates"] = "WatchListClient=false"
    upgrade(cluster)
    check_gates(cluster, "WatchListClient=false")
    webhooks.injected_again(cluster, "without-watch-list")
    gates.opened_by_config_map(cluster, "without-watch-list")


def memory(cluster):
    """Reads the kubelet's figures: the working set includes file pages, rss only the heap."""
    for node in cluster.nodes:
        summary = json.loads(cluster.kubectl("get", "--raw",
                                             f"/api/v1/nodes/{node}/proxy/stats/summary"))
        for pod in summary["pods"]:
            if pod["podRef"]["namespace"] != RELEASE:
                continue
            for container in pod.get("containers", []):
                used = container.get("memory", {})
                cluster.figure(
                    f"{node} {container['name']}",
                    f"{used.get('workingSetBytes', 0) / 2**20:.1f} MiB working set, "
                    f"{used.get('rssBytes', 0) / 2**20:.1f} MiB anonymous")


def uninstalled(cluster):
    cluster.run("helm", "uninstall", RELEASE, "-n", RELEASE, "--wait", "--timeout", "3m")
    chain.clean(cluster)
    webhooks.clean(cluster)
    gates.clean(cluster)
    examples.clean(cluster)
    cluster.wait(lambda: not cluster.get("pods", "-n", RELEASE), "the pods are deleted")
    leases = cluster.get("leases", "-n", RELEASE)
    cluster.figure("Leases that stay", [lease["metadata"]["name"] for lease in leases])
    cluster.kubectl("delete", "namespace", RELEASE, "--wait=false")
    cluster.wait(lambda: nothing_left(cluster), "all objects are deleted")


def nothing_left(cluster):
    """Returns True, or raises AssertionError with the objects that the steps left behind."""
    left = cluster.objects() - cluster.before
    assert not left, f"left behind: {sorted(left)}"
    return True
