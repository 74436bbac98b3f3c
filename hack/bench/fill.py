# SPDX-License-Identifier: Apache-2.0
"""Fills a cluster for the benchmark of the injector."""
import json
import time

from lib import kube, load, targets
from lib.etcd import TOKEN, Etcd, copies, put_all

CONFIGURATIONS = 50
GROUP = "load.capstan.dev"
NAMESPACE = "load-0"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CERTIFICATES = f"/apis/cert-manager.io/v1/namespaces/{NAMESPACE}/certificates"
CERTIFICATE_KEY = f"/registry/cert-manager.io/certificates/{NAMESPACE}/c-{TOKEN}"
CRD_NAME = f"larges{TOKEN}.{GROUP}"
CRD_KEY = "/registry/apiextensions.k8s.io/customresourcedefinitions/" + CRD_NAME


def wait_until_served(client, path, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        try:
            client.call("GET", path)
            return
        except kube.ApiError:
            assert time.monotonic() < deadline, f"{path} is not served after {seconds} s"
            time.sleep(0.2)


def base(cluster):
    """Creates the start of every part: the kind Certificate, a CA, and targets that name it."""
    client = cluster.client()
    load.ensure_namespace(client, "ca")
    load.ensure_namespace(client, NAMESPACE)
    client.create(targets.certificate_definition())
    wait_until_served(client, CERTIFICATES)
    client.create(load.ca_secret("ca", "root", load.new_ca("bench")))
    load.load_configurations(client, CONFIGURATIONS, "ca/root")


def new_targets(client, count):
    """Creates `count` new configurations that name the CA, and deletes the previous ones."""
    for kind in load.KINDS:
        client.call("DELETE", load.CONFIGURATIONS + kube.plural_of(kind))
    load.load_configurations(client, count, "ca/root")


class Filler:
    """An object that the API server stored, with any number of copies."""

    def __init__(self, cluster, path, made, key):
        self.cluster, self.key = cluster, key
        self.path = f"{path}/{made['metadata']['name']}"
        self.uid = cluster.client().call("POST", path, made)["metadata"]["uid"]
        self.etcd = Etcd(cluster)

    def copies(self, first, count):
        return copies(self.etcd, self.key, self.uid, range(first, first + count))

    def add(self, first, count):
        self.put(range(first, first + count))

    def put(self, numbers):
        """Puts a copy for each number."""
        put_all(self.etcd, copies(self.etcd, self.key, self.uid, numbers))

    def annotate(self, count):
        """Annotates the original and the copies with the CA."""
        self.cluster.client().merge_patch(
            self.path, {"metadata": {"annotations": {load.SOURCE: "ca/root"}}})
        self.add(1, count)


def secrets(cluster, namespace=NAMESPACE, kib=1):
    """Returns a Secret of `kib` KiB."""
    name = "s-" + TOKEN
    return Filler(cluster, f"/api/v1/namespaces/{namespace}/secrets",
                  load.filler_secret(namespace, name, kib),
                  f"/registry/secrets/{namespace}/{name}")


def crd(group, plural, kind, schema, served=True):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "singular": kind.lower(), "kind": kind,
                               "listKind": kind + "List"},
                     "versions": [{"name": "v1", "served": served, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


def schema_of(kib):
    """Returns the schema of a large CRD: hundreds of fields with descriptions."""
    fields = {f"field{i:04}": {"type": "string", "description": "What it is for. " * 12}
              for i in range(kib * 4)}
    return {"type": "object",
            "properties": {"spec": {"type": "object", "properties": fields}}}


def large_crds(cluster, kib):
    """Returns a CRD with a conversion webhook, not annotated. No version is served, because the
    API server would otherwise build OpenAPI for all of them. Clients see no difference."""
    made = crd(GROUP, "larges" + TOKEN, "Large" + TOKEN, schema_of(kib), served=False)
    made["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"service": {"namespace": "ca", "name": "absent"}}}}
    return Filler(cluster, CRDS, made, CRD_KEY)


def certificates(cluster):
    """Returns a Certificate of 4 KiB, applied with kubectl, with cert-manager's status."""
    name, then = "c-" + TOKEN, "2026-01-01T00:00:00Z"
    made = {"apiVersion": "cert-manager.io/v1", "kind": "Certificate",
            "metadata": {"namespace": NAMESPACE, "name": name,
                         "labels": {"app.kubernetes.io/name": "load",
                                    "app.kubernetes.io/instance": name}},
            "spec": {"secretName": name + "-tls", "duration": "2160h0m0s",
                     "renewBefore": "720h0m0s", "subject": {"organizations": ["load"]},
                     "commonName": name + ".load-0.svc",
                     "dnsNames": [f"{name}.load-0.svc{end}" for end in ("", ".cluster.local")],
                     "usages": ["digital signature", "key encipherment", "server auth"],
                     "privateKey": {"algorithm": "ECDSA", "size": 256},
                     "issuerRef": {"name": "issuer", "kind": "ClusterIssuer"}}}
    made["metadata"]["annotations"] = {
        "kubectl.kubernetes.io/last-applied-configuration": json.dumps(made)}
    filler = Filler(cluster, CERTIFICATES, made, CERTIFICATE_KEY)
    condition = {"type": "Ready", "status": "True", "reason": "Ready", "lastTransitionTime": then,
                 "message": "Certificate is up to date and has not expired",
                 "observedGeneration": 1}
    status = {"notBefore": then, "notAfter": then, "renewalTime": then, "revision": 3,
              "conditions": [condition]}
    cluster.client().merge_patch(f"{filler.path}?fieldManager=cert-manager-certificates-readiness",
                                 {"status": status})
    return filler
