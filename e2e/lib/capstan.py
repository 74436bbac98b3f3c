# SPDX-License-Identifier: Apache-2.0
"""Runs the command line program `capstan`, checks its exit code and keeps its output."""
import json
import os
import subprocess

from lib import captured
from lib.scenario import check_equal

FINE, FAILED, FOUND = 0, 1, 2  # exit codes


class Capstan:
    def __init__(self, bin_dir, kubeconfig):
        self.program = os.path.join(bin_dir, "capstan")
        self.kubeconfig = kubeconfig
        self.outputs = []  # output of every run, for the search for secrets

    def run(self, *arguments, code=None, stdin=None, kubeconfig=None):
        """Returns (exit code, stdout, stderr)."""
        environment = {**os.environ, "KUBECONFIG": kubeconfig or self.kubeconfig}
        done = subprocess.run([self.program, *arguments], env=environment, text=True, input=stdin,
                              capture_output=True, check=False, timeout=120)
        self.outputs.append(done.stdout + done.stderr)
        captured.OUTPUT.add("capstan " + " ".join(arguments), self.outputs[-1])
        if code is not None:
            check_equal(f"exit code of capstan {' '.join(arguments)}\n{self.outputs[-1]}",
                        done.returncode, code)
        return done.returncode, done.stdout, done.stderr

    def json(self, *arguments, **options):
        """Returns (exit code, JSON output)."""
        code, out, err = self.run(*arguments, "-o", "json", **options)
        assert out, f"capstan {' '.join(arguments)}: {err}"
        return code, json.loads(out)
