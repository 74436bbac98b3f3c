# SPDX-License-Identifier: Apache-2.0
"""Runs each command of docs/library/first-controller.md and compares its output with the page.

It needs the libraries of the preset library, which it installs into a folder of its own. --write
updates the outputs in the page.
"""
from lib import console, library
from lib.cluster import ROOT

KINDS = ("embedded", "real")
PAGE = "docs/library/first-controller.md"
FOLDER = "/tmp/first-controller"
SERVER = "capstan apiserver --write-kubeconfig=kubeconfig >apiserver.log 2>&1 &"


def run(scenario):
    prefix = library.installed()
    actual = {FOLDER: scenario.path("first-controller")}
    if scenario.kind == "real":
        actual[SERVER] = f"cp {scenario.cluster().kubeconfig('admin')} kubeconfig"
    shell = console.Shell(ROOT, {"PATH": console.path_with(scenario.bin_dir, "kubectl", "cmake"),
                                 "HOME": scenario.folder, "LC_ALL": "C.UTF-8",
                                 "CMAKE_PREFIX_PATH": prefix})
    console.check(PAGE, scenario, shell, actual, least=10, write=scenario.options.write)
