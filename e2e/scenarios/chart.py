# SPDX-License-Identifier: Apache-2.0
"""A real API server accepts every variant of the chart, and its rights are enough in each mode.

Each file of charts/capstan/ci is applied with --dry-run=server, strictly and without a warning. All
pods except the broker's pass the Pod Security level restricted. Then the manager runs with the
arguments and the service account of three modes, without any 403.
"""
import json
import os
import subprocess
import sys

import yaml

from lib import injection, kube, load
from lib.cluster import ROOT
from lib.manager import Manager
from lib.scenario import Skipped, check_equal

sys.path.insert(0, os.path.join(ROOT, "hack/chart"))
import chart  # pylint: disable=wrong-import-position,import-error

KINDS = ("real",)
USER = f"system:serviceaccount:{chart.NAMESPACE}:capstan-controller-manager"
SPECS = ("ServiceMonitor", "PodMonitor", "PrometheusRule")
MODES = {
    "cluster-wide": {},
    "namespaces": {"namespaces": ["ca"]},
    "referencedSecretsOnly": {"referencedSecretsOnly": {
        "enabled": True, "secrets": {"ca": ["root", "serving"]}}},
    "verifyEndpoints": {"verifyEndpoints": {
        "enabled": True, "period": "10s", "retireUnusedCAsAfter": "24h"}},
    "both": {"namespaces": ["ca"], "referencedSecretsOnly": {
        "enabled": True, "secrets": {"ca": ["root", "serving"]}}},
}


def install_monitoring(client):
    """Installs the operator's kinds without schemas; hack/chart/tests checks the content."""
    for kind in SPECS:
        plural = kind.lower() + "s"
        client.create({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": plural + ".monitoring.coreos.com"},
            "spec": {"group": "monitoring.coreos.com", "scope": "Namespaced",
                     "names": {"kind": kind, "plural": plural},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                         "openAPIV3Schema": {"type": "object", "properties": {"spec": {
                             "type": "object",
                             "x-kubernetes-preserve-unknown-fields": True}}}}}]}})


def kubectl(cluster, *arguments, stdin):
    result = subprocess.run(
        [os.path.join(cluster.state["binaries"], "kubectl"),
         "--kubeconfig=" + cluster.kubeconfig("admin"), *arguments], input=stdin, text=True,
        capture_output=True, check=False, timeout=120)
    return result.returncode, result.stdout, result.stderr


def dry_runs(scenario, cluster):
    for name, path in chart.variants().items():
        code, out, err = kubectl(cluster, "apply", "--dry-run=server", "--validate=strict", "-f", "-",
                                 stdin=chart.text(files=[path]))
        assert code == 0, f"{name}: {err}"
        check_equal(f"warnings of {name}", err, "")
        scenario.figure(f"accepted, {name}", f"{len(out.splitlines())} objects")
    broken = chart.text().replace("periodSeconds", "periodSecond")
    code, _, err = kubectl(cluster, "apply", "--dry-run=server", "--validate=strict", "-f", "-",
                           stdin=broken)
    assert code != 0 and "periodSecond" in err, f"a wrong field is accepted: {code} {err}"


def pod_security(client):
    for level in ("restricted", "privileged"):
        client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": level, "labels": {"pod-security.kubernetes.io/enforce": level}}})

    def refused(path, level):
        for workload in chart.objects(files=[path]):
            if workload["kind"] in ("Deployment", "DaemonSet"):
                # This server lacks these classes, or allows them only in other namespaces.
                spec = {field: value for field, value in chart.pod_of(workload).items()
                        if field not in ("priorityClassName", "runtimeClassName")}
                pod = {"apiVersion": "v1", "kind": "Pod", "spec": spec,
                       "metadata": {"generateName": "p-", "namespace": level}}
                try:
                    client.call("POST", kube.path_of("v1", "pods", level) + "?dryRun=All", pod)
                except kube.ApiError as error:
                    assert "violates PodSecurity" in str(error), error
                    return str(error)
        return None

    for name, path in chart.variants().items():
        why = refused(path, "restricted")
        check_equal(f"refused by restricted, {name}", bool(why), name == "broker")
        check_equal(f"refused by privileged, {name}", refused(path, "privileged"), None)


def kubeconfig(scenario, cluster, mode):
    path = kube.path_of("v1", "serviceaccounts", chart.NAMESPACE, USER.rsplit(":", 1)[1]) + "/token"
    token = cluster.client().call("POST", path, {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"audiences": ["https://kubernetes.default.svc"]}})["status"]["token"]
    return kube.write_kubeconfig(scenario.path("kubeconfig." + mode), cluster.server, USER, token,
                                 **{"certificate-authority": cluster.ca_file})


def refusals(cluster, since):
    events, size = cluster.audited(since)
    events = [e for e in events if e["user"]["username"] == USER]
    assert events, "the audit log has nothing of the manager"
    return [e["requestURI"] for e in events if e["responseStatus"]["code"] == 403], size


def rights_of(scenario, cluster, mode, values, since):
    """Installs the chart in this mode, and runs the manager with only its rights and arguments."""
    client = cluster.client()
    found = chart.objects({"controllerManager": values})
    made = yaml.safe_dump_all(
        o for o in found if "Role" in o["kind"] or o["kind"] == "ServiceAccount")
    code, _, err = kubectl(cluster, "apply", "-f", "-", stdin=made)
    assert code == 0, err
    container = chart.pod_of(chart.one(found, "Deployment"))["containers"][0]
    new = load.new_ca(mode)
    for name in ("root", "serving"):
        client.merge_patch(f"/api/v1/namespaces/ca/secrets/{name}",
                           {"data": {"ca.crt": load.encoded(new)}})
    with Manager(scenario.bin_dir, kubeconfig(scenario, cluster, mode),
                 *container["args"]) as manager:
        manager.wait_ready()
        manager.wait_until(lambda: all(
            bundle.endswith(new) for kind in injection.KINDS
            for name in ("by-secret", "by-certificate")
            for bundle in injection.held(client, kind, name)), f"all are injected, {mode}", 60)
        check_equal("exit code", manager.stop()[0], 0)
    refused, since = refusals(cluster, since)
    check_equal(f"403s, {mode}", refused, [])
    # The next mode must start without the rights of this one.
    code, _, err = kubectl(cluster, "delete", "-f", "-", stdin=made)
    assert code == 0, err
    scenario.figure(f"injected, {mode}", f"{json.dumps(container['args'][2:])}, no 403")
    return since


def run(scenario):
    if chart.tools() is None:
        raise Skipped("no helm here; hack/chart/build makes one")
    cluster = scenario.cluster()
    client = cluster.client()
    install_monitoring(client)
    injection.install_certificates(client)
    for namespace in (chart.NAMESPACE, "team-a", "team-b", "ca"):
        load.ensure_namespace(client, namespace)
    dry_runs(scenario, cluster)
    pod_security(client)

    ca = load.new_ca("first")
    client.create(load.ca_secret("ca", "root", ca))
    client.create(injection.certificate("ca", "serving", "serving"))
    client.create(injection.certificate_secret("ca", "serving", "serving", ca))
    injection.create(client, "by-secret", injection.FROM_SECRET, "ca/root")
    injection.create(client, "by-certificate", injection.FROM_CERTIFICATE, "ca/serving")
    since = 0
    for mode, values in MODES.items():
        since = rights_of(scenario, cluster, mode, values, since)
