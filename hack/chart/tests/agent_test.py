# SPDX-License-Identifier: Apache-2.0
"""The node agent, its policies, and the broker of runtime events."""
import os
import unittest

import yaml

from chart import CHART, ChartError, NAMESPACE, names, objects, one, pod_of


def agent(values=None, **top):
    return objects({**top, "controllerManager": {"enabled": False},
                    "nodeAgent": {"enabled": True, **(values or {})}})


def pod(values=None, **top):
    return pod_of(one(agent(values, **top), "DaemonSet"))


def rights(values=None):
    return {resource: rule["verbs"] for rule in one(agent(values), "ClusterRole")["rules"]
            for resource in rule["resources"]}


def policy_files():
    for name in ("rbac", "node-agent-confined", "readiness-keys-reserved"):
        with open(os.path.join(CHART, "policies", name + ".yaml"), encoding="utf-8") as file:
            yield from yaml.safe_load_all(file)


class AgentTest(unittest.TestCase):
    def test_off_by_default(self):
        self.assertFalse([o for o in objects() if "node-agent" in o["metadata"]["name"]])

    def test_default_objects(self):
        self.assertEqual(names(agent()), sorted(
            [f"{kind}/capstan-node-agent" for kind in (
                "ServiceAccount", "DaemonSet", "ClusterRole", "ClusterRoleBinding", "NetworkPolicy")]
            + [f"ValidatingAdmissionPolicy{binding}/capstan-{name}" for binding in ("", "Binding")
               for name in ("node-agent-confined", "readiness-keys-reserved")]))

    def test_arguments(self):
        default = ["--v=2", "--csi-driver=csi.cert-manager.io", "--output=annotation",
                   "--pending-event-after=1m0s", "--feature-gates=CRIContainerEvents=false"]
        self.assertEqual(pod()["containers"][0]["args"], default)
        for values, more in (
                ({"gates": ["pod-ip:any", "pod-label:a=b"]},
                 {"--pod-readiness-gate=pod-ip:any", "--pod-readiness-gate=pod-label:a=b"}),
                ({"gateSets": {"s": ["pod-ip:any"]}},
                 {f"--gate-sets={NAMESPACE}/capstan-node-agent-gate-sets"}),
                ({"gateSetsConfigMap": "n/m"}, {"--gate-sets=n/m"}),
                ({"eventsOnly": True}, {"--gate-loop-events-only"}),
                ({"featureGates": "AdaptiveGateLoop=false"},
                 {"--feature-gates=AdaptiveGateLoop=false,CRIContainerEvents=false"}),
                ({"featureGates": "AllAlpha=true"},
                 {"--feature-gates=AllAlpha=true,CRIContainerEvents=false"}),
                ({"statusPages": "off"}, {"--status-pages=off"}),
                ({"runtimeEvents": {"enabled": True}}, {"--feature-gates=CRIContainerEvents=true"}),
                ({"extraArgs": ["--vmodule=loop=4"]}, {"--vmodule=loop=4"})):
            self.assertEqual(set(pod(values)["containers"][0]["args"]) - set(default), more)
        changed = pod({"csiDriver": "d", "output": ["annotation", "condition"],
                       "pendingEventAfter": "0"})["containers"][0]["args"]
        self.assertEqual(changed, ["--v=2", "--csi-driver=d", "--output=annotation,condition",
                                   "--pending-event-after=0", default[-1]])

    def test_gate_sets_become_a_labelled_config_map(self):
        found = one(agent({"gateSets": {"a": ["pod-ip:any", "rate:5/1s"], "b": ["pod-ip:ipv4"]}}),
                    "ConfigMap")
        self.assertEqual(found["data"], {"a": "pod-ip:any\nrate:5/1s\n", "b": "pod-ip:ipv4\n"})
        self.assertEqual(found["metadata"]["labels"]["cache.capstan.dev/enabled"], "true")
        with self.assertRaisesRegex(ChartError, "gateSets and nodeAgent.gateSetsConfigMap exclude"):
            agent({"gateSets": {"a": ["pod-ip:any"]}, "gateSetsConfigMap": "n/m"})

    def test_knows_its_node_and_has_a_token_of_its_own(self):
        found = pod()
        container, = found["containers"]
        self.assertEqual(container["env"][0]["valueFrom"]["fieldRef"]["fieldPath"], "spec.nodeName")
        self.assertIs(found["automountServiceAccountToken"], False)
        self.assertEqual(container["volumeMounts"][0]["mountPath"],
                         "/var/run/secrets/kubernetes.io/serviceaccount")
        self.assertIn("serviceAccountToken", found["volumes"][0]["projected"]["sources"][0])

    def test_only_the_rights_that_are_used(self):
        pods, events = {"pods": ["list", "watch", "patch"]}, {"events": ["create", "patch"]}
        self.assertEqual(rights(), {**pods, **events})
        status, nodes = {"pods/status": ["patch"]}, {"nodes": ["list", "watch"]}
        maps = {"configmaps": ["get", "list", "watch"]}
        for values, more in (
                ({"output": ["condition"]}, status),
                ({"extraArgs": ["--output=condition"]}, status),
                ({"gates": ["node-condition:Ready"]}, nodes),
                ({"extraArgs": ["--pod-readiness-gate=node-condition:Ready"]}, nodes),
                ({"gates": ["configmap:a/b"]}, maps),
                ({"gateSetsConfigMap": "a/b"}, {**nodes, **maps}),
                ({"gateSets": {"a": ["pod-ip:any"]}}, {**nodes, **maps})):
            self.assertEqual(rights(values), {**pods, **events, **more}, values)

    def test_policies_are_those_of_the_folder(self):
        every = {"output": ["annotation", "condition"], "gateSetsConfigMap": "a/b"}
        found = agent(every)
        for expected in policy_files():
            made = dict(one(found, expected["kind"], expected["metadata"]["name"]))
            del made["metadata"], expected["metadata"]
            self.assertEqual(made, expected)

    def test_policies_name_the_account_of_the_release(self):
        found = agent({"serviceAccount": {"name": "own"}}, fullnameOverride="x")
        user = f"system:serviceaccount:{NAMESPACE}:own"
        for name, sign in (("x-node-agent-confined", "=="), ("x-readiness-keys-reserved", "!=")):
            policy = one(found, "ValidatingAdmissionPolicy", name)
            condition, = policy["spec"]["matchConditions"]
            self.assertEqual(condition["expression"], f'request.userInfo.username {sign} "{user}"')
            self.assertEqual(one(found, "ValidatingAdmissionPolicyBinding", name)["spec"]["policyName"],
                             name)
        self.assertEqual(one(found, "ClusterRoleBinding")["subjects"],
                         [{"kind": "ServiceAccount", "name": "own", "namespace": NAMESPACE}])

    def test_without_policies(self):
        found = agent({"policies": {"enabled": False}})
        self.assertFalse([o for o in found if o["kind"].startswith("Validating")])

    def test_no_rbac(self):
        found = agent(**{"global": {"rbac": {"create": False}}})
        self.assertFalse([o for o in found if "Role" in o["kind"]])
        self.assertTrue([o for o in found if o["kind"] == "ValidatingAdmissionPolicy"])

    def test_an_account_that_is_not_made_needs_a_name(self):
        with self.assertRaisesRegex(ChartError, "nodeAgent.serviceAccount.name"):
            agent({"serviceAccount": {"create": False}})

    def test_scheduling_and_metadata(self):
        made = one(agent({"updateStrategy": {"type": "OnDelete"}, "daemonSetAnnotations": {"a": "d"},
                          "priorityClassName": "own", "tolerations": [{"operator": "Exists"}],
                          "podLabels": {"l": "p"}, "podAnnotations": {"a": "p"}},
                         **{"global": {"priorityClassName": "global"}}), "DaemonSet")
        self.assertEqual(made["spec"]["updateStrategy"], {"type": "OnDelete"})
        self.assertEqual(made["metadata"]["annotations"], {"a": "d"})
        self.assertEqual(pod_of(made)["priorityClassName"], "own")
        self.assertEqual(pod_of(made)["tolerations"], [{"operator": "Exists"}])
        template = made["spec"]["template"]["metadata"]
        self.assertEqual((template["annotations"]["a"], template["labels"]["l"]), ("p", "p"))


