# SPDX-License-Identifier: Apache-2.0
"""A live webhook that the API server can call after injection, during a rotation under load, and
after a change of the leader."""
import base64
import json
import subprocess
import time

from cluster import RELEASE
from lib import load
from lib.kubectl import Repeat

NAMESPACE = "e2e-webhook"
NAME = "e2e-webhook"
HOST = f"{NAME}.{NAMESPACE}.svc"
REFUSE = "e2e.capstan.dev/refuse"
LEASE = "cert-manager-cainjector-leader-election"
CALLS_MIN = 20  # with the new certificate


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def authority(cluster, name, host=HOST):
    """Creates a CA and a certificate for the host. Returns {file of the Secret: its text}."""
    key, cert, request, made, names = (
        cluster.path(f"{name}.{part}") for part in ("key", "crt", "csr", "made", "names"))
    with open(names, "w", encoding="ascii") as file:
        file.write("subjectAltName=DNS:" + host)
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *new_key, "-keyout", key, "-out", cert, "-subj", "/CN=" + name,
            "-days", "2")
    openssl("req", *new_key, "-keyout", made + ".key", "-out", request, "-subj", "/CN=" + host)
    openssl("x509", "-req", "-in", request, "-CA", cert, "-CAkey", key, "-CAcreateserial",
            "-days", "2", "-extfile", names, "-out", made)
    texts = {}
    for field, path in (("ca.crt", cert), ("tls.crt", made), ("tls.key", made + ".key")):
        with open(path, encoding="ascii") as file:
            texts[field] = file.read()
    return texts


def secret(texts, namespace=NAMESPACE, name=NAME):
    return {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
            "metadata": {"name": name, "namespace": namespace,
                         "annotations": {"cert-manager.io/allow-direct-injection": "true"}},
            "data": {key: load.encoded(text) for key, text in texts.items()}}


def configuration(name, annotations=None):
    """Returns a configuration for ConfigMaps of the namespace, with failurePolicy Fail."""
    return {"apiVersion": load.ADMISSION, "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": name, "annotations": annotations or {}},
            "webhooks": [{
                "name": f"{name}.e2e.capstan.dev", "admissionReviewVersions": ["v1"],
                "sideEffects": "None", "failurePolicy": "Fail", "timeoutSeconds": 10,
                "clientConfig": {"service": {"name": NAME, "namespace": NAMESPACE, "port": 8443}},
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": NAMESPACE}},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                           "resources": ["configmaps"]}]}]}


def workload():
    labels = {"app": NAME}
    pod = {"containers": [{
        "name": "webhook", "image": "e2e_webhook:e2e", "imagePullPolicy": "Never",
        "args": ["/tls/tls.crt", "/tls/tls.key", "8443"],
        "readinessProbe": {"httpGet": {"port": 8443, "scheme": "HTTPS"}, "periodSeconds": 1},
        "volumeMounts": [{"name": "tls", "mountPath": "/tls"}]}],
        "volumes": [{"name": "tls", "secret": {"secretName": NAME}}]}
    return [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": NAME, "namespace": NAMESPACE},
         "spec": {"selector": labels, "ports": [{"port": 8443}]}},
        {"apiVersion": "apps/v1", "kind": "Deployment",
         "metadata": {"name": NAME, "namespace": NAMESPACE},
         "spec": {"selector": {"matchLabels": labels},
                  "template": {"metadata": {"labels": labels}, "spec": pod}}}]


def call(cluster, *labels):
    """Makes the API server call the webhook for a ConfigMap. Returns the result of kubectl."""
    body = {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"generateName": "call-", "namespace": NAMESPACE,
                         "labels": {label: "yes" for label in labels}}}
    return cluster.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(body),
                           check=False)


def failure(cluster):
    """Returns why the API server could not call the webhook, or ""."""
    result = call(cluster)
    return "" if result.returncode == 0 else result.stderr.strip()


def bundle(cluster, name):
    webhook = cluster.get("validatingwebhookconfiguration", name)["webhooks"][0]
    return base64.b64decode(webhook["clientConfig"].get("caBundle", "")).decode()


def source():
    return {load.SOURCE: f"{NAMESPACE}/{NAME}"}


