# SPDX-License-Identifier: Apache-2.0
"""A page whose ```console blocks are run: each "$ command" of it in one shell, its output compared.

Above a block may stand, for who runs it and not for who reads it:
  <!-- until: COMMAND -->   what the reader's own pace waits for: COMMAND is tried until it succeeds
  <!-- only: embedded -->   the block is run on that kind of API server alone
What differs from run to run is replaced by a sample, here and nowhere else: SAMPLES.
"""
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from lib import said
from lib.cluster import ROOT
from lib.scenario import Skipped

FAR = re.compile(r"\b20(?:3[0-9]|[4-9][0-9])-\d\d-\d\dT\d\d:\d\d:\d\dZ")  # expiry of what is made now
SAMPLES = ((FAR, "2036-01-02T03:04:05Z"),
           (re.compile(r"\b202\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "2026-01-02T03:04:05Z"),
           (re.compile(r"sha256 [0-9a-f]{16}\b"), "sha256 0123456789abcdef"),
           (re.compile(r"\b\d+\.\d+ s\b"), "1.23 s"),
           (re.compile(r"\b\d+\.\d+ MiB\b"), "12.3 MiB"))
BLOCK = re.compile(r"((?:^<!-- (?:until|only): [^\n]* -->\n)*)^```console\n(.*?)^```$", re.M | re.S)
HINT = re.compile(r"^<!-- (until|only): (.*) -->$", re.M)
PATIENCE = 90  # seconds, for a command or what it waits for


def normalised(text):
    for pattern, sample in SAMPLES:
        text = pattern.sub(sample, text)
    return text


def commands(block):
    """The commands of a block, without what they printed."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def path_with(bin_dir, *needed):
    """The PATH: ours come first, then the kubectl of the real API server's build, if there is one."""
    built = subprocess.run([os.path.join(ROOT, "e2e/cluster/build"), "--cached"], check=False,
                           text=True, capture_output=True).stdout.strip()
    path = ":".join(filter(None, [bin_dir, built, os.environ["PATH"]]))
    for program in needed:
        if shutil.which(program, path=path) is None:
            raise Skipped(f"no {program} here; e2e/cluster/build builds kubectl")
    return path


class Shell:
    """A bash that outlives no scenario, nor does what it starts in the background."""

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["bash", "--noprofile", "--norc"], cwd=folder, text=True, start_new_session=True,
            env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def run(self, command):
        """(exit code, what it printed)"""
        end = "end-of-" + os.urandom(8).hex()
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\n{end} %d\\n' $?\n")
        self.process.stdin.flush()
        limit = threading.Timer(PATIENCE, self.close)
        limit.start()
        text = ""
        for line in self.process.stdout:
            if line.startswith(end + " "):
                limit.cancel()
                said.NOW.hear(command, text)
                return int(line.split()[1]), text[:-1]  # the line end that printf began with
            text += line
        raise AssertionError(f"not within {PATIENCE} s, or the shell ended: {command}\n{text}")

    def wait_until(self, command):
        deadline = time.monotonic() + PATIENCE
        while True:
            code, text = self.run(command)
            if code == 0:
                return
            assert time.monotonic() < deadline, f"not within {PATIENCE} s: {command}\n{text}"
            time.sleep(0.1)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def played(page, kind, shell, actual):
    """The page with what its commands print now. `actual`: {what it says: what is used here}."""
    def here(text):
        for said, used in actual.items():
            text = text.replace(said, used)
        return text

    def there(text):
        for said, used in actual.items():
            text = text.replace(used, said)
        return text

    def block(match):
        for hint, value in HINT.findall(match.group(1)):
            if hint == "only" and value != kind:
                return match.group(0)
            if hint == "until":
                shell.wait_until(here(value))
        lines = ""
        for command in commands(match.group(2)):
            output = normalised(there(shell.run(here(command))[1]))
            lines += f"$ {command}\n{output}" + ("" if output.endswith("\n") or not output else "\n")
        return f"{match.group(1)}```console\n{lines}```"

    return BLOCK.sub(block, page)
