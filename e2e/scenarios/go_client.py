# SPDX-License-Identifier: Apache-2.0
"""client-go reads the same from a server in protobuf and in JSON.

A Go program lists the metadata of every kind and the objects of every built-in kind that the server's
discovery names, and reads the built-in kinds once more with a watch that begins with the objects.
"""
import json
import os
import subprocess

from lib import injection, load
from lib.cluster import ROOT
from lib.scenario import Skipped, check_equal
from oracles import compare

KINDS = ("embedded", "real")
PROTOBUF = "application/vnd.kubernetes.protobuf"
MIXED = PROTOBUF + ",application/json"  # what client-go asks for: custom resources have no protobuf
READS = ("Lists", "Watched", "Metadata")
# Leases and Events change between the two reads, and a server lists ComponentStatuses in any order.
CHANGING = ("coordination.k8s.io/v1 leases", "v1 events", "events.k8s.io/v1 events",
            "v1 componentstatuses")


def without_empty(value):
    """Returns the value without empty members, which protobuf leaves out."""
    if isinstance(value, dict):
        members = {name: without_empty(member) for name, member in value.items()}
        return {name: member for name, member in members.items() if member not in (None, [], {}, "")}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


def comparable(objects):
    """Returns the objects of a list without what only JSON has."""
    return [without_empty({name: member for name, member in item.items() if name not in ("apiVersion", "kind")})
            for item in objects or []]


def read(peer, cluster, encoding, watches):
    [answer] = compare.Reader(peer, "read_server").answers(
        ["\0".join([cluster.kubeconfig("admin"), encoding, watches]).encode()])
    found = json.loads(answer)
    check_equal(f"errors of client-go with {encoding}", found["Errors"], None)
    return found


def fill(client):
    load.ensure_namespace(client, "ca")
    client.call("POST", "/api/v1/namespaces/ca/secrets", load.ca_secret("ca", "root", load.new_ca("root")))
    for kind in sorted(set(injection.KINDS) - {"APIService"}):  # the discovery of one without a server fails
        client.create(injection.target(kind, "by-secret", injection.FROM_SECRET, "ca/root"))
    pod = {"metadata": {"labels": {"app": "a"}},
           "spec": {"containers": [{"name": "a", "image": "a", "ports": [{"containerPort": 80}],
                                    "resources": {"limits": {"memory": "1Gi", "cpu": "100m"}},
                                    "readinessProbe": {"httpGet": {"path": "/", "port": "http"}}}]}}
    client.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "ca"},
                   "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": pod}})
    injection.install_certificates(client)
    client.call("POST", "/apis/cert-manager.io/v1/namespaces/ca/certificates",
                injection.certificate("ca", "leaf", "leaf-tls"))
    injection.wait_certificates(client, True)


def run(scenario):
    build = [os.path.join(ROOT, "e2e/oracles/build")]
    if scenario.kind == "embedded":  # which needs no Go; the real API server is built with it
        build.append("--cached")
    built = subprocess.run(build, check=scenario.kind == "real", text=True, stdout=subprocess.PIPE)
    if built.returncode != 0:
        raise Skipped("oracles_peer is not in the cache; e2e/oracles/build makes it, with Go")
    peer = built.stdout.strip()
    cluster = scenario.cluster()
    client = cluster.client()
    fill(client)
    # Kubernetes 1.30 does not stream lists by default.
    watches = "watch" if int(client.call("GET", "/version")["minor"]) >= 34 else ""
    as_json = read(peer, cluster, "application/json", watches)
    check_equal("content types for JSON", as_json["ContentTypes"], ["application/json"])
    as_protobuf = read(peer, cluster, MIXED, watches)
    check_equal("protobuf is among the content types", PROTOBUF in as_protobuf["ContentTypes"], True)
    for reads in READS:
        check_equal(f"kinds in {reads}", sorted(as_protobuf[reads]), sorted(as_json[reads]))
        for kind in sorted(set(as_json[reads]) - set(CHANGING)):
            check_equal(f"{reads} of {kind}", comparable(as_protobuf[reads][kind]), comparable(as_json[reads][kind]))
        scenario.figure(f"{reads}: kinds, objects",
                        (len(as_json[reads]), sum(len(objects or []) for objects in as_json[reads].values())))
    check_equal("secrets that a watch begins with", len(as_protobuf["Watched"]["v1 secrets"]) if watches else 1, 1)
