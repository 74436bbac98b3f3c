# SPDX-License-Identifier: Apache-2.0
"""With --http-transport=cpprestsdk the manager injects, rotates and survives an outage, and warns once.

A build without CAPSTAN_TRANSPORT_CPPREST refuses the flag in one line (decision 23).
"""
import os
import subprocess
import time

from lib import captured, injection, load, targets
from lib.manager import PROGRAM, Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
OUTAGE = 2  # seconds
FLAG = "--http-transport=cpprestsdk"
WARNING = "The HTTP transport is the archived library cpprestsdk"


def refusal(scenario):
    """Returns what the program prints if it is built without cpprestsdk, otherwise an empty string."""
    done = subprocess.run([os.path.join(scenario.bin_dir, PROGRAM), FLAG, "--kubeconfig=/nonexistent"],
                          capture_output=True, text=True, timeout=20, check=False)
    captured.OUTPUT.add("what " + PROGRAM + " prints", done.stderr)
    assert done.returncode != 0, "an absent kubeconfig is accepted"
    return done.stderr if "built without it" in done.stderr else ""


def put_secret(client, pem):
    client.call("PATCH", "/api/v1/namespaces/ca/secrets/root?fieldManager=e2e&force=true",
                load.ca_secret("ca", "root", pem), "application/apply-patch+yaml")


def injected(client, pem):
    return all(targets.holds(client, injection.path_of(kind, "target"), pem) for kind in injection.KINDS)


def run(scenario):
    if refused := refusal(scenario):
        scenario.figure("this build refuses", refused.strip())
        check_equal("lines", len(refused.strip().splitlines()), 1)
        assert "-DCAPSTAN_TRANSPORT_CPPREST=ON" in refused, "the line does not name the fix"
        return
    cluster = scenario.cluster()
    client = cluster.client()
    load.ensure_namespace(client, "ca")
    injection.create(client, "target", injection.FROM_SECRET, "ca/root")
    first, second, third = (load.new_ca(name) for name in ("first", "second", "third"))
    put_secret(client, first)
    with Manager(scenario.bin_dir, cluster.kubeconfig(), FLAG, "--leader-elect=false") as manager:
        ready = manager.wait_ready()
        for pem in (first, second):
            put_secret(client, pem)
            manager.wait_until(lambda p=pem: injected(client, p), "injected", 60)
        cluster.kill("kube-apiserver")
        client.close()
        time.sleep(OUTAGE)
        cluster.start_apiserver()
        client = cluster.client()
        put_secret(client, third)
        manager.wait_until(lambda: injected(client, third), "injected", 60)
        code, seconds = manager.stop()
        warnings = manager.log().count(WARNING)
    scenario.figure("ready after, stopped within", f"{ready:.1f} s, {seconds:.1f} s")
    check_equal("exit code", code, 0)
    check_equal("warnings", warnings, 1)
