# SPDX-License-Identifier: Apache-2.0
"""Runs capstan-controller-manager, reads its endpoints and measures it."""
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from lib import captured
from lib.cluster import ROOT, free_port

PROGRAM = "capstan-controller-manager"
CONTENT_TYPE = os.environ.get("KUBE_API_CONTENT_TYPE")  # the encoding that programs ask for
# What the images set, apart from the path of their programs.
with open(os.path.join(ROOT, "hack/images/environment"), encoding="ascii") as _file:
    ENVIRONMENT = dict(line.split("=", 1) for line in _file.read().split() if not line.startswith("PATH="))
PAGES = ("/metrics", "/readyz?verbose", "/statusz", "/statusz?format=json", "/flagz")


class Manager:
    """A context manager, so that the process ends with the scenario."""

    PROGRAM = PROGRAM
    prefix = ()  # a command that runs the program, such as cgroup.MemoryLimit.prefix

    def __init__(self, bin_dir, kubeconfig, *flags):
        self.port = free_port()
        self.program = os.path.join(bin_dir, self.PROGRAM)
        self.arguments = [f"--kubeconfig={kubeconfig}", "-v=2",
                          f"--metrics-listen-address=127.0.0.1:{self.port}",
                          *([f"--kube-api-content-type={CONTENT_TYPE}"] if CONTENT_TYPE else []), *flags]
        self.process = None
        self.log_path = None
        self.started = None

    def __enter__(self):
        fd, self.log_path = tempfile.mkstemp(prefix="capstan-manager-", suffix=".log")
        self.started = time.monotonic()
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [*self.prefix, self.program, *self.arguments], stdout=fd, stderr=fd, stdin=subprocess.DEVNULL,
            env={**os.environ, **ENVIRONMENT})
        os.close(fd)
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.hear_pages()
            self.process.kill()
            self.process.wait()
        captured.OUTPUT.add("the log of " + self.PROGRAM, self.log())
        if kind is not None:
            print("  the end of the manager's log:")
            print("    " + "    ".join(self.log().splitlines(True)[-15:]))
        os.unlink(self.log_path)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def get(self, path):
        """Returns (status, text), or (0, error) without an answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                code, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            code, text = error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)
        captured.OUTPUT.add(path + " of " + self.PROGRAM, text)
        return code, text

    def hear_pages(self):
        """Returns all its pages for run.py's search for secrets."""
        for page in PAGES:
            if self.get(page)[0] == 0:
                return  # it serves nothing, or does not answer

    def metric(self, name, /, **labels):
        """Returns the sum of the samples with this name and these labels, or None."""
        found = None
        for line in self.get("/metrics")[1].splitlines():
            match = re.match(r"(\w+)(?:\{(.*)\})? (\S+)$", line)
            if match and match.group(1) == name and all(
                    f'{key}="{value}"' in (match.group(2) or "") for key, value in labels.items()):
                found = (found or 0) + float(match.group(3))
        return found

    def requests_sent(self):
        """Returns the number of requests to the API server, including those without an answer."""
        return self.metric("rest_client_requests_total") or 0

    def is_running(self):
        return self.process.poll() is None

    def memory_kib(self, field="VmHWM"):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"^{field}:\s+(\d+) kB", file.read(), re.M).group(1))

    def wait_until(self, condition, what, seconds):
        """Polls. Returns the seconds since the start. Raises AssertionError if the manager dies."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, f"the manager exits {self.process.returncode}"
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
            time.sleep(0.1)
        return time.monotonic() - self.started

    def wait_ready(self, seconds=60):
        return self.wait_until(lambda: self.get("/readyz")[0] == 200, "/readyz is 200", seconds)

    def stop(self, seconds=15):
        """Sends SIGTERM. Returns (exit code, seconds)."""
        self.hear_pages()
        before = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=seconds), time.monotonic() - before
