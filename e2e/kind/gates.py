# SPDX-License-Identifier: Apache-2.0
"""The DaemonSet opens gates. A CSI driver mounts only then, and only then a pod can run."""
import json

from cluster import RELEASE

NAMESPACE = "e2e-gates"
DRIVER = "e2e-csi.capstan.dev"
READY, STATUS = "readiness.capstan.dev/ready", "readiness.capstan.dev/status"
GO = "e2e.capstan.dev/go"
NETWORK = "network"  # the ConfigMap of the second gate
PLUGIN = "/var/lib/kubelet/plugins/" + DRIVER
PAUSE = "registry.k8s.io/pause:3.10"


def driver():
    """The driver is privileged, like all CSI drivers, because it mounts into pods."""
    labels = {"app": "e2e-csi"}
    meta = {"name": "e2e-csi", "namespace": NAMESPACE}
    host = [("plugin", PLUGIN, "DirectoryOrCreate"),
            ("registration", "/var/lib/kubelet/plugins_registry", "Directory"),
            ("pods", "/var/lib/kubelet/pods", "Directory")]
    container = {
        "name": "driver", "image": "e2e_csi_driver:e2e", "imagePullPolicy": "Never",
        "args": [DRIVER, "$(NODE)", PLUGIN, "/var/lib/kubelet/plugins_registry"],
        "env": [{"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
        "securityContext": {"privileged": True, "runAsUser": 0},
        "volumeMounts": [{"name": name, "mountPath": path, **(
            {"mountPropagation": "Bidirectional"} if name == "pods" else {})}
                         for name, path, _ in host]}
    return [
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER},
         "spec": {"attachRequired": False, "podInfoOnMount": True,
                  "volumeLifecycleModes": ["Ephemeral"]}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": meta,
         "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": meta,
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "e2e-csi"},
         "subjects": [{"kind": "ServiceAccount", **meta}]},
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": meta,
         "spec": {"selector": {"matchLabels": labels}, "template": {
             "metadata": {"labels": labels},
             "spec": {"serviceAccountName": "e2e-csi", "containers": [container],
                      "tolerations": [{"operator": "Exists"}],
                      "volumes": [{"name": name, "hostPath": {"path": path, "type": kind}}
                                  for name, path, kind in host]}}}}]


def pod(name, node):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": NAMESPACE},
            "spec": {"nodeName": node, "terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "c", "image": PAUSE, "volumeMounts": [
                         {"name": "tls", "mountPath": "/tls", "readOnly": True}]}],
                     "volumes": [{"name": "tls", "csi": {"driver": DRIVER, "readOnly": True}}]}}


def annotations(cluster, name):
    return cluster.get("pod", "-n", NAMESPACE, name)["metadata"].get("annotations", {})


def pending(cluster, name):
    return json.loads(annotations(cluster, name).get(STATUS, "{}")).get("state") == "Pending"


def running(cluster, name):
    return cluster.get("pod", "-n", NAMESPACE, name)["status"]["phase"] == "Running"


def refused(cluster, name):
    """Returns whether the driver has reported to the kubelet that the gates are closed."""
    events = cluster.get("events", "-n", NAMESPACE, "--field-selector",
                         "involvedObject.name=" + name)
    return any("gates are closed" in event["message"] for event in events)


def mounted(cluster, name):
    """Reads on the node what the driver wrote into the pod's volume."""
    found = cluster.get("pod", "-n", NAMESPACE, name)
    path = (f"/var/lib/kubelet/pods/{found['metadata']['uid']}/volumes/kubernetes.io~csi/tls"
            "/mount/ready")
    return cluster.on_node(found["spec"]["nodeName"], "cat", path).stdout.strip()


def check_open(cluster, name):
    took = cluster.wait(lambda: running(cluster, name), f"{name} runs", 240)
    key = annotations(cluster, name)[READY]
    assert key.startswith("v1.") and mounted(cluster, name) == key, \
        f"{name}: the driver saw {mounted(cluster, name)!r}, the key is {key!r}"
    return took


def registered(cluster):
    return all(any(one["name"] == DRIVER for one in node["spec"].get("drivers") or [])
               for node in cluster.get("csinodes"))


def opened(cluster):
    """Runs a pod on each node. A pod with a closed gate does not run."""
    cluster.kubectl("create", "namespace", NAMESPACE)
    cluster.apply(*driver())
    cluster.wait(lambda: registered(cluster), "the kubelets know the driver", 180)
    cluster.wait(lambda: cluster.get("serviceaccount", "-n", NAMESPACE, "default"), "an account")
    names = [f"web-{number}" for number, _ in enumerate(cluster.nodes)]
    cluster.apply(*[pod(name, node) for name, node in zip(names, cluster.nodes)],
                  pod("waits", cluster.nodes[-1]))
    for name in names + ["waits"]:
        cluster.wait(lambda it=name: pending(cluster, it) and refused(cluster, it),
                     f"{name} is pending, and the driver refuses to mount")
        assert not running(cluster, name), f"{name} runs with a closed gate"
    cluster.kubectl("annotate", "pod", "-n", NAMESPACE, *names, GO + "=yes")
    for name in names:
        took = cluster.wait(lambda it=name: READY in annotations(cluster, it), f"{name} is open")
        cluster.figure(f"{name}: seconds to the key, to the running container",
                       f"{took:.1f}, {check_open(cluster, name):.1f}")
    assert not running(cluster, "waits") and READY not in annotations(cluster, "waits")


def upgraded(cluster):
    """Changes the gate: open pods stay open, and pods that waited for the old gate open."""
    before = {name: annotations(cluster, name)[READY] for name in ("web-0", "web-1")}
    cluster.values["nodeAgent"]["gates"] = [f"configmap:{NAMESPACE}/{NETWORK}"]
    cluster.helm("upgrade")
    cluster.kubectl("rollout", "status", "-n", RELEASE, "daemonset/capstan-node-agent",
                    "--timeout=180s")
    opened_by_config_map(cluster, "after-upgrade")
    check_open(cluster, "waits")
    for name, key in before.items():
        assert annotations(cluster, name)[READY] == key, f"{name}: its key has changed"


def opened_by_config_map(cluster, name):
    """A new pod waits only for the ConfigMap."""
    cluster.kubectl("delete", "configmap", "-n", NAMESPACE, NETWORK, "--ignore-not-found")
    cluster.apply(pod(name, cluster.nodes[-1]))
    cluster.wait(lambda: pending(cluster, name) and refused(cluster, name), f"{name} is pending")
    cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "data": {"up": "yes"},
                   "metadata": {"name": NETWORK, "namespace": NAMESPACE}})
    cluster.figure(f"{name}: seconds to the running container",
                   f"{check_open(cluster, name):.1f}")


def clean(cluster):
    """Deletes the pods first, because unmounting needs the driver."""
    cluster.kubectl("delete", "pods", "-n", NAMESPACE, "-l", "!app")
    cluster.kubectl("delete", "csidriver", DRIVER)
    cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=false")
