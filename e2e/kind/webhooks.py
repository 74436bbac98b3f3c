# SPDX-License-Identifier: Apache-2.0
"""A live webhook that the API server can call after injection, during a rotation under load, and
after a change of the leader.

A webhook has one name for its namespace, its Secret, its Deployment and its Service.
"""
import base64
import json
import time

from cluster import RELEASE
from lib import load
from lib.kubectl import Repeat
from lib.tls_server import Authority

NAME = "e2e-webhook"
REFUSE = "e2e.capstan.dev/refuse"
LEASE = "cert-manager-cainjector-leader-election"
CALLS_MIN = 20  # with the new certificate


def authority(cluster, name, host=f"{NAME}.{NAME}.svc", until=None):
    """Creates a CA and a certificate for the host. Returns {file of the Secret: its text}."""
    ca = Authority(cluster.folder, name, until)
    with open(ca.issue("DNS:" + host), encoding="ascii") as file:
        key, begin, certificate = file.read().partition("-----BEGIN CERTIFICATE")
    return {"ca.crt": ca.pem, "tls.crt": begin + certificate, "tls.key": key}


def secret(texts, namespace=NAME, name=NAME):
    return {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
            "metadata": {"name": name, "namespace": namespace,
                         "annotations": {"cert-manager.io/allow-direct-injection": "true"}},
            "data": {key: load.encoded(text) for key, text in texts.items()}}


def configuration(name, annotations=None, webhook=NAME):
    """Returns a configuration for ConfigMaps in the webhook's namespace, with failurePolicy Fail."""
    return {"apiVersion": load.ADMISSION, "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": name, "annotations": annotations or {}},
            "webhooks": [{
                "name": f"{name}.e2e.capstan.dev", "admissionReviewVersions": ["v1"],
                "sideEffects": "None", "failurePolicy": "Fail", "timeoutSeconds": 10,
                "clientConfig": {"service": {"name": webhook, "namespace": webhook, "port": 8443}},
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": webhook}},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                           "resources": ["configmaps"]}]}]}


def workload(webhook, delay):
    labels, meta = {"app": webhook}, {"name": webhook, "namespace": webhook}
    pod = {"containers": [{
        "name": "webhook", "image": "e2e_webhook:e2e", "imagePullPolicy": "Never",
        "args": ["/tls/tls.crt", "/tls/tls.key", "8443", delay],
        "readinessProbe": {"httpGet": {"port": 8443, "scheme": "HTTPS"}, "periodSeconds": 1},
        "volumeMounts": [{"name": "tls", "mountPath": "/tls"}]}],
        "volumes": [{"name": "tls", "secret": {"secretName": webhook}}]}
    return [
        {"apiVersion": "v1", "kind": "Service", "metadata": meta,
         "spec": {"selector": labels, "ports": [{"port": 8443}]}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta,
         "spec": {"selector": {"matchLabels": labels},
                  "template": {"metadata": {"labels": labels}, "spec": pod}}}]


def start(cluster, texts, webhook=NAME, delay="0"):
    """Starts the server. `delay`: the argument of e2e_webhook."""
    cluster.kubectl("create", "namespace", webhook)
    cluster.apply(secret(texts, webhook, webhook), *workload(webhook, delay))
    cluster.kubectl("rollout", "status", "-n", webhook, "deployment/" + webhook, "--timeout=120s")


def call(cluster, *labels, webhook=NAME):
    """Makes the API server call the webhook for a ConfigMap. Returns the result of kubectl."""
    body = {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"generateName": "call-", "namespace": webhook,
                         "labels": {label: "yes" for label in labels}}}
    return cluster.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(body),
                           check=False)


def failure(cluster, webhook=NAME):
    """Returns why the API server could not call the webhook, or ""."""
    result = call(cluster, webhook=webhook)
    return "" if result.returncode == 0 else result.stderr.strip()


def bundle(cluster, name):
    webhook = cluster.get("validatingwebhookconfiguration", name)["webhooks"][0]
    return base64.b64decode(webhook["clientConfig"].get("caBundle", "")).decode()


def source(webhook=NAME):
    return {load.SOURCE: f"{webhook}/{webhook}"}


def injection(cluster):
    texts = authority(cluster, "ca-1")
    start(cluster, texts)
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


def refresh(cluster, namespace, name):
    """Lets the kubelet write a changed Secret into its pods, which it does once a minute otherwise."""
    cluster.kubectl("annotate", "pod", "-n", namespace, "-l", "app=" + name,
                    f"e2e.capstan.dev/at={time.time():.0f}", "--overwrite")


def serves(cluster, pem, namespace=NAME, name=NAME):
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
    refresh(cluster, NAME, NAME)
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
        cluster.wait(lambda: leader(cluster), "a manager holds the Lease")
        old = leader(cluster)
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
    expected = base64.b64decode(cluster.get("secret", "-n", NAME, NAME)["data"]["ca.crt"])
    cluster.apply(configuration(name, source()))
    cluster.wait(lambda: bundle(cluster, name).strip() == expected.decode().strip(),
                 f"{name} is injected")
    cluster.wait(lambda: call(cluster).returncode == 0, "the API server calls the webhooks")


def clean(cluster):
    configurations = [item["metadata"]["name"]
                      for item in cluster.get("validatingwebhookconfigurations")
                      if item["webhooks"][0]["clientConfig"].get("service", {}).get("name") == NAME]
    cluster.kubectl("delete", "validatingwebhookconfiguration", *configurations)
    cluster.kubectl("delete", "namespace", NAME, "--wait=false")
