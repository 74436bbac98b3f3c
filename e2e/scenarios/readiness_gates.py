# SPDX-License-Identifier: Apache-2.0
"""A CSI driver that trusts the ready key sees it only on open pods, once, for one pod only.

The reader opens on any value of the key, as csi-driver's pod-annotation gate does.
"""
import time

from lib import agent, load
from lib.agent import READY, Agent
from lib.kube import ApiError
from lib.scenario import check_equal

KINDS = ("embedded", "real")
GATES = ("--pod-readiness-gate=pod-ip:any", "--pod-readiness-gate=pod-annotation:net.example/up")
QUIET_SECONDS = 3


def wait(process, condition, what, seconds=30):
    process.wait_until(condition, what, seconds)


def pending(client, name):
    return agent.status(client, name).get("state") == "Pending"


def open_gates(client, name):
    agent.annotate(client, name, **{"net.example/up": "yes"})
    agent.give_address(client, name)


def written(cluster, since):
    calls, size = cluster.calls(since)
    return [call for call in calls if call[0] not in ("list", "watch")], size


def closed_then_open(process, client):
    client.create(agent.pod("web"))
    wait(process, lambda: pending(client, "web"), "the status says Pending")
    agent.give_address(client, "web")
    wait(process, lambda: agent.status(client, "web")["gates"][0]["ok"], "one gate is open")
    check_equal("open while a gate is closed", agent.is_open(client, "web"), False)
    agent.annotate(client, "web", **{"net.example/up": "yes"})
    wait(process, lambda: agent.is_open(client, "web"), "open")


def not_confused(process, client):
    """Creates a pod with an existing value in the key, which the agent has to remove."""
    for number, value in enumerate(("False", "pending", " ", "v1.00000000.1")):
        name = f"forged-{number}"
        client.create(agent.pod(name, annotations={READY: value}))
        wait(process, lambda n=name: pending(client, n) and not agent.is_open(client, n),
             f"{value!r} is removed")
        open_gates(client, name)
        wait(process, lambda n=name: agent.annotations(client, n).get(READY, "").startswith("v1."),
             "open by the agent's own word")


def gone(client, name):
    try:
        client.call("GET", agent.path(name))
        return False
    except ApiError as error:
        return error.code == 404


def successor(process, client):
    """Replaces a pod by one with the same name, another uid and copied annotations."""
    old = agent.annotations(client, "web")
    client.call("DELETE", agent.path("web"), {"gracePeriodSeconds": 0})
    wait(process, lambda: gone(client, "web"), "the old pod is gone")
    client.create(agent.pod("web", annotations={READY: old[READY]}))
    wait(process, lambda: pending(client, "web") and not agent.is_open(client, "web"),
         "the copied key is removed")
    open_gates(client, "web")
    wait(process, lambda: agent.is_open(client, "web"), "open once its own gates are")
    assert agent.annotations(client, "web")[READY] != old[READY], "the key names the old pod"


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    load.ensure_namespace(client, agent.NAMESPACE)
    kubeconfig = agent.grant(cluster)
    with Agent(scenario.bin_dir, kubeconfig, *GATES) as process:
        process.wait_ready()
        closed_then_open(process, client)
        not_confused(process, client)
        client.create(agent.pod("waits"))
        wait(process, lambda: pending(client, "waits"), "the status says Pending")
        _, size = written(cluster, 0)
        time.sleep(QUIET_SECONDS)
        calls, size = cluster.calls(size)
        check_equal(f"requests in {QUIET_SECONDS} s in which nothing happens", calls, [])
        check_equal("exit code after SIGTERM", process.stop()[0], 0)
    value = agent.annotations(client, "web")[READY]
    agent.annotate(client, "web", **{"net.example/up": None})

    with Agent(scenario.bin_dir, kubeconfig, *GATES) as process:
        process.wait_ready()
        time.sleep(1)
        calls, size = written(cluster, size)
        check_equal("requests of a restart, less lists and watches", calls, [])
        check_equal("the key after the agent's restart", agent.annotations(client, "web")[READY],
                    value)
        cluster.kill("kube-apiserver")
        cluster.start_apiserver()
        client = cluster.client()
        wait(process, lambda: process.get("/readyz")[0] == 200, "ready again")
        open_gates(client, "waits")
        wait(process, lambda: agent.is_open(client, "waits"), "open after the server's restart", 60)
        check_equal("the key after the server's restart", agent.annotations(client, "web")[READY],
                    value)
        agent.annotate(client, "web", **{"net.example/up": "yes"})
        successor(process, client)
        scenario.figure("evaluations", process.metric("capstan_gate_evaluations_total"))
