# SPDX-License-Identifier: Apache-2.0
"""A program as it is measured: peak memory, CPU, what it said, and when it has nothing to do."""
import os
import re
import subprocess
import tempfile
import time

# A start waits for the API server now and then, longer on a busy machine, and is not done yet.
IDLE_SECONDS = 2.5
TICKS = os.sysconf("SC_CLK_TCK")


class Process:
    """A context manager: it never outlives what is measured."""

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
        """Its standard output."""
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
        """Until it has worked, `done` says so, and it used no CPU to speak of for a while."""
        deadline = time.monotonic() + seconds
        quiet_since, used = time.monotonic(), 0.0
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (
                f"{self.command[0]} ended with {self.process.returncode}")
            now = self.cpu_seconds()
            if now - used > 0.02:
                quiet_since, used = time.monotonic(), now
            if used > 0.03 and time.monotonic() - quiet_since > IDLE_SECONDS and done():
                return
            time.sleep(0.1)
        raise AssertionError(f"{self.command[0]} was busy for {seconds} s")


def measure(command, environment):
    """(peak MiB, CPU seconds, standard output) of a start."""
    with Process(command, environment) as process:
        process.wait_until_idle()
        return process.peak_mib(), process.cpu_seconds(), process.said()
