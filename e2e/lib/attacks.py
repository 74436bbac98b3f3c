# SPDX-License-Identifier: Apache-2.0
"""What a user with every right in one namespace can do to programs that watch all namespaces.

Each attack is a function that yields (path, body) of the objects that it creates, at the API server's own
limits: 1.5 MiB for a request, 1 MiB for the data of a ConfigMap, 256 KiB for the annotations of an object,
10,000 nested levels.
"""
import json
import subprocess
import tempfile

from lib import agent, injection, kube, load

NAMESPACE = "tenant"
GROUP = "edge.example.com"
# Each leaves room for the rest of the object.
OBJECT_BYTES, CONFIG_MAP_BYTES, ANNOTATION_BYTES = 1_400_000, 1_040_000, 255_000
LEVELS = 9_000
SOURCES_MAX = 32  # of a list
INJECT, CACHE = {"inject.capstan.dev/enabled": "true"}, {"cache.capstan.dev/enabled": "true"}
GATE_CONFIG_MAP = "gate"  # the agent has the gate configmap:tenant/gate
SOURCE = {injection.FROM_SECRET: f"{NAMESPACE}/small"}


def definition():
    """Returns the CRD of an additional target whose objects may have any other field."""
    bundle = {"type": "string", "format": "byte"}
    spec = {"tls": {"type": "object", "properties": {"caBundle": bundle}},
            "providers": {"type": "array", "items": {"type": "object", "properties": {"caBundle": bundle}}}}
    schema = {"type": "object", "properties": {"spec": {
        "type": "object", "properties": spec, "x-kubernetes-preserve-unknown-fields": True}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "gateways." + GROUP},
            "spec": {"group": GROUP, "scope": "Namespaced",
                     "names": {"plural": "gateways", "singular": "gateway", "kind": "Gateway"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


ADDITIONAL_TARGETS = [{"group": GROUP, "version": "v1", "kind": "Gateway", "resource": "gateways",
                       "fields": ["spec.tls.caBundle", "spec.providers[*].caBundle"]}]


def made(api_version, kind, name, labels=None, annotations=None, **fields):
    """Returns (path, body) of an object in the tenant's namespace."""
    return (kube.path_of(api_version, kube.plural_of(kind), NAMESPACE), {
        "apiVersion": api_version, "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels or {},
                     "annotations": annotations or {}}, **fields})


def config_map(name, data, labels=None, annotations=None):
    return made("v1", "ConfigMap", name, labels, annotations, data=data)


def secret(name, pem, annotations):
    return made("v1", "Secret", name, None, annotations, data={"ca.crt": load.encoded(pem)})


def gateway(name, spec, annotations=None):
    return made(GROUP + "/v1", "Gateway", name, None, annotations or SOURCE, spec=spec)


def pod(name, annotations=None, **metadata):
    body = agent.pod(name, annotations=annotations)
    body["metadata"].update(namespace=NAMESPACE, **metadata)
    return kube.path_of("v1", "pods", NAMESPACE), body


def large_bundle(size):
    """Returns a bundle of valid CAs of about this size: each has a long comment."""
    found = ""
    while len(found) < size - 20_000:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                 "-nodes", "-keyout", folder + "/key", "-days", "30", "-subj", f"/CN=ca-{len(found)}",
                 "-addext", "nsComment=" + "x" * 14_000], check=True, capture_output=True, text=True)
        found += done.stdout
    return found


def deep(levels):
    return '{"a":' * levels + "1" + "}" * levels


def nested(path, body, field, levels=LEVELS):
    """Returns (path, body as text) with a deep value at body["spec"][field]."""
    body["spec"][field] = "DEEP"
    return path, json.dumps(body).replace('"DEEP"', deep(levels))


def nested_list(path, body, count):
    """Returns (path, body as text) with so many empty providers."""
    body["spec"]["providers"] = "LIST"
    return path, json.dumps(body).replace('"LIST"', "[" + ",".join(["{}"] * count) + "]")


def deep_objects():
    """Custom resources with 9,000 nested levels, in fields that nobody reads and in those that we read"""
    for index in range(4):
        yield nested(*gateway(f"unread-{index}", {}), "unread")
        # The schema refuses this depth in spec.tls, so a Certificate shows a deep value that is read.
        yield nested(*made("cert-manager.io/v1", "Certificate", f"unread-{index}", spec={}), "unread")
        yield nested(*made("cert-manager.io/v1", "Certificate", f"read-{index}", spec={}), "secretName")


def many_places():
    """1,000 places in one object, for a bundle of 250 KB"""
    yield config_map("large", {"ca.crt": large_bundle(250_000)})
    yield gateway("places", {"providers": [{"caBundle": "QUFB"}] * 1000},
                  {injection.FROM_CONFIG_MAP: f"{NAMESPACE}/large"})


def large_targets():
    """200 objects that take a bundle of 250 KB each"""
    yield config_map("large", {"ca.crt": large_bundle(250_000)})
    for index in range(200):
        yield gateway(f"target-{index}", {"tls": {}}, {injection.FROM_CONFIG_MAP: f"{NAMESPACE}/large"})


