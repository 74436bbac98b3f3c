# SPDX-License-Identifier: Apache-2.0
"""Runs each command of docs/library/kubectl.md and compares its output with the page.

--write updates the outputs in the page.
"""
import json
import subprocess

from lib import console
from lib.cluster import ROOT
from lib.scenario import Skipped

KINDS = ("embedded", "real")
PAGE = "docs/library/kubectl.md"
FOLDER = "/tmp/kubectl"
SERVER = "capstan apiserver --write-kubeconfig=kubeconfig >apiserver.log 2>&1 &"


def run(scenario):
    actual = {FOLDER: scenario.path("kubectl")}
    if scenario.kind == "real":
        cluster = scenario.cluster()
        if int(cluster.client().call("GET", "/version")["minor"]) < 37:
            raise Skipped("the page has the columns of Kubernetes 1.37")
        actual[SERVER] = f"cp {cluster.kubeconfig('admin')} kubeconfig"
    path = console.path_with(scenario.bin_dir, "kubectl")
    client = json.loads(subprocess.run(["kubectl", "version", "--client", "-o", "json"], check=True, text=True,
                                       capture_output=True, env={"PATH": path}).stdout)["clientVersion"]
    if int(client["minor"].rstrip("+")) < 34:
        raise Skipped(f"kubectl is {client['gitVersion']} here; since 1.34 it names the namespace of what it deletes")
    shell = console.Shell(ROOT, {"PATH": path,
                                 "HOME": scenario.folder, "LC_ALL": "C.UTF-8"})
    console.check(PAGE, scenario, shell, actual, least=35, write=scenario.options.write)
