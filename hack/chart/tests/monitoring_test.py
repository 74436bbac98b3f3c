# SPDX-License-Identifier: Apache-2.0
"""Tests of monitors, annotations, alerts and the dashboard."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

import dashboard
from chart import CHART, ROOT, ChartError, objects, one

BOTH = {"nodeAgent": {"enabled": True}}
RULES = os.path.join(CHART, "files/rules.yaml")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def annotations(workload):
    return workload["spec"]["template"]["metadata"].get("annotations", {})


def monitored(kind, **values):
    return objects({**BOTH, "prometheus": {kind: {"enabled": True, **values}}})


class ScrapeTest(unittest.TestCase):
    def test_annotations_by_default(self):
        for kind, port in (("Deployment", "9402"), ("DaemonSet", "9403")):
            self.assertEqual(annotations(one(objects(BOTH), kind)), {
                "prometheus.io/scrape": "true", "prometheus.io/path": "/metrics",
                "prometheus.io/port": port})

    def test_monitors_replace_annotations(self):
        for kind in ("servicemonitor", "podmonitor"):
            found = monitored(kind)
            for workload in ("Deployment", "DaemonSet"):
                self.assertEqual(annotations(one(found, workload)), {})
        self.assertEqual(sorted(o["kind"] for o in monitored("servicemonitor") if "Monitor" in o["kind"]),
                         ["PodMonitor", "ServiceMonitor"])
        self.assertEqual([o["kind"] for o in monitored("podmonitor") if "Monitor" in o["kind"]],
                         ["PodMonitor", "PodMonitor"])
        self.assertFalse([o for o in monitored("podmonitor") if o["kind"] == "Service"])
        with self.assertRaisesRegex(ChartError, "exclude each other"):
            objects({"prometheus": {"servicemonitor": {"enabled": True}, "podmonitor": {"enabled": True}}})

    def test_a_monitor_selects_its_workload(self):
        found = monitored("servicemonitor")
        service, monitor = one(found, "Service"), one(found, "ServiceMonitor")
        wanted = monitor["spec"]["selector"]["matchLabels"]
        self.assertEqual(wanted, {k: service["metadata"]["labels"][k] for k in wanted})
        endpoint, = monitor["spec"]["endpoints"]
        self.assertEqual(endpoint["port"], service["spec"]["ports"][0]["name"])
        for name, workload in (("controller-manager", "Deployment"), ("node-agent", "DaemonSet")):
            template = one(monitored("podmonitor"), workload)["spec"]["template"]
            monitor = one(monitored("podmonitor"), "PodMonitor", name)
            wanted = monitor["spec"]["selector"]["matchLabels"]
            self.assertEqual(wanted, {k: template["metadata"]["labels"][k] for k in wanted})
            endpoint, = monitor["spec"]["podMetricsEndpoints"]
            self.assertEqual(endpoint["port"], template["spec"]["containers"][0]["ports"][0]["name"])

    def test_options_of_a_monitor(self):
        more = {"relabelings": [{"action": "drop"}]}
        monitor = one(monitored(
            "servicemonitor", namespace="m", prometheusInstance="p", path="/x", interval="5s",
            scrapeTimeout="4s", labels={"l": "v"}, annotations={"a": "v"}, honorLabels=True,
            endpointAdditionalProperties=more), "ServiceMonitor")
        self.assertEqual(monitor["metadata"]["namespace"], "m")
        self.assertEqual(monitor["metadata"]["annotations"], {"a": "v"})
        labels = monitor["metadata"]["labels"]
        self.assertEqual((labels["prometheus"], labels["l"]), ("p", "v"))
        self.assertEqual(monitor["spec"]["endpoints"], [{
            "port": "http-metrics", "path": "/x", "interval": "5s", "scrapeTimeout": "4s",
            "honorLabels": True, **more}])

    def test_the_agents_series_have_a_node_label(self):
        more = {"relabelings": [{"action": "drop"}], "followRedirects": False}
        for kind in ("podmonitor", "servicemonitor"):
            found = monitored(kind, endpointAdditionalProperties=more)
            endpoint, = one(found, "PodMonitor", "node-agent")["spec"]["podMetricsEndpoints"]
            self.assertEqual(endpoint["relabelings"], [
                {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
                {"action": "drop"}])
            self.assertIs(endpoint["followRedirects"], False)

    def test_https_with_a_certificate(self):
        flags = {"extraArgs": ["--metrics-tls-cert-file=/tls/tls.crt",
                               "--metrics-tls-private-key-file=/tls/tls.key"]}
        config = {"config": {"metricsTLSConfig": {"filesystem": {"certFile": "a", "keyFile": "b"}}}}
        for manager, scheme in ((flags, "https"), (config, "https"), ({}, None)):
            values = {"controllerManager": manager, "nodeAgent": {"enabled": True, **flags}}
            found = objects(values)
            for kind, wanted in (("Deployment", scheme), ("DaemonSet", "https")):
                workload = one(found, kind)
                self.assertEqual(annotations(workload).get("prometheus.io/scheme"), wanted)
                container = workload["spec"]["template"]["spec"]["containers"][0]
                for probe in ("livenessProbe", "readinessProbe"):
                    self.assertEqual(container[probe]["httpGet"].get("scheme"),
                                     wanted and wanted.upper())
            found = objects({**values, "prometheus": {"servicemonitor": {"enabled": True}}})
            endpoint, = one(found, "ServiceMonitor")["spec"]["endpoints"]
            self.assertEqual(endpoint.get("scheme"), scheme)

    def test_the_port_is_closed_only_without_probes(self):
        def arguments(**probes):
            found = objects({"prometheus": {"enabled": False}, "controllerManager": {
                name: {"enabled": on} for name, on in probes.items()}})
            self.assertFalse([o for o in found if o["kind"] == "Service"])
            self.assertEqual(annotations(one(found, "Deployment")), {})
            return one(found, "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
        closed = "--metrics-listen-address=0"
        self.assertNotIn(closed, arguments())
        self.assertNotIn(closed, arguments(livenessProbe=False))
        self.assertIn(closed, arguments(livenessProbe=False, readinessProbe=False))


    def test_rejects_an_address_without_the_probes(self):
        off = {probe: {"enabled": False} for probe in ("livenessProbe", "readinessProbe")}
        for name, port in (("controllerManager", 9402), ("nodeAgent", 9403)):
            for address in (f"127.0.0.1:{port}", ":8080", "0", "", "[::1]:9402"):
                argument = f"--metrics-listen-address={address}"
                values = {"enabled": True, "extraArgs": [argument]}
                with self.assertRaises(ChartError) as caught:
                    objects({name: values})
                self.assertIn(f'{name}.extraArgs has {argument}, and probes and Prometheus need port '
                              f'{port} on all addresses: remove it', str(caught.exception))
                objects({"prometheus": {"enabled": False}, name: {**values, **off}})
            for address in (f"0.0.0.0:{port}", f":{port}", f"[::]:{port}"):
                objects({name: {"enabled": True, "extraArgs": ["--metrics-listen-address=" + address]}})
        config = {"config": {"metricsListenAddress": "0"}}
        with self.assertRaisesRegex(ChartError, 'config.metricsListenAddress is "0", and probes'):
            objects({"controllerManager": config})
        config["config"]["metricsListenAddress"] = "0.0.0.0:9402"
        objects({"controllerManager": config})


class AlertsTest(unittest.TestCase):
    def rendered(self, **values):
        found = one(objects({**BOTH, "prometheus": {"rules": {"enabled": True, **values}}}),
                    "PrometheusRule")
        return found, [rule for group in found["spec"]["groups"] for rule in group["rules"]]

    def test_equal_the_rules_of_the_file(self):
        _, rules = self.rendered(runbookURL="https://example.com/x")
        with open(RULES, encoding="utf-8") as file:
            expected = [r for group in yaml.safe_load(file)["groups"] for r in group["rules"]]
        for rule in expected:
            rule["annotations"]["runbook_url"] = "https://example.com/x#" + rule["alert"].lower()
        self.assertEqual(rules, expected)

    def test_cover_only_installed_programs(self):
        found = one(objects({"prometheus": {"rules": {"enabled": True}}}), "PrometheusRule")
        self.assertEqual([g["name"] for g in found["spec"]["groups"]], ["capstan-controller-manager"])

    def test_options(self):
        found, rules = self.rendered(namespace="m", labels={"l": "v"}, annotations={"a": "v"},
                                     alertLabels={"severity": "page"}, disabled=["CapstanAbsent"])
        self.assertEqual(found["metadata"]["namespace"], "m")
        self.assertEqual(found["metadata"]["labels"]["l"], "v")
        self.assertEqual(found["metadata"]["annotations"], {"a": "v"})
        self.assertEqual({r["labels"]["severity"] for r in rules}, {"page"})
        self.assertNotIn("CapstanAbsent", [r["alert"] for r in rules])

    def test_each_has_a_runbook_that_starts_with_a_command(self):
        _, rules = self.rendered()
        manual = read("docs/alerts.md")
        for rule in rules:
            self.assertRegex(manual, rf"\n## {rule['alert']}\n\n```\nkubectl ", rule["alert"])

    def test_each_has_a_firing_and_a_silent_case(self):
        cases = yaml.safe_load(read("hack/chart/tests/alerts.yaml"))
        for rule in self.rendered()[1]:
            for fires in (True, False):
                self.assertTrue([c for test in cases["tests"] for c in test["alert_rule_test"]
                                 if c["alertname"] == rule["alert"] and ("exp_alerts" in c) == fires],
                                f"{rule['alert']}: no case, fires={fires}")
        self.promtool("check", "rules", "rules.yaml")
        self.promtool("test", "rules", "alerts.yaml")

    def promtool(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(RULES, folder)
            shutil.copy(os.path.join(ROOT, "hack/chart/tests/alerts.yaml"), folder)
            result = subprocess.run(["promtool", *arguments], cwd=folder, text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(result.returncode, 0, result.stdout)


class DashboardTest(unittest.TestCase):
    def test_is_in_a_config_map(self):
        found = one(objects({"prometheus": {"dashboard": {"enabled": True, "namespace": "g"}}}),
                    "ConfigMap")
        self.assertEqual(found["metadata"]["namespace"], "g")
        self.assertEqual(found["metadata"]["labels"]["grafana_dashboard"], "1")
        self.assertEqual(json.loads(found["data"]["capstan.json"]), dashboard.dashboard())

    def test_panels_do_not_overlap(self):
        taken = set()
        for panel in dashboard.dashboard()["panels"]:
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"])
                     for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(taken & cells, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24)
            taken |= cells

    def test_uses_only_metrics_of_the_programs(self):
        sources = "".join(read(folder, name) for folder in ("metrics", "metrics",
                                                            "controllers/cainjector",
                                                            "controllers/cainjector/endpoints",
                                                            "controllers/readinessgate")
                          for name in sorted(os.listdir(os.path.join(ROOT, folder)))
                          if name.endswith((".h", ".cc")) and not name.endswith("_test.cc"))
        known = set(re.findall(r'"([a-z]+_[a-z_]+)"', sources))
        texts = dashboard.queries() + [r["expr"] for g in yaml.safe_load(read(
            "charts/capstan/files/rules.yaml"))["groups"] for r in g["rules"]]
        for text in texts:
            bare = re.sub(r"\{[^}]*\}|\b(by|on) \([^)]*\)", "", text)
            for name in re.findall(r"\b[a-z]+_[a-z_]+\b", bare):
                if name not in ("histogram_quantile", "label_values", "max_over_time") and not name.startswith(
                        ("kube_pod_", "container_")):
                    self.assertIn(re.sub("_bucket$", "", name), known, text)
