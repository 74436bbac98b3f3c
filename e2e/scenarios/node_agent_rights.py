# SPDX-License-Identifier: Apache-2.0
"""A missing right of the node agent stops only the gates that need it.

The pod's status names the missing right within ten seconds, other pods open, and a right that is
granted later takes effect without a restart. The scenario also covers pods without gates, mandatory
gates, and gate sets of other namespaces.
"""
import time

from lib import agent, kube, load, rights
from lib.agent import GATE_SET, Agent
from lib.capstan import Capstan
from lib.scenario import check_equal

KINDS = ("embedded", "real")
WITHIN_SECONDS = 10
GRANTED_SECONDS = 90  # a refused list is retried after at most a minute
OTHER = "other"
SETS = {"plain": "pod-ip:any\n", "bundle": f"pod-ip:any\nconfigmap:{OTHER}/x\n",
        "theirs": "namespaces: [team-a]\npod-ip:any\n"}


class World:
    def __init__(self, scenario, cluster):
        self.scenario, self.cluster, self.client = scenario, cluster, cluster.client()
        for namespace in (agent.NAMESPACE, OTHER):
            load.ensure_namespace(self.client, namespace)
        self.client.create(config_map(OTHER, "x", {"k": "v"}))
        self.client.create(config_map(agent.NAMESPACE, "sets", SETS))
        for name in ("agent", "agent-sets"):
            self.client.create(rights.role(name, []))
            self.client.create(rights.binding(name, "User", rights.USER))
        # The manager's rights, because the same user runs both programs.
        self.client.call("DELETE", rights.ROLES + "clusterrolebindings/capstan")

    def allow(self, sets=False, config_maps=False):
        """Grants pods and Events, and the ConfigMap of the gate sets, all ConfigMaps, or none."""
        granted = [("", "pods", ["list", "watch", "patch"], ""),
                   ("", "events", ["create", "patch"], "")]
        if config_maps:
            granted.append(("", "configmaps", ["list", "watch"], ""))
        self.client.call("PUT", rights.ROLES + "clusterroles/agent", rights.role("agent", granted))
        named = rights.role("agent-sets", [("", "configmaps", ["list", "watch"], "")])
        named["rules"][0]["resourceNames"] = ["sets"] if sets else ["none"]
        self.client.call("PUT", rights.ROLES + "clusterroles/agent-sets", named)
        for _, resource, verbs, _ in granted:
            for verb in verbs:
                while not rights.may(self.client, "", resource, verb):
                    time.sleep(0.02)
        while not config_maps and rights.may(self.client, "", "configmaps", "list"):
            time.sleep(0.02)
        while sets and not rights.may(self.client, "", "configmaps", "watch", name="sets"):
            time.sleep(0.02)

    def agent(self, *flags):
        return Agent(self.scenario.bin_dir, self.cluster.kubeconfig(), *flags)

    def create(self, name, gate_set=None, address=True):
        self.client.create(agent.pod(name, annotations={GATE_SET: gate_set} if gate_set else {}))
        if address:
            agent.give_address(self.client, name)

    def wait_open(self, process, name, seconds=WITHIN_SECONDS):
        process.wait_until(lambda: agent.is_open(self.client, name), f"{name} is open", seconds)

    def wait_reason(self, process, name, reason, text=""):
        def reported():
            return any(gate["reason"] == reason and text in gate.get("msg", "")
                       for gate in agent.status(self.client, name).get("gates", []))
        process.wait_until(reported, f"{name} says {reason} {text!r}", WITHIN_SECONDS)

    def wait_event(self, process, name, text):
        def reported():
            events = self.client.call("GET", kube.path_of("v1", "events", agent.NAMESPACE))["items"]
            return any(event["involvedObject"]["name"] == name and text in event["message"]
                       for event in events)
        process.wait_until(reported, f"an Event on {name} says {text!r}", WITHIN_SECONDS)


def config_map(namespace, name, data):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": namespace}, "data": data}


