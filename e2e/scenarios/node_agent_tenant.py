# SPDX-License-Identifier: Apache-2.0
"""A tenant of one namespace neither delays the pods of others nor takes the agent's memory.

The tenant has a webhook that holds every update of its pods for eight seconds, pods and ConfigMaps as
large as the API server allows, and many pods that have finished.
"""
import contextlib
import http.server
import json
import ssl
import threading
import time

from lib import agent, load
from lib.agent import Agent
from lib.scenario import check_at_most
from lib.tls_server import Authority

KINDS = ("embedded", "real")
ALONE = True  # it measures
TENANT, OTHERS = "tenant", agent.NAMESPACE
HELD, MEASURED = 40, 20
HOLD = 8
PODS, FINISHED, CONFIG_MAPS = 110, 500, 8
# This limits the agent's own memory. It leaves out pages of files, because Debian's shared libraries grow with each version.
MEMORY_KIB_MAX = 18 * 1024
NETWORKS = "k8s.v1.cni.cncf.io/network-status"


class SlowWebhook(http.server.BaseHTTPRequestHandler):
    """Allows every request, after a while."""

    def do_POST(self):  # pylint: disable=invalid-name
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(HOLD)
        body = json.dumps({"apiVersion": review["apiVersion"], "kind": "AdmissionReview",
                           "response": {"uid": review["request"]["uid"], "allowed": True}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with contextlib.suppress(OSError):  # the API server may have left
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def start_webhook(scenario, client):
    authority = Authority(scenario.folder, "tenant-ca")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.issue("DNS:localhost", "IP:127.0.0.1"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowWebhook)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client.create({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "tenant"}, "webhooks": [{
            "name": "slow.tenant.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "timeoutSeconds": HOLD + 2, "failurePolicy": "Ignore",
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": TENANT}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"],
                       "resources": ["pods"]}],
            "clientConfig": {"url": f"https://127.0.0.1:{server.server_address[1]}/",
                             "caBundle": load.encoded(authority.pem)}}]})
    return server


def pod(namespace, name, annotations=None):
    made = agent.pod(name, annotations=annotations)
    made["metadata"]["namespace"] = namespace
    return made


def opened_after(watch, client, prefix):
    """Creates pods that are ready for their certificate. Returns the longest time until one opens."""
    before = time.monotonic()
    made = [client.create(pod(OTHERS, f"{prefix}-{i}", {"x": "y"}))["metadata"]["uid"]
            for i in range(MEASURED)]
    while not all(watch.ready_values.get(uid) for uid in made):
        assert time.monotonic() < before + 60, f"not within 60 s: the pods {prefix}-* open"
        time.sleep(0.01)
    return max(watch.seen[uid, "open"] for uid in made) - before


def delays(scenario, cluster, client):
    flags = ["--pod-readiness-gate=pod-annotation:x", "--pending-event-after=0"]
    server = start_webhook(scenario, client)
    with Agent(scenario.bin_dir, agent.grant(cluster), *flags) as process:
        process.wait_ready()
        watch = agent.PodWatch(cluster)
        time.sleep(1)
        alone = opened_after(watch, client, "alone")
        for i in range(HELD):
            client.create(pod(TENANT, f"held-{i}", {"x": "y"}))
        time.sleep(1)
        attacked = opened_after(watch, client, "attacked")
        scenario.figure("the last of 20 pods opens after", f"{alone:.2f} s, and {attacked:.2f} s beside "
                        f"{HELD} pods whose patches take {HOLD} s")
        check_at_most("seconds until other pods open", attacked, 2 * alone + 0.5)
        process.wait_until(lambda: process.metric("capstan_gate_wait_seconds_sum") > HOLD,
                           "the metric includes a held write", 60)
    server.shutdown()


def large_pod(client, index):
    """The API server allows 256 KiB of annotations."""
    list_of_networks = json.dumps([{"name": f"net-{i}", "ips": ["192.0.2.1"]} for i in range(1300)])
    client.create(pod(TENANT, f"large-{index}", {
        "x": "y" * 180_000, NETWORKS: list_of_networks, "example.com/notes": "z" * 10_000}))


def finished_pod(client, index):
    name = f"finished-{index}"
    client.create(pod(TENANT, name, {"x": "y" * 100_000}))
    client.call("PATCH", f"/api/v1/namespaces/{TENANT}/pods/{name}/status", {"status": {"phase": "Succeeded"}},
                "application/merge-patch+json")


def memory(scenario, cluster, client):
    client.parallel(large_pod, range(PODS))
    client.parallel(finished_pod, range(FINISHED))
    gates = ["pod-annotation:x", "network-status:never"]
    for i in range(CONFIG_MAPS):
        client.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{i}", "namespace": TENANT},
                       "data": {"ca.crt": "x" * 500_000, "other": "x" * 400_000}})
        gates.append(f"configmap:{TENANT}/c{i}:ca.crt")
    with Agent(scenario.bin_dir, cluster.kubeconfig(),
               *[f"--pod-readiness-gate={gate}" for gate in gates]) as process:
        process.wait_ready()
        process.wait_until(lambda: process.metric("capstan_gate_pending", gate="network-status:never") == PODS,
                           "all large pods wait", 60)
        used, files = process.memory_kib(), process.memory_kib("RssFile")
        scenario.figure(f"VmHWM with {PODS} pods of 256 KiB, {FINISHED} finished ones and {CONFIG_MAPS} "
                        "ConfigMaps of 900 KB", f"{used / 1024:.1f} MiB, of which {files / 1024:.1f} MiB are files")
    check_at_most("VmHWM without files, in KiB", used - files, MEMORY_KIB_MAX)


def run(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    for namespace in (TENANT, OTHERS):
        load.ensure_namespace(client, namespace)
    delays(scenario, cluster, client)
    client.call("DELETE", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/tenant")
    client.call("DELETE", f"/api/v1/namespaces/{TENANT}/pods?gracePeriodSeconds=0")
    memory(scenario, cluster, client)
