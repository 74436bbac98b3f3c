# SPDX-License-Identifier: Apache-2.0
"""Opens pods by hand with the commands of docs/node-agent.md, under the chart's policies."""
import gates
from cluster import RELEASE
from lib import emergency

AGENTS = "daemonset/capstan-node-agent"


def by_hand(cluster, name):
    """Returns the key that the commands write for that pod."""
    return f"v1.{cluster.get('pod', '-n', gates.NAMESPACE, name)['metadata']['uid'][:8]}.0"


def check_open(cluster, *names):
    for name in names:
        took = gates.check_open(cluster, name)
        key = gates.annotations(cluster, name)[gates.READY]
        assert key == by_hand(cluster, name), f"{name}: the key is {key!r}"
        cluster.figure(f"{name}: seconds from the command to the running container", f"{took:.1f}")


def opened(cluster):
    """Opens one pod beside its agent, and all pods without any agent."""
    cluster.kubectl("delete", "configmap", "-n", gates.NAMESPACE, gates.NETWORK,
                    "--ignore-not-found")
    names = [f"by-hand-{number}" for number, _ in enumerate(cluster.nodes)]
    cluster.apply(*[gates.pod(name, node) for name, node in zip(names, cluster.nodes)],
                  gates.pod("by-hand-one", cluster.nodes[-1]))
    for name in names + ["by-hand-one"]:
        cluster.wait(lambda it=name: gates.pending(cluster, it), f"{name} is pending")
    cluster.run("sh", "-c", emergency.for_pod(gates.NAMESPACE, "by-hand-one"))
    check_open(cluster, "by-hand-one")

    cluster.kubectl("patch", AGENTS, "-n", RELEASE, "--type=merge", "-p",
                    '{"spec":{"template":{"spec":{"nodeSelector":{"no-such-node":"yes"}}}}}')
    cluster.wait(lambda: not cluster.pods("node-agent"), "no agent is left")
    assert not any(gates.running(cluster, name) for name in names), "a pod runs with closed gates"
    cluster.run("sh", "-c", emergency.for_all(gates.DRIVER))
    check_open(cluster, *names)

    # The agents return and close nothing.
    cluster.kubectl("patch", AGENTS, "-n", RELEASE, "--type=merge", "-p",
                    '{"spec":{"template":{"spec":{"nodeSelector":{"no-such-node":null}}}}}')
    cluster.kubectl("rollout", "status", "-n", RELEASE, AGENTS, "--timeout=180s")
    cluster.apply(gates.pod("by-hand-later", cluster.nodes[-1]))
    cluster.wait(lambda: gates.pending(cluster, "by-hand-later"), "the agent has seen the new pod")
    check_open(cluster, "by-hand-one", *names)