def large_fields():
    """100 additional targets with 1.4 MB in the named field"""
    for index in range(100):
        yield gateway(f"field-{index}", {"tls": {"caBundle": "QUFB" * (OBJECT_BYTES // 4)}})


def cached_config_maps():
    """140 ConfigMaps of 1 MB with the label of cached sources"""
    for index in range(140):
        yield config_map(f"cached-{index}", {"ca.crt": "x" * CONFIG_MAP_BYTES}, CACHE)


def large_config_map_targets():
    """100 ConfigMaps of 1 MB as targets"""
    for index in range(100):
        yield config_map(f"target-{index}", {"ca.crt": "x" * CONFIG_MAP_BYTES}, INJECT, SOURCE)


def secret_annotations():
    """200 Secrets whose two annotations that we read have 255 KB"""
    for index in range(200):
        yield secret(f"secret-{index}", "", {
            "cert-manager.io/certificate-name": "n" * (ANNOTATION_BYTES // 2),
            "cert-manager.io/allow-direct-injection": "t" * (ANNOTATION_BYTES // 2)})


def target_annotations():
    """200 ConfigMaps as targets, with 255 KB of sources"""
    for index in range(200):
        yield config_map(f"target-{index}", {}, INJECT, {
            injection.FROM_SOURCES: f"secret/{NAMESPACE}/small," * (ANNOTATION_BYTES // 24)})


def certificates():
    """100 Certificates with a name of 1.4 MB for their Secret"""
    for index in range(100):
        yield made("cert-manager.io/v1", "Certificate", f"certificate-{index}",
                   spec={"secretName": "n" * OBJECT_BYTES})


def unknown_sources():
    """1,000 targets whose sources do not exist"""
    for index in range(1000):
        yield config_map(f"target-{index}", {}, INJECT, {injection.FROM_SECRET: f"{NAMESPACE}/no-{index}"})


def full_lists():
    """1,000 targets with as many sources as an annotation that is read may name"""
    for index in range(1000):
        yield config_map(f"target-{index}", {}, INJECT, {injection.FROM_SOURCES: ",".join(
            f"configmap/{NAMESPACE}/{'n' * 90}-{index}-{item}" for item in range(SOURCES_MAX))})


def chained_targets():
    """1,000 ConfigMaps, each of which is the source of the next one"""
    for index in range(1000):
        source = {injection.FROM_CONFIG_MAP: f"{NAMESPACE}/link-{index - 1}"} if index else SOURCE
        yield config_map(f"link-{index}", {}, {**INJECT, **CACHE}, source)


def looped_targets():
    """1,000 ConfigMaps that are each other's sources"""
    for index in range(1000):
        yield config_map(f"loop-{index}", {}, {**INJECT, **CACHE}, {
            injection.FROM_SOURCES: ",".join(f"configmap/{NAMESPACE}/loop-{(index + step) % 1000}" for step in (1, 2, 7, 31))})


def empty_places():
    """20 objects with 450,000 elements where each element has a place"""
    for index in range(20):
        yield nested_list(*gateway(f"empty-{index}", {}, None), 450_000)


def many_pods():
    """1,000 small pods on one node"""
    for index in range(1000):
        yield pod(f"pod-{index}")


def pods():
    """100 pods on one node with 255 KB of annotations that gates read, and labels"""
    labels = {f"{'l' * 50}-{index}": "v" * 60 for index in range(500)}
    for index in range(100):
        yield pod(f"pod-{index}", {agent.GATE_SET: "s" * 100_000,
                                   "k8s.v1.cni.cncf.io/network-status": "[" * (ANNOTATION_BYTES - 100_200)},
                  labels=labels)


def gate_config_maps():
    """A ConfigMap of 1 MB that a gate names, and 50 others"""
    yield config_map(GATE_CONFIG_MAP, {f"key-{i}": "x" * 1000 for i in range(CONFIG_MAP_BYTES // 1010)})
    for index in range(50):
        yield config_map(f"other-{index}", {"k": "x" * CONFIG_MAP_BYTES})


def others():
    """100 Leases, 100 Events and 100 ServiceAccounts with 255 KB of annotations"""
    notes = {"example.com/notes": "x" * ANNOTATION_BYTES}
    for index in range(100):
        yield made("coordination.k8s.io/v1", "Lease", f"lease-{index}", None, notes, spec={})
        yield made("v1", "ServiceAccount", f"account-{index}", None, notes)
        yield made("v1", "Event", f"event-{index}", None, notes, reason="Noise", involvedObject={
            "kind": "ConfigMap", "namespace": NAMESPACE, "name": "small"})


STORED = (deep_objects, many_places, large_targets, large_fields, cached_config_maps, large_config_map_targets,
          secret_annotations, target_annotations, full_lists, certificates, unknown_sources, chained_targets,
          looped_targets, empty_places, many_pods, pods, gate_config_maps, others)
