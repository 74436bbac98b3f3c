# SPDX-License-Identifier: Apache-2.0
"""One program, from its start until it has nothing more to do: peak memory, CPU, what it said."""
import os
import re
import statistics
import subprocess
import tempfile
import time

IDLE_SECONDS = 1.5
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^VmHWM:\s+(\d+) kB", file.read(), re.M).group(1)) / 1024


def wait_until_idle(process, seconds=90):
    """Until it has worked, and then used no CPU to speak of for a while."""
    deadline = time.monotonic() + seconds
    quiet_since, used = time.monotonic(), 0.0
    while time.monotonic() < deadline:
        assert process.poll() is None, f"{process.args[0]} ended with {process.returncode}"
        now = cpu_seconds(process.pid)
        if now - used > 0.02:
            quiet_since, used = time.monotonic(), now
        if used > 0.03 and time.monotonic() - quiet_since > IDLE_SECONDS:
            return
        time.sleep(0.1)
    raise AssertionError(f"{process.args[0]} was busy for {seconds} s")


def measure(command, environment):
    """(peak MiB, CPU seconds, standard output) of a start."""
    with tempfile.TemporaryFile() as output, \
            subprocess.Popen(command, env={**os.environ, **environment}, stdout=output,
                             stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until_idle(process)
            figures = peak_mib(process.pid), cpu_seconds(process.pid)
        finally:
            process.kill()
        output.seek(0)
        return *figures, output.read().decode()


def spread(values, digits):
    return (f"{statistics.median(values):.{digits}f} "
            f"({min(values):.{digits}f} to {max(values):.{digits}f})")
