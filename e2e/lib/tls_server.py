# SPDX-License-Identifier: Apache-2.0
"""A TLS server that may change its certificate, and counts what its clients do; and one without TLS."""
import os
import socket
import ssl
import subprocess
import threading
import time

from lib import load

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def validity(days):
    """Returns the options of openssl x509. OpenSSL 3.5 takes no negative number of days, and 3.0 no times."""
    known = subprocess.run(["openssl", "x509", "-help"], capture_output=True, text=True, check=False).stderr
    if days >= 0 or "-not_after" not in known:
        return ["-days", str(days)]
    begin, end = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + at * 86400)) for at in (days - 1, days))
    return ["-not_before", begin, "-not_after", end]


def own_address():
    """Returns an address of this machine that is not loopback, which EndpointSlices may not contain."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return probe.getsockname()[0]


class Authority:
    """A CA, as files in a folder of its own. It expires at `until` (Unix seconds), or in 30 days."""

    def __init__(self, folder, name, until=None):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        openssl("req", *KEY, *([] if until else ["-x509", "-days", "30"]), "-subj", "/CN=" + name, "-keyout",
                self.path("ca.key"), "-out", self.path("ca.crt"))
        if until:
            load.expire(self.folder, self.path("ca.key"), self.path("ca.crt"),
                        *(time.strftime("%Y%m%d%H%M%SZ", time.gmtime(at)) for at in (time.time() - 3600, until)))
        with open(self.path("ca.crt"), encoding="ascii") as file:
            self.pem = file.read()

    def path(self, name):
        return os.path.join(self.folder, name)

    def issue(self, *names, days=10):
        """Returns the file with key and certificate of a server with these names (openssl's syntax)."""
        file = self.path(f"{len(os.listdir(self.folder))}.pem")
        with open(self.path("names"), "w", encoding="ascii") as extensions:
            extensions.write("subjectAltName=" + ",".join(names) + "\n")
        openssl("req", *KEY, "-subj", "/CN=server", "-keyout", file, "-out", self.path("csr"))
        openssl("x509", "-req", "-in", self.path("csr"), "-CA", self.path("ca.crt"), "-CAkey",
                self.path("ca.key"), "-CAcreateserial", *validity(days), "-extfile",
                self.path("names"), "-out", self.path("crt"))
        with open(self.path("crt"), encoding="ascii") as source, open(file, "a", encoding="ascii") as sink:
            sink.write(source.read())
        return file


class TlsServer:
    """A context manager. `handshakes` counts the complete ones, `received` all bytes after them."""

    def __init__(self, file, host="0.0.0.0"):
        self.listener = socket.create_server((host, 0))
        self.port = self.listener.getsockname()[1]
        self.handshakes = self.received = 0
        self.serve(file)
        self.thread = threading.Thread(target=self.run, daemon=True)

    def serve(self, file):
        """Later connections get this certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        self.context = context

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return  # closed
            connection.settimeout(10)
            try:
                with connection:
                    self.answer(connection)
            except OSError:
                pass

    def answer(self, connection):
        with self.context.wrap_socket(connection, server_side=True) as stream:
            self.handshakes += 1
            self.received += len(stream.recv(1))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exception):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


class PlainServer(TlsServer):
    """Answers in plain text."""

    def __init__(self, host):
        super().__init__(None, host)

    def serve(self, file):
        """It has no certificate."""

    def answer(self, connection):
        connection.recv(65536)
        connection.sendall(b"plain text\n")
