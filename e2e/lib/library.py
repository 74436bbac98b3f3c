# SPDX-License-Identifier: Apache-2.0
"""The libraries that users link, installed into a folder."""
import fcntl
import os
import subprocess

from lib.cluster import ROOT
from lib.scenario import Skipped

BUILD = os.path.join(ROOT, "build/library")


def installed():
    """Returns the prefix. It is the same each time, so that a build of consumers can be continued."""
    if not os.path.exists(os.path.join(BUILD, "CPackConfig.cmake")):
        raise Skipped("needs the libraries; cmake --preset library && cmake --build --preset library")
    prefix = BUILD + ".prefix"
    # Scenarios that run at the same time use it, so only the first of them may change a file.
    with open(BUILD + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    return prefix
