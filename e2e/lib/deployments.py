# SPDX-License-Identifier: Apache-2.0
"""Runs the Deployments of a real API server that has no kubelets, as processes of this machine.

Each replica is a process with the arguments of its container, the rights of its service account and the
host name of a pod. Secrets that are mounted become files, which follow their Secret after a few seconds,
as a kubelet's do. The status of a Deployment has its ready replicas, so `kubectl rollout status` works.
"""
import base64
import hashlib
import json
import os
import signal
import subprocess
import threading
import time

from lib import captured, kube
from lib.scenario import Skipped

DEPLOYMENTS = "/apis/apps/v1/deployments"
MOUNT_SECONDS = 2  # from a change of a Secret to that of its files
STOP_SECONDS = 20


def pod_name(deployment, number):
    template = json.dumps(deployment["spec"]["template"], sort_keys=True)
    return f"{deployment['metadata']['name']}-{hashlib.sha256(template.encode()).hexdigest()[:10]}-{number}"


class Replica:
    """A process for one pod of a Deployment."""

    def __init__(self, runner, deployment, number):
        self.runner, self.deployment, self.name = runner, deployment, pod_name(deployment, number)
        self.namespace = deployment["metadata"]["namespace"]
        self.spec = deployment["spec"]["template"]["spec"]
        self.container = self.spec["containers"][0]
        self.folder = os.path.join(runner.folder, self.name)
        self.log_path = os.path.join(self.folder, "process.log")
        self.mounts = {}  # {path in the container: (folder, name of the Secret or None)}
        self.due = {}  # {name of the Secret: (content, when its files follow)}
        os.makedirs(self.folder, exist_ok=True)
        self.mount()
        self.process = self.start()

    def mount(self):
        secrets = {volume["name"]: volume.get("secret", {}).get("secretName")
                   for volume in self.spec.get("volumes", [])}
        for mount in self.container.get("volumeMounts", []):
            folder = os.path.join(self.folder, mount["name"])
            os.makedirs(folder, exist_ok=True)
            self.mounts[mount["mountPath"]] = (folder, secrets.get(mount["name"]))
        self.follow(0)

    def follow(self, seconds=MOUNT_SECONDS):
        """Writes the files of Secrets that changed at least `seconds` ago."""
        for folder, name in filter(lambda mount: mount[1], self.mounts.values()):
            data = self.runner.client.call(
                "GET", kube.path_of("v1", "secrets", self.namespace, name)).get("data", {})
            before, when = self.due.get(name, (None, 0))
            if data != before:
                self.due[name] = (data, time.monotonic() + seconds)
                when = self.due[name][1]
            if when and time.monotonic() >= when:
                self.due[name] = (data, 0)
                for key, value in data.items():
                    path = os.path.join(folder, key)
                    with open(path + ".new", "wb") as file:
                        file.write(base64.b64decode(value))
                    os.rename(path + ".new", path)

    def kubeconfig(self):
        """Returns a kubeconfig with the rights of the service account."""
        account = self.spec.get("serviceAccountName", "default")
        token = self.runner.client.call(
            "POST", kube.path_of("v1", "serviceaccounts", self.namespace, account) + "/token",
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        return kube.write_kubeconfig(
            os.path.join(self.folder, "kubeconfig"), self.runner.cluster.server, account,
            token["status"]["token"], **{"certificate-authority": self.runner.cluster.ca_file})

    def start(self):
        program = self.runner.programs[self.container["image"].split(":")[0]]
        arguments = []
        more = self.runner.arguments.get(self.deployment["metadata"]["name"], [])
        for argument in self.container.get("args", []) + more:
            argument = argument.replace("$(POD_NAMESPACE)", self.namespace)
            for path, (folder, _) in self.mounts.items():
                argument = argument.replace(path + "/", folder + "/")
            arguments.append(argument)
        named = ["unshare", "--uts", "sh", "-c", 'hostname "$1"; shift; exec "$@"', "sh", self.name]
        environment = {**os.environ, "POD_NAMESPACE": self.namespace, "TMPDIR": self.folder}
        if "serviceAccountName" in self.spec:
            environment["KUBECONFIG"] = self.kubeconfig()
        with open(self.log_path, "ab") as log:
            return subprocess.Popen([*named, program, *arguments], stdout=log, stderr=log,
                                    stdin=subprocess.DEVNULL, env=environment)

    def ready(self):
        probe = self.container.get("readinessProbe", {}).get("httpGet")
        if self.process.poll() is not None:
            return False
        return not probe or kube.probe(
            f"http://127.0.0.1:{self.runner.ports[self.deployment['metadata']['name']]}{probe['path']}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            captured.OUTPUT.add("the log of " + self.name, log.read())


class Deployments:
    """A context manager that runs all Deployments of `cluster` until the end.

    `programs`: {image without tag: program}. `ports`: {Deployment: local port of its readiness probe}.
    `arguments`: {Deployment: more arguments}, because all processes share the ports of one machine.
    """

    def __init__(self, scenario, cluster, programs, ports, arguments):
        self.cluster, self.client = cluster, cluster.client()
        self.programs, self.ports, self.arguments = programs, ports, arguments
        self.folder = scenario.path("pods")
        self.running = {}  # {(namespace, name): [Replica]}
        self.ended, self.exits, self.fault = threading.Event(), [], None
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        named = subprocess.run(["unshare", "--uts", "hostname", "test"], capture_output=True, text=True,
                               check=False)
        if named.returncode != 0:
            raise Skipped(f"the host name of a pod needs root: {named.stderr.strip()}")
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.ended.set()
        self.thread.join()
        replicas = [replica for many in self.running.values() for replica in many]
        for replica in replicas:
            if kind is not None:
                with open(replica.log_path, encoding="utf-8", errors="replace") as log:
                    print(f"  the end of the log of {replica.name}:\n    "
                          + "    ".join(log.readlines()[-15:]))
            self.end(replica)
        if kind is None:
            assert not self.exits, f"ended by themselves: {self.exits}"
            if self.fault:
                raise self.fault

    def run(self):
        try:
            while not self.ended.wait(0.1):
                found = self.client.call("GET", DEPLOYMENTS)["items"]
                for deployment in found:
                    self.reconcile(deployment)
                self.forget(found)
        except Exception as error:  # pylint: disable=broad-except
            self.fault = error

    def forget(self, found):
        """Stops the replicas of Deployments that were deleted."""
        names = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in found}
        for key in set(self.running) - names:
            for replica in self.running.pop(key):
                self.end(replica)

    def end(self, replica):
        if replica.process.poll() is not None:
            self.exits.append(f"{replica.name} exits {replica.process.returncode}")
        replica.stop()

    def reconcile(self, deployment):
        meta, wanted = deployment["metadata"], deployment["spec"]["replicas"]
        key = (meta["namespace"], meta["name"])
        names = [pod_name(deployment, number) for number in range(wanted)]
        kept = []
        for replica in self.running.get(key, []):
            if replica.name in names:
                replica.follow()
                kept.append(replica)
            else:
                self.end(replica)
        have = {replica.name for replica in kept}
        kept += [Replica(self, deployment, number) for number, name in enumerate(names) if name not in have]
        self.running[key] = kept
        ready = sum(replica.ready() for replica in kept)
        status = {"observedGeneration": meta["generation"], "replicas": wanted, "updatedReplicas": wanted,
                  "readyReplicas": ready, "availableReplicas": ready}
        if any(deployment.get("status", {}).get(name, 0) != value for name, value in status.items()):
            self.client.merge_patch(
                kube.path_of("apps/v1", "deployments", *key) + "/status", {"status": status})
