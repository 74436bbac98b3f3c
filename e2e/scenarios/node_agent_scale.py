# SPDX-License-Identifier: Apache-2.0
"""With 110 pods on the node and 5,000 on others, every gate opens within the memory limit.

hack/bench/run gates measures the time.
"""
from lib import agent, load
from lib.agent import Agent
from lib.scenario import check_at_most, check_equal

KINDS = ("embedded", "real")
ALONE = True  # it measures
HERE, ELSEWHERE = 110, 5000
MEMORY_KIB_MAX = 16 * 1024


def heavy_pod(index, node):
    """Returns a realistic pod, with more fields than a gate reads."""
    made = agent.pod(f"{node}-{index}", node=node, annotations={"example.com/notes": "x" * 2000})
    container = made["spec"]["containers"][0]
    container["env"] = [{"name": f"V{i}", "value": "v" * 40} for i in range(30)]
    return made


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    load.ensure_namespace(client, agent.NAMESPACE)
    client.parallel(lambda c, i: c.create(heavy_pod(i, f"node-{i % 50}")), range(ELSEWHERE))
    names = [f"{agent.NODE}-{i}" for i in range(HERE)]
    client.parallel(lambda c, i: c.create(heavy_pod(i, agent.NODE)), range(HERE))
    with Agent(scenario.bin_dir, agent.grant(cluster),
               "--pod-readiness-gate=pod-ip:any") as process:
        process.wait_ready()
        check_equal("pods in the cache", process.metric("capstan_cache_objects", resource="pods"),
                    HERE)
        client.parallel(lambda c, name: agent.give_address(c, name), names)
        watched = agent.path() + "?fieldSelector=spec.nodeName%3D" + agent.NODE
        process.wait_until(
            lambda: all(agent.READY in (item["metadata"].get("annotations") or {})
                        for item in client.call("GET", watched)["items"]), "all open", 60)
        memory = process.memory_kib()
        scenario.figure("VmHWM", f"{memory / 1024:.1f} MiB")
        check_equal("exit code after SIGTERM", process.stop()[0], 0)
    check_at_most("VmHWM in KiB", memory, MEMORY_KIB_MAX)
