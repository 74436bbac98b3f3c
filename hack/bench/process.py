# SPDX-License-Identifier: Apache-2.0
"""Runs a program and measures its peak memory and CPU until it idles."""
import os
import re
import subprocess
import tempfile
import time

# A start may wait for the API server, longer on a busy machine.
IDLE_SECONDS = 2.5
TICKS = os.sysconf("SC_CLK_TCK")


class Process:
    """A context manager, so that the process ends with the measurement."""

    def __init__(self, command, environment):
        self.command, self.environment = command, environment
        self.process = self.output = None

    def __enter__(self):
        self.output = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            self.command, env={**os.environ, **self.environment}, stdout=self.output,
            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.output.close()

    def said(self):
        """Returns its standard output."""
        self.output.seek(0)
        return self.output.read().decode()

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"^VmHWM:\s+(\d+) kB", file.read(), re.M).group(1)) / 1024

    def wait_until_idle(self, done=lambda: True, seconds=900):
        """Waits until it has worked, `done` returns true, and it has used almost no CPU for a while."""
        deadline = time.monotonic() + seconds
        quiet_since, used = time.monotonic(), 0.0
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (
                f"{self.command[0]} ended with {self.process.returncode}")
            now = self.cpu_seconds()
            if now - used > 0.02:
                quiet_since, used = time.monotonic(), now
            if now > 0.01 and time.monotonic() - quiet_since > IDLE_SECONDS and done():
                return
            time.sleep(0.1)
        raise AssertionError(f"{self.command[0]} was busy for {seconds} s")


def measure(command, environment):
    """Returns (peak MiB, CPU seconds, standard output) of a start."""
    with Process(command, environment) as process:
        process.wait_until_idle()
        return process.peak_mib(), process.cpu_seconds(), process.said()
