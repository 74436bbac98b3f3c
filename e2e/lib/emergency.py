# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/node-agent.md that open pods by hand."""
import os
import re

import yaml

from lib.cluster import ROOT

HEADING = "\n## Emergency: open pods by hand\n"


def blocks(kind=""):
    with open(os.path.join(ROOT, "docs/node-agent.md"), encoding="utf-8") as file:
        section = file.read().split(HEADING)[1].split("\n# ")[0]
    return re.findall(rf"^```{kind}\n(.*?)^```$", section, re.M | re.S)


def commands():
    """Returns the commands for one pod, for all waiting pods, and for the condition of one pod."""
    return blocks()


def rules():
    """Returns the rules of a Role: the right to open, and the rights on pods that kubectl needs."""
    return yaml.safe_load(blocks("yaml")[0])["rules"]


def for_pod(namespace, name):
    return commands()[0].replace("NAMESPACE", namespace).replace("POD", name)


def for_all(driver=None, node=None):
    command = commands()[1]
    if driver:
        command = command.replace("csi.cert-manager.io", driver)
    if node:
        command = command.replace("status.phase", f"spec.nodeName={node},status.phase", 1)
    return command


def for_condition(namespace, name):
    return commands()[2].replace("NAMESPACE", namespace).replace("POD", name)
