# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/node-agent.md open pods by hand, and no agent closes them again.

They open one pod, the pods of a node, and all waiting pods: with a running agent, after its restart,
and without an agent. On a real API server the admission policies allow this only with the right.
"""
import os
import subprocess
import time

from lib import agent, console, emergency, kube, load, rights
from lib.agent import NAMESPACE, READY, Agent
from lib.cluster import ROOT
from lib.scenario import check_equal

KINDS = ("embedded", "real")
CLOSED = "--pod-readiness-gate=pod-annotation:never.example/open"
OUTPUT = "--output=annotation,condition"
POLICIES = os.path.join(ROOT, "charts/capstan/policies")
ACCOUNT = {"namespace": "capstan-system", "name": "capstan-node-agent"}


class World:
    def __init__(self, scenario):
        self.scenario, self.cluster = scenario, scenario.cluster()
        self.client = self.cluster.client()
        self.real = scenario.kind == "real"
        self.path = console.path_with(scenario.bin_dir, "kubectl")
        load.ensure_namespace(self.client, NAMESPACE)

    def sh(self, command, kubeconfig=None):
        """Returns (exit code, output)."""
        result = subprocess.run(
            ["sh", "-c", command], text=True, check=False, timeout=120, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": self.path, "HOME": self.scenario.folder,
                 "KUBECONFIG": kubeconfig or self.cluster.kubeconfig("admin")})
        return result.returncode, result.stdout

    def run(self, command):
        code, printed = self.sh(command)
        assert code == 0, f"{command}: exit {code}: {printed}"

    def keys(self, *names):
        return {name: agent.annotations(self.client, name).get(READY) for name in names}

    def by_hand(self, name):
        """Returns the value that the commands write for that pod."""
        return f"v1.{self.client.call('GET', agent.path(name))['metadata']['uid'][:8]}.0"

    def check_open(self, *names):
        check_equal("keys", self.keys(*names), {name: self.by_hand(name) for name in names})

    def check_closed(self, *names):
        check_equal("keys", self.keys(*names), dict.fromkeys(names))

    def condition(self, name):
        found = self.client.call("GET", agent.path(name)).get("status", {}).get("conditions") or []
        return next((c["status"] for c in found if c["type"] == agent.DOMAIN + "CertGates"), None)

    def agents_kubeconfig(self):
        """Returns the agent's kubeconfig. With the policies, the token is bound to a pod on its node."""
        if not self.real:
            return agent.grant(self.cluster)
        load.ensure_namespace(self.client, ACCOUNT["namespace"])
        self.client.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": agent.NODE}})
        self.client.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": ACCOUNT})
        self.run(f"kubectl apply -f {POLICIES}")
        made = agent.pod_of_agent(self.client, *ACCOUNT.values())
        return agent.account_kubeconfig(self.scenario, self.cluster, *ACCOUNT.values(), made)

    def wait_policies(self):
        """Waits until the policies deny what only an agent may write."""
        deadline = time.monotonic() + 60
        while self.real and time.monotonic() < deadline:
            try:
                self.client.merge_patch(agent.path("other") + "?dryRun=All",
                                        {"metadata": {"annotations": {READY: "x"}}})
            except kube.ApiError as error:
                assert error.code == 422, error
                return
            time.sleep(0.05)
        assert not self.real, "the policies deny nothing"


def pending(world, process, *names):
    for name in names:
        process.wait_until(lambda n=name: agent.status(world.client, n).get("state") == "Pending",
                           f"{name} is pending", 30)


def beside_an_agent(world, kubeconfig):
    with Agent(world.scenario.bin_dir, kubeconfig, CLOSED, OUTPUT) as process:
        process.wait_ready()
        pending(world, process, "one", "here")
        world.run(emergency.for_pod(NAMESPACE, "one"))
        # The agent has seen the pod when it adds the condition.
        process.wait_until(lambda: world.condition("one") == "True", "the agent's condition", 30)
        world.check_open("one")
        world.check_closed("here", "there")
        check_equal("condition of a pod that waits", world.condition("here"), "False")

        world.run(emergency.for_all(node=agent.NODE))
        process.wait_until(lambda: world.condition("here") == "True", "the agent's condition", 30)
        world.check_open("one", "here")
        world.check_closed("there", "other", "done")
        check_equal("keys that the agent restored",
                    process.metric("capstan_gate_writes_total", result="changed-by-others"), None)
        check_equal("exit code", process.stop()[0], 0)
    with Agent(world.scenario.bin_dir, kubeconfig, CLOSED, OUTPUT) as process:
        process.wait_ready()
        world.client.create(agent.pod("late"))
        pending(world, process, "late")
        world.check_open("one", "here")
        check_equal("exit code", process.stop()[0], 0)


def without_an_agent(world):
    code, printed = world.sh(emergency.for_all().replace("| sh", ""))
    check_equal("commands that it only prints", (code, printed.count("kubectl annotate")), (0, 2))
    world.run(emergency.for_all())
    world.check_open("one", "here", "there", "late")
    world.check_closed("other", "done")
    if world.real:  # the embedded API server's kubectl may know no --subresource
        check_equal("condition before", world.condition("there"), None)
        world.run(emergency.for_condition(NAMESPACE, "there"))
        check_equal("condition", world.condition("there"), "True")


def only_with_the_right(world):
    """Checks that a pod's author can open the pod only with the right "open"."""
    author = {"namespace": NAMESPACE, "name": "author"}
    world.client.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": author})
    kubeconfig = agent.account_kubeconfig(world.scenario, world.cluster, *author.values())
    commands = (emergency.for_pod(NAMESPACE, "denied"),
                emergency.for_condition(NAMESPACE, "denied"))
    world.client.create(agent.pod("denied"))
    bound = {"kind": "ServiceAccount", **author}
    to_open, on_pods = emergency.rules()
    for name, rule in (("pods", on_pods), ("open", to_open)):
        world.client.create({**rights.role(name, [], NAMESPACE), "rules": [rule]})
        world.client.create({**rights.binding(name, "User", "", NAMESPACE), "subjects": [bound]})
        if name == "pods":
            denied = "only capstan-node-agent may write"
            wait(lambda: all(denied in world.sh(command, kubeconfig)[1] for command in commands),
                 "the policy denies both", lambda: [world.sh(c, kubeconfig) for c in commands])
            world.check_closed("denied")
        else:
            for command in commands:
                wait(lambda c=command: world.sh(c, kubeconfig)[0] == 0, "the policy allows it",
                     lambda c=command: world.sh(c, kubeconfig))
            world.check_open("denied")
            check_equal("condition", world.condition("denied"), "True")


def wait(condition, what, now, seconds=30):
    """Waits for RBAC's cache. now() returns the current state for the message."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}; now: {now()}"
        time.sleep(0.2)


def run(scenario):
    world = World(scenario)
    kubeconfig = world.agents_kubeconfig()
    for name, node in (("one", agent.NODE), ("here", agent.NODE), ("there", "node-b"),
                       ("done", agent.NODE)):
        world.client.create(agent.pod(name, node))
    world.client.create(agent.pod("other", driver="csi.example.com"))
    world.client.call("PATCH", agent.path("done", "/status"), {"status": {"phase": "Succeeded"}},
                      "application/merge-patch+json")
    world.wait_policies()
    beside_an_agent(world, kubeconfig)
    without_an_agent(world)
    if world.real:
        only_with_the_right(world)
    scenario.figure("opened by hand and never closed", "one pod, a node's, all")
