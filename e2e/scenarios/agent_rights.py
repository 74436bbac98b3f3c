# SPDX-License-Identifier: Apache-2.0
"""The chart's rights are enough for the node agent, and cover only the ConfigMaps that values name.

The agent runs with the chart's arguments and a token of the chart's service account, with and without
streaming lists. Each gate reports a missing ConfigMap, not a missing right, and opens when the
ConfigMap exists. No request is forbidden. The agent may not read other ConfigMaps.
"""
import os
import sys

import yaml

from lib import agent, kube, load
from lib.agent import GATE_SET, Agent
from lib.cluster import ROOT
from lib.scenario import Skipped, check_equal

sys.path.insert(0, os.path.join(ROOT, "hack/chart"))
import chart  # pylint: disable=wrong-import-position,import-error

KINDS = ("embedded", "real")
ACCOUNT = "capstan-node-agent"
USER = f"system:serviceaccount:{chart.NAMESPACE}:{ACCOUNT}"
# {pod: (the ConfigMap that it waits for besides the mandatory one, its gate set)}
PODS = {"default": ("bundle", None), "set": ("mesh", "mesh")}
VALUES = {"enabled": True, "gates": ["configmap:trust/bundle:ca.crt"],
          "mandatoryGates": ["configmap:trust/all"],
          "gateSets": {"mesh": ["configmap:trust/mesh", "node-condition:Ready=Unknown"]}}


def install(client, found):
    for made in found:
        if "Role" in made["kind"] or made["kind"] in ("ServiceAccount", "ConfigMap"):
            client.create(made)


def reasons(client, name):
    """Returns {gate: reason} of the closed gates."""
    return {gate["name"]: gate["reason"] for gate in agent.status(client, name).get("gates", [])
            if not gate["ok"]}


def serves(scenario, cluster, kubeconfig, arguments, watch_list):
    """Checks that pods wait for missing ConfigMaps, and open when these are created."""
    client = cluster.client()
    names = {f"{name}-{watch_list}": of for name, of in PODS.items()}
    with Agent(scenario.bin_dir, kubeconfig, *arguments,
               f"--feature-gates=WatchListClient={watch_list}") as process:
        for name, (_, gate_set) in names.items():
            client.create(agent.pod(name, annotations={GATE_SET: gate_set} if gate_set else None))
        for name, (config_map, _) in names.items():
            process.wait_until(lambda n=name: {
                reason for gate, reason in reasons(client, n).items()
                if gate.startswith("configmap:")} == {"ConfigMapAbsent"},
                               f"{name} waits for {config_map} and all", 30)
        for config_map in ("bundle", "mesh", "all"):
            client.create({"apiVersion": "v1", "kind": "ConfigMap", "data": {"ca.crt": "x"},
                           "metadata": {"namespace": "trust", "name": config_map}})
        for name in names:
            process.wait_until(lambda n=name: agent.is_open(client, n), f"{name} is open", 30)
        process.wait_ready()
        check_equal("exit code", process.stop()[0], 0)
    for config_map in ("bundle", "mesh", "all"):
        client.call("DELETE", kube.path_of("v1", "configmaps", "trust", config_map))


def refused(client, path):
    try:
        client.call("GET", path)
        return False
    except kube.ApiError as error:
        return error.code == 403


def run(scenario):
    if chart.tools() is None:
        raise Skipped("no helm here; hack/chart/build makes one")
    cluster = scenario.cluster(rbac=True)
    client = cluster.client()
    for namespace in (chart.NAMESPACE, agent.NAMESPACE, "trust"):
        load.ensure_namespace(client, namespace)
    client.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": agent.NODE}})
    client.call("PATCH", kube.path_of("v1", "nodes", None, agent.NODE) + "/status",
                {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}},
                "application/strategic-merge-patch+json")
    found = chart.objects({"controllerManager": {"enabled": False}, "nodeAgent": VALUES})
    install(client, found)
    kubeconfig = agent.account_kubeconfig(
        scenario, cluster, chart.NAMESPACE, ACCOUNT,
        agent.pod_of_agent(client, chart.NAMESPACE, ACCOUNT))
    arguments = [a for a in chart.pod_of(chart.one(found, "DaemonSet"))["containers"][0]["args"]
                 if not a.startswith("--feature-gates")]
    for watch_list in ("true", "false"):
        serves(scenario, cluster, kubeconfig, arguments, watch_list)
    check_equal("403s", cluster.refusals(USER), [])

    with open(kubeconfig, encoding="utf-8") as file:
        own = cluster.client(yaml.safe_load(file)["users"][0]["user"]["token"])
    maps = kube.path_of("v1", "configmaps", "trust")
    for path in ("/api/v1/configmaps", maps, maps + "?fieldSelector=metadata.name%3Dother",
                 maps + "/bundle"):
        assert refused(own, path), f"the agent may GET {path}"
    scenario.figure("ConfigMaps that the agent may read in trust", "bundle, mesh, all")
