# SPDX-License-Identifier: Apache-2.0
"""Tests that values.schema.json has every value, and rejects and names unknown values."""
import json
import os
import re
import unittest

import yaml

from chart import CHART, ChartError, objects, one, pod_of

# (invalid values, the place in helm's error)
WRONG = [
    ({"controlerManager": {}}, "controlerManager"),
    ({"controllerManager": {"replicas": 2}}, "replicas"),
    ({"controllerManager": {"replicaCount": "two"}}, "replicaCount"),
    ({"controllerManager": {"replicaCount": -1}}, "replicaCount"),
    ({"controllerManager": {"image": {"tags": "x"}}}, "tags"),
    ({"controllerManager": {"image": {"digest": "md5:0"}}}, "digest"),
    ({"controllerManager": {"image": {"pullPolicy": "Often"}}}, "pullPolicy"),
    ({"controllerManager": {"namespaces": "a,b"}}, "namespaces"),
    ({"controllerManager": {"fieldOwnership": "drop"}}, "fieldOwnership"),
    ({"controllerManager": {"featureGates": {"AllBeta": True}}}, "featureGates"),
    ({"controllerManager": {"featureGates": "AllBeta"}}, "featureGates"),
    ({"controllerManager": {"extraArgs": ["cache-sync-timeout=5m"]}}, "extraArgs"),
    ({"controllerManager": {"resources": {"request": {}}}}, "request"),
    ({"controllerManager": {"livenessProbe": {"httpGet": {}}}}, "httpGet"),
    ({"controllerManager": {"networkPolicy": {"enable": True}}}, "enable"),
    ({"controllerManager": {"podDisruptionBudget": {"minAvailable": "half"}}}, "minAvailable"),
    ({"controllerManager": {"referencedSecretsOnly": {"secrets": {"a": []}}}}, "secrets"),
    ({"controllerManager": {"targets": {"apiservices": False}}}, "apiservices"),
    ({"controllerManager": {"additionalTargets": [{"version": "v1", "kind": "A", "resource": "as",
                                                   "fields": ["spec.a[0].b"]}]}}, "fields/0"),
    ({"controllerManager": {"additionalTargets": [{"version": "v1", "kind": "A", "resource": "as"}]}},
     "fields"),
    ({"controllerManager": {"additionalTargets": [{"version": "v1", "kind": "A", "resource": "as",
                                                   "fields": ["spec.a"], "encoding": "der"}]}}, "encoding"),
    ({"controllerManager": {"targets": {"clusterTrustBundles": {"signers": ["no-slash"]}}}}, "signers"),
    ({"controllerManager": {"targets": {"clusterTrustBundles": True}}}, "clusterTrustBundles"),
    ({"controllerManager": {"sources": {"sharedNamespaces": ["No_Name"]}}}, "sharedNamespaces"),
    ({"controllerManager": {"sources": {"secrets": False}}}, "secrets"),
    ({"controllerManager": {"verifyEndpoints": {"enabled": True, "period": "-5m"}}},
     "verifyEndpoints/period"),
    ({"controllerManager": {"verifyEndpoints": {"enabled": True, "retireUnusedCAsAfter": "-24h"}}},
     "verifyEndpoints/retireUnusedCAsAfter"),
    ({"controllerManager": {"verifyEndpoints": {"enabled": True, "retireUnusedCAsAfter": 24}}},
     "verifyEndpoints/retireUnusedCAsAfter"),
    ({"controllerManager": {"verifyEndpoints": {"retireUnusedCasAfter": "24h"}}}, "retireUnusedCasAfter"),
    ({"controllerManager": {"config": {"distrust": ["5F:3B"]}}}, "config/distrust/0"),
    ({"controllerManager": {"config": {"distrust": ["g" * 64]}}}, "config/distrust/0"),
    ({"controllerManager": {"config": {"distrust": "0" * 64}}}, "config/distrust"),
    ({"global": {"logLevel": "debug"}}, "logLevel"),
    ({"global": {"loggingFormat": "xml"}}, "loggingFormat"),
    ({"global": {"kubeApiContentType": "application/cbor"}}, "kubeApiContentType"),
    ({"global": {"leaderElection": {"leaseDuration": "60"}}}, "leaseDuration"),
    ({"global": {"imagePullSecrets": [{"secret": "x"}]}}, "imagePullSecrets"),
    ({"controllerManager": {"statusPages": "everyone"}}, "statusPages"),
    ({"nodeAgent": {"statusPages": True}}, "statusPages"),
    ({"nodeAgent": {"gates": ["pod-ip"]}}, "gates"),
    ({"nodeAgent": {"gateSets": {"empty": []}}}, "gateSets"),
    ({"nodeAgent": {"gateSetsConfigMap": "name"}}, "gateSetsConfigMap"),
    ({"nodeAgent": {"gateSets": {"a": {"gates": ["pod-ip:any"]}}}}, "gateSets/a.*namespaces"),
    ({"nodeAgent": {"gateSets": {"a": {"gates": ["pod-ip:any"], "namespaces": []}}}}, "gateSets/a"),
    ({"nodeAgent": {"gateSets": {"a": {"gates": [], "namespaces": ["x"]}}}}, "gateSets/a"),
    ({"nodeAgent": {"gateSets": {"a": {"gates": ["pod-ips:any"], "namespaces": ["x"]}}}}, "pod-ips"),
    ({"nodeAgent": {"gateSets": {"a": {"gates": ["pod-ip:any"], "namespaces": ["X"]}}}}, "gateSets/a"),
    ({"nodeAgent": {"gateSets": {"a": {"gates": ["pod-ip:any"], "namespace": "x"}}}}, "'namespace'"),
    ({"nodeAgent": {"mandatoryGates": ["pod-ips:any"]}}, "mandatoryGates"),
    ({"nodeAgent": {"mandatoryGates": ["pod-ip:any", "pod-ip:any"]}}, "mandatoryGates"),
    ({"nodeAgent": {"podsWithoutGates": "wait"}}, "podsWithoutGates"),
    ({"nodeAgent": {"recoverySpread": 5}}, "recoverySpread"),
    ({"nodeAgent": {"rbac": {"allConfigmaps": True}}}, "allConfigmaps"),
    ({"nodeAgent": {"rbac": {"configMaps": {"a": "b"}}}}, "configMaps"),
    ({"nodeAgent": {"rbac": {"configMaps": {"a": []}}}}, "configMaps"),
    ({"nodeAgent": {"rbac": None}}, "'rbac'"),
    ({"nodeAgent": {"output": ["event"]}}, "output"),
    ({"nodeAgent": {"pendingEventAfter": 60}}, "pendingEventAfter"),
    ({"nodeAgent": {"runtimeEvents": {"socket": "unix:///run/x.sock"}}}, "socket"),
    ({"nodeAgent": {"policy": {}}}, "policy"),
    ({"prometheus": {"serviceMonitor": {}}}, "serviceMonitor"),
    ({"prometheus": {"servicemonitor": {"interval": 60}}}, "interval"),
    ({"extraObjects": {}}, "extraObjects"),
    ({"cainjector": {"replicaCount": 2}}, "cainjector.*controllerManager"),
    ({"imageRegistry": "https://registry.example.com"}, "imageRegistry"),
    ({"imageNamespace": "mirror/"}, "imageNamespace"),
    ({"controllerManager": {"image": {"repository": "a/b:1.0"}}}, "repository"),
    ({"controllerManager": {"namespaces": ["team_a"]}}, "namespaces"),
    ({"controllerManager": {"referencedSecretsOnly": {"secrets": {"team_a": ["x"]}}}}, "team_a"),
    ({"controllerManager": {"resources": {"limits": {"memory": "128 MB"}}}}, "memory"),
    ({"nodeAgent": {"gates": ["pod-ips:any"]}}, "pod-ips.*network-status"),
    ({"nodeAgent": {"gateSets": {"a": ["pod-ips:any"]}}}, "gateSets/a"),
    ({"global": {"leaderElection": {"namespace": ""}}}, "leaderElection/namespace"),
    # A key without a value removes the default.
    ({"global": {"leaderElection": {"namespace": None}}}, "'namespace'"),
    ({"global": {"rbac": None}}, "'rbac'"),
    ({"controllerManager": {"image": {"name": None}}}, "'name'"),
    ({"controllerManager": {"serviceAccount": {"create": None}}}, "'create'"),
    ({"nodeAgent": {"runtimeEvents": {"enabled": None}}}, "'enabled'"),
    ({"prometheus": {"servicemonitor": None}}, "'servicemonitor'"),
]
# Keys without a value that mean an empty value.
BLANK = {
    "global": ["nodeSelector", "commonLabels", "imagePullSecrets", "revisionHistoryLimit"],
    "controllerManager": ["namespaces", "ignoreNamespaces", "extraArgs", "nodeSelector", "resources",
                          "podAnnotations", "config", "tolerations", "extraEnv", "volumes"],
    "nodeAgent": ["gates", "gateSets", "mandatoryGates", "extraArgs", "nodeSelector", "podAnnotations"]}
