# SPDX-License-Identifier: Apache-2.0
"""The real cert-manager of e2e/certmanager/build, and a shop that uses it.

The functions take a cluster as lib.kubectl.Kubectl, so that they run on any API server. cert-manager's
chart installs everything except its start-up check.
"""
import base64
import json
import os
import subprocess

from lib import console, load, peer
from lib.cluster import ROOT
from lib.kubectl import Repeat, Watch
from lib.scenario import Skipped, check_equal

# Values of both charts for the walk: cainjector's own Lease, with shorter waits than by default.
ELECTION = {"global": {"leaderElection": {"namespace": "kube-system", "leaseDuration": "10s",
                                          "renewDeadline": "8s", "retryPeriod": "2s"}}}
PAGE = "docs/migrate-from-cainjector.md"
RELEASE = NAMESPACE = "cert-manager"
PROGRAMS = ("e2e_certmanager_controller", "e2e_certmanager_webhook", "e2e_certmanager_cainjector")
VERSION = "v1.21.2"
WEBHOOK = "cert-manager-webhook"  # the name of both configurations and the Deployment
WEBHOOK_CA = "cert-manager-webhook-ca"
SHOP = "shop"
PORT = 8443  # of the Service `orders`
HOST = "orders.shop.svc"
CA, SERVING = "shop-ca", "orders"  # Certificates, with Secrets and Issuers of the same names
KINDS = ("validatingwebhookconfiguration", "mutatingwebhookconfiguration")


