# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the example controllers, built with the installed library, on this server.

ctest runs the same tests on the API server in their own process (hack/library_test.py).
"""
import os
import subprocess

from lib import library
from lib.cluster import ROOT

KINDS = ("embedded", "real")


def told(*command):
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"


def run(scenario):
    prefix = library.installed(scenario)
    build = scenario.path("build")
    told("cmake", "-S", os.path.join(ROOT, "examples"), "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    told("cmake", "--build", build)
    real = ("--real", scenario.cluster().kubeconfig("admin"))
    for example, *arguments in (("hello", os.path.join(build, "hello/hello")), ("memcached",),
                                ("namespaces", os.path.join(build, "namespaces/namespaces"))):
        told(os.path.join(build, example, f"{example}_test"), *arguments, *real)
