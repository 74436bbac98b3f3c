# SPDX-License-Identifier: Apache-2.0
"""Runs the test of examples/hello, built with the installed library, on this server.

ctest runs the same test on the API server in its own process (hack/library_test.py).
"""
import os
import subprocess

from lib import library
from lib.cluster import ROOT

KINDS = ("embedded", "real")


def run(scenario):
    prefix = library.installed(scenario)
    build = scenario.path("build")
    for command in (["cmake", "-S", os.path.join(ROOT, "examples"), "-B", build, "-DEXAMPLES=hello",
                     f"-DCMAKE_PREFIX_PATH={prefix}"],
                    ["cmake", "--build", build],
                    [os.path.join(build, "hello/hello_test"), os.path.join(build, "hello/hello"),
                     "--real", scenario.cluster().kubeconfig("admin")]):
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"