def folder():
    """Returns the folder of the programs and the chart. Raises Skipped if it cannot be made."""
    build = os.path.join(ROOT, "e2e/certmanager/build")
    made = subprocess.run([build, "--cached"], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        if peer.find_go() is None:
            raise Skipped(f"no cert-manager: {made.stderr.strip()}, and no Go 1.{peer.GO_MIN} is here")
        print("  building cert-manager's parts", flush=True)
        made = subprocess.run([build], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise Skipped(f"e2e/certmanager/build fails: {made.stderr.strip().splitlines()[-1]}")
    return made.stdout.strip()


def values(cainjector):
    """Returns the values of cert-manager's chart for our images. `cainjector`: whether it runs."""
    def image(program):
        return {"image": {"repository": program, "tag": "e2e", "pullPolicy": "Never"}}
    return {
        "crds": {"enabled": True}, "startupapicheck": {"enabled": False}, **image(PROGRAMS[0]),
        # The test helper that serves needs a folder for temporary files.
        "webhook": {**image(PROGRAMS[1]), "volumes": [{"name": "tmp", "emptyDir": {}}],
                    "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}]},
        "cainjector": {**image(PROGRAMS[2]), "enabled": cainjector}}


def write_values(cluster, name, content):
    path = cluster.path(name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return path


def install(cluster, content):
    """Installs cert-manager with helm, and waits until its Deployments are available."""
    path = write_values(cluster, "cert-manager.json", content)
    cluster.run("helm", "upgrade", "--install", RELEASE, os.path.join(folder(), "chart"), "-n", NAMESPACE,
                "--create-namespace", "-f", path)
    for deployment in cluster.get("deployments", "-n", NAMESPACE):
        cluster.kubectl("rollout", "status", "-n", NAMESPACE,
                        "deployment/" + deployment["metadata"]["name"], "--timeout=60s")


def ca_of(cluster, namespace, name):
    """Returns the CA of a Secret as PEM, or "" if there is none."""
    data = cluster.get("secret", "-n", namespace, name).get("data", {})
    return base64.b64decode(data.get("ca.crt", "")).decode()


def bundles(cluster, kind, name):
    """Returns the bundle of each place of a target as PEM."""
    return [base64.b64decode(place.get("caBundle", "")).decode()
            for place in places(cluster.get(kind, name))]


def places(target):
    if "webhooks" in target:
        return [webhook["clientConfig"] for webhook in target["webhooks"]]
    if target["kind"] == "APIService":
        return [target["spec"]]
    return [target["spec"]["conversion"]["webhook"]["clientConfig"]]


def issuer(name, spec):
    return {"apiVersion": "cert-manager.io/v1", "kind": "Issuer",
            "metadata": {"name": name, "namespace": SHOP}, "spec": spec}


def certificate(name, by, **spec):
    return {"apiVersion": "cert-manager.io/v1", "kind": "Certificate",
            "metadata": {"name": name, "namespace": SHOP},
            "spec": {"secretName": name, "issuerRef": {"name": by, "kind": "Issuer"},
                     "privateKey": {"algorithm": "ECDSA"}, **spec}}


def create(cluster, *objects, dry_run=False):
    """Returns the error of kubectl, or ""."""
    body = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    result = cluster.kubectl("create", "-f", "-", *(["--dry-run=server"] if dry_run else []),
                             given=json.dumps(body), check=False)
    return "" if result.returncode == 0 else result.stderr.strip()


def probe():
    """Returns a good Certificate to create in a dry run."""
    return certificate("probe", "self-signed", commonName="probe", duration="2h")


def webhook_unknown(cluster):
    """Without a bundle, the API server cannot call cert-manager's webhook."""
    cluster.kubectl("create", "namespace", SHOP)
    error = create(cluster, probe(), dry_run=True)
    assert "failed calling webhook" in error and "certificate" in error, error
    cluster.figure("before the injection", error.rsplit(": ", 1)[-1])


def webhook_trusted(cluster):
    """capstan injects the CA of cert-manager's webhook, and the API server calls it."""
    took = cluster.wait(lambda: own_bundles(cluster) == 2 * [ca_of(cluster, NAMESPACE, WEBHOOK_CA)],
                        "both configurations of cert-manager have its webhook's CA")
    cluster.figure("seconds until cert-manager's webhook had its CA", f"{took:.1f}")
    cluster.wait(lambda: create(cluster, probe(), dry_run=True) == "", "the API server calls the webhook")
    bad = probe()
    bad["spec"]["duration"] = "10m"
    error = create(cluster, bad, dry_run=True)
    assert '"webhook.cert-manager.io" denied' in error and "duration" in error, error


def own_bundles(cluster):
    return [bundle for kind in KINDS for bundle in bundles(cluster, kind, WEBHOOK)]


def ready(cluster, kind, *names):
    cluster.kubectl("wait", "-n", SHOP, "--for=condition=Ready", kind, *names, "--timeout=60s")


def issue(cluster):
    """A self-signed CA, an issuer of it, and a certificate for a webhook, each with a real Secret."""
    cluster.apply(issuer("self-signed", {"selfSigned": {}}),
                  certificate(CA, "self-signed", isCA=True, commonName=CA),
                  issuer(CA, {"ca": {"secretName": CA}}),
                  certificate(SERVING, CA, dnsNames=[HOST, "localhost"]))
    ready(cluster, "certificate", CA, SERVING)
    ready(cluster, "issuer", "self-signed", CA)
    check_equal("the CA of the certificate", ca_of(cluster, SHOP, SERVING), ca_of(cluster, SHOP, CA))
    issued_by(cluster, SERVING, CA)


def issued_by(cluster, name, authority):
    """Checks with openssl that the certificate in the Secret `name` is issued by that in `authority`."""
    for secret in {name, authority}:
        text = cluster.get("secret", "-n", SHOP, secret)["data"]["tls.crt"]
        with open(cluster.path(secret + ".crt"), "wb") as file:
            file.write(base64.b64decode(text))
    cluster.run("openssl", "verify", "-CAfile", cluster.path(authority + ".crt"),
                cluster.path(name + ".crt"))


def targets(client_config):
    """Returns a target of each kind that requests the CA of the Certificate `orders`.

    The API server calls `client_config` for ConfigMaps of the shop, through both webhooks, and to convert
    Prices. It calls the Service of the APIService where Services work.
    """
    annotated = {"annotations": {"cert-manager.io/inject-ca-from": f"{SHOP}/{SERVING}"}}
    webhook = {"admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
               "clientConfig": client_config,
               "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": SHOP}},
               "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                          "resources": ["configmaps"]}]}
    schema = {"openAPIV3Schema": {"type": "object"}}
    return [
        {"apiVersion": load.ADMISSION, "kind": "ValidatingWebhookConfiguration",
         "metadata": {"name": "orders", **annotated},
         "webhooks": [{"name": "validate.orders.example.com", **webhook}]},
        {"apiVersion": load.ADMISSION, "kind": "MutatingWebhookConfiguration",
         "metadata": {"name": "orders", **annotated},
         "webhooks": [{"name": "mutate.orders.example.com", **webhook}]},
        {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
         "metadata": {"name": "v1.orders.example.com", **annotated},
         "spec": {"group": "orders.example.com", "version": "v1", "versionPriority": 1,
                  "groupPriorityMinimum": 1,
                  "service": {"namespace": SHOP, "name": SERVING, "port": PORT}}},
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
         "metadata": {"name": "prices.shop.example.com", **annotated},
         "spec": {"group": "shop.example.com", "scope": "Namespaced",
                  "names": {"plural": "prices", "kind": "Price"},
                  "versions": [{"name": version, "served": True, "storage": version == "v1",
                                "schema": schema} for version in ("v1", "v2")],
                  "conversion": {"strategy": "Webhook", "webhook": {
                      "conversionReviewVersions": ["v1"], "clientConfig": client_config}}}}]


# The only place of each target here, as JSONPath.
PLACES = {**dict.fromkeys(KINDS, "{.webhooks[0].clientConfig.caBundle}"), "apiservice": "{.spec.caBundle}",
          "customresourcedefinition": "{.spec.conversion.webhook.clientConfig.caBundle}"}
API_SERVICE = ("apiservice", "v1.orders.example.com")
TARGETS = [(kind, "orders") for kind in KINDS] + [
    API_SERVICE, ("customresourcedefinition", "prices.shop.example.com")]


def workload(port):
    """Returns the program that serves with the Secret of the Certificate `orders`, and its Service."""
    labels, meta = {"app": SERVING}, {"name": SERVING, "namespace": SHOP}
    container = {"name": "webhook", "image": "e2e_webhook:e2e", "imagePullPolicy": "Never",
                 "args": ["/tls/tls.crt", "/tls/tls.key", str(port)],
                 "volumeMounts": [{"name": "tls", "mountPath": "/tls"}]}
    pod = {"containers": [container], "volumes": [{"name": "tls", "secret": {"secretName": SERVING}}]}
    return [{"apiVersion": "v1", "kind": "Service", "metadata": meta,
             "spec": {"selector": labels, "ports": [{"port": port}]}},
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta,
             "spec": {"selector": {"matchLabels": labels},
                      "template": {"metadata": {"labels": labels}, "spec": pod}}}]


def call(cluster):
    """Makes the API server call both webhooks of the shop. Returns the error, or ""."""
    body = {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"generateName": "order-", "namespace": SHOP}}
    result = cluster.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(body),
                             check=False)
    return "" if result.returncode == 0 else result.stderr.strip()


