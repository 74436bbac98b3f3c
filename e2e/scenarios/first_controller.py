# SPDX-License-Identifier: Apache-2.0
"""Runs each command of docs/library/first-controller.md and compares its output with the page.

It needs the libraries of the preset library, which it installs into a folder of its own.
"""
import difflib
import os

from lib import console, library
from lib.cluster import ROOT

KINDS = ("embedded", "real")
PAGE = "docs/library/first-controller.md"
FOLDER = "/tmp/first-controller"
SERVER = "capstan apiserver --write-kubeconfig=kubeconfig >apiserver.log 2>&1 &"


def run(scenario):
    prefix = library.installed(scenario)
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        page = file.read()
    actual = {FOLDER: scenario.path("first-controller")}
    if scenario.kind == "real":
        actual[SERVER] = f"cp {scenario.cluster().kubeconfig('admin')} kubeconfig"
    shell = console.Shell(ROOT, {"PATH": console.path_with(scenario.bin_dir, "kubectl", "cmake"),
                                 "HOME": scenario.folder, "LC_ALL": "C.UTF-8",
                                 "CMAKE_PREFIX_PATH": prefix})
    try:
        now = console.played(page, scenario.kind, shell, actual)
    finally:
        shell.close()
    count = sum(len(console.commands(block)) for _, block in console.BLOCK.findall(page))
    scenario.figure("commands", count)
    assert count > 10, "the page has too few commands"
    difference = "".join(difflib.unified_diff(page.splitlines(True), now.splitlines(True), PAGE,
                                              "current output"))
    assert not difference, f"{PAGE} differs from the output\n{difference}"
