# SPDX-License-Identifier: Apache-2.0
"""Runs a program and measures its memory and CPU until it idles."""
import collections
import os
import re
import subprocess
import tempfile
import time

# A start may wait for the API server, longer on a busy machine.
IDLE_SECONDS = 2.5
# A start without objects can use less CPU than a tick. After this time it is idle, too.
START_SECONDS = 10
TICKS = os.sysconf("SC_CLK_TCK")

# In MiB: the peak (VmHWM); and now the sum (VmRSS), the anonymous pages (RssAnon), and the pages of the
# program's and its libraries' files (RssFile), which the kernel can drop and share.
Memory = collections.namedtuple("Memory", ("peak", "resident", "anonymous", "files"))


def memory_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        kib = dict(re.findall(r"^(\w+):\s+(\d+) kB", file.read(), re.M))
    return Memory(*(int(kib[name]) / 1024 for name in ("VmHWM", "VmRSS", "RssAnon", "RssFile")))


def cpu_seconds(pid):
    """Returns the user and system time of a process."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


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
        # Not through the file, because the process shares its position.
        return os.pread(self.output.fileno(), 1 << 20, 0).decode()

    def tell(self, line):
        """Writes a line to its standard input."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def memory(self):
        return memory_of(self.process.pid)

    def peak_mib(self):
        return self.memory().peak

    def forget_peak(self):
        """Sets VmHWM to the current memory."""
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def wait_until_idle(self, done=None, seconds=900):
        """Waits until `done` returns true, and it has used almost no CPU for a while. Without `done`
        it waits until the program has worked at all."""
        begin = time.monotonic()
        deadline = begin + seconds
        quiet_since, used = begin, 0.0
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (
                f"{self.command[0]} ended with {self.process.returncode}")
            now = self.cpu_seconds()
            if now - used > 0.02:
                quiet_since, used = time.monotonic(), now
            worked = now > 0.01 or time.monotonic() - begin > START_SECONDS
            if time.monotonic() - quiet_since > IDLE_SECONDS and (done() if done else worked):
                return
            time.sleep(0.1)
        raise AssertionError(f"{self.command[0]} was busy for {seconds} s")