def hold(cluster, *pems):
    """Returns whether each place of the shop's targets holds exactly these certificates."""
    return all(bundle == "".join(pems) for target in TARGETS for bundle in bundles(cluster, *target))


def inject(cluster, client_config, port):
    """Each kind of target gets the CA of a Certificate, and the API server calls the webhooks."""
    cluster.apply(*workload(port))
    cluster.kubectl("rollout", "status", "-n", SHOP, "deployment/" + SERVING, "--timeout=60s")
    cluster.apply(*targets(client_config))
    pem = ca_of(cluster, SHOP, SERVING)
    took = cluster.wait(lambda: hold(cluster, pem), "a target of each kind has the CA")
    cluster.figure("seconds until a target of each kind had the CA", f"{took:.1f}")
    cluster.wait(lambda: call(cluster) == "", "the API server calls the webhooks")
    cluster.apply({"apiVersion": "shop.example.com/v1", "kind": "Price",
                   "metadata": {"name": "tea", "namespace": SHOP}})
    # The API server may have cached the definition without the CA.
    cluster.wait(lambda: convert(cluster) == "", "the API server calls the conversion webhook")


def convert(cluster):
    """Makes the API server call the conversion webhook. Returns the error, or ""."""
    result = cluster.kubectl("get", "prices.v2.shop.example.com", "-n", SHOP, "tea", "-o", "name",
                             check=False)
    return "" if result.returncode == 0 else result.stderr.strip()


