# SPDX-License-Identifier: Apache-2.0
"""The ConfigMap and the BackendTLSPolicy of docs/targets.md work with Gateway API's own definition.

Both are applied as the page has them. The API server accepts the policy, and rejects it without what its
schema requires. The ConfigMap gets the CA of the Certificate in the key that the policy reads, and a
rotation adds the next CA. cert-manager's Certificate and its Secret are made here.
"""
import os
import re
import subprocess

import yaml

from lib import console, injection, load, peer, rights
from lib.cluster import ROOT
from lib.kubectl import Kubectl
from lib.manager import Manager
from lib.scenario import Skipped, check_equal

KINDS = ("real",)
PAGE = "docs/targets.md"
MODULE = "sigs.k8s.io/gateway-api"  # of e2e/certmanager, because cert-manager requires it
DEFINITION = "config/crd/standard/gateway.networking.k8s.io_backendtlspolicies.yaml"
SHOP = "shop"


def definition():
    """Returns the path of Gateway API's definition, from the cache of Go's modules."""
    go = peer.find_go()
    if go is None:
        raise Skipped(f"no Gateway API: no Go 1.{peer.GO_MIN} is here to find {MODULE}")
    found = subprocess.run([go, "list", "-m", "-f", "{{.Dir}}", MODULE], text=True, capture_output=True,
                           cwd=os.path.join(ROOT, "e2e/certmanager"), check=False,
                           env={**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local"})
    path = os.path.join(found.stdout.strip() or "/nonexistent", DEFINITION)
    if not os.path.exists(path):
        raise Skipped(f"no Gateway API: {MODULE} is not in the cache of Go's modules; in e2e/certmanager, "
                      f"`go mod download {MODULE}` fetches it")
    return path


def examples():
    """Returns the objects of the page's section on ConfigMaps, by kind, as text."""
    with open(os.path.join(ROOT, PAGE), encoding="utf-8") as file:
        section = re.search(r"^## ConfigMaps\n(.*?)^## ", file.read(), re.M | re.S).group(1)
    blocks = re.findall(r"^```yaml\n(.*?)^```$", section, re.M | re.S)
    return {yaml.safe_load(block)["kind"]: block for block in blocks}


def bundle_of(policy, cluster):
    """Returns the CAs that an implementation of Gateway API reads for this policy."""
    pem = ""
    for ref in policy["spec"]["validation"]["caCertificateRefs"]:
        assert ref["kind"] == "ConfigMap" and not ref["group"], ref
        found = cluster.get("configmap", "-n", policy["metadata"]["namespace"], ref["name"])
        pem += found.get("data", {}).get("ca.crt", "")
    return pem


def rejections(cluster, text):
    """The schema is that of Gateway API: it requires what the page's policy has."""
    for field, message in (("hostname", "spec.validation.hostname: Required value"),
                           ("caCertificateRefs", "must specify either CACertificateRefs or ")):
        policy = yaml.safe_load(text)
        policy["metadata"]["name"] = "broken"
        del policy["spec"]["validation"][field]
        result = cluster.kubectl("apply", "--dry-run=server", "-f", "-", given=yaml.safe_dump(policy),
                                 check=False)
        assert result.returncode != 0 and message in result.stderr, f"without {field}: {result}"


def run(scenario):
    path, pages = definition(), examples()
    check_equal(f"the examples of {PAGE}", sorted(pages), ["BackendTLSPolicy", "ConfigMap"])
    server = scenario.cluster()
    client = server.client()
    cluster = Kubectl(scenario.folder, console.path_with(scenario.bin_dir, "kubectl"))
    cluster.environment["KUBECONFIG"] = server.kubeconfig("admin")
    cluster.kubectl("apply", "--server-side", "-f", path)
    cluster.kubectl("wait", "--for=condition=Established", "crd", "backendtlspolicies.gateway.networking.k8s.io")
    load.ensure_namespace(client, SHOP)
    injection.install_certificates(client)
    first, second = load.new_ca("first"), load.new_ca("second")
    client.create(injection.certificate(SHOP, "serving", "serving-tls"))
    client.create(injection.certificate_secret(SHOP, "serving-tls", "serving", first))

    for text in pages.values():
        cluster.kubectl("apply", "--validate=strict", "-f", "-", given=text)
    rejections(cluster, pages["BackendTLSPolicy"])
    policy = cluster.get("backendtlspolicies.gateway.networking.k8s.io", "-n", SHOP, "orders")
    client.create(rights.role("configmap-targets", [("", "configmaps", ["list", "watch", "patch"], "")]))
    client.create(rights.binding("configmap-targets", "User", rights.USER))
    with Manager(scenario.bin_dir, server.kubeconfig(), "--leader-elect=false",
                 "--enable-configmaps-injectable") as manager:
        took = manager.wait_until(lambda: bundle_of(policy, cluster) == first, "ca.crt has the CA", 60)
        scenario.figure("seconds until the policy's ConfigMap had the CA", f"{took:.1f}")
        client.merge_patch(f"/api/v1/namespaces/{SHOP}/secrets/serving-tls",
                           {"data": {"ca.crt": load.encoded(second)}})
        manager.wait_until(lambda: bundle_of(policy, cluster) == first + second, "the rotation", 30)
        check_equal("writes", manager.metric("capstan_injection_total", kind="ConfigMap", result="Injected"), 2)
        check_equal("exit code", manager.stop()[0], 0)
