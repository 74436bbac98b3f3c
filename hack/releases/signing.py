# SPDX-License-Identifier: Apache-2.0
"""Signs files and images with openssl as `cosign sign-blob --key` and `cosign sign --key` do, and verifies.

A signature is ECDSA with P-256 over the SHA-256, in DER and base64. A signature contains a random number, so
two signatures of one file differ. The private key stays in its file; only openssl reads it.
"""
import base64
import json
import os
import subprocess
import tempfile

PAYLOAD = "application/vnd.in-toto+json"
SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json"
ANNOTATION = "dev.cosignproject.cosign/signature"
# The environment variable with the password of an encrypted key. openssl reads it, so that no
# command line shows the password.
PASSWORD = "CAPSTAN_KEY_PASSWORD"


class Failure(Exception):
    """The reason why something cannot be signed or verified, in one line."""


def openssl(*arguments, data=b""):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=False)


def password():
    # Without a password openssl would prompt for one.
    return ["-passin", "env:" + PASSWORD if PASSWORD in os.environ else "pass:"]


def public_key(key):
    """Returns the public key of a private key's file, as PEM."""
    if not os.path.isfile(key):
        raise Failure(f"--key {key}: there is no such file; make one with "
                      "`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FILE`")
    result = openssl("pkey", "-in", key, "-pubout", *password())
    if result.returncode:
        raise Failure(f"--key {key}: openssl cannot read this private key; use an EC P-256 key in PEM, and set "
                      f"{PASSWORD} if it is encrypted")
    return checked(result.stdout, key)


def checked(public, where):
    """Returns the public key if it is of P-256, the only curve of cosign's keys."""
    if b"prime256v1" not in openssl("pkey", "-pubin", "-noout", "-text", data=public).stdout:
        raise Failure(f"--key {where}: this key is not of the curve P-256; use one that is")
    return public


def sign(data, key):
    result = openssl("dgst", "-sha256", "-sign", key, *password(), data=data)
    if result.returncode:
        raise Failure(f"--key {key}: openssl failed to sign with this key")
    return base64.b64encode(result.stdout).decode()


def verifies(data, signature, public):
    """Returns whether the signature (base64) is of these bytes and this public key (PEM)."""
    try:
        raw = base64.b64decode(signature, validate=True)
    except ValueError:
        return False
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("key", "signature")]
        for path, content in zip(paths, (public, raw)):
            with open(path, "wb") as file:
                file.write(content)
        return openssl("dgst", "-sha256", "-verify", paths[0], "-signature", paths[1], data=data).returncode == 0


def pre_authentication(payload):
    """Returns the bytes that an envelope's signature is of (PAE of DSSE)."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD), PAYLOAD.encode(), len(payload), payload)


def envelope(payload, key):
    """Returns the DSSE envelope of an in-toto statement, for JSON."""
    return {"payloadType": PAYLOAD, "payload": base64.b64encode(payload).decode(),
            "signatures": [{"keyid": "", "sig": sign(pre_authentication(payload), key)}]}


def opened(sealed, public):
    """Returns the payload of an envelope. Raises Failure if no signature is of this key."""
    payload = base64.b64decode(sealed["payload"])
    if sealed["payloadType"] != PAYLOAD or not any(
            verifies(pre_authentication(payload), one["sig"], public) for one in sealed["signatures"]):
        raise Failure("no signature of the provenance is of this key")
    return payload


def image_payload(name, digest):
    """Returns what the signature of an image is of, as cosign writes it."""
    return json.dumps({"critical": {
        "identity": {"docker-reference": name}, "image": {"docker-manifest-digest": digest},
        "type": "cosign container image signature"}, "optional": None}, separators=(",", ":")).encode()
