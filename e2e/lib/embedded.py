# SPDX-License-Identifier: Apache-2.0
"""Runs the embedded API server, with the interface of lib.cluster.Cluster."""
import json
import os
import shutil
import subprocess
import tempfile

from lib import captured, kube, rights


class EmbeddedCluster:
    def __init__(self, folder, process):
        self.folder, self.process = folder, process
        self.server = process.stdout.readline().strip()
        self.ca_file = os.path.join(folder, "ca.crt")
        self.counted = {}  # by calls()

    @classmethod
    def create(cls, bin_dir, *arguments, prefix=()):
        """`arguments`: the address (default 127.0.0.1), the seconds between bookmarks (default 60), and the
        authorization mode (default AlwaysAllow; RBAC). With RBAC the users have the rights of Cluster.

        `prefix` is a command that runs it, such as that of a network namespace.
        """
        folder = tempfile.mkdtemp(prefix="capstan-embedded-")
        with open(os.path.join(folder, "apiserver.log"), "w", encoding="utf-8") as log:
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                [*prefix, os.path.join(bin_dir, "e2e_apiserver"), folder, *arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        cluster = cls(folder, process)
        if "RBAC" in arguments:
            rights.install(cluster.client())
        return cluster

    def kubeconfig(self, user="capstan"):
        return os.path.join(self.folder, f"kubeconfig.{user}")

    def client(self, token="admin-token"):
        return kube.Client(self.server, token, self.ca_file)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise AssertionError(f"e2e_apiserver exits {self.process.wait()} on {command!r}")
        return answer

    def kill(self, _program):
        self.ask("stop")

    def start_apiserver(self):
        self.ask("start")

    def requests(self):
        """Returns [(user agent, verb, resource, count)] since the last call of this or of calls."""
        # A difference, because a reset on the server would lose requests in between.
        found = []
        for entry in json.loads(self.ask("requests")):
            count = entry.pop("count")
            key = json.dumps(entry, sort_keys=True)
            new, self.counted[key] = count - self.counted.get(key, 0), count
            if new:
                found.append((entry["userAgent"], entry["verb"], entry["resource"], new))
        return found

    def refusals(self, _user=rights.USER):
        """Returns ["verb resource"] of the denied requests of our programs, whoever runs them."""
        return [f"{entry['verb']} {entry['resource']}" for entry in json.loads(self.ask("requests"))
                if entry["code"] == 403 and entry["userAgent"].startswith("capstan-")]

    def calls(self, _since=0):
        """Returns [(verb, resource)] of our programs since the last call, like Cluster.calls."""
        found = []
        for agent, verb, resource, count in self.requests():
            if agent.startswith("capstan-"):
                found += [(verb, resource)] * count
        return found, 0

    def destroy(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        captured.OUTPUT.add_logs(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
