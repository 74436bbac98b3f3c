# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus scrapes both programs by the chart's annotations, PodMonitors and ServiceMonitor.

`up` is 1, the series arrive, every query of the dashboard returns data, and an alert fires.
"""
import os
import sys

from lib import agent, kube, load
from lib.cluster import ROOT
from lib.manager import Manager
from lib.prometheus import Prometheus, of_annotations, of_monitor
from lib.scenario import Skipped, check_equal

sys.path.insert(0, os.path.join(ROOT, "hack/chart"))
import chart  # pylint: disable=wrong-import-position,import-error
import dashboard  # pylint: disable=wrong-import-position,import-error

KINDS = ("real",)
ADDRESSES = {"Deployment": "192.0.2.2", "DaemonSet": "192.0.2.3"}
RULES = os.path.join(chart.CHART, "files/rules.yaml")


def values(**prometheus):
    return {"nodeAgent": {"enabled": True, "gates": ["pod-ip:any"]}, "prometheus": prometheus}


def write_pods(client, found):
    """Creates the objects that kubelets and controllers would create."""
    for kind, address in ADDRESSES.items():
        workload = chart.one(found, kind)
        template = workload["spec"]["template"]
        name = workload["metadata"]["name"] + "-0"
        path = kube.path_of("v1", "pods", chart.NAMESPACE, name)
        try:
            client.call("DELETE", path + "?gracePeriodSeconds=0")
        except kube.ApiError as error:
            assert error.code == 404, error
        pod = {"apiVersion": "v1", "kind": "Pod",
               "metadata": {**template["metadata"], "name": name, "namespace": chart.NAMESPACE},
               "spec": {**template["spec"], "nodeName": "node-a"}}
        client.create(pod)
        client.call("PATCH", path + "/status", {"status": {
            "phase": "Running", "podIP": address, "podIPs": [{"ip": address}],
            "conditions": [{"type": "Ready", "status": "True"}]}},
                    "application/strategic-merge-patch+json")


def write_service(client, found):
    service = chart.one(found, "Service")
    client.create(service)
    address = {"ip": ADDRESSES["Deployment"], "targetRef": {
        "kind": "Pod", "namespace": chart.NAMESPACE, "name": service["metadata"]["name"] + "-0"}}
    client.call("POST", kube.path_of("v1", "endpoints", chart.NAMESPACE), {
        "apiVersion": "v1", "kind": "Endpoints",
        "metadata": {"name": service["metadata"]["name"], "namespace": chart.NAMESPACE,
                     "labels": service["metadata"]["labels"]},
        "subsets": [{"addresses": [address], "ports": [{
            "name": service["spec"]["ports"][0]["name"], "port": 9402}]}]})


def targets_up(prometheus):
    found = prometheus.query("up")
    return found if len(found) == 2 and all(value == 1 for _, value in found) else None


def scraped(scenario, what, prometheus):
    with prometheus:
        up = prometheus.wait(f"two targets are up, {what}", lambda: targets_up(prometheus))
        for series in ('capstan_injectable_in_sync{name="target-0"} == 1', "capstan_gate_pending > 0"):
            prometheus.wait(f"{series}, {what}", lambda s=series: prometheus.query(s))
        pods = sorted(labels["pod"] for labels, _ in up)
        check_equal(f"pods that are scraped, {what}", pods,
                    ["capstan-controller-manager-0", "capstan-node-agent-0"])
        nodes = {labels["pod"]: labels.get("node") for labels, _ in up}
        if what != "by annotations":  # the alert CapstanPodsWithoutNodeAgent needs it
            check_equal(f"node of the agent's series, {what}", nodes["capstan-node-agent-0"], "node-a")
        scenario.figure(what, ", ".join(f"up of {labels['job']}/{labels['pod']}: {value:.0f}"
                                        for labels, value in up))


def dashboard_and_alerts(scenario, client, prometheus):
    """Waits for data. Rates need two samples, and events that never happened have no series."""
    numbers = iter(range(1000))
    with prometheus:
        empty = set()
        queries = [q.replace("$__rate_interval", "10s").replace("$job", ".*")
                   for q in dashboard.queries()]

        def all_answer():
            empty.clear()
            empty.update(query for query in queries if not prometheus.query(query))
            return not empty
        try:
            prometheus.wait("every query of the dashboard returns data", all_answer,
                            lambda: keep_busy(client, next(numbers)))
        except AssertionError as error:
            raise AssertionError(f"{error}; empty: {empty}") from error
        prometheus.wait("CapstanOutOfSync is pending", lambda: [
            labels for labels, _ in prometheus.query('ALERTS{alertname="CapstanOutOfSync"}')
            if labels["name"] == "broken"])
        scenario.figure("queries of the dashboard that return data", len(queries))


def write_work(client):
    """Creates a target in sync, one to rotate, one without its source, and a pod that waits."""
    for namespace in (chart.NAMESPACE, "work"):
        load.ensure_namespace(client, namespace)
    load.ensure_namespace(client, "ca")
    for name in ("root", "rotated"):
        client.create(load.ca_secret("ca", name, load.new_ca(name)))
    load.load_configurations(client, 1, "ca/root")
    client.create(load.configuration(load.KINDS[0], "rotated", "ca/rotated"))
    client.create(load.configuration(load.KINDS[0], "broken", "ca/none"))
    client.create(agent.pod("waits"))


def keep_busy(client, number):
    """Causes data for every rate: a rotation, and a pod whose gate opens."""
    client.merge_patch("/api/v1/namespaces/ca/secrets/rotated",
                       {"data": {"ca.crt": load.encoded(load.new_ca(f"r{number}"))}})
    client.create(agent.pod(f"opens-{number}"))
    agent.give_address(client, f"opens-{number}")


def run(scenario):
    if chart.tools() is None:
        raise Skipped("no helm here; hack/chart/build makes one")
    cluster = scenario.cluster()
    client = cluster.client()
    kubeconfig = agent.grant(cluster)
    write_work(client)
    with Manager(scenario.bin_dir, kubeconfig) as manager, \
            agent.Agent(scenario.bin_dir, kubeconfig, "--pod-readiness-gate=pod-ip:any") as node:
        manager.wait_ready()
        node.wait_ready()
        ports = {ADDRESSES["Deployment"] + ":9402": manager.port,
                 ADDRESSES["DaemonSet"] + ":9403": node.port}

        def prometheus(name, scrapes, **options):
            return Prometheus(scenario.path(name), client, scrapes, ports, **options)

        found = chart.objects(values())
        write_pods(client, found)
        scraped(scenario, "by annotations", prometheus("annotations", [of_annotations()]))
        for kind in ("podmonitor", "servicemonitor"):
            found = chart.objects(values(**{kind: {"enabled": True}}))
            write_pods(client, found)
            if kind == "servicemonitor":
                write_service(client, found)
            monitors = [of_monitor(o) for o in found if o["kind"].endswith("Monitor")]
            scraped(scenario, f"by {kind}", prometheus(kind, monitors))
        dashboard_and_alerts(scenario, client, prometheus("dashboard", monitors, rules=[RULES]))
