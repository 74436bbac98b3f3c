# SPDX-License-Identifier: Apache-2.0
"""A memory limit for a program, by a control group of version 1 or 2. Needs root."""
import os
import time

from lib.scenario import Skipped

ROOT = "/sys/fs/cgroup"


class MemoryLimit:
    """A context manager. `prefix` is a command that runs its arguments within the limit."""

    def __init__(self, name, mib):
        v1 = os.path.isdir(os.path.join(ROOT, "memory"))
        self.folder = os.path.join(ROOT, *(["memory"] if v1 else []), f"capstan-{os.getpid()}-{name}")
        self.limit_file = "memory.limit_in_bytes" if v1 else "memory.max"
        self.events_file = "memory.oom_control" if v1 else "memory.events"
        self.limit = mib << 20
        self.prefix = ["sh", "-c", f'echo $$ >{self.folder}/cgroup.procs && exec "$@"', "sh"]

    def __enter__(self):
        try:
            os.mkdir(self.folder)
            with open(os.path.join(self.folder, self.limit_file), "w", encoding="ascii") as file:
                file.write(str(self.limit))
        except OSError as error:
            raise Skipped(f"needs a writable control group for memory: {error}") from error
        return self

    def __exit__(self, *_):
        for _ in range(50):  # a killed process leaves the group a moment later
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.1)
        return None

    def kills(self):
        """Returns how often the kernel ended a process of the group for its memory."""
        with open(os.path.join(self.folder, self.events_file), encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith("oom_kill "))
