# SPDX-License-Identifier: Apache-2.0
"""Runs each command of docs/trust.md and compares its output with the page.

--write updates the outputs in the page.
"""
from lib import console
from lib.cluster import ROOT, free_port

KINDS = ("embedded", "real")
PAGE = "docs/trust.md"
FOLDER = "/tmp/trust"
SERVER = "capstan-demo apiserver --write-kubeconfig=kubeconfig >apiserver.log 2>&1 &"


def run(scenario):
    folder, port = scenario.path("trust"), free_port()
    copy = "cp -r docs/examples/trust "
    actual = {copy + FOLDER: f"{copy}{folder} && sed -i 's/:19443/:{port}/' {folder}/shop.yaml",
              "$PWD/build/release/bin": scenario.bin_dir, FOLDER: folder, "-accept 19443": f"-accept {port}",
              "127.0.0.1:19443": f"127.0.0.1:{port}", ":9402": f":{free_port()}"}
    if scenario.kind == "real":
        actual[SERVER] = f"cp {scenario.cluster().kubeconfig('admin')} kubeconfig"
    shell = console.Shell(ROOT, {"PATH": console.path_with(scenario.bin_dir, "kubectl"),
                                 "HOME": scenario.folder, "LC_ALL": "C.UTF-8"})
    console.check(PAGE, scenario, shell, actual, least=15, write=scenario.options.write)
