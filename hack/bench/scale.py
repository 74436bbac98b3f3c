#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory and CPU of one metadata informer with many Secrets; see hack/bench/run.

A server in this process streams the metadata of --secrets Secrets as kube-apiserver does: a
WATCH-LIST in the order of the keys. Then it ends the watch with 410 Gone, and the informer lists
again: 1% of the Secrets have changed.
"""
import argparse
import http.server
import os
import re
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse

from process import Process

BLOCK = 500  # objects in one write
NAMESPACES = 50
# Allowed growth: an object among a million beside one among 100,000, and the peak of the relist
# beside the memory before it.
LIMIT_LINEAR, LIMIT_RELIST = 1.10, 1.20
EVENT = (
    '{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",'
    '"metadata":{"name":"%s","namespace":"%s","uid":"3f2a9c1e-7b54-4d0e-9a6b-%012x",'
    '"resourceVersion":"%d","creationTimestamp":"2026-01-01T00:00:00Z","labels":'
    '{"app.kubernetes.io/name":"load","part":"1"},"managedFields":[{"manager":"kubectl",'
    '"operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",'
    '"fieldsV1":{"f:data":{".":{},"f:payload":{}},"f:metadata":{"f:labels":{".":{},'
    '"f:app.kubernetes.io/name":{},"f:part":{}}},"f:type":{}}}]}}}\n')
BOOKMARK = (
    '{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",'
    '"metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}\n')
GONE = ('{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure",'
        '"message":"too old resource version","reason":"Expired","code":410}}\n')
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t}}]
"""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, count):
        super().__init__(("127.0.0.1", 0), Handler)
        self.keys = sorted((f"team-{i % NAMESPACES}", f"release-name-{i * 7919 % 1000003}-tls", i)
                           for i in range(count))
        self.lists = 0
        self.listed = [threading.Event(), threading.Event()]
        self.expire = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def events(self, list_number):
        """Yields blocks of text. In later lists every 100th object has another version."""
        version = 48000000 + list_number * 1000000
        for start in range(0, len(self.keys), BLOCK):
            yield "".join(
                EVENT % (name, namespace, i, version + i if i % 100 == 0 else 48000000 + i)
                for namespace, name, i in self.keys[start:start + BLOCK])
        yield BOOKMARK % (version + 999999)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def write(self, text):
        body = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))

    def do_GET(self):  # pylint: disable=invalid-name
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        assert query.get("sendInitialEvents") == ["true"], self.path
        number = self.server.lists
        self.server.lists += 1
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for block in self.server.events(number):
            self.write(block)
        self.server.listed[number].set()
        if number == 0:
            self.server.expire.wait()
            self.write(GONE)
            self.write("")
        else:
            threading.Event().wait()


def status(process, field):
    with open(f"/proc/{process.process.pid}/status", encoding="ascii") as file:
        return int(re.search(rf"^{field}:\s+(\d+) kB", file.read(), re.M).group(1)) / 1024


def forget_peak(process):
    with open(f"/proc/{process.process.pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def wait_until_quiet(process, listed, used_before):
    assert listed.wait(900), "the list did not end"
    quiet_since, used = time.monotonic(), used_before
    while time.monotonic() - quiet_since < 2:
        time.sleep(0.1)
        now = process.cpu_seconds()
        if now - used > 0.02:
            quiet_since, used = time.monotonic(), now


def measure(options, count):
    """Returns the figures of one run by name."""
    server = Server(count)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as kubeconfig:
        kubeconfig.write(KUBECONFIG % server.server_port)
        kubeconfig.flush()
        command = [os.path.join(options.bin, "bench_metadata_informer"),
                   f"--kubeconfig={kubeconfig.name}"]
        with Process(command, {}) as process:
            wait_until_quiet(process, server.listed[0], 0)
            said = re.search(r"synced objects=(\d+) seconds=([\d.]+) bytes=(\d+)", process.said())
            assert said and int(said.group(1)) == count, process.said()
            figures = {"seconds": float(said.group(2)), "cpu": process.cpu_seconds(),
                       "reported": int(said.group(3)) / 2**20, "peak": status(process, "VmHWM"),
                       "steady": status(process, "VmRSS")}
            forget_peak(process)
            server.expire.set()
            wait_until_quiet(process, server.listed[1], figures["cpu"])
            figures["relist peak"] = status(process, "VmHWM")
            figures["relist cpu"] = process.cpu_seconds() - figures["cpu"]
            figures["after relist"] = status(process, "VmRSS")
    server.shutdown()
    server.server_close()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--secrets", type=int, default=1000000)
    parser.add_argument("--rounds", type=int, default=3)
    options, _ = parser.parse_known_args()
    counts = (0, options.secrets // 10, options.secrets)
    medians = {}
    columns = ("peak", "steady", "reported", "relist peak", "after relist", "cpu", "relist cpu",
               "seconds")
    print("| Secrets | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for count in counts:
        rounds = [measure(options, count) for _ in range(options.rounds)]
        medians[count] = {name: statistics.median(r[name] for r in rounds) for name in columns}
        print(f"| {count} | " + " | ".join(f"{medians[count][name]:.2f}" for name in columns)
              + " |", flush=True)
    none, some, many = (medians[count] for count in counts)
    kept = True
    for name, unit, scale in (("peak", "bytes", 2**20), ("steady", "bytes", 2**20),
                              ("cpu", "us", 1e6)):
        of_some = (some[name] - none[name]) * scale / counts[1]
        of_many = (many[name] - none[name]) * scale / counts[2]
        good = of_many <= of_some * LIMIT_LINEAR
        kept = kept and good
        print(f"{name} of each object: {of_some:.1f} {unit} of {counts[1]}, {of_many:.1f} {unit} "
              f"of {counts[2]}: {'ok' if good else 'MISSED'}")
    ratio = many["relist peak"] / many["steady"]
    print(f"peak of a relist with 1% changed: {ratio:.2f} of the memory before it: "
          f"{'ok' if ratio <= LIMIT_RELIST else 'MISSED'}")
    return 0 if kept and ratio <= LIMIT_RELIST else 1


if __name__ == "__main__":
    sys.exit(main())
