# SPDX-License-Identifier: Apache-2.0
"""Collects the output of a scenario's programs and the secrets that it must not contain.

run.py compares them after each scenario. Output: logs, pages and metrics (lib.manager), the command
line (lib.capstan, lib.console), *.log in the scenario's folder, figures, and the Events and pod
annotations of each API server. Secrets: the data of Secrets (lib.kube) except CA certificates,
private keys, the tokens of the API servers, and any private key block.
"""
import base64
import glob
import json
import os
import re

from lib import leaks

KNOWN_MAX = 100  # secrets of a scenario
SIZE_MAX, SIZE_MIN = 256, 24  # bytes of each secret that are searched for; shorter ones may be words
PUBLIC = ("ca.crt", "tls.crt")
TOKENS = ("admin-token", "manager-token", "nosecrets-token")
KEY_BLOCK = re.compile("PRIVATE KEY-----|" + "|".join(
    re.escape(base64.b64encode(b"x" * shift + b"PRIVATE KEY-----").decode()[4 if shift else 0:20])
    for shift in range(3)))
PATHS = ("/api/v1/events", "/api/v1/pods", "/apis/coordination.k8s.io/v1/leases")


class CapturedOutput:
    def __init__(self):
        self.lines = {}  # {output: where it appeared first}
        self.secrets = set()

    def add(self, where, text):
        for line in text.splitlines():
            self.lines.setdefault(line, where)

    def add_logs(self, folder):
        for path in glob.glob(os.path.join(folder, "**", "*.log"), recursive=True):
            with open(path, encoding="utf-8", errors="replace") as file:
                self.add(os.path.basename(path), file.read())

    def add_cluster(self, client):
        """Collects what our programs wrote into the API server."""
        for path in PATHS:
            try:
                for item in client.call("GET", path)["items"]:
                    self.add("GET " + path, json.dumps(item))
            except Exception:  # pylint: disable=broad-except
                return  # the scenario stopped that API server

    def add_secret(self, secret):
        """Adds secret bytes. For a private key: the part that is in no certificate."""
        if len(self.secrets) >= KNOWN_MAX:
            return
        if b"PRIVATE KEY-----" in secret:
            secret = leaks.private_part(secret.decode())
        if len(secret) >= SIZE_MIN and b"CERTIFICATE" not in secret:
            self.secrets.add(secret[:SIZE_MAX])

    def add_secrets_of(self, body):
        """Adds the data of a request that creates or changes a Secret."""
        values = {key: text.encode() for key, text in (body.get("stringData") or {}).items()}
        for key, text in (body.get("data") or {}).items():
            try:
                values[key] = base64.b64decode(text or "")
            except ValueError:
                continue  # a bad request, on purpose
        for key, value in values.items():
            if key not in PUBLIC or b"PRIVATE KEY-----" in value:
                self.add_secret(value)

    def leaks(self):
        """Returns one line for each place that contains a secret, without the secret."""
        parts = set().union(*map(leaks.windows, self.secrets)) if self.secrets else set()
        search = leaks.Search(parts=parts)
        found = {}
        for line, where in self.lines.items():
            if KEY_BLOCK.search(line):
                found.setdefault(where, "a block of a private key")
            elif any(token in line for token in TOKENS):
                found.setdefault(where, "a token")
            elif search.found_in(line):
                found.setdefault(where, "a part of a Secret or of a private key")
        return [f"secret data in an output: {what}, in {where}" for where, what in found.items()]


OUTPUT = CapturedOutput()  # the running scenario


def begin():
    OUTPUT.__init__()
