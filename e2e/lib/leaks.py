# SPDX-License-Identifier: Apache-2.0
"""Searches the output of programs for parts of secrets, in every encoding."""
import base64
import re
import secrets
import subprocess

WINDOW = 12  # enough characters of an encoded secret to exclude a coincidence


def marker():
    """Returns a unique text, of which each half is also unique."""
    return "Mark" + secrets.token_hex(24)


def private_part(pem):
    """Returns the bytes that are only in this key and in no certificate."""
    body = re.search(r"PRIVATE KEY-----(.*?)-----END", pem, re.S).group(1)
    data = base64.b64decode("".join(body.split()))
    return data[36:68] if len(data) < 200 else data[-128:]  # P-256, or RSA


def private_key():
    """Returns (PEM, the bytes that are only in this key)."""
    pem = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt",
                          "ec_paramgen_curve:prime256v1"], check=True, capture_output=True,
                         text=True).stdout
    return pem, base64.b64decode("".join(pem.splitlines()[1:-1]))[36:]


def block(label, data):
    """Returns a PEM block with this content."""
    body = base64.b64encode(data).decode()
    lines = "\n".join(body[i:i + 64] for i in range(0, len(body), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"


def forms(data):
    """Returns a text in plain form, in base64 at each alignment, once and twice, and in hex."""
    def encoded(raw):
        for shift in range(3):
            text = base64.b64encode(b"x" * shift + raw).decode()
            yield text[4 if shift else 0:len(text) - 4]
    if data.isascii():
        yield data.decode()
    yield data.hex()
    yield data.hex().upper()
    for once in encoded(data):
        yield once
        yield from encoded(once.encode())


def windows(secret):
    """Returns every part of it that would reveal it."""
    found = set()
    for form in forms(secret if isinstance(secret, bytes) else secret.encode()):
        text = form.replace("\n", "")
        found.update(text[i:i + WINDOW] for i in range(len(text) - WINDOW + 1))
    return {part for part in found if len(set(part)) > 4}  # "AAAAAAAAAAAA" gives nothing away


class Search:
    """Finds parts of secrets in texts."""

    def __init__(self, known=(), parts=frozenset()):
        self.parts = set(parts).union(*map(windows, known))
        assert len(self.parts) > 1000 or not known

    def found_in(self, text):
        """Returns the parts of secrets in a text. Ignores line ends, also escaped ones."""
        joined = "".join(text.replace("\\n", "").replace("\\r", "").split())
        return sorted({part for part in (joined[i:i + WINDOW]
                                         for i in range(len(joined) - WINDOW + 1))
                       if part in self.parts})
