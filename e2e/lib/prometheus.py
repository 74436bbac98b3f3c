# SPDX-License-Identifier: Apache-2.0
"""A real Prometheus in its own folder that finds its targets through an API server.

Debian's build has no kubernetes_sd_configs. This module discovers the targets and writes files with the
same labels; Prometheus selects and scrapes. There are no kubelets: a test creates the Pods and
Endpoints with documentation addresses (192.0.2.0/24), which are mapped to ports of 127.0.0.1.
"""
import json
import os
import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request

from lib.cluster import free_port
from lib.scenario import Skipped

CACHE = os.environ.get("CAPSTAN_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "capstan")
META = "__meta_kubernetes_"


def program():
    found = shutil.which("prometheus") or os.path.join(CACHE, "bin", "prometheus")
    if not os.access(found, os.X_OK):
        raise Skipped("no prometheus here; hack/setup test gets one")
    return found


def label(name):
    return "".join(c if c.isalnum() else "_" for c in name)


def described(kind, metadata):
    """Returns name, labels and annotations under Prometheus' names."""
    out = {f"{META}namespace": metadata["namespace"], f"{META}{kind}_name": metadata["name"]}
    for what in ("label", "annotation"):
        for key, value in metadata.get(what + "s", {}).items():
            out[f"{META}{kind}_{what}_{label(key)}"] = value
    return out


def pods(client):
    """Returns [{"targets": [address], "labels": {}}] of role pod: one for each container port."""
    for pod in client.call("GET", "/api/v1/pods")["items"]:
        for container in pod["spec"]["containers"]:
            for port in container.get("ports", []):
                if "podIP" in pod["status"]:
                    yield {"targets": [f"{pod['status']['podIP']}:{port['containerPort']}"],
                           "labels": {**described("pod", pod["metadata"]),
                                      META + "pod_node_name": pod["spec"]["nodeName"],
                                      META + "pod_container_name": container["name"],
                                      META + "pod_container_port_name": port.get("name", "")}}


def endpoints(client):
    """Returns the same for role endpoints: one for each address and port of a Service."""
    for found in client.call("GET", "/api/v1/endpoints")["items"]:
        meta = found["metadata"]
        service = client.call("GET", f"/api/v1/namespaces/{meta['namespace']}/services/{meta['name']}")
        for subset in found.get("subsets", []):
            for address in subset["addresses"]:
                for port in subset["ports"]:
                    yield {"targets": [f"{address['ip']}:{port['port']}"],
                           "labels": {**described("service", service["metadata"]),
                                      META + "endpoint_port_name": port["name"],
                                      META + "pod_name": address["targetRef"]["name"]}}


ROLES = {"pod": pods, "endpoints": endpoints}


def keep(source, value):
    return {"action": "keep", "source_labels": [META + source], "regex": value}


def of_monitor(monitor):
    """Returns Prometheus Operator's scrape configuration of a ServiceMonitor or PodMonitor."""
    service = monitor["kind"] == "ServiceMonitor"
    spec = monitor["spec"]
    endpoint, = spec["endpoints" if service else "podMetricsEndpoints"]
    kind = "service" if service else "pod"
    rules = [keep(f"{kind}_label_{label(key)}", value)
             for key, value in spec["selector"]["matchLabels"].items()]
    rules.append(keep("endpoint_port_name" if service else "pod_container_port_name",
                      endpoint["port"]))
    for target, source in (("namespace", "namespace"), ("pod", "pod_name"),
                           ("job", f"{kind}_label_{label(spec['jobLabel'])}")):
        rules.append({"source_labels": [META + source], "target_label": target})
    rules += [{re.sub("[A-Z]", lambda found: "_" + found.group().lower(), key): value
               for key, value in rule.items()} for rule in endpoint.get("relabelings", [])]
    return {"job_name": f"{monitor['kind']}/{monitor['metadata']['name']}",
            "metrics_path": endpoint["path"], "honor_labels": endpoint["honorLabels"],
            "role": "endpoints" if service else "pod",
            "relabel_configs": [keep("namespace", name) for name in
                                spec["namespaceSelector"]["matchNames"]] + rules}


def of_annotations():
    """Returns the usual scrape configuration for annotated pods."""
    annotation = "pod_annotation_prometheus_io_"
    return {"job_name": "pods", "role": "pod", "relabel_configs": [
        keep(annotation + "scrape", "true"),
        {"source_labels": [META + annotation + "path"], "target_label": "__metrics_path__",
         "regex": "(.+)"},
        {"source_labels": ["__address__", META + annotation + "port"], "target_label": "__address__",
         "regex": r"([^:]+)(?::\d+)?;(\d+)", "replacement": "$1:$2"},
        {"source_labels": [META + "pod_name"], "target_label": "pod"}]}


class Prometheus:
    """A context manager. ports: {address in the API server: port of 127.0.0.1}."""

    def __init__(self, folder, client, scrapes, ports, rules=()):
        self.folder = folder
        os.makedirs(folder)
        self.port = free_port()
        self.process = None
        config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                  "rule_files": list(rules), "scrape_configs": []}
        for number, scrape in enumerate(scrapes):
            scrape = dict(scrape)
            found = self.path(f"targets-{number}.json")
            with open(found, "w", encoding="utf-8") as file:
                json.dump(list(ROLES[scrape.pop("role")](client)), file)
            moved = [{"source_labels": ["__address__"], "regex": address.replace(".", r"\."),
                      "target_label": "__address__", "replacement": f"127.0.0.1:{port}"}
                     for address, port in ports.items()]
            scrape["relabel_configs"] = scrape["relabel_configs"] + moved
            config["scrape_configs"].append({**scrape, "file_sd_configs": [{"files": [found]}]})
        with open(self.path("prometheus.yml"), "w", encoding="utf-8") as file:
            json.dump(config, file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def __enter__(self):
        with open(self.path("log"), "wb") as log:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [program(), "--config.file=" + self.path("prometheus.yml"),
                 "--storage.tsdb.path=" + self.path("data"),
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log)
        return self

    def __exit__(self, kind, *_):
        self.process.kill()
        self.process.wait()
        if kind is not None:
            with open(self.path("log"), encoding="utf-8", errors="replace") as file:
                print("    " + "    ".join(file.readlines()[-15:]))

    def get(self, path, **parameters):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?" + urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.loads(answer.read())["data"]

    def query(self, expression):
        """Returns [(labels, value)]."""
        return [(found["metric"], float(found["value"][1]))
                for found in self.get("query", query=expression)["result"]]

    def wait(self, what, condition, meanwhile=None, seconds=60):
        deadline = time.monotonic() + seconds
        while True:
            assert self.process.poll() is None, f"prometheus exits {self.process.returncode}"
            try:
                if found := condition():
                    return found
            except OSError:
                pass  # not listening yet
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
            if meanwhile:
                meanwhile()
            time.sleep(0.2)
