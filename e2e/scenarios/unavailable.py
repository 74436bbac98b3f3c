# SPDX-License-Identifier: Apache-2.0
"""If the API server is down or denies Secrets, the manager retries, reports the reason and recovers.

It writes nothing meanwhile, and becomes ready automatically.
"""

from lib import load
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("real",)
TARGETS = 6
BINDING = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/capstan-secrets"


def expect_unready(scenario, manager, what, *words):
    """Checks that it is alive and not ready, and that /readyz has one of the words."""
    def found():
        status, text = manager.get("/readyz")
        return status == 500 and any(word in text for word in words)

    manager.wait_until(found, f"/readyz says one of {words}", 20)
    check_equal(f"/livez, {what}", manager.get("/livez")[0], 200)
    lines = [line for line in manager.get("/readyz")[1].splitlines() if line.startswith("[-]")]
    scenario.figure(what, " | ".join(lines)[:300])


def untouched(client):
    return all(not any(held) for held in load.bundles(client).values())


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    load.ensure_namespace(client, "ca")
    ca = load.new_ca("root")
    client.create(load.ca_secret("ca", "root", ca))
    load.load_configurations(client, TARGETS, "ca/root")

    # Secrets are forbidden at first and granted later.
    with Manager(scenario.bin_dir, cluster.kubeconfig("capstan-without-secrets"),
                 "--leader-elect=false") as manager:
        expect_unready(scenario, manager, "no RBAC for Secrets", "forbidden")
        assert untouched(client), "something was written without the source"
        grant = client.call("GET", BINDING)
        subject = {**grant["subjects"][0], "name": "capstan-without-secrets"}
        client.create({**grant, "metadata": {"name": "granted-later"}, "subjects": [subject]})
        manager.wait_until(lambda: load.in_sync(client, ca, TARGETS) == TARGETS,
                           "all injected once Secrets are granted", 60)
        manager.wait_ready()
        check_equal("exit code", manager.stop()[0], 0)

    # The API server starts after the manager.
    cluster.kill("kube-apiserver")
    client.close()
    with Manager(scenario.bin_dir, cluster.kubeconfig(), "--leader-elect=false") as manager:
        expect_unready(scenario, manager, "API server absent", "refused")
        cluster.start_apiserver()
        took = manager.wait_ready(60)
        scenario.figure("ready, after the API server came", f"{took:.0f} s after the start")
        cluster.kill("kube-apiserver")
        code, seconds = manager.stop()
        scenario.figure("SIGTERM without an API server", f"exit {code} in {seconds:.1f} s")
        check_equal("exit code", code, 0)
