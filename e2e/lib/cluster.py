# SPDX-License-Identifier: Apache-2.0
"""A real kube-apiserver and etcd in one folder, on free ports of 127.0.0.1.

The folder contains the cluster's state (state.json, logs, keys), so any process can find, restart or
remove it. Without start_controller_manager, there is no garbage collection.
"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from lib import kube, rights

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
# (token, user, groups) of the test users. rights.install grants their rights.
USERS = [("admin-token", "admin", "system:masters"), ("manager-token", "capstan", "capstan"),
         ("nosecrets-token", "capstan-without-secrets", "capstan")]
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": [{"level": "Metadata"}]}


class ClusterError(Exception):
    pass


def free_port():
    """Returns a free port below the kernel's range for clients."""
    while True:
        port = random.randint(20000, 31999)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def alive(pid, program):
    """Returns whether `pid` runs and is not another program with the same number."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return False
    # "pid (name) state ... threads ...". A zombie's main thread is gone; while others of its
    # threads are on their way out, its port is still taken.
    name, fields = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return name == program[:15] and (fields[0] not in "ZX" or int(fields[17]) > 1)


class Cluster:
    """One cluster. The folder of a running cluster selects that one."""

    def __init__(self, folder):
        self.folder = folder
        self.state = {}
        if os.path.exists(self.path("state.json")):
            with open(self.path("state.json"), encoding="utf-8") as file:
                self.state = json.load(file)

    def path(self, name):
        return os.path.join(self.folder, name)

    @classmethod
    def create(cls, folder=None, apiserver_flags=(), environment=None):
        """Starts a cluster. Clears leftovers in the folder first. `environment` adds variables."""
        if folder:
            cls(folder).destroy()
            os.makedirs(folder, mode=0o700)
        cluster = cls(folder or tempfile.mkdtemp(prefix="capstan-cluster-"))
        cluster.state["apiserver_flags"] = list(apiserver_flags)
        cluster.state["environment"] = environment or {}
        cluster.state["binaries"] = subprocess.run(
            [os.path.join(ROOT, "e2e/cluster/build")], check=True, stdout=subprocess.PIPE,
            text=True).stdout.strip()
        try:
            cluster.write_files()
            cluster.start_etcd()
            cluster.start_apiserver(new_port=True)
            rights.install(cluster.client())
        except BaseException:
            cluster.destroy()
            raise
        return cluster

    def save(self):
        with open(self.path("state.json.part"), "w", encoding="utf-8") as file:
            json.dump(self.state, file, indent=1)
        os.rename(self.path("state.json.part"), self.path("state.json"))

    def write_files(self):
        with open(self.path("tokens.csv"), "w", encoding="utf-8") as file:
            for token, user, groups in USERS:
                file.write(f'{token},{user},{user},"{groups}"\n')
        with open(self.path("audit-policy.json"), "w", encoding="utf-8") as file:
            json.dump(AUDIT_POLICY, file)
        subprocess.run(["openssl", "genrsa", "-out", self.path("service-account.key"), "2048"],
                       check=True, stderr=subprocess.DEVNULL)

    def spawn(self, program, arguments):
        with open(self.path(program + ".log"), "ab") as log:
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                [os.path.join(self.state["binaries"], program), *arguments], stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, start_new_session=True, cwd=self.folder,
                env={**os.environ, **self.state.get("environment", {})})
        self.state[program] = {"pid": process.pid}
        self.save()
        return process

    def log_tail(self, program, lines=15):
        with open(self.path(program + ".log"), encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-lines:])

    def wait_ready(self, process, program, probe, seconds=180):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise ClusterError(f"{program} exits {process.returncode}:\n"
                                   + self.log_tail(program))
            if probe():
                return
            time.sleep(0.1)
        raise ClusterError(f"{program} is not ready after {seconds} s:\n" + self.log_tail(program))

    def retry_busy_port(self, start):
        """Retries, because another process may take the port, or a killed one may still hold it."""
        for attempt in (1, 2, 3, 4, 5):
            try:
                return start()
            except ClusterError as error:
                if attempt == 5 or "address already in use" not in str(error):
                    raise
                time.sleep(0.2)
        return None

    def start_etcd(self):
        """Starts etcd, which tells kube-apiserver its revision every 5 s, as kubeadm sets it up.

        Without that, a kube-apiserver older than 1.31 sends no bookmarks to the watch of a quiet kind.
        """
        def start():
            client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
            process = self.spawn("etcd", [
                "--data-dir", self.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
                "--quota-backend-bytes=8589934592", "--auto-compaction-retention=1h",
                "--watch-progress-notify-interval=5s",
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", f"default={peer}"])
            self.state["etcd_url"] = client
            self.wait_ready(process, "etcd", lambda: kube.probe(client + "/readyz"))
            self.save()
        self.retry_busy_port(start)

    def start_apiserver(self, new_port=False):
        """Starts or restarts it, on its old port and with its old certificate."""
        def start():
            if new_port:
                self.state["port"] = free_port()
            process = self.spawn("kube-apiserver", [
                "--etcd-servers=" + self.state["etcd_url"], "--cert-dir=" + self.path("certs"),
                "--bind-address=127.0.0.1", f"--secure-port={self.state['port']}",
                "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-account-key-file=" + self.path("service-account.key"),
                "--service-account-signing-key-file=" + self.path("service-account.key"),
                "--authorization-mode=Node,RBAC", "--token-auth-file=" + self.path("tokens.csv"),
                "--disable-admission-plugins=ServiceAccount",
                "--audit-policy-file=" + self.path("audit-policy.json"),
                "--audit-log-path=" + self.path("audit.log"), *self.state["apiserver_flags"]])
            self.wait_ready(process, "kube-apiserver", self.apiserver_ready)
        self.retry_busy_port(start)
        if new_port:
            for token, user, _ in USERS:
                kube.write_kubeconfig(self.kubeconfig(user), self.server, user, token,
                                      **{"certificate-authority": self.ca_file})

    def start_controller_manager(self):
        """Starts garbage collection and aggregation. Returns False if the version has no kube-controller-manager."""
        program = "kube-controller-manager"
        if not os.path.exists(os.path.join(self.state["binaries"], program)):
            return False
        self.spawn(program, [
            "--kubeconfig=" + self.kubeconfig("admin"), "--leader-elect=false", "--secure-port=0",
            "--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller",
            "--concurrent-gc-syncs=2"])
        return True

    @property
    def server(self):
        return f"https://127.0.0.1:{self.state['port']}"

    @property
    def ca_file(self):
        return self.path("certs/apiserver.crt")  # self-signed

    def apiserver_ready(self):
        return os.path.exists(self.ca_file) and kube.probe(self.server + "/readyz", self.ca_file)

    def kubeconfig(self, user="capstan"):
        return self.path(f"kubeconfig.{user}")

    def client(self, token="admin-token"):
        return kube.Client(self.server, token, self.ca_file)

    def shell(self, command, folder=None):
        """Runs a shell command in this folder as the administrator, with kubectl of this version."""
        done = subprocess.run(["sh", "-c", command], check=False, text=True, capture_output=True, cwd=folder, env={
            **os.environ, "PATH": self.state["binaries"] + ":" + os.environ["PATH"],
            "KUBECONFIG": self.kubeconfig("admin")})
        assert done.returncode == 0, f"exit code {done.returncode} of {command}: {done.stderr}"

    def refusals(self, user=rights.USER):
        """Returns ["verb resource"] of the denied requests of the user, from the audit log."""
        with open(self.path("audit.log"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        return [f"{event['verb']} {event.get('objectRef', {}).get('resource')}" for event in events
                if event["user"]["username"] == user and event.get("responseStatus", {}).get("code") == 403]

    def kill(self, program, how=signal.SIGKILL, seconds=10):
        pid = self.state.get(program, {}).get("pid")
        if not pid or not alive(pid, program):
            return
        os.kill(pid, how)
        deadline = time.monotonic() + seconds
        while alive(pid, program) and time.monotonic() < deadline:
            try:
                os.waitpid(pid, os.WNOHANG)  # ours: collect it
            except ChildProcessError:
                pass
            time.sleep(0.02)
        if alive(pid, program) and how != signal.SIGKILL:
            self.kill(program)

    def destroy(self):
        """Stops the processes and removes the folder, if they exist."""
        self.kill("kube-controller-manager")
        self.kill("kube-apiserver")
        self.kill("etcd")
        shutil.rmtree(self.folder, ignore_errors=True)

    def audited(self, since=0):
        """Returns (entries of the audit log after `since`, one for each answered request, its size)."""
        with open(self.path("audit.log"), encoding="utf-8") as file:
            file.seek(since)
            events = [json.loads(line) for line in file]
            return [e for e in events if e["stage"] == "ResponseComplete"
                    and "objectRef" in e], file.tell()

    def calls(self, since=0):
        """Returns [(verb, resource)] of the manager after `since`, and the size of the audit log."""
        events, size = self.audited(since)
        return [(e["verb"], e["objectRef"].get("resource")) for e in events
                if e["user"]["username"] == "capstan"], size
