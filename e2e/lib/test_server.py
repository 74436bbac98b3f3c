# SPDX-License-Identifier: Apache-2.0
"""Runs the tests in examples/test-server on capstan-test-server, or on the programs of a real server."""
import os
import shutil
import subprocess

from lib.cluster import ROOT
from lib.scenario import Skipped

EXAMPLES = os.path.join(ROOT, "examples/test-server")
CACHE = os.environ.get("CAPSTAN_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "capstan")


def need(tool):
    if shutil.which(tool) is None:
        raise Skipped(f"there is no {tool} on this machine")


def assets(scenario):
    """Returns the folder with kube-apiserver and etcd of this run's kind."""
    if scenario.kind == "real":
        command, more = [os.path.join(ROOT, "e2e/cluster/build"), "--cached"], {}
    else:
        command, more = [os.path.join(scenario.bin_dir, "capstan"), "envtest"], {"XDG_CACHE_HOME": scenario.folder}
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, **more}).stdout.strip()


def kubeconfig(scenario):
    """Returns the variables with which a test uses a real server, or finds capstan-test-server."""
    if scenario.kind == "real":
        return {"TEST_KUBECONFIG": scenario.cluster().kubeconfig("admin")}
    return {"PATH": scenario.bin_dir + os.pathsep + os.environ["PATH"]}


def copy(language, scenario):
    """Returns a copy of an example, in which its tools may write."""
    folder = scenario.path(language)
    shutil.copytree(os.path.join(EXAMPLES, language), folder)
    return folder


def run(command, folder, expected, **environment):
    """Runs a command, which must print this text."""
    result = subprocess.run(command, cwd=folder, check=False, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, env={**os.environ, **environment})
    assert result.returncode == 0 and expected in result.stdout, f"{' '.join(command)}\n{result.stdout[-8000:]}"
