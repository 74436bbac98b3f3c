# SPDX-License-Identifier: Apache-2.0
"""Runs each command of docs/first-hour.md and compares its output with the page.

--write updates the outputs in the page.
"""
import difflib
import os

from lib import console
from lib.cluster import ROOT, free_port

KINDS = ("embedded", "real")
PAGE = "docs/first-hour.md"
FOLDER = "/tmp/first-hour"
SERVER = "capstan-demo apiserver --write-kubeconfig=kubeconfig >apiserver.log 2>&1 &"


def run(scenario):
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        page = file.read()
    actual = {"build/release/bin/": scenario.bin_dir + "/", "$PWD/build/release/bin": scenario.bin_dir,
              FOLDER: scenario.path("first-hour"),
              ":9402": f":{free_port()}", ":9403": f":{free_port()}"}
    if scenario.kind == "real":
        actual[SERVER] = f"cp {scenario.cluster().kubeconfig('admin')} kubeconfig"
    shell = console.Shell(ROOT, {"PATH": console.path_with(scenario.bin_dir, "kubectl", "curl"),
                                 "HOME": scenario.folder, "LC_ALL": "C.UTF-8"})
    try:
        now = console.played(page, scenario.kind, shell, actual)
    finally:
        shell.close()
    count = sum(len(console.commands(block)) for _, block in console.BLOCK.findall(page))
    scenario.figure("commands", count)
    assert count > 20, "the page has too few commands"
    if scenario.options.write and now != page:
        with open(os.path.join(ROOT, PAGE), "w", encoding="utf-8") as file:
            file.write(now)
        scenario.figure("updated", PAGE)
        return
    difference = "".join(difflib.unified_diff(page.splitlines(True), now.splitlines(True), PAGE,
                                              "current output"))
    assert not difference, (f"{PAGE} differs from the output; to update it: hack/e2e embedded "
                            f"first_hour --write\n{difference}")
