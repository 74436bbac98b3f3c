# SPDX-License-Identifier: Apache-2.0
"""/statusz of both programs shows the state and reason of each target and pod, only to this machine.

If headless Chromium is installed, the scenario also reads the rows from the displayed page and keeps a
screenshot.
"""
import json
import os
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.request

from lib import agent, injection, leaks, load
from lib.agent import Agent
from lib.manager import Manager
from lib.scenario import check_equal

KINDS = ("embedded", "real")
WEBHOOKS = "ValidatingWebhookConfiguration"
SOURCE = "cert-manager.io/inject-ca-from-secret"
STATES = {"good": ("in sync", ("Injected", "Unchanged")), "not-allowed": ("failing", ("NotAllowed",)),
          "garbage": ("failing", ("InvalidBundle",)), "absent": ("failing", ("SourceNotFound",))}


def fill(client, key):
    load.ensure_namespace(client, "ca")
    for name, content, allow in (("good", load.new_ca("status"), "true"),
                                 ("not-allowed", load.new_ca("no"), "false"),
                                 ("garbage", key, "true")):
        made = load.ca_secret("ca", name, content)
        made["metadata"]["annotations"]["cert-manager.io/allow-direct-injection"] = allow
        client.create(made)
    for name in STATES:
        client.create(injection.target(WEBHOOKS, name, SOURCE, f"ca/{name}"))


def status(process):
    code, text = process.get("/statusz?format=json")
    return json.loads(text) if code == 200 else {}


def other_address():
    """Returns an address of this machine that is not loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.18.0.1", 9))  # nothing is sent
        except OSError:
            return None
        address = probe.getsockname()[0]
        return None if address.startswith("127.") else address


def asked_from_elsewhere(scenario, process):
    address = other_address()
    if address is None:
        return scenario.figure("asked by another address", "not shown: there is none here")
    url = f"http://{address}:{process.port}"
    with urllib.request.urlopen(url + "/healthz", timeout=5) as answer:
        check_equal("/healthz from elsewhere", answer.status, 200)
    for path in ("/statusz", "/flagz", "/debug/loglevel"):
        try:
            with urllib.request.urlopen(url + path, timeout=5):
                raise AssertionError(f"{path} is answered to {address}")
        except urllib.error.HTTPError as error:
            check_equal(f"{path} from elsewhere", error.code, 403)
            assert "kubectl port-forward" in error.read().decode()
    return scenario.figure("asked by another address", "403, and what to do instead")


def put_log_level(process, level):
    request = urllib.request.Request(f"http://127.0.0.1:{process.port}/debug/loglevel",
                                     data=level.encode(), method="PUT")
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.read().decode()


def rows(html, table):
    """Returns the visible cells of each row."""
    body = re.search(rf'<table id="{table}">.*?<tbody>(.*?)</tbody>', html, re.S).group(1)
    return [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>",
                                                                             body, re.S)]


def in_browser(scenario, process, name, table):
    """Reads the page's table from Chromium and takes a screenshot."""
    browser = shutil.which("chromium")
    url = f"http://127.0.0.1:{process.port}/statusz"
    if browser is None:
        scenario.figure(f"{name} in a browser", "not shown: no chromium here")
        return rows(process.get("/statusz")[1], table)
    flags = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", f"--user-data-dir={scenario.path('browser-' + name)}"]
    done = subprocess.run([*flags, "--dump-dom", url], check=True, capture_output=True, text=True,
                          timeout=120)
    shots = os.environ.get("SCREENSHOTS") or scenario.path("screenshots")
    os.makedirs(shots, exist_ok=True)
    picture = os.path.join(shots, f"{name}.png")
    subprocess.run([*flags, f"--screenshot={picture}", "--window-size=1280,1600", url], check=True,
                   capture_output=True, timeout=120)
    scenario.figure(f"{name} in a browser", f"{os.path.getsize(picture)} bytes of picture")
    return rows(done.stdout, table)


def manager_page(scenario, cluster, client, search, key):
    fill(client, key)
    with Manager(scenario.bin_dir, cluster.kubeconfig(), "--leader-elect=false") as manager:
        manager.wait_until(lambda: len(status(manager).get("targets", [])) == len(STATES),
                           "all targets are on the page", 60)
        page = status(manager)
        for row in page["targets"]:
            name = row["name"]
            state, reasons = STATES[next(n for n in STATES if name.endswith(n))]
            check_equal(f"state of {name}", row["state"], state)
            assert row["reason"] in reasons, f"{name}: {row}"
            assert row["source"].startswith("Secret ca/"), row
            assert bool(row["message"]) == (state == "failing"), row
        check_equal("targets that fail come first", page["targets"][-1]["state"], "in sync")
        check_equal("leader", page["facts"]["leader"], "no election")
        secrets = next(c for c in page["caches"] if c["cache"] == "secrets")
        assert int(secrets["objects"]) >= 3 and secrets["resource_version"], secrets
        assert len(page["recent"]) >= len(STATES), page["recent"]
        shown = in_browser(scenario, manager, "manager", "targets")
        check_equal("rows in the page", [(r[1], r[3]) for r in shown],
                    [(t["name"], t["state"]) for t in page["targets"]])
        flags = manager.get("/flagz")[1]
        assert "--leader-elect=false\n" in flags and "--feature-gates=" in flags, flags
        check_equal("log level", manager.get("/debug/loglevel")[1], "v=2\n")
        check_equal("log level set", put_log_level(manager, "5"), "v=5\n")
        assert "Log level changed" in manager.log()
        for path in ("/statusz", "/statusz?format=json", "/flagz"):
            check_equal(f"secret parts in {path}", search.found_in(manager.get(path)[1]), [])


def agent_page(scenario, cluster, client):
    load.ensure_namespace(client, agent.NAMESPACE)
    kubeconfig = agent.grant(cluster)
    for name in ("opened", "waiting"):
        client.create(agent.pod(name))
    agent.give_address(client, "opened")
    process = Agent(scenario.bin_dir, kubeconfig, "--pod-readiness-gate=pod-ip:any")
    process.arguments.append(f"--metrics-listen-address=0.0.0.0:{process.port}")
    with process:
        process.wait_until(lambda: agent.is_open(client, "opened"), "open", 30)
        pods = {row["pod"]: row for row in status(process)["pods"]}
        check_equal("states", {name: row["state"] for name, row in pods.items()},
                    {"work/opened": "open", "work/waiting": "pending"})
        assert pods["work/waiting"]["waits_for"].startswith("pod-ip:any: "), pods
        shown = in_browser(scenario, process, "agent", "pods")
        check_equal("who waits comes first", [row[0] for row in shown],
                    ["work/waiting", "work/opened"])
        asked_from_elsewhere(scenario, process)


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    key, key_bytes = leaks.private_key()
    manager_page(scenario, cluster, client, leaks.Search([key_bytes]), key)
    agent_page(scenario, cluster, client)
