# SPDX-License-Identifier: Apache-2.0
"""The interface between run.py and a scenario."""
import os
import shutil
import tempfile
import time

from lib import captured
from lib.cluster import Cluster


class Skipped(Exception):
    """Raised when this machine cannot run the scenario; the message is the reason."""


class Scenario:
    """Passed to run(scenario) of each module in e2e/scenarios. Cleans up after it."""

    def __init__(self, name, kind, bin_dir, options):
        self.name, self.kind, self.bin_dir, self.options = name, kind, bin_dir, options
        self.folder = tempfile.mkdtemp(prefix=f"capstan-{name}-")
        self.clusters = []

    def close(self):
        for cluster in self.clusters:
            captured.OUTPUT.add_cluster(cluster.client())
            cluster.destroy()
        captured.OUTPUT.add_logs(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)

    def cluster(self, *flags, rbac=False):
        """Returns an API server of this run's kind. A real one always has RBAC."""
        if self.kind == "real":
            made = Cluster.create(apiserver_flags=flags)
        else:
            from lib.embedded import EmbeddedCluster  # pylint: disable=import-outside-toplevel
            made = EmbeddedCluster.create(self.bin_dir, *(("127.0.0.1", "60", "RBAC") if rbac else ()))
        self.clusters.append(made)
        return made

    def path(self, name):
        return os.path.join(self.folder, name)

    def figure(self, what, value):
        captured.OUTPUT.add("what the scenario prints", f"{what}: {value}")
        print(f"  {what}: {value}", flush=True)


def eventually(condition, what, seconds=60):
    """Waits until the condition is true. An OSError counts as false: a server may be restarting."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except OSError:
            pass
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.2)


def check_at_most(what, value, limit):
    assert value <= limit, f"{what} is {value}, at most {limit} is allowed"


def check_equal(what, value, expected):
    assert value == expected, f"{what} is {value!r}, expected {expected!r}"
