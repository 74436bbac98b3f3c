# SPDX-License-Identifier: Apache-2.0
"""A small Kubernetes client for the scenarios, with one keep-alive connection.

It shares no code with clientgo, so that it cannot share its bugs.
"""
import concurrent.futures
import http.client
import json
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request

from lib import captured

# kube-apiserver closes a connection that is idle for 90 seconds.
IDLE_SECONDS_MAX = 30


def path_of(api_version, plural, namespace=None, name=None):
    parts = ["api" if "/" not in api_version else "apis", api_version]
    parts += ["namespaces", namespace] if namespace else []
    return "/" + "/".join(parts + [plural] + ([name] if name else []))


def plural_of(kind):
    return kind.lower() + "s"


def context(ca_file):
    if ca_file is None:
        return None
    made = ssl.create_default_context(cafile=ca_file)
    made.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
    return made


def probe(url, ca_file=None):
    try:
        with urllib.request.urlopen(url, timeout=2, context=context(ca_file)) as answer:
            return answer.status == 200
    except (OSError, http.client.HTTPException):
        return False


def write_kubeconfig(path, server, user, credentials, **cluster):
    """Writes JSON, which is YAML. `credentials`: a token, or the fields of the user. `cluster`: fields
    such as certificate-authority. Returns the path."""
    if isinstance(credentials, str):
        credentials = {"token": credentials}
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "e2e",
              "clusters": [{"name": "e2e", "cluster": {"server": server, **cluster}}],
              "users": [{"name": user, "user": credentials}],
              "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": user}}]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file, indent=1)
    return path


class ApiError(Exception):
    def __init__(self, code, body):
        super().__init__(f"{code}: {body[:300]}")
        self.code = code


class Client:
    """Not thread-safe: one per thread (see parallel)."""

    def __init__(self, server, token, ca_file):
        self.parameters = (server, token, ca_file)
        self.address = urllib.parse.urlsplit(server)
        self.token = token
        self.context = context(ca_file)
        self.connection = None
        self.used = 0.0  # when the connection was, last

    def connect(self):
        self.connection = http.client.HTTPSConnection(
            self.address.hostname, self.address.port, timeout=60, context=self.context)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, method, path, body=None, content_type="application/json"):
        """Returns the decoded answer. Raises ApiError for 4xx and 5xx, OSError without an answer."""
        text = self.send(method, path, body, content_type)
        return json.loads(text) if text.startswith("{") else text

    def send(self, method, path, body=None, content_type="application/json"):
        """Like call, but returns the answer as text. Python's decoder ends at 1,000 levels."""
        headers = {"Authorization": "Bearer " + self.token, "User-Agent": "e2e"}
        data = None
        if isinstance(body, dict) and "/secrets" in path:
            captured.OUTPUT.add_secrets_of(body)
        if body is not None:
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            headers["Content-Type"] = content_type
        try:
            if time.monotonic() - self.used > IDLE_SECONDS_MAX:
                self.close()
            if self.connection is None:
                self.connect()
            self.connection.request(method, path, body=data, headers=headers)
            answer = self.connection.getresponse()
            text = answer.read().decode()
            self.used = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise OSError(f"{method} {path}: {error!r}") from error
        if answer.status >= 400:
            raise ApiError(answer.status, text)
        return text

    def watch(self, path):
        """Yields the lines of a watch, which occupies this client, until the server ends it."""
        self.connect()
        self.connection.request(
            "GET", path + "?watch=1&timeoutSeconds=3600",
            headers={"Authorization": "Bearer " + self.token, "User-Agent": "e2e-reader"})
        answer = self.connection.getresponse()
        if self.connection.sock is not None:
            self.connection.sock.settimeout(None)
        while line := answer.readline():
            yield line

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def create(self, body):
        meta = body["metadata"]
        return self.call("POST", path_of(body["apiVersion"], plural_of(body["kind"]),
                                         meta.get("namespace")), body)

    def merge_patch(self, path, body):
        return self.call("PATCH", path, body, "application/merge-patch+json")

    def list_all(self, api_version, plural, limit=500):
        """Yields every item, page by page."""
        token = ""
        while True:
            page = self.call("GET", path_of(api_version, plural)
                             + f"?limit={limit}&continue=" + urllib.parse.quote(token))
            yield from page["items"]
            token = page["metadata"].get("continue", "")
            if not token:
                return

    def parallel(self, work, items, threads=8):
        """Calls work(client, item) for each item on several connections. Re-raises the first error."""
        local = threading.local()

        def run(item):
            if not hasattr(local, "client"):
                local.client = Client(*self.parameters)
            return work(local.client, item)

        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            return list(pool.map(run, items))
