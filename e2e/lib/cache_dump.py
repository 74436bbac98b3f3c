# SPDX-License-Identifier: Apache-2.0
"""Runs e2e_cache_dump: an informer of clientgo whose cache can be read from outside."""
import os
import subprocess

from lib.manager import ENVIRONMENT


class CacheDump:
    def __init__(self, bin_dir, kubeconfig, prefix=(), http2="auto"):
        """`prefix`: a command that runs it, such as "ip netns exec NAME"."""
        self.command = [*prefix, os.path.join(bin_dir, "e2e_cache_dump"), "--kubeconfig=" + kubeconfig,
                        "--http2=" + http2]
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env={**os.environ, **ENVIRONMENT})
        return self

    def __exit__(self, *_):
        self.process.stdin.close()  # it ends when its input ends
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def read(self):
        """Returns {namespace/name: resourceVersion} of the current cache."""
        self.process.stdin.write("dump\n")
        self.process.stdin.flush()
        held = {}
        for line in self.process.stdout:
            if line == "end\n":
                return held
            key, version = line.split()
            held[key] = version
        raise AssertionError(f"e2e_cache_dump exits {self.process.wait()}")