# Every key of cert-manager's chart for cainjector, with a valid value.
MAP = {"example.com/key": "value"}
CAINJECTOR = {
    "enabled": True, "replicaCount": 2, "config": {"logging": {"format": "json"}},
    "strategy": {"type": "Recreate"}, "securityContext": {"runAsNonRoot": True},
    "containerSecurityContext": {"readOnlyRootFilesystem": True},
    "podDisruptionBudget": {"enabled": True, "minAvailable": "50%",
                            "unhealthyPodEvictionPolicy": "AlwaysAllow"},
    "deploymentAnnotations": MAP, "podAnnotations": MAP, "podLabels": MAP, "serviceLabels": MAP,
    "serviceAnnotations": MAP, "extraArgs": ["--enable-certificates-data-source=false"],
    "extraEnv": [{"name": "A", "value": "b"}], "featureGates": "CAInjectorMerging=true",
    "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}}, "nodeSelector": MAP,
    "affinity": {"nodeAffinity": {}}, "tolerations": [{"operator": "Exists"}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "z",
                                   "whenUnsatisfiable": "DoNotSchedule"}],
    "runtimeClassName": "gvisor", "image": {"registry": "r", "repository": "a/b", "name": "n",
                                            "tag": "t", "digest": "", "pullPolicy": "Always"},
    "serviceAccount": {"create": True, "name": "n", "annotations": MAP, "labels": MAP,
                       "automountServiceAccountToken": True},
    "automountServiceAccountToken": True, "volumes": [{"name": "v", "emptyDir": {}}],
    "volumeMounts": [{"name": "v", "mountPath": "/v"}], "enableServiceLinks": False,
    "networkPolicy": {"enabled": True, "ingress": [{}], "egress": [{}]}}