def refused_config_map(world):
    """The agent has rights on pods only, and the gates pod-ip:any and configmap:other/x."""
    world.allow()
    world.create("waits")
    denied = f"cannot list configmaps in namespace {OTHER}: forbidden"
    flags = ("--pod-readiness-gate=pod-ip:any", f"--pod-readiness-gate=configmap:{OTHER}/x",
             "--pending-event-after=2s")
    with world.agent(*flags) as process:
        world.wait_reason(process, "waits", "ConfigMapUnknown", denied)
        world.wait_event(process, "waits", denied)
        check_equal("open without the right", agent.is_open(world.client, "waits"), False)
        code, text = process.get("/readyz?verbose")
        check_equal("/readyz", code, 500)
        assert f"cache of configmaps/{OTHER}/x is not synced" in text, text
        assert "pods of node" not in text, text
        output = Capstan(world.scenario.bin_dir, world.cluster.kubeconfig("admin")).run(
            "gates", f"{agent.NAMESPACE}/waits", code=0)[1]
        assert "\nConfigMapUnknown: grant the agent's service account list and watch" in output, output
        world.allow(config_maps=True)
        started = time.monotonic()
        world.wait_open(process, "waits", GRANTED_SECONDS)
        world.scenario.figure("seconds from the right to the open gate",
                              f"{time.monotonic() - started:.1f}")
        process.wait_ready()


def other_pods(world):
    """One readable set needs a forbidden ConfigMap, another does not."""
    world.allow(sets=True)
    world.create("plain", "plain")
    world.create("bundle", "bundle")
    with world.agent(f"--gate-sets={agent.NAMESPACE}/sets") as process:
        world.wait_open(process, "plain")
        world.wait_reason(process, "bundle", "ConfigMapUnknown", "forbidden")
        world.create("theirs", "theirs")
        world.wait_reason(process, "theirs", "GateSetNotAllowed", agent.NAMESPACE)
        world.wait_event(process, "theirs", "may not be used in namespace")
        check_equal("open by a set of another namespace", agent.is_open(world.client, "theirs"),
                    False)


def refused_gate_sets(world):
    world.allow()
    world.create("default")
    world.create("named", "plain")
    with world.agent("--pod-readiness-gate=pod-ip:any",
                     f"--gate-sets={agent.NAMESPACE}/sets") as process:
        world.wait_open(process, "default")
        world.wait_reason(process, "named", "GateSetsUnknown",
                          f"cannot list configmaps in namespace {agent.NAMESPACE}: forbidden")
        assert "gate sets: cache of configmaps" in process.get("/readyz?verbose")[1]
        world.allow(config_maps=True)
        world.wait_open(process, "named", GRANTED_SECONDS)


def without_gates(world):
    world.allow(config_maps=True)
    sets = f"--gate-sets={agent.NAMESPACE}/sets"
    with world.agent(sets, "--pods-without-gates=closed") as process:
        world.create("none", address=False)
        world.wait_reason(process, "none", "NoGates")
        world.wait_event(process, "none", "the pod names no gate set")
        check_equal("open with --pods-without-gates=closed", agent.is_open(world.client, "none"),
                    False)
        check_equal("pods that wait for a gate set",
                    process.metric("capstan_gate_pending", gate="gate-set") >= 1, True)
    with world.agent(sets) as process:
        world.wait_open(process, "none")
        world.wait_reason(process, "none", "NoGates")
    with world.agent(sets, "--mandatory-gate=pod-ip:any") as process:
        world.create("mandatory", address=False)
        world.wait_reason(process, "mandatory", "NoAddress")
        check_equal("open while a mandatory gate is closed",
                    agent.is_open(world.client, "mandatory"), False)
        agent.give_address(world.client, "mandatory")
        world.wait_open(process, "mandatory")


def run(scenario):
    world = World(scenario, scenario.cluster(rbac=True))
    refused_config_map(world)
    other_pods(world)
    refused_gate_sets(world)
    without_gates(world)
