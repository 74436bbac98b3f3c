# SPDX-License-Identifier: Apache-2.0
"""Tests of the effect of each value of the controller manager."""
import unittest

from chart import ChartError, NAMESPACE, objects, one, pod_of, names
import yaml


def manager(values=None, **top):
    return {**top, "controllerManager": values or {}}


def deployment(values=None, **top):
    return one(objects(manager(values, **top)), "Deployment")


def container(values=None, **top):
    return pod_of(deployment(values, **top))["containers"][0]


class DeploymentTest(unittest.TestCase):
    def test_default_objects(self):
        name = "capstan-controller-manager"
        self.assertEqual(names(objects()), sorted(
            [f"{kind}/{name}" for kind in ("ServiceAccount", "Deployment", "Service", "ClusterRole",
                                           "ClusterRoleBinding", "NetworkPolicy")]
            + [f"{kind}/{name}-leader-election" for kind in ("Role", "RoleBinding")]))

    def test_nothing_when_disabled(self):
        self.assertEqual(objects(manager({"enabled": False})), [])

    def test_default_arguments_and_environment(self):
        found = container()
        self.assertEqual(found["args"], ["--v=2", "--leader-election-namespace=kube-system"])
        self.assertEqual([e["name"] for e in found["env"]], ["POD_NAMESPACE"])

    def test_values_set_arguments(self):
        for values, argument in (
                ({"namespaces": ["a", "b"]}, "--namespace=a,b"),
                ({"ignoreNamespaces": ["a", "b"]}, "--ignore-namespaces=a,b"),
                ({"sources": {"certificates": False}}, "--enable-certificates-data-source=false"),
                ({"sources": {"configMaps": False}}, "--feature-gates=ConfigMapSource=false"),
                ({"sources": {"clusterTrustBundles": True}},
                 "--feature-gates=ClusterTrustBundleSource=true"),
                ({"sources": {"sharedNamespaces": ["trust", "*"]}},
                 "--shared-source-namespaces=trust,*"),
                ({"targets": {"apiServices": False}}, "--enable-apiservices-injectable=false"),
                ({"targets": {"customResourceDefinitions": False}},
                 "--enable-customresourcedefinitions-injectable=false"),
                ({"targets": {"mutatingWebhookConfigurations": False}},
                 "--enable-mutatingwebhookconfigurations-injectable=false"),
                ({"targets": {"validatingWebhookConfigurations": False}},
                 "--enable-validatingwebhookconfigurations-injectable=false"),
                ({"targets": {"configMaps": True}}, "--enable-configmaps-injectable=true"),
                ({"targets": {"clusterTrustBundles": {"enabled": True}}},
                 "--enable-clustertrustbundles-injectable=true"),
                ({"additionalTargets": [{"version": "v1", "kind": "A", "resource": "as",
                                         "fields": ["spec.b[*].ca"]}]},
                 '--additional-targets=[{"fields":["spec.b[*].ca"],"kind":"A","resource":"as",'
                 '"version":"v1"}]'),
                ({"verifyEndpoints": {"enabled": True}}, "--verify-endpoints"),
                ({"fieldOwnership": "detach"}, "--field-ownership=detach"),
                ({"featureGates": "AllBeta=true"}, "--feature-gates=AllBeta=true"),
                ({"featureGates": "AllBeta=true", "referencedSecretsOnly": {"enabled": True}},
                 "--feature-gates=AllBeta=true,ReferencedSecretsOnly=true"),
                ({"statusPages": "all"}, "--status-pages=all"),
                ({"statusPages": False}, "--status-pages=off"),  # YAML reads off as false
                ({"extraArgs": ["--cache-sync-timeout=5m"]}, "--cache-sync-timeout=5m")):
            arguments = container(values)["args"]
            self.assertEqual(len(arguments), 3, arguments)
            self.assertIn(argument, arguments)

    def test_verifies_endpoints(self):
        arguments = container({"verifyEndpoints": {
            "enabled": True, "period": "5m", "retireUnusedCAsAfter": "24h"}})["args"]
        self.assertEqual(arguments[2:], ["--verify-endpoints", "--verify-endpoints-period=5m",
                                         "--retire-unused-cas-after=24h"])

    def test_rejects_options_of_a_verification_that_is_off(self):
        for option in ({"period": "5m"}, {"retireUnusedCAsAfter": "24h"}):
            name, = option
            with self.assertRaisesRegex(ChartError, f"verifyEndpoints.{name} has no effect: set "
                                                    "controllerManager.verifyEndpoints.enabled"):
                container({"verifyEndpoints": option})
            self.assertEqual(objects(manager({"enabled": False, "verifyEndpoints": option})), [])

    def test_rejects_configuration_that_needs_rights(self):
        for config, value in (
                ({"verifyEndpoints": True}, "verifyEndpoints.enabled"),
                ({"additionalTargets": [{}]}, "additionalTargets"),
                ({"enableInjectableConfig": {"configMaps": True}}, "targets.configMaps"),
                ({"enableInjectableConfig": {"clusterTrustBundles": True}},
                 "targets.clusterTrustBundles.enabled")):
            with self.subTest(config):
                with self.assertRaisesRegex(ChartError, "needs rights, .* set controllerManager." + value):
                    container({"config": config})
        container({"config": {"verifyEndpoints": False, "enableInjectableConfig": {"configMaps": False}}})

    def test_rejects_arguments_that_need_rights(self):
        for argument, value in (
                ("--verify-endpoints", "verifyEndpoints.enabled"),
                ("--additional-targets=[]", "additionalTargets"),
                ("--enable-configmaps-injectable=true", "targets.configMaps"),
                ("--enable_clustertrustbundles_injectable", "targets.clusterTrustBundles.enabled")):
            with self.assertRaises(ChartError) as caught:
                container({"extraArgs": [argument]})
            self.assertIn(f"controllerManager.extraArgs has {argument}, but the chart grants its rights "
                          f"only for the value: set controllerManager.{value}", str(caught.exception))

    def test_rejects_a_gate_that_needs_other_rights(self):
        for name, value in (("ReferencedSecretsOnly", {"referencedSecretsOnly": {"enabled": True}}),
                            ("ClusterTrustBundleSource", {"sources": {"clusterTrustBundles": True}})):
            gate, remedy = name + "=true", ".".join([*value, *value[next(iter(value))]])
            for where, values in (
                    ("featureGates", {"featureGates": "AllBeta=true," + gate}),
                    ("extraArgs", {"extraArgs": ["--feature-gates=" + gate]}),
                    ("config.featureGates", {"config": {"featureGates": {name: True}}})):
                with self.assertRaisesRegex(ChartError, f"controllerManager.{where} has {gate}, .* set "
                                                        f"controllerManager.{remedy}"):
                    container(values)
                container({**values, **value})
            container({"featureGates": name + "=false", "config": {"featureGates": {name: False}}})

    def test_all_alpha_gates_leave_out_those_without_rights(self):
        without = "--feature-gates=%sReferencedSecretsOnly=false,ClusterTrustBundleSource=false"
        for values, own in (({"featureGates": "AllAlpha=true"}, "AllAlpha=true,"),
                            ({"extraArgs": ["--feature-gates=AllBeta=true,AllAlpha=true"]}, ""),
                            ({"config": {"featureGates": {"AllAlpha": True}}}, "")):
            self.assertIn(without % own, container(values)["args"], values)
        self.assertIn("--feature-gates=AllAlpha=true,ReferencedSecretsOnly=true,ClusterTrustBundleSource=true",
                      container({"featureGates": "AllAlpha=true", "referencedSecretsOnly": {"enabled": True},
                                 "sources": {"clusterTrustBundles": True}})["args"])

    def test_names_of_pull_secrets(self):
        found = objects({"global": {"imagePullSecrets": ["a", {"name": "b"}]}})
        wanted = [{"name": "a"}, {"name": "b"}]
        self.assertEqual(pod_of(one(found, "Deployment"))["imagePullSecrets"], wanted)
        self.assertEqual(one(found, "ServiceAccount")["imagePullSecrets"], wanted)

    def test_leader_election_and_logs(self):
        arguments = container(**{"global": {
            "logLevel": 4, "loggingFormat": "json",
            "leaderElection": {"namespace": "here", "leaseDuration": "30s", "renewDeadline": "20s",
                               "retryPeriod": "5s"}}})["args"]
        self.assertEqual(arguments, [
            "--v=4", "--logging-format=json", "--leader-election-namespace=here",
            "--leader-election-lease-duration=30s", "--leader-election-renew-deadline=20s",
            "--leader-election-retry-period=5s"])

    def test_content_type(self):
        flag = "--kube-api-content-type="
        self.assertNotIn(flag, " ".join(container()["args"]))
        arguments = container(**{"global": {"kubeApiContentType": "application/json"}})["args"]
        self.assertIn(flag + "application/json", arguments)

    def test_image_names(self):
        digest = "sha256:" + "0" * 64
        for top, image, expected in (
                ({}, {}, "capstan-controller-manager:0.2.0"),
                ({"imageRegistry": "r:5000"}, {}, "r:5000/capstan-controller-manager:0.2.0"),
                ({"imageRegistry": "r", "imageNamespace": "n"}, {"tag": "t"},
                 "r/n/capstan-controller-manager:t"),
                ({"imageRegistry": "r"}, {"registry": "own"}, "own/capstan-controller-manager:0.2.0"),
                ({"imageRegistry": "r", "imageNamespace": "n"}, {"repository": "a/b"}, "r/a/b:0.2.0"),
                ({}, {"digest": digest, "tag": "t"}, "capstan-controller-manager@" + digest)):
            self.assertEqual(container({"image": image}, **top)["image"], expected)

    def test_configuration_file(self):
        values = {"config": {"logging": {"format": "json"}}}
        found = objects(manager(values))
        config = yaml.safe_load(one(found, "ConfigMap")["data"]["config.yaml"])
        self.assertEqual(config, {"apiVersion": "cainjector.config.cert-manager.io/v1alpha1",
                                  "kind": "CAInjectorConfiguration", "logging": {"format": "json"}})
        self.assertIn("--config=/var/capstan/config/config.yaml", container(values)["args"])
        self.assertEqual(container(values)["volumeMounts"][0]["mountPath"], "/var/capstan/config")
        checksum = deployment(values)["spec"]["template"]["metadata"]["annotations"]["checksum/config"]
        other = deployment({"config": {"logging": {"format": "text"}}})
        self.assertNotEqual(checksum, other["spec"]["template"]["metadata"]["annotations"]
                            ["checksum/config"])

    def test_scheduling(self):
        spread = {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
        values = {"nodeSelector": {"a": "b"}, "affinity": {"nodeAffinity": {}}, "tolerations": [{"key": "k"}],
                  "topologySpreadConstraints": [spread]}
        pod = pod_of(deployment(values, **{"global": {
            "nodeSelector": {"pool": "x"}, "priorityClassName": "high", "hostUsers": False,
            "imagePullSecrets": [{"name": "s"}]}}))
        self.assertEqual(pod["nodeSelector"], {"kubernetes.io/os": "linux", "a": "b", "pool": "x"})
        self.assertEqual(pod["affinity"], values["affinity"])
        self.assertEqual(pod["tolerations"], values["tolerations"])
        self.assertEqual(pod["priorityClassName"], "high")
        self.assertEqual(pod["imagePullSecrets"], [{"name": "s"}])
        self.assertIs(pod["hostUsers"], False)
        constraint, = pod["topologySpreadConstraints"]
        self.assertEqual({k: constraint[k] for k in spread}, spread)
        self.assertEqual(constraint["labelSelector"]["matchLabels"],
                         deployment()["spec"]["selector"]["matchLabels"])

    def test_runtime_class_is_set_only_when_named(self):
        self.assertNotIn("runtimeClassName", pod_of(deployment()))
        self.assertNotIn("runtimeClassName", pod_of(deployment({"runtimeClassName": ""})))
        self.assertEqual(pod_of(deployment({"runtimeClassName": "gvisor"}))["runtimeClassName"],
                         "gvisor")

    def test_a_constraint_keeps_its_own_selector(self):
        spread = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                  "labelSelector": {"matchLabels": {"own": "yes"}}}
        pod = pod_of(deployment({"topologySpreadConstraints": [spread]}))
        self.assertEqual(pod["topologySpreadConstraints"], [spread])

    def test_probes(self):
        found = container()
        self.assertEqual(found["livenessProbe"]["httpGet"], {"path": "/livez", "port": "http-metrics"})
        self.assertEqual(found["readinessProbe"]["httpGet"], {"path": "/readyz", "port": "http-metrics"})
        found = container({"livenessProbe": {"enabled": False},
                           "readinessProbe": {"failureThreshold": 9}})
        self.assertNotIn("livenessProbe", found)
        self.assertEqual(found["readinessProbe"]["failureThreshold"], 9)
        self.assertNotIn("enabled", found["readinessProbe"])

    def test_metadata_and_replicas(self):
        found = objects(manager({
            "replicaCount": 3, "strategy": {"type": "Recreate"}, "deploymentAnnotations": {"a": "d"},
            "podAnnotations": {"a": "p"}, "podLabels": {"l": "p"}, "serviceLabels": {"l": "s"},
            "serviceAnnotations": {"a": "s"}}, **{"global": {
                "commonLabels": {"team": "x"}, "revisionHistoryLimit": 0}}))
        rendered, service = one(found, "Deployment"), one(found, "Service")
        self.assertEqual(rendered["spec"]["replicas"], 3)
        self.assertEqual(rendered["spec"]["revisionHistoryLimit"], 0)
        self.assertEqual(rendered["spec"]["strategy"], {"type": "Recreate"})
        self.assertEqual(rendered["metadata"]["annotations"], {"a": "d"})
        template = rendered["spec"]["template"]["metadata"]
        self.assertEqual((template["annotations"]["a"], template["labels"]["l"]), ("p", "p"))
        self.assertEqual((service["metadata"]["annotations"]["a"], service["metadata"]["labels"]["l"]),
                         ("s", "s"))
        for each in found:
            self.assertEqual(each["metadata"]["labels"]["team"], "x", each["kind"])

    def test_names(self):
        found = objects({"fullnameOverride": "x"})
        self.assertIn("Deployment/x-controller-manager", names(found))
        found = objects({"nameOverride": "y"})
        self.assertIn("Deployment/capstan-y-controller-manager", names(found))
        # These names are also labels. Names of roles may be longer.
        for rendered in objects({"fullnameOverride": "f" * 80}):
            if "Role" not in rendered["kind"]:
                self.assertLessEqual(len(rendered["metadata"]["name"]), 63)

    def test_environment_volumes_and_contexts(self):
        found = deployment({"extraEnv": [{"name": "E", "value": "v"}], "volumes": [{"name": "n"}],
                            "volumeMounts": [{"name": "n", "mountPath": "/n"}],
                            "containerSecurityContext": {"runAsUser": None, "runAsGroup": None},
                            "automountServiceAccountToken": False, "enableServiceLinks": True,
                            "resources": {"limits": {"memory": "1Gi"}}})
        pod = pod_of(found)
        rendered = pod["containers"][0]
        self.assertEqual(rendered["env"][1], {"name": "E", "value": "v"})
        self.assertEqual(pod["volumes"], [{"name": "n"}])
        self.assertEqual(rendered["volumeMounts"], [{"name": "n", "mountPath": "/n"}])
        self.assertNotIn("runAsUser", rendered["securityContext"])
        self.assertIs(rendered["securityContext"]["readOnlyRootFilesystem"], True)
        self.assertIs(pod["automountServiceAccountToken"], False)
        self.assertIs(pod["enableServiceLinks"], True)
        self.assertEqual(rendered["resources"]["limits"]["memory"], "1Gi")