CERT_MANAGER = {
    "global": {"imagePullSecrets": [{"name": "s"}], "commonLabels": MAP, "priorityClassName": "p",
               "hostUsers": False, "rbac": {"create": True}, "logLevel": 2, "nodeSelector": MAP,
               "revisionHistoryLimit": 3, "leaderElection": {
                   "namespace": "cert-manager", "leaseDuration": "60s", "renewDeadline": "40s",
                   "retryPeriod": "15s"}},
    "imageRegistry": "quay.io", "imageNamespace": "n", "prometheus": {
        "enabled": True, "podmonitor": {"enabled": False}, "servicemonitor": {
            "enabled": True, "prometheusInstance": "default", "interval": "60s",
            "targetPort": "http-metrics",
            "scrapeTimeout": "30s", "path": "/metrics", "labels": MAP, "annotations": MAP,
            "honorLabels": False, "endpointAdditionalProperties": {}}},
    "extraObjects": []}
# These keys are only in the schema. `enabled` is for the condition of a parent chart. The schema
# rejects `cainjector` with an error that names the new place of its keys.
WITHOUT_DEFAULT = {"enabled", "cainjector"}
# Accepted for compatibility with cert-manager's chart.
WITHOUT_EFFECT = {"targetPort"}


def load(name):
    with open(os.path.join(CHART, name), encoding="utf-8") as file:
        return json.load(file) if name.endswith(".json") else yaml.safe_load(file)


