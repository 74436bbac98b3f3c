# SPDX-License-Identifier: Apache-2.0
"""A restart without changes writes nothing, and a rotation takes one GET.

400 configurations take their bundle from one Secret. The API server counts the requests, a real one in
its audit log.
"""
from lib import load
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
TARGETS = 400
TARGET_RESOURCES = {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"}
WRITES = {"create", "update", "patch", "delete", "deletecollection"}


def counted(cluster, since):
    """Returns ({"secret GETs": n, ...} of the manager's user, start of the next count)."""
    refs, size = cluster.calls(since)
    return {"secret GETs": sum(1 for verb, what in refs if (verb, what) == ("get", "secrets")),
            "target GETs": sum(1 for verb, what in refs if verb == "get"
                               and what in TARGET_RESOURCES),
            "target writes": sum(1 for verb, what in refs if verb in WRITES
                                 and what in TARGET_RESOURCES)}, size


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    load.ensure_namespace(client, "ca")
    old, new = load.new_ca("old"), load.new_ca("new")
    client.create(load.ca_secret("ca", "root", old))
    load.load_configurations(client, TARGETS, "ca/root")

    with Manager(scenario.bin_dir, cluster.kubeconfig()) as manager:
        manager.wait_until(lambda: load.in_sync(client, old, TARGETS) == TARGETS, "first pass", 60)
        manager.wait_ready()
        code, _ = manager.stop()
    check_equal("exit code", code, 0)
    _, size = counted(cluster, 0)

    with Manager(scenario.bin_dir, cluster.kubeconfig()) as manager:
        manager.wait_ready()
        idle, size = counted(cluster, size)
        scenario.figure("start with nothing to do", idle)

        client.merge_patch("/api/v1/namespaces/ca/secrets/root",
                           {"data": {"ca.crt": load.encoded(new)}})
        before = manager.wait_until(lambda: True, "", 1)
        after = manager.wait_until(lambda: load.in_sync(client, new, TARGETS) == TARGETS,
                                   "rotation", 60)
        scenario.figure("rotation of 400 targets, reading them back included",
                        f"{after - before:.1f} s")
        manager.stop()  # late requests are in the log now
        rotation, _ = counted(cluster, size)
        scenario.figure("rotation", rotation)
    check_equal("writes to targets at a start with nothing to do", idle["target writes"], 0)
    check_equal("rotation", rotation,
                {"secret GETs": 1, "target GETs": 0, "target writes": TARGETS})
