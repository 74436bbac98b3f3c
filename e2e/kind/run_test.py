#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""If hack/e2e kind cannot run, it prints the reason and is skipped. docker is a script here."""
import os
import subprocess
import sys
import tempfile
import unittest

RUN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "run.py")
ENGINE = 'info) echo 27.0;;'
NO_PULL = 'pull) echo "dial tcp: no such host." >&2; exit 1;;'


def check(*cases, **environment):
    """Returns (exit code, output) of run.py --check with this docker."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "docker")
        if cases:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(["#!/bin/sh", 'case "$1" in', *cases, "esac", ""]))
            os.chmod(path, 0o755)
        variables = {k: v for k, v in os.environ.items() if k != "KIND_NODE_IMAGE"}
        result = subprocess.run([sys.executable, "-B", RUN, "--check"], text=True, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env={**variables, "PATH": folder, **environment})
        return result.returncode, result.stdout


class CheckTest(unittest.TestCase):
    def skipped(self, why, *cases):
        code, output = check(*cases)
        self.assertEqual(code, 77, output)
        first, totals = output.splitlines()
        self.assertRegex(first, "^hack/e2e kind: SKIPPED: .*" + why)
        self.assertRegex(totals, "^0 passed, 0 failed, [1-9][0-9]* skipped$")

    def test_no_docker(self):
        self.skipped("needs a container engine, but docker is missing")

    def test_no_engine(self):
        self.skipped("Cannot connect to the daemon.",
                     'info) echo "Cannot connect to the daemon." >&2; exit 1;;')

    def test_no_image_and_none_can_be_pulled(self):
        self.skipped("docker pull kindest/node:v[0-9.]+ failed: dial tcp: no such host. Load one",
                     ENGINE, NO_PULL)

    def test_an_image_is_here(self):
        self.assertEqual(check(ENGINE, "images) echo kindest/node:v1;;", NO_PULL), (0, ""))
        self.assertEqual(check(ENGINE, NO_PULL, KIND_NODE_IMAGE="own:1"), (0, ""))

    def test_an_image_is_pulled(self):
        self.assertEqual(check(ENGINE, "pull) ;;"), (0, ""))


if __name__ == "__main__":
    unittest.main()