def renew(cluster, name):
    """Requests a new certificate, as `cmctl renew` does, and waits for it."""
    before = cluster.get("secret", "-n", SHOP, name)["data"]["tls.crt"]
    condition = {"type": "Issuing", "status": "True", "reason": "ManuallyTriggered",
                 "message": "requested by a test", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    cluster.kubectl("patch", "certificate", "-n", SHOP, name, "--subresource=status", "--type=json", "-p",
                    json.dumps([{"op": "add", "path": "/status/conditions/-", "value": condition}]))
    cluster.wait(lambda: cluster.get("secret", "-n", SHOP, name)["data"]["tls.crt"] != before,
                 f"{name} is renewed")
    ready(cluster, "certificate", name)


def rotate(cluster, serves, calls_min=20):
    """The CA and then the certificate are renewed, and no call is refused.

    serves(pem) returns whether the webhook serves a certificate of this CA.
    """
    old = ca_of(cluster, SHOP, SERVING)
    with Repeat(lambda: call(cluster)) as caller, Repeat(lambda: convert(cluster)) as converter:
        cluster.wait(lambda: min(caller.calls, converter.calls) > 2, "the first calls")
        renew(cluster, CA)
        check_equal("the CA of the certificate, before its own renewal", ca_of(cluster, SHOP, SERVING), old)
        renew(cluster, SERVING)
        new = ca_of(cluster, SHOP, SERVING)
        assert new != old, "the renewal has not changed the CA"
        cluster.wait(lambda: hold(cluster, old, new), "each target has the old and the new CA")
        took = cluster.wait(lambda: serves(new), "the webhook has its new certificate", 180)
        before = caller.calls, converter.calls
        cluster.wait(lambda: caller.calls - before[0] >= calls_min
                     and converter.calls - before[1] >= calls_min, "calls with the new certificate")
    cluster.figure("seconds until the webhook had its new certificate", f"{took:.1f}")
    report_calls(cluster, caller, converter)


def report_calls(cluster, caller, converter):
    """Prints the number of calls, and fails if one was refused."""
    for what, repeat in (("calls", caller), ("conversions", converter)):
        cluster.figure(f"{what}, refused", f"{repeat.calls}, {len(repeat.failures)}")
    assert not caller.failures + converter.failures, (caller.failures + converter.failures)[0]


def delete_webhook_ca(cluster):
    """cert-manager makes its webhook's CA again; capstan injects the new one beside the old one."""
    old = ca_of(cluster, NAMESPACE, WEBHOOK_CA)
    cluster.kubectl("delete", "secret", "-n", NAMESPACE, WEBHOOK_CA)
    cluster.wait(lambda: ca_of(cluster, NAMESPACE, WEBHOOK_CA) not in ("", old), "there is a new CA")
    new = ca_of(cluster, NAMESPACE, WEBHOOK_CA)
    took = cluster.wait(lambda: own_bundles(cluster) == 2 * [old + new],
                        "both configurations have the old and the new CA")
    cluster.figure("seconds from the new CA to both configurations", f"{took:.1f}")
    for _ in range(5):
        check_equal("a call of cert-manager's webhook", create(cluster, probe(), dry_run=True), "")


class Versions:
    """A context manager that checks each version of each target. `pems`: {(kind, name): its CA}."""

    def __init__(self, cluster, pems):
        self.pems, self.seen, self.wrong = pems, 0, []
        self.watches = [Watch(cluster, (kind,), "{.metadata.name}|" + template,
                              lambda line, of=kind: self.check(of, *line.split("|")))
                        for kind, template in PLACES.items()]

    def __enter__(self):
        for watch in self.watches:
            watch.__enter__()
        return self

    def __exit__(self, *error):
        for watch in self.watches:
            watch.__exit__(*error)

    def check(self, kind, name, bundle):
        if (kind, name) in self.pems:
            self.seen += 1
            if self.pems[(kind, name)] not in base64.b64decode(bundle).decode():
                self.wrong.append(f"{kind} {name} has lost its CA")


def migrate(cluster, scenario, actual, write=False):
    """Runs docs/migrate-from-cainjector.md. In between no target loses its CA and no call is refused.

    The chart is that of the module. The page names the one of upstream's repository.
    """
    actual["jetstack/cert-manager --version " + VERSION] = os.path.join(folder(), "chart")
    shell = console.Shell(ROOT, cluster.environment)
    pems = {(kind, WEBHOOK): ca_of(cluster, NAMESPACE, WEBHOOK_CA) for kind in KINDS}
    pems.update({target: ca_of(cluster, SHOP, SERVING) for target in TARGETS})
    with Versions(cluster, pems) as versions, Repeat(lambda: call(cluster)) as caller, \
            Repeat(lambda: convert(cluster)) as converter:
        console.check(PAGE, scenario, shell, actual, least=15, write=write)
    cluster.figure("versions of targets, wrong", f"{versions.seen}, {len(versions.wrong)}")
    assert versions.seen >= len(pems) + 2, "the new CA of cert-manager's webhook was not seen"
    assert not versions.wrong, versions.wrong[0]
    report_calls(cluster, caller, converter)
