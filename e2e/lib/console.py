# SPDX-License-Identifier: Apache-2.0
"""Runs the ```console blocks of a page: each "$ command" in one shell, and compares its output.

A block may have comments above it, which readers do not see:
  <!-- until: COMMAND -->   retry COMMAND until it succeeds, instead of the reader's own pace
  <!-- only: embedded -->   run the block only on that kind of API server: embedded, real or kind
SAMPLES replaces everything that differs between runs by a sample.
"""
import difflib
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from lib import captured
from lib.cluster import ROOT
from lib.scenario import Skipped

FAR = re.compile(r"\b20(?:3[0-9]|[4-9][0-9])-\d\d-\d\dT\d\d:\d\d:\d\dZ")  # expiry of what is made now
SAMPLES = ((FAR, "2036-01-02T03:04:05Z"),
           (re.compile(r"\b202\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "2026-01-02T03:04:05Z"),
           (re.compile(r"sha256 [0-9a-f]{16}\b"), "sha256 0123456789abcdef"),
           # The identity of a leader is its pod and a UUID.
           (re.compile(r"-[0-9a-z]+-[0-9a-z]+_[0-9a-f]{8}-[0-9a-f-]{27}\b"), "-5d8f7c9b64-x2x4z_0f6c2c57-2a6b-4c1e-9d0f-3b7c1f9e8a11"),
           (re.compile(r"\b\d+\.\d+ s\b"), "1.23 s"),
           (re.compile(r"\b\d+\.\d+ MiB\b"), "12.3 MiB"),
           # An age in a table of kubectl.
           (re.compile(r"(?<= {3})\d+s( +|$)", re.M),
            lambda age: "5s" + " " * (len(age[0]) - 2 if age[1] else 0)))
BLOCK = re.compile(r"((?:^<!-- (?:until|only): [^\n]* -->\n)*)^```console\n(.*?)^```$", re.M | re.S)
HINT = re.compile(r"^<!-- (until|only): (.*) -->$", re.M)
PATIENCE = 90  # seconds for a command or its condition


def normalised(text):
    for pattern, sample in SAMPLES:
        text = pattern.sub(sample, text)
    return text


def commands(block):
    """Returns the commands of a block without their output."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def path_with(bin_dir, *needed):
    """Returns the PATH: our programs first, then the kubectl of the real API server's build."""
    built = subprocess.run([os.path.join(ROOT, "e2e/cluster/build"), "--cached"], check=False,
                           text=True, capture_output=True).stdout.strip()
    path = ":".join(filter(None, [bin_dir, built, os.environ["PATH"]]))
    for program in needed:
        if shutil.which(program, path=path) is None:
            raise Skipped(f"no {program} here; e2e/cluster/build builds kubectl")
    return path


class Shell:
    """A bash that ends with the scenario, including its background jobs."""

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            ["bash", "--noprofile", "--norc"], cwd=folder, text=True, start_new_session=True,
            env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def run(self, command):
        """Returns (exit code, output)."""
        end = "end-of-" + os.urandom(8).hex()
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\n{end} %d\\n' $?\n")
        self.process.stdin.flush()
        limit = threading.Timer(PATIENCE, self.close)
        limit.start()
        text = ""
        try:
            for line in self.process.stdout:
                if line.startswith(end + " "):
                    captured.OUTPUT.add(command, text)
                    return int(line.split()[1]), text[:-1]  # the line end that printf began with
                text += line
        finally:
            limit.cancel()
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
    """Returns the page with the current output. `actual`: {text of the page: text used here}."""
    def here(text):
        for printed, used in actual.items():
            text = text.replace(printed, used)
        return text

    def there(text):
        for printed, used in actual.items():
            text = text.replace(used, printed)
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


def check(page, scenario, shell, actual, least, write=False):
    """Runs the commands of the file `page` and compares its output, or updates it with `write`.

    `least` is the smallest number of commands that the page must have. The shell is closed.
    """
    path = os.path.join(ROOT, page)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        now = played(text, scenario.kind, shell, actual)
    finally:
        shell.close()
    count = sum(len(commands(block)) for _, block in BLOCK.findall(text))
    scenario.figure("commands", count)
    assert count > least, "the page has too few commands"
    if write and now != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(now)
        scenario.figure("updated", page)
        return
    difference = "".join(difflib.unified_diff(text.splitlines(True), now.splitlines(True), page,
                                              "current output"))
    assert not difference, (f"{page} differs from the output; to update it, run its scenario with "
                            f"--write\n{difference}")
