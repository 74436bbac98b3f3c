# SPDX-License-Identifier: Apache-2.0
"""Runs cert-manager's cainjector: $CAINJECTOR_BIN, or the peer in hack/bench/peers."""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time

from lib.cluster import ROOT
from lib.scenario import Skipped

USER_AGENT = "cert-manager-cainjector"
GO_MIN = 26  # Go 1.N
FLAGS = ["--leader-elect=false", "--enable-certificates-data-source=false",
         "--metrics-listen-address=0", "--v=2"]


def find_go():
    """Returns a Go that builds the peer without fetching another Go, or None."""
    found = [shutil.which("go"), "/usr/local/go/bin/go", *sorted(glob.glob("/usr/lib/go-1.*/bin/go"))]
    for go in filter(None, found):
        if not os.access(go, os.X_OK):
            continue
        version = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True,
                                 check=False, env={**os.environ, "GOTOOLCHAIN": "local"}).stdout
        match = re.match(r"go1\.(\d+)", version)
        if match and int(match.group(1)) >= GO_MIN:
            return go
    return None


def sources():
    folder = os.path.join(ROOT, "hack/bench/peers")
    return [os.path.join(folder, name) for name in ("go.sum", "cainjector/main.go")]


def program():
    """Returns its path, and builds it if it is missing or old. Raises Skipped if it cannot."""
    given = os.environ.get("CAINJECTOR_BIN")
    if given:
        assert os.access(given, os.X_OK), f"CAINJECTOR_BIN={given} is not a program"
        return given
    cache = os.environ.get("CAPSTAN_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "capstan")
    built = os.path.join(cache, "peers", "cainjector")
    if os.access(built, os.X_OK) and all(
            os.path.getmtime(source) < os.path.getmtime(built) for source in sources()):
        return built
    go = find_go()
    if go is None:
        raise Skipped(f"no cainjector: neither $CAINJECTOR_BIN, nor {built} as of "
                      f"hack/bench/peers, nor a Go 1.{GO_MIN} to build it with")
    print(f"  building {built}", flush=True)
    subprocess.run([go, "build", "-trimpath", "-ldflags", "-s -w", "-o", built, "./cainjector"],
                   cwd=os.path.join(ROOT, "hack/bench/peers"), check=True,
                   env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"})
    return built


class Cainjector:
    """A context manager. The user agent identifies its requests in a real server's audit log."""

    def __init__(self, cluster, log_path):
        self.cluster, self.log_path, self.process, self.since = cluster, log_path, None, 0

    def __enter__(self):
        self.since = os.path.getsize(self.cluster.path("audit.log"))
        with open(self.log_path, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [program(), *FLAGS], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "KUBECONFIG": self.cluster.kubeconfig("admin")})
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if kind is not None:
            with open(self.log_path, encoding="utf-8", errors="replace") as log:
                print("  the end of cainjector's log:\n    " + "    ".join(log.readlines()[-15:]))

    def patched(self):
        """Returns the names of the objects that it has patched."""
        with open(self.cluster.path("audit.log"), encoding="utf-8") as file:
            file.seek(self.since)
            events = [json.loads(line) for line in file if line.endswith("\n")]
        return {event["objectRef"].get("name") for event in events
                if event["userAgent"].startswith(USER_AGENT) and event["verb"] == "patch"
                and event["stage"] == "ResponseComplete"}

    def wait_until(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, f"cainjector exits {self.process.returncode}"
            assert time.monotonic() < deadline, f"cainjector, not within {seconds} s: {what}"
            time.sleep(0.2)

    def wait_looked_at(self, names):
        """Waits until it is idle: it patches every target, changed or not, and again on its own event."""
        self.wait_until(lambda: names <= self.patched(), f"patches {names}")
        time.sleep(2)
