# SPDX-License-Identifier: Apache-2.0
"""Runs each command of docs/first-hour.md and compares its output with the page.

--write updates the outputs in the page.
"""
from lib import console
from lib.cluster import ROOT, free_port

KINDS = ("embedded", "real")
PAGE = "docs/first-hour.md"
FOLDER = "/tmp/first-hour"
SERVER = "capstan-demo apiserver --write-kubeconfig=kubeconfig >apiserver.log 2>&1 &"


def run(scenario):
    actual = {"build/release/bin/": scenario.bin_dir + "/", "$PWD/build/release/bin": scenario.bin_dir,
              FOLDER: scenario.path("first-hour"),
              ":9402": f":{free_port()}", ":9403": f":{free_port()}"}
    if scenario.kind == "real":
        actual[SERVER] = f"cp {scenario.cluster().kubeconfig('admin')} kubeconfig"
    shell = console.Shell(ROOT, {"PATH": console.path_with(scenario.bin_dir, "kubectl", "curl"),
                                 "HOME": scenario.folder, "LC_ALL": "C.UTF-8"})
    console.check(PAGE, scenario, shell, actual, least=20, write=scenario.options.write)
