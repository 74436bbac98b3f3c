# SPDX-License-Identifier: Apache-2.0
"""A CA for the clients of an API server, and a kubeconfig whose client certificate is rotated."""
import os

from lib import kube
from lib.tls_server import KEY, openssl


class ClientCertificates:
    """Issues client certificates for one user. The files are in `folder`."""

    def __init__(self, folder, user):
        self.folder, self.user, self.issued = folder, user, 0
        os.makedirs(folder, mode=0o700)
        self.ca = self.path("ca.crt")
        openssl("req", *KEY, "-x509", "-days", "30", "-subj", "/CN=clients", "-keyout",
                self.path("ca.key"), "-out", self.ca)
        self.rotate()

    def path(self, name):
        return os.path.join(self.folder, name)

    def rotate(self):
        """Replaces the file with key and certificate in one step, as a kubelet does."""
        self.issued += 1
        openssl("req", *KEY, "-subj", f"/O={self.user}/CN={self.user}", "-keyout",
                self.path("next.pem"), "-out", self.path("next.csr"))
        openssl("x509", "-req", "-in", self.path("next.csr"), "-CA", self.ca, "-CAkey",
                self.path("ca.key"), "-CAcreateserial", "-days", "1", "-out", self.path("next.crt"))
        with open(self.path("next.crt"), "rb") as source, open(self.path("next.pem"), "ab") as sink:
            sink.write(source.read())
        os.rename(self.path("next.pem"), self.path("client.pem"))

    def kubeconfig(self, cluster):
        """Returns a kubeconfig that names the file."""
        file = self.path("client.pem")
        return kube.write_kubeconfig(
            self.path("kubeconfig"), cluster.server, self.user,
            {"client-certificate": file, "client-key": file},
            **{"certificate-authority": cluster.ca_file})
