# SPDX-License-Identifier: Apache-2.0
"""Whether any part of what is secret stands in what a program says, in whichever form."""
import base64
import re
import secrets
import subprocess

WINDOW = 12  # characters of a secret, in one of its forms, that nothing else contains by chance


def marker():
    """A text that nobody else writes; long enough that half of it is one, too."""
    return "Mark" + secrets.token_hex(24)


def private_part(pem):
    """The bytes of a key that are no other key's, and in no certificate."""
    body = re.search(r"PRIVATE KEY-----(.*?)-----END", pem, re.S).group(1)
    data = base64.b64decode("".join(body.split()))
    return data[36:68] if len(data) < 200 else data[-128:]  # P-256, or RSA


def private_key():
    """(PEM, the bytes of it that are no other key's)"""
    pem = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt",
                          "ec_paramgen_curve:prime256v1"], check=True, capture_output=True,
                         text=True).stdout
    return pem, base64.b64decode("".join(pem.splitlines()[1:-1]))[36:]


def block(label, data):
    """A PEM block around anything."""
    body = base64.b64encode(data).decode()
    lines = "\n".join(body[i:i + 64] for i in range(0, len(body), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n"


def forms(data):
    """A text as it is, in base64 at each alignment, once and twice, and in hex."""
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
    """Every part of it that would give it away."""
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
        """The parts of secrets in a text; line ends, escaped ones too, do not hide any."""
        joined = "".join(text.replace("\\n", "").replace("\\r", "").split())
        return sorted({part for part in (joined[i:i + WINDOW]
                                         for i in range(len(joined) - WINDOW + 1))
                       if part in self.parts})
