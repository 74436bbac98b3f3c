# SPDX-License-Identifier: Apache-2.0
"""Targets and sources of all four kinds for the scenarios of CA injection."""
import time

from lib import kube, load, targets

KINDS = {"ValidatingWebhookConfiguration": load.ADMISSION,
         "MutatingWebhookConfiguration": load.ADMISSION,
         "APIService": "apiregistration.k8s.io/v1",
         "CustomResourceDefinition": "apiextensions.k8s.io/v1"}
FROM_SECRET = load.SOURCE
FROM_CERTIFICATE = "cert-manager.io/inject-ca-from"
FROM_CONFIG_MAP = "capstan.dev/inject-ca-from-configmap"
FROM_TRUST_BUNDLE = "capstan.dev/inject-ca-from-clustertrustbundle"
FROM_SOURCES = "capstan.dev/inject-ca-from"
FROM_API_SERVER = "cert-manager.io/inject-apiserver-ca"
CERTIFICATES = "/apis/cert-manager.io/v1/certificates"
DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/certificates.cert-manager.io"


def name_of(kind, name):
    """Returns the object's name. APIServices and CRDs are named after what they define."""
    return {"APIService": f"v1.{name}.example.com",
            "CustomResourceDefinition": f"{name}s.example.com"}.get(kind, name)


def path_of(kind, name):
    return kube.path_of(KINDS[kind], kube.plural_of(kind), None, name_of(kind, name))


def target(kind, name, annotation, value, pem=""):
    """Returns a target that a real API server accepts and never calls."""
    config = {"service": {"namespace": "ca", "name": "absent"}}
    if pem:
        config["caBundle"] = load.encoded(pem)
    made = {"apiVersion": KINDS[kind], "kind": kind,
            "metadata": {"name": name_of(kind, name), "annotations": {annotation: value}}}
    if kind == "APIService":
        made["spec"] = {"group": f"{name}.example.com", "version": "v1", "versionPriority": 1,
                        "groupPriorityMinimum": 1, **config}
    elif kind == "CustomResourceDefinition":
        made["spec"] = {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": name + "s", "kind": name.title().replace("-", "")},
            "versions": [{"name": "v1", "served": False, "storage": True,
                          "schema": {"openAPIV3Schema": {"type": "object"}}}],
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                                                              "clientConfig": config}}}
    else:
        made["webhooks"] = load.configuration(kind, name, value)["webhooks"]
        for webhook in made["webhooks"]:
            webhook["clientConfig"] = config
    return made


def create(client, name, annotation, value, pem=""):
    """Creates one target of each kind."""
    for kind in KINDS:
        client.create(target(kind, name, annotation, value, pem))


def held(client, kind, name):
    """Returns the bundle of each place as PEM."""
    return targets.bundles(client.call("GET", path_of(kind, name)))


def holds(client, name, pem, kinds=tuple(KINDS)):
    """Returns whether every place of these kinds' targets `name` holds exactly `pem`."""
    return all(bundle == pem for kind in kinds for bundle in held(client, kind, name))


def certificate(namespace, name, secret_name):
    return {"apiVersion": "cert-manager.io/v1", "kind": "Certificate",
            "metadata": {"namespace": namespace, "name": name}, "spec": {"secretName": secret_name}}


def certificate_secret(namespace, name, certificate_name, pem):
    made = load.ca_secret(namespace, name, pem)
    made["metadata"]["annotations"] = {"cert-manager.io/certificate-name": certificate_name}
    return made


def config_map(namespace, name, pem, labelled):
    labels = {"cache.capstan.dev/enabled": "true"} if labelled else {}
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": {"ca.crt": pem},
            "metadata": {"namespace": namespace, "name": name, "labels": labels}}


def serves_certificates(client):
    try:
        client.call("GET", CERTIFICATES)
        return True
    except kube.ApiError as error:
        if error.code not in (404, 429, 503):  # not yet, or just now
            raise
        return False


def wait_certificates(client, served, seconds=30):
    deadline = time.monotonic() + seconds
    while serves_certificates(client) != served:
        assert time.monotonic() < deadline, f"Certificates are served: {not served}"
        time.sleep(0.1)


def install_certificates(client):
    """Installs the part of cert-manager's CRD that a source needs, if it is missing."""
    if serves_certificates(client):
        return
    client.create(targets.certificate_definition())
    wait_certificates(client, True)


def events_of(client, kind, name):
    """Returns the Events on a target. Events on cluster-scoped objects are in default."""
    return [event for event in client.call("GET", "/api/v1/namespaces/default/events?limit=5000")[
        "items"] if event["involvedObject"].get("kind") == kind
            and event["involvedObject"].get("name") == name_of(kind, name)]


def event_count(client, kind, name):
    """Returns the number of Events on a target, with repetitions."""
    return sum(event.get("count", 1) for event in events_of(client, kind, name))


def reasons(client, kind, name):
    return {event["reason"] for event in events_of(client, kind, name)}