class SchemaTest(unittest.TestCase):
    def test_rejects_wrong_values_and_names_them(self):
        for values, where in WRONG:
            with self.subTest(values):
                with self.assertRaises(ChartError) as caught:
                    objects(values)
                self.assertIn("values don't meet the specifications", str(caught.exception))
                self.assertRegex(str(caught.exception), where)

    def test_accepts_values_of_cainjector(self):
        found = objects({**CERT_MANAGER, "controllerManager": CAINJECTOR})
        arguments = pod_of(one(found, "Deployment"))["containers"][0]["args"]
        self.assertIn("--feature-gates=CAInjectorMerging=true", arguments)
        self.assertEqual(arguments[-1], "--enable-certificates-data-source=false")

    def test_a_key_without_a_value_is_empty(self):
        blank = {part: {key: None for key in keys} for part, keys in BLANK.items()}
        blank["nodeAgent"]["enabled"] = True
        blank["controllerManager"]["referencedSecretsOnly"] = {"secrets": None}
        found = objects({**blank, "prometheus": {"rules": {"enabled": True, "alertLabels": None}}})
        self.assertEqual(pod_of(one(found, "Deployment"))["containers"][0]["args"],
                         pod_of(one(objects(), "Deployment"))["containers"][0]["args"])

    def test_accepts_each_type_of_gate(self):
        with open(os.path.join(CHART, "../../docs/gates.md"), encoding="utf-8") as file:
            types = re.findall(r"^\| \[`(.+?)`\]\(#", file.read(), re.M)
        pattern = load("values.schema.json")["$defs"]["gate"]["pattern"]
        self.assertEqual(re.findall("[a-z-]+", pattern), types)

    def test_rejects_an_extra_object_that_is_not_an_object(self):
        with self.assertRaisesRegex(ChartError, 'extraObjects has "foo", which is not an object'):
            objects({"extraObjects": ["foo"]})

    def test_a_parent_chart_may_have_more_globals(self):
        objects({"enabled": True, "global": {
            "theirs": {"a": 1}, "rbac": {"aggregateClusterRoles": True},
            "leaderElection": {"enabled": True}, "imagePullSecrets": [{"name": "a", "theirs": 1}]}})

    def test_has_exactly_the_values_of_the_chart(self):
        schema = load("values.schema.json")

        def resolved(node):
            return schema["$defs"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node

        def walk(path, node, values):
            node = resolved(node)
            # The program checks its configuration file. The schema knows only some of its fields.
            if "properties" not in node or path.endswith(".config"):
                return
            known, has = set(node["properties"]) - WITHOUT_EFFECT, set(values)
            if not path:
                known -= WITHOUT_DEFAULT
            self.assertFalse(has - known, f"not in the schema, below {path!r}")
            if "$ref" not in node and not path.endswith(("Probe", "resources")):
                self.assertFalse(known - has, f"not in values.yaml, below {path!r}")
            if path.split(".")[0] != "global":
                self.assertIs(node["additionalProperties"], False, path)
            for key in has:
                if isinstance(values[key], dict):
                    walk(f"{path}.{key}".lstrip("."), node["properties"][key], values[key])
        walk("", schema, load("values.yaml"))
