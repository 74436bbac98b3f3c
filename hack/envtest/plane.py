# SPDX-License-Identifier: Apache-2.0
"""Runs etcd and kube-apiserver of a folder as envtest does, for suites that read $KUBECONFIG instead."""
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Plane:
    """A context manager. `kubeconfig` is that of an administrator with a client certificate.

    `flags` are those of kube-apiserver, besides the common ones. They choose the authorization.
    """

    def __init__(self, programs, flags=("--authorization-mode=RBAC",)):
        self.programs = programs
        self.flags = flags
        self.folder = tempfile.mkdtemp(prefix="suites-plane-")
        self.kubeconfig = self.path("kubeconfig")
        self.port = 0
        self.processes = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def make_certificates(self):
        self.openssl("req", "-x509", *EC, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=clients")
        self.openssl("req", *EC, "-keyout", "client.key", "-out", "client.csr", "-subj", "/O=system:masters/CN=admin")
        self.openssl("x509", "-req", "-in", "client.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                     "-out", "client.crt")
        self.openssl("genrsa", "-out", "sa.key", "2048")

    def start(self, program, *flags):
        with open(self.path(program + ".log"), "w", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(  # pylint: disable=consider-using-with
                [os.path.join(self.programs, program), *flags], stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def kubectl(self, *arguments, **more):
        return subprocess.run(["kubectl", f"--kubeconfig={self.kubeconfig}", *arguments], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)

    def __enter__(self):
        self.make_certificates()
        etcd = f"http://127.0.0.1:{free_port()}"
        port = self.port = free_port()
        self.start("etcd", f"--listen-client-urls={etcd}", f"--advertise-client-urls={etcd}",
                   f"--listen-peer-urls=http://127.0.0.1:{free_port()}", f"--data-dir={self.path('etcd')}")
        self.start("kube-apiserver", f"--etcd-servers={etcd}", f"--secure-port={port}", "--bind-address=127.0.0.1",
                   f"--cert-dir={self.path('certs')}", f"--client-ca-file={self.path('ca.crt')}",
                   *self.flags, "--allow-privileged=true", "--service-cluster-ip-range=10.0.0.0/24",
                   "--disable-admission-plugins=ServiceAccount", f"--service-account-issuer=https://127.0.0.1:{port}/",
                   f"--service-account-key-file={self.path('sa.key')}",
                   f"--service-account-signing-key-file={self.path('sa.key')}")
        with open(self.kubeconfig, "w", encoding="utf-8") as file:
            file.write("apiVersion: v1\nkind: Config\ncurrent-context: a\n"
                       "contexts: [{name: a, context: {cluster: a, user: a}}]\n"
                       f"clusters: [{{name: a, cluster: {{server: 'https://127.0.0.1:{port}', "
                       f"certificate-authority: {self.path('certs/apiserver.crt')}}}}}]\n"
                       f"users: [{{name: a, user: {{client-certificate: {self.path('client.crt')}, "
                       f"client-key: {self.path('client.key')}}}}}]\n")
        deadline = time.monotonic() + 60
        while (answer := self.kubectl("get", "--raw", "/readyz")).returncode != 0:
            if time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError(f"{self.programs}/kube-apiserver is not ready: {answer.stdout}")
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