class BesideTest(unittest.TestCase):
    def test_disruption_budget(self):
        def budget(**values):
            return one(objects(manager({"podDisruptionBudget": {"enabled": True, **values}})),
                       "PodDisruptionBudget")["spec"]
        self.assertEqual(budget()["minAvailable"], 1)
        self.assertEqual(budget(minAvailable=0)["minAvailable"], 0)
        self.assertEqual(budget(maxUnavailable="50%")["maxUnavailable"], "50%")
        self.assertNotIn("minAvailable", budget(maxUnavailable=1))
        self.assertEqual(budget(unhealthyPodEvictionPolicy="AlwaysAllow")
                         ["unhealthyPodEvictionPolicy"], "AlwaysAllow")
        with self.assertRaisesRegex(ChartError, "minAvailable and maxUnavailable exclude"):
            budget(minAvailable=1, maxUnavailable=1)

    def test_service_account(self):
        found = objects(manager({"serviceAccount": {
            "name": "own", "annotations": {"a": "b"}, "labels": {"l": "m"}}}))
        account = one(found, "ServiceAccount")
        self.assertEqual(account["metadata"]["name"], "own")
        self.assertEqual(account["metadata"]["annotations"], {"a": "b"})
        self.assertEqual(account["metadata"]["labels"]["l"], "m")
        self.assertEqual(pod_of(one(found, "Deployment"))["serviceAccountName"], "own")
        for bound in (o for o in found if o["kind"].endswith("Binding")):
            self.assertEqual(bound["subjects"], [{"kind": "ServiceAccount", "name": "own",
                                                  "namespace": NAMESPACE}])
        found = objects(manager({"serviceAccount": {"create": False}}))
        self.assertFalse([o for o in found if o["kind"] == "ServiceAccount"])
        self.assertEqual(pod_of(one(found, "Deployment"))["serviceAccountName"], "default")

    def test_network_policy(self):
        spec = one(objects(), "NetworkPolicy")["spec"]
        self.assertEqual(spec["ingress"], [{"ports": [{"port": "http-metrics", "protocol": "TCP"}]}])
        self.assertEqual(spec["egress"], [{}])
        spec = one(objects({"prometheus": {"enabled": False}}), "NetworkPolicy")["spec"]
        self.assertEqual(spec["ingress"], [])
        own = {"ingress": [{"from": [{"podSelector": {}}]}], "egress": [{"ports": [{"port": 443}]}]}
        spec = one(objects(manager({"networkPolicy": own})), "NetworkPolicy")["spec"]
        self.assertEqual({k: spec[k] for k in own}, own)
        spec = one(objects(manager({"networkPolicy": {"egress": []}})), "NetworkPolicy")["spec"]
        self.assertEqual((spec["policyTypes"], spec["egress"]), (["Ingress", "Egress"], []))
        # null removes the rule. An empty list would deny all egress.
        spec = one(objects(manager({"networkPolicy": {"egress": None}})), "NetworkPolicy")["spec"]
        self.assertEqual(spec["policyTypes"], ["Ingress"])
        self.assertNotIn("egress", spec)
        found = objects(manager({"networkPolicy": {"enabled": False}}))
        self.assertFalse([o for o in found if o["kind"] == "NetworkPolicy"])

    def test_selectors_find_the_pods(self):
        labels = deployment()["spec"]["template"]["metadata"]["labels"]
        found = objects(manager({"podDisruptionBudget": {"enabled": True}}))
        for selector in (one(found, "Service")["spec"]["selector"],
                         one(found, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
                         one(found, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"]):
            self.assertEqual(selector, {k: labels[k] for k in selector})

    def test_extra_objects_are_templates(self):
        found = objects({"extraObjects": [
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-s'}",
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-m"}}]})
        self.assertEqual(names([o for o in found if o["kind"] == "ConfigMap"]),
                         ["ConfigMap/capstan-m", "ConfigMap/capstan-s"])
