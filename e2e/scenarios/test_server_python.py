# SPDX-License-Identifier: Apache-2.0
"""A Python project with kopf and pytest runs its tests on capstan-test-server, and on a real API server."""
import os
import subprocess
import sys

from lib import test_server
from lib.scenario import Skipped

KINDS = ("embedded", "real")


def environment():
    """Returns the folder of programs of an environment with the example's packages."""
    folder = os.path.join(test_server.CACHE, "test-server-python")
    wanted = os.path.join(test_server.EXAMPLES, "python/requirements.txt")
    programs, stamp = os.path.join(folder, "bin"), os.path.join(folder, "installed")
    if os.path.exists(stamp) and os.path.getmtime(stamp) > os.path.getmtime(wanted):
        return programs
    made = subprocess.run([sys.executable, "-m", "venv", folder], check=False, stdout=subprocess.DEVNULL)
    if made.returncode != 0:
        raise Skipped("this Python has no venv; install python3-venv")
    subprocess.run([os.path.join(programs, "pip"), "install", "-q", "-r", wanted], check=True)
    with open(stamp, "w", encoding="utf-8"):
        return programs


def run(scenario):
    test_server.run([os.path.join(environment(), "pytest"), "-q"], test_server.copy("python", scenario), "1 passed",
                    **test_server.kubeconfig(scenario))