def injection(cluster):
    cluster.kubectl("create", "namespace", NAMESPACE)
    texts = authority(cluster, "ca-1")
    cluster.apply(secret(texts), *workload())
    cluster.kubectl("rollout", "status", "-n", NAMESPACE, "deployment/" + NAME, "--timeout=120s")
    cluster.apply(configuration(NAME))
    cluster.wait(lambda: "certificate" in call(cluster).stderr,
                 "the API server does not trust the webhook before it is injected")
    cluster.apply(configuration(NAME, source()))
    took = cluster.wait(lambda: bundle(cluster, NAME).strip() == texts["ca.crt"].strip(),
                        "the CA is injected")
    cluster.figure("seconds until it was injected", f"{took:.1f}")
    cluster.wait(lambda: call(cluster).returncode == 0, "the API server calls the webhook")
    refused = call(cluster, REFUSE)
    assert "refused by e2e_webhook" in refused.stderr, refused.stderr


def serves(cluster, pem, namespace=NAMESPACE, name=NAME):
    """Returns whether the webhook serves a certificate of this CA, checked from its node."""
    host = f"{name}.{namespace}.svc"
    pod = cluster.get("pods", "-n", namespace, "-l", "app=" + name)[0]
    result = cluster.on_node(
        pod["spec"]["nodeName"], "curl", "-s", "--max-time", "5", "--cacert", "/dev/stdin",
        "--resolve", f"{host}:8443:{pod['status']['podIP']}", f"https://{host}:8443/", given=pem)
    return result.returncode == 0


def rotation(cluster):
    """Changes CA and certificate at once, as cert-manager does. The pod gets its files later."""
    texts = authority(cluster, "ca-2")
    with Repeat(lambda: failure(cluster)) as caller:
        rotate(cluster, texts, caller)
    cluster.figure("calls, refused", f"{caller.calls}, {len(caller.failures)}")
    assert not caller.failures, caller.failures[0]


def rotate(cluster, texts, caller):
    cluster.wait(lambda: caller.calls > 2, "the first calls")
    cluster.apply(secret(texts))
    cluster.wait(lambda: texts["ca.crt"].strip() in bundle(cluster, NAME), "the new CA is injected")
    assert bundle(cluster, NAME).count("BEGIN CERTIFICATE") == 2, "the old CA is not kept with the new one"
    # The kubelet checks a pod's Secrets once a minute, or when the pod changes.
    cluster.kubectl("annotate", "pod", "-n", NAMESPACE, "-l", "app=" + NAME,
                    f"e2e.capstan.dev/at={time.time():.0f}", "--overwrite")
    took = cluster.wait(lambda: serves(cluster, texts["ca.crt"]), "the webhook has its new certificate", 180)
    before = caller.calls
    cluster.wait(lambda: caller.calls - before >= CALLS_MIN, "calls with the new certificate")
    cluster.figure("seconds until the webhook had its new certificate", f"{took:.1f}")


def leader(cluster):
    holder = cluster.get("lease", "-n", RELEASE, LEASE)["spec"].get("holderIdentity", "")
    names = [pod["metadata"]["name"] for pod in cluster.pods("controller-manager")]
    return next((name for name in names if holder.startswith(name)), "")


def failover(cluster):
    """Deletes the leader once gracefully and once with a grace period of 0."""
    for how in ([], ["--grace-period=0", "--force"]):
        old = leader(cluster)
        assert old, "no manager holds the Lease"
        start = time.monotonic()
        cluster.kubectl("delete", "pod", "-n", RELEASE, old, "--wait=false", *how)
        cluster.wait(lambda before=old: leader(cluster) not in ("", before), "another one leads")
        took = time.monotonic() - start
        injected_again(cluster, "failover" + "-forced" * len(how[:1]))
        cluster.figure(f"seconds without a leader, delete {' '.join(how)}".rstrip(), f"{took:.1f}")
        cluster.kubectl("rollout", "status", "-n", RELEASE,
                        "deployment/capstan-controller-manager", "--timeout=120s")


def injected_again(cluster, name):
    """Creates a target that the new leader has to inject. The API server can still call."""
    expected = base64.b64decode(cluster.get("secret", "-n", NAMESPACE, NAME)["data"]["ca.crt"])
    cluster.apply(configuration(name, source()))
    cluster.wait(lambda: bundle(cluster, name).strip() == expected.decode().strip(),
                 f"{name} is injected")
    cluster.wait(lambda: call(cluster).returncode == 0, "the API server calls the webhooks")


def clean(cluster):
    configurations = [item["metadata"]["name"]
                      for item in cluster.get("validatingwebhookconfigurations")
                      if item["webhooks"][0]["clientConfig"].get("service", {}).get("name") == NAME]
    cluster.kubectl("delete", "validatingwebhookconfiguration", *configurations)
    cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=false")