class BrokerTest(unittest.TestCase):
    VALUES = {"runtimeEvents": {"enabled": True, "socket": "/run/crio/crio.sock"}}

    def test_shares_a_folder_with_the_agent_and_nothing_else(self):
        found = pod(self.VALUES)
        agents, broker = found["containers"]
        self.assertEqual(broker["args"], ["--v=2", "--runtime-endpoint=unix:///run/crio/crio.sock",
                                          "--socket=/run/capstan/runtime-events.sock"])
        self.assertEqual({m["name"]: m["mountPath"] for m in broker["volumeMounts"]},
                         {"runtime": "/run/crio", "runtime-events": "/run/capstan"})
        self.assertEqual({m["name"] for m in agents["volumeMounts"]}, {"token", "runtime-events"})
        self.assertNotIn("env", broker)
        self.assertEqual(found["securityContext"]["fsGroup"], 65532)
        self.assertEqual(broker["image"], "capstan-cri-event-broker:0.1.0")

    def test_the_gate_without_the_broker_is_refused(self):
        gate = "CRIContainerEvents=true"
        for where, values in (
                ("featureGates", {"featureGates": gate}),
                ("featureGates", {"featureGates": "AdaptiveGateLoop=false," + gate}),
                ("extraArgs", {"extraArgs": ["--feature-gates=" + gate]}),
                ("extraArgs", {"extraArgs": ["--feature-gates=AllBeta=true,CRIContainerEvents=1"]})):
            with self.assertRaisesRegex(ChartError, f"nodeAgent.{where} has {gate}, .* set "
                                                    "nodeAgent.runtimeEvents.enabled"):
                pod(values)
            pod({**values, **self.VALUES})
        pod({"featureGates": "CRIContainerEvents=false"})

    def test_only_with_it_is_there_a_host_path(self):
        def host_paths(values):
            return [v["hostPath"]["path"] for v in pod(values)["volumes"] if "hostPath" in v]
        self.assertEqual(host_paths({}), [])
        self.assertEqual(host_paths(self.VALUES), ["/run/crio"])
