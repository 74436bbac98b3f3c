# SPDX-License-Identifier: Apache-2.0
"""Creates targets of every kind and reads their bundles."""
import base64
import json

from lib import kube, load

MANAGER = "cert-manager-cainjector"
API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices/"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"


def webhook_configuration(kind, name, source, webhooks=2):
    """Returns (path, manifest)."""
    return (load.CONFIGURATIONS + kube.plural_of(kind) + "/" + name,
            load.configuration(kind, name, source, webhooks))


def api_service(name, source):
    """Returns an APIService of an unserved group, which is never available and blocks nothing."""
    group = name + ".capstan.dev"
    return (API_SERVICES + "v1." + group, {
        "apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
        "metadata": {"name": "v1." + group, "annotations": {load.SOURCE: source}},
        "spec": {"group": group, "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1,
                 "service": {"namespace": "ca", "name": "absent"}}})


def definition(name, source, conversion=True):
    """Returns a CRD with or without a conversion webhook."""
    group = name + ".capstan.dev"
    spec = {"group": group, "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True,
                          "schema": {"openAPIV3Schema": {"type": "object"}}}]}
    if conversion:
        spec["conversion"] = {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {"service": {"namespace": "ca", "name": "absent"}}}}
    return (CRDS + "things." + group, {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things." + group, "annotations": {load.SOURCE: source}},
        "spec": spec})


def certificate_definition():
    """Returns the CRD of cert-manager's Certificates with a minimal schema."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "certificates.cert-manager.io"},
            "spec": {"group": "cert-manager.io", "scope": "Namespaced",
                     "names": {"plural": "certificates", "kind": "Certificate"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


def client_configs(found):
    """Returns the places for a bundle in an object of any kind."""
    if "webhooks" in found:
        return [webhook["clientConfig"] for webhook in found["webhooks"]]
    if found["kind"] == "APIService":
        return [found["spec"]]
    return [found["spec"]["conversion"].get("webhook", {}).get("clientConfig", {})]


def bundles(found):
    """Returns the bundle of each place as PEM."""
    return [base64.b64decode(config.get("caBundle", "")).decode()
            for config in client_configs(found)]


def holds(client, path, *pems):
    """Returns whether there is a place, and every place has all certificates."""
    held = ["".join(bundle.split()) for bundle in bundles(client.call("GET", path))]
    return bool(held) and all("".join(pem.split()) in bundle for bundle in held for pem in pems)


def entries(found, manager=MANAGER):
    """Returns {operation: fieldsV1} of a manager's entries. Fails if an operation has two."""
    own = [entry for entry in found["metadata"].get("managedFields", [])
           if entry["manager"] == manager]
    assert len({entry["operation"] for entry in own}) == len(own), f"twice: {own}"
    return {entry["operation"]: entry["fieldsV1"] for entry in own}


def without_managers(found):
    """Returns the object without the writers and times, for a comparison."""
    metadata = {key: value for key, value in found["metadata"].items()
                if key not in ("managedFields", "resourceVersion", "generation")}
    return {**found, "metadata": metadata}


def without_bundles(found):
    """Returns the same without the bundles."""
    found = json.loads(json.dumps(without_managers(found)))
    for config in client_configs(found):
        config.pop("caBundle", None)
    return found
