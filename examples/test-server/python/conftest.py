# SPDX-License-Identifier: Apache-2.0
"""A server for all tests of a run, or the one of $TEST_KUBECONFIG."""
import os
import subprocess

import pytest


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory):
    """Returns the path of an administrator's kubeconfig."""
    if "TEST_KUBECONFIG" in os.environ:
        yield os.environ["TEST_KUBECONFIG"]
        return
    path = str(tmp_path_factory.mktemp("server") / "kubeconfig")
    with subprocess.Popen(["capstan-test-server", f"--kubeconfig={path}", "--until-stdin-ends"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout.readline().startswith("serving on ")
        yield path
        # The end of the block closes stdin, which ends the server.
