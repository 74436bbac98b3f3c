# SPDX-License-Identifier: Apache-2.0
"""All that programs of a scenario say, and all that they must not: run.py compares after each one.

Heard: logs, pages and metrics (lib.manager), the command line (lib.capstan, lib.console), *.log in
the scenario's folder, figures, and from each API server at the end the Events and what stands on
pods. Known as secret: what Secrets are made with (lib.kube) but CA certificates, private keys, the
tokens of the API servers; and any block of a private key, whosever it is.
"""
import base64
import glob
import json
import os
import re

from lib import leaks

KNOWN_MAX = 100  # secrets of a scenario; thousands of them are of one kind
SIZE_MAX, SIZE_MIN = 256, 24  # bytes: of each so much is looked for; what is shorter may be a word
PUBLIC = ("ca.crt", "tls.crt")
TOKENS = ("admin-token", "manager-token", "nosecrets-token")
KEY_BLOCK = re.compile("PRIVATE KEY-----|" + "|".join(
    re.escape(base64.b64encode(b"x" * shift + b"PRIVATE KEY-----").decode()[4 if shift else 0:20])
    for shift in range(3)))
PATHS = ("/api/v1/events", "/api/v1/pods", "/apis/coordination.k8s.io/v1/leases")


class Said:
    def __init__(self):
        self.lines = {}  # each that was heard once: where first
        self.secrets = set()

    def hear(self, where, text):
        for line in text.splitlines():
            self.lines.setdefault(line, where)

    def hear_logs(self, folder):
        for path in glob.glob(os.path.join(folder, "**", "*.log"), recursive=True):
            with open(path, encoding="utf-8", errors="replace") as file:
                self.hear(os.path.basename(path), file.read())

    def hear_cluster(self, client):
        """What programs of ours wrote for people to read."""
        for path in PATHS:
            try:
                for item in client.call("GET", path)["items"]:
                    self.hear("GET " + path, json.dumps(item))
            except Exception:  # pylint: disable=broad-except
                return  # that API server was stopped by its scenario

    def know(self, secret):
        """Bytes that nothing may ever say. Of a private key, the part that is in no certificate."""
        if len(self.secrets) >= KNOWN_MAX:
            return
        if b"PRIVATE KEY-----" in secret:
            secret = leaks.private_part(secret.decode())
        if len(secret) >= SIZE_MIN and b"CERTIFICATE" not in secret:
            self.secrets.add(secret[:SIZE_MAX])

    def know_written(self, body):
        """What a request to create or change a Secret holds."""
        values = {key: text.encode() for key, text in (body.get("stringData") or {}).items()}
        for key, text in (body.get("data") or {}).items():
            try:
                values[key] = base64.b64decode(text or "")
            except ValueError:
                continue  # a bad request, on purpose
        for key, value in values.items():
            if key not in PUBLIC or b"PRIVATE KEY-----" in value:
                self.know(value)

    def leaks(self):
        """One line for each place that says what it must not; not what it says."""
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


NOW = Said()  # of the scenario that runs


def begin():
    NOW.__init__()
