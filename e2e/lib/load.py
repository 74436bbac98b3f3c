# SPDX-License-Identifier: Apache-2.0
"""Creates Secrets, certificate authorities and webhook configurations for the scenarios."""
import base64
import os
import subprocess
import tempfile

from lib import kube

SOURCE = "cert-manager.io/inject-ca-from-secret"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/"
ADMISSION = "admissionregistration.k8s.io/v1"


def new_ca(name, since=None, until=None):
    """Returns a self-signed CA as PEM, valid now or between two times like 20200101000000Z."""
    with tempfile.TemporaryDirectory() as folder:
        key, cert = os.path.join(folder, "key"), os.path.join(folder, "cert")
        command = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                   "-nodes", "-keyout", key, "-subj", "/CN=" + name, "-out", cert]
        subprocess.run(command + ([] if since else ["-x509", "-days", "30"]), check=True,
                       capture_output=True)
        if since:
            expire(folder, key, cert, since, until)
        with open(cert, encoding="ascii") as file:
            return file.read()


def expire(folder, key, cert, since, until):
    """Signs the request in the file `cert`. Only `openssl ca` accepts any dates."""
    config = os.path.join(folder, "ca.cnf")
    with open(config, "w", encoding="ascii") as file:
        file.write(f"[ca]\ndefault_ca=c\n[c]\nnew_certs_dir={folder}\ndatabase={folder}/index\n"
                   "default_md=sha256\nrand_serial=yes\npolicy=p\nx509_extensions=x\n"
                   "[p]\ncommonName=supplied\n[x]\nbasicConstraints=critical,CA:true\n")
    with open(os.path.join(folder, "index"), "w", encoding="ascii"):
        pass
    subprocess.run(["openssl", "ca", "-batch", "-config", config, "-selfsign", "-keyfile", key,
                    "-in", cert, "-startdate", since, "-enddate", until, "-notext",
                    "-out", cert + ".made"], check=True, capture_output=True)
    os.rename(cert + ".made", cert)


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def ensure_namespace(client, name):
    try:
        client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    except kube.ApiError as error:
        if error.code != 409:
            raise


def filler_secret(namespace, name, kib):
    """Returns a realistic Secret: labels, and data that capstan must not read."""
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"namespace": namespace, "name": name,
                         "labels": {"app.kubernetes.io/name": "load", "part": name[-1]}},
            "data": {"payload": base64.b64encode(os.urandom(768 * kib)).decode()}}


def load_secrets(client, count, kib, namespaces=20):
    """Creates Secrets 0 to `count` - 1, in turn in the namespaces load-0, load-1, ..."""
    for index in range(namespaces):
        ensure_namespace(client, f"load-{index}")
    client.parallel(lambda c, i: c.create(filler_secret(f"load-{i % namespaces}", f"s-{i}", kib)),
                    range(count))


def ca_secret(namespace, name, pem):
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"namespace": namespace, "name": name,
                         "annotations": {"cert-manager.io/allow-direct-injection": "true"}},
            "data": {"ca.crt": encoded(pem)}}


def configuration(kind, name, source, webhooks=2):
    """Returns a webhook configuration whose webhooks match nothing."""
    entry = {"clientConfig": {"service": {"namespace": "ca", "name": "absent"}},
             "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Ignore",
             "rules": [{"apiGroups": ["none.capstan.dev"], "apiVersions": ["v1"],
                        "operations": ["CREATE"], "resources": ["nothing"]}]}
    return {"apiVersion": ADMISSION, "kind": kind,
            "metadata": {"name": name, "annotations": {SOURCE: source}},
            "webhooks": [{"name": f"w{i}.capstan.dev", **entry} for i in range(webhooks)]}


KINDS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")


def load_configurations(client, count, source, prefix="target"):
    """Creates `count` annotated configurations, half of each kind."""
    client.parallel(lambda c, i: c.create(configuration(KINDS[i % 2], f"{prefix}-{i}", source)),
                    range(count))


def bundles(client, prefix="target"):
    """Returns {kind/name: [PEM bundle of each webhook]} of all configurations prefix-*."""
    found = {}
    for kind in KINDS:
        for item in client.list_all(ADMISSION, kube.plural_of(kind)):
            if item["metadata"]["name"].startswith(prefix + "-"):
                found[kind + "/" + item["metadata"]["name"]] = [
                    base64.b64decode(w["clientConfig"].get("caBundle", "")).decode()
                    for w in item.get("webhooks", [])]
    return found


def in_sync(client, pem, count, prefix="target"):
    """Returns how many configurations hold `pem` in every webhook."""
    wanted = "".join(pem.split())
    return sum(1 for held in bundles(client, prefix).values()
               if held and all(wanted in "".join(b.split()) for b in held)) if count else 0
