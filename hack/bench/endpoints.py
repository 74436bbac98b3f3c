#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --verify-endpoints costs with 400 targets on a real API server; see hack/bench/run.

All targets name one Service, or each has a Service of its own. All endpoints lead to one TLS server of this
process, whose certificate is for all their names.
"""
import sys
import time
import urllib.request

import rounds  # makes lib importable
import fill
import programs
from lib import load, rights
from lib.cluster import Cluster
from lib.tls_server import Authority, TlsServer, own_address

TARGETS = 400
PERIOD_SECONDS = 20
PERIODS = 3
RIGHTS = (("", "services", ["get"], ""), ("discovery.k8s.io", "endpointslices", ["list"], ""))
WAYS = ("not verified", "one Service", "400 Services")
FIGURES = (("peak memory, MiB", 1), ("CPU in a period, ms", 0), ("connections in a period", 0),
           ("requests in a period", 0), ("GETs and LISTs until all are verified", 0))


def service(client, name, port):
    client.create({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "shop", "name": name},
                   # The API server has fewer addresses for Services than we have Services.
                   "spec": {"clusterIP": "None", "ports": [{"name": "https", "port": 443}]}})
    client.create({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                   "metadata": {"namespace": "shop", "name": name, "labels": {"kubernetes.io/service-name": name}},
                   "ports": [{"name": "https", "port": port}],
                   "endpoints": [{"addresses": [own_address()], "conditions": {"ready": True}}]})


def configuration(number, name, bundle):
    return {"apiVersion": load.ADMISSION, "kind": load.KINDS[0],
            "metadata": {"name": f"verified-{number}", "annotations": {load.SOURCE: "ca/verified"}},
            "webhooks": [{"name": "hook.example.com", "sideEffects": "None", "failurePolicy": "Ignore",
                          "admissionReviewVersions": ["v1"], "rules": [],
                          "clientConfig": {"caBundle": bundle, "service": {"namespace": "shop", "name": name}}}]}


def wait_until_verified(process, seconds=120):
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(process.metrics, timeout=10) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:  # it is not up yet
            lines = []
        verified = sum(1 for line in lines if line.startswith("capstan_endpoint_verified{") and line.endswith("} 1"))
        if verified == TARGETS:
            return
        assert time.monotonic() < deadline, f"{verified} of {TARGETS} targets are verified after {seconds} s"
        time.sleep(1)


class Measurement:
    """One start of the program."""

    def __init__(self, cluster, server, program):
        self.cluster, self.server, self.program = cluster, server, program

    def requests(self, since):
        """Returns the number of the program's reads after `since`, and the size of the audit log."""
        calls, size = self.cluster.calls(since)
        return sum(1 for verb, resource in calls if verb in ("get", "list") and resource != "leases"), size

    def run(self, verifies):
        _, size = self.requests(0)
        with self.program.start() as process:
            if verifies:
                wait_until_verified(process)
            else:
                process.wait_until_idle()
            first, size = self.requests(size)
            cpu, connections = process.cpu_seconds(), self.server.handshakes
            time.sleep(PERIODS * PERIOD_SECONDS)
            later, _ = self.requests(size)
            return (process.peak_mib(), (process.cpu_seconds() - cpu) * 1000 / PERIODS,
                    (self.server.handshakes - connections) / PERIODS, later / PERIODS, first)


def run_round(options, cluster, authority, way):
    client = cluster.client()
    fill.new_targets(client, 0)
    bundle = load.encoded(authority.pem)
    client.parallel(lambda c, i: c.create(configuration(i, f"s-{i}" if way == WAYS[2] else "s-0", bundle)),
                    range(TARGETS))
    flags = () if way == WAYS[0] else ("--verify-endpoints", f"--verify-endpoints-period={PERIOD_SECONDS}s")
    program = programs.ours(options, cluster, *flags)
    return Measurement(cluster, options.server, program).run(bool(flags))


def main():
    options = rounds.parse(__doc__, choices=WAYS)
    ways = options.only or WAYS
    cluster = Cluster.create()
    found = {way: [] for way in ways}
    try:
        client = cluster.client()
        authority = Authority(cluster.path(""), "verified")
        with TlsServer(authority.issue("DNS:*.shop.svc")) as options.server:
            for namespace in ("ca", "shop"):
                load.ensure_namespace(client, namespace)
            client.create(load.ca_secret("ca", "verified", authority.pem))
            client.create(rights.role("verify", RIGHTS))
            client.create(rights.binding("verify", "User", rights.USER))
            client.parallel(lambda c, i: service(c, f"s-{i}", options.server.port), range(TARGETS))

            def each_way():
                for way in ways:
                    found[way].append(run_round(options, cluster, authority, way))
            rounds.in_turn(options.rounds, each_way, "endpoints")
    finally:
        cluster.destroy()
    table = rounds.Table((f"{TARGETS} targets, a period of {PERIOD_SECONDS} s", *ways, ""))
    for column, (figure, digits) in enumerate(FIGURES):
        table.row(figure, [rounds.spread([row[column] for row in found[way]], digits) for way in ways], None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
