# SPDX-License-Identifier: Apache-2.0
"""Puts objects into the etcd of a cluster: copies of an object that the API server stored.

A hundred thousand objects, or two thousand changes a second, would need too much CPU in the API
server. Clients that list or watch see the same.
"""
import base64
import hashlib
import http.client
import json
import uuid

BATCH_BYTES, BATCH_PUTS = 500_000, 10  # of one transaction
FILL_PUTS = 100  # of one transaction that nobody watches; etcd allows 128
# The token is in the original's name. Each copy has its number instead, of the same length, because
# stored objects are binary.
TOKEN = "x0000000"


def numbered(number):
    return f"x{number:07}"


def encoded(data):
    return base64.b64encode(data).decode()


class Etcd:
    """One connection to the JSON gateway of a cluster's etcd."""

    def __init__(self, cluster):
        self.connection = http.client.HTTPConnection(
            cluster.state["etcd_url"].partition("//")[2], timeout=60)

    def call(self, path, body):
        self.connection.request("POST", path, json.dumps(body),
                                {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status == 200, f"{path}: {answer.status} {text[:300]!r}"
        return json.loads(text)

    def get(self, key):
        found = self.call("/v3/kv/range", {"key": encoded(key.encode())})
        return base64.b64decode(found["kvs"][0]["value"])

    def put(self, pairs):
        """Puts the (key, value) pairs in one transaction: at most FILL_PUTS."""
        self.call("/v3/kv/txn", {"success": [
            {"requestPut": {"key": encoded(key.encode()), "value": encoded(value)}}
            for key, value in pairs]})


def uid_of(text):
    """Returns a uid that looks random, and is always the same for a text."""
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return str(uuid.UUID(bytes=digest, version=4))


def copies(etcd, key, uid, numbers):
    """Yields (key, value) of a copy for each number. `key` is the original's, with TOKEN."""
    value = etcd.get(key)
    assert TOKEN.encode() in value and uid.encode() in value, f"{key} is not what was meant"
    for number in numbers:
        new_key = key.replace(TOKEN, numbered(number))
        new_uid = uid_of(new_key)
        yield (new_key,
               value.replace(TOKEN.encode(), numbered(number).encode())
               .replace(uid.encode(), new_uid.encode()))


def put_all(etcd, pairs):
    batch, size = [], 0
    for key, value in pairs:
        if batch and (len(batch) == FILL_PUTS or size + len(value) > BATCH_BYTES):
            etcd.put(batch)
            batch, size = [], 0
        batch.append((key, value))
        size += len(value)
    if batch:
        etcd.put(batch)
