# SPDX-License-Identifier: Apache-2.0
"""Tests of the node agent, its policies, and the broker of runtime events."""
import json
import os
import shutil
import tempfile
import unittest

import yaml

from chart import CHART, ChartError, NAMESPACE, names, objects, one, pod_of, text


def agent(values=None, **top):
    return objects({**top, "controllerManager": {"enabled": False},
                    "nodeAgent": {"enabled": True, **(values or {})}})


def pod(values=None, **top):
    return pod_of(one(agent(values, **top), "DaemonSet"))


def rights(values=None):
    return {resource: rule["verbs"] for rule in one(agent(values), "ClusterRole")["rules"]
            for resource in rule["resources"]}


def named_config_maps(values=None, **top):
    """Returns {namespace: names} of the Roles for ConfigMaps. Each must have a binding."""
    found = [o for o in agent(values, **top) if o["metadata"]["name"].endswith("-configmaps")]
    roles = {o["metadata"]["namespace"]: o for o in found if o["kind"] == "Role"}
    bindings = {o["metadata"]["namespace"]: o for o in found if o["kind"] == "RoleBinding"}
    assert set(roles) == set(bindings), names(found)
    for namespace, role in roles.items():
        rule, = role["rules"]
        assert (rule["resources"], rule["verbs"]) == (["configmaps"], ["list", "watch"]), rule
        assert bindings[namespace]["roleRef"]["name"] == role["metadata"]["name"]
    return {namespace: role["rules"][0]["resourceNames"] for namespace, role in roles.items()}


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
        default = ["--v=2", "--pods-without-gates=open", "--csi-driver=csi.cert-manager.io",
                   "--output=annotation", "--pending-event-after=1m0s", "--recovery-spread=5s",
                   "--feature-gates=CRIContainerEvents=false"]
        self.assertEqual(pod()["containers"][0]["args"], default)
        for values, more in (
                ({"gates": ["pod-ip:any", "pod-label:a=b"]},
                 {"--pod-readiness-gate=pod-ip:any", "--pod-readiness-gate=pod-label:a=b"}),
                ({"gateSets": {"s": ["pod-ip:any"]}},
                 {f"--gate-sets={NAMESPACE}/capstan-node-agent-gate-sets"}),
                ({"gateSetsConfigMap": "n/m"}, {"--gate-sets=n/m"}),
                ({"mandatoryGates": ["pod-ip:any", "pod-label:a=b"]},
                 {"--mandatory-gate=pod-ip:any", "--mandatory-gate=pod-label:a=b"}),
                ({"podsWithoutGates": "closed"}, {"--pods-without-gates=closed"}),
                ({"recoverySpread": "20s"}, {"--recovery-spread=20s"}),
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
        self.assertEqual(changed, ["--v=2", "--pods-without-gates=open", "--csi-driver=d",
                                   "--output=annotation,condition", "--pending-event-after=0",
                                   "--recovery-spread=5s", default[-1]])

    def test_gate_sets_become_a_config_map(self):
        found = one(agent({"gateSets": {
            "a": ["pod-ip:any", "rate:5/1s"],
            "b": {"namespaces": ["x", "y"], "gates": ["pod-ip:ipv4"]}}}), "ConfigMap")
        self.assertEqual(found["data"], {"a": "pod-ip:any\nrate:5/1s\n",
                                         "b": "namespaces: [x, y]\npod-ip:ipv4\n"})
        # Agents watch it by its name; the label would put it into the controller manager's cache.
        self.assertNotIn("cache.capstan.dev/enabled", found["metadata"]["labels"])
        with self.assertRaisesRegex(ChartError, "gateSets and nodeAgent.gateSetsConfigMap exclude"):
            agent({"gateSets": {"a": ["pod-ip:any"]}, "gateSetsConfigMap": "n/m"})

    def test_has_its_node_name_and_its_own_token(self):
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
        maps = {"configmaps": ["list", "watch"]}
        for values, more in (
                ({"output": ["condition"]}, status),
                ({"gates": ["node-condition:Ready"]}, nodes),
                ({"mandatoryGates": ["node-condition:Ready"]}, nodes),
                ({"gateSets": {"a": ["node-condition:Ready"]}}, nodes),
                ({"gateSets": {"a": {"namespaces": ["x"], "gates": ["node-condition:Ready"]}}}, nodes),
                ({"gates": ["pod-label:node-condition:Ready"]}, {}),
                ({"gates": ["configmap:a/b"]}, {}),
                ({"gateSetsConfigMap": "a/b"}, nodes),
                ({"gateSets": {"a": ["pod-ip:any"]}}, {}),
                ({"rbac": {"allConfigMaps": True}}, maps)):
            self.assertEqual(rights(values), {**pods, **events, **more}, values)

    def test_config_maps_in_values_are_allowed_by_name(self):
        own = {NAMESPACE: ["capstan-node-agent-gate-sets"]}
        for values, expected in (
                ({}, {}),
                ({"gates": ["pod-ip:any", "pod-label:configmap:a/b"]}, {}),
                ({"gates": ["configmap:a/b", "configmap:a/c:ca.crt", "configmap:d/b:x:y"]},
                 {"a": ["b", "c"], "d": ["b"]}),
                ({"mandatoryGates": ["configmap:a/b:k"], "gates": ["configmap:a/b"]}, {"a": ["b"]}),
                ({"gateSets": {"s": ["pod-ip:any"]}}, own),
                ({"gateSets": {"s": ["configmap:a/b"],
                               "t": {"namespaces": ["x"], "gates": ["configmap:a/c"]}}},
                 {"a": ["b", "c"], **own}),
                ({"gateSetsConfigMap": "a/sets", "gates": ["configmap:a/b"]}, {"a": ["b", "sets"]}),
                ({"gateSetsConfigMap": "a/sets", "rbac": {"configMaps": {"a": ["z"], "b": ["y"]}}},
                 {"a": ["sets", "z"], "b": ["y"]}),
                ({"gates": ["configmap:a/b"], "rbac": {"allConfigMaps": True}}, {})):
            self.assertEqual(named_config_maps(values), expected, values)
        self.assertEqual(one(agent({"gates": ["configmap:a/b"]}), "RoleBinding")["subjects"],
                         [{"kind": "ServiceAccount", "name": "capstan-node-agent",
                           "namespace": NAMESPACE}])
        with self.assertRaisesRegex(ChartError, "configmap:b in nodeAgent names no ConfigMap"):
            agent({"gates": ["configmap:b"]})

    def test_rejects_arguments_that_need_rights(self):
        for argument, value in (("--pod-readiness-gate=configmap:a/b", "gates"),
                                ("-pod_readiness_gate=pod-ip:any", "gates"),
                                ("--mandatory-gate=node-condition:Ready", "mandatoryGates"),
                                ("--gate-sets=a/b", "gateSetsConfigMap"),
                                ("--output=condition", "output")):
            with self.assertRaises(ChartError) as caught:
                agent({"extraArgs": ["--vmodule=loop=4", argument]})
            self.assertIn(f"nodeAgent.extraArgs has {argument}, but the chart grants its rights only "
                          f"for the value: set nodeAgent.{value}", str(caught.exception))

    def test_policies_equal_the_files_in_the_folder(self):
        every = {"output": ["annotation", "condition"], "gateSetsConfigMap": "a/b",
                 "rbac": {"allConfigMaps": True}}
        found = agent(every)
        for expected in policy_files():
            rendered = dict(one(found, expected["kind"], expected["metadata"]["name"]))
            del rendered["metadata"], expected["metadata"]
            self.assertEqual(rendered, expected)

    def test_policies_name_the_account_of_the_release(self):
        found = agent({"serviceAccount": {"name": "own"}}, fullnameOverride="x")
        user = f"system:serviceaccount:{NAMESPACE}:own"
        for name, expression in (("x-node-agent-confined", 'request.userInfo.username in ["%s"]'),
                                 ("x-readiness-keys-reserved", '!(request.userInfo.username in ["%s"])')):
            policy = one(found, "ValidatingAdmissionPolicy", name)
            condition, = policy["spec"]["matchConditions"]
            self.assertEqual(condition["expression"], expression % user)
            self.assertEqual(one(found, "ValidatingAdmissionPolicyBinding", name)["spec"]["policyName"],
                             name)
        self.assertEqual(one(found, "ClusterRoleBinding")["subjects"],
                         [{"kind": "ServiceAccount", "name": "own", "namespace": NAMESPACE}])

    def test_policies_name_agents_of_other_releases(self):
        found = agent({"policies": {"otherAgents": ["a/b-node-agent", "c/d"]}})
        users = ", ".join(f'"system:serviceaccount:{user}"' for user in (
            NAMESPACE + ":capstan-node-agent", "a:b-node-agent", "c:d"))
        for name in ("node-agent-confined", "readiness-keys-reserved"):
            condition, = one(found, "ValidatingAdmissionPolicy", name)["spec"]["matchConditions"]
            self.assertIn(f"request.userInfo.username in [{users}]", condition["expression"])

    def test_without_policies(self):
        found = agent({"policies": {"enabled": False}})
        self.assertFalse([o for o in found if o["kind"].startswith("Validating")])

    def test_no_rbac(self):
        found = agent({"gates": ["configmap:a/b"]}, **{"global": {"rbac": {"create": False}}})
        self.assertFalse([o for o in found if "Role" in o["kind"]])
        self.assertTrue([o for o in found if o["kind"] == "ValidatingAdmissionPolicy"])

    def test_an_existing_service_account_needs_a_name(self):
        with self.assertRaisesRegex(ChartError, "nodeAgent.serviceAccount.name"):
            agent({"serviceAccount": {"create": False}})

    def test_scheduling_and_metadata(self):
        rendered = one(agent({"updateStrategy": {"type": "OnDelete"}, "daemonSetAnnotations": {"a": "d"},
                              "priorityClassName": "own", "tolerations": [{"operator": "Exists"}],
                              "podLabels": {"l": "p"}, "podAnnotations": {"a": "p"}},
                             **{"global": {"priorityClassName": "global"}}), "DaemonSet")
        self.assertEqual(rendered["spec"]["updateStrategy"], {"type": "OnDelete"})
        self.assertEqual(rendered["metadata"]["annotations"], {"a": "d"})
        self.assertEqual(pod_of(rendered)["priorityClassName"], "own")
        self.assertEqual(pod_of(rendered)["tolerations"], [{"operator": "Exists"}])
        template = rendered["spec"]["template"]["metadata"]
        self.assertEqual((template["annotations"]["a"], template["labels"]["l"]), ("p", "p"))

    def test_priority_is_node_critical_by_default(self):
        top = {"global": {"priorityClassName": "global"}}
        self.assertEqual(pod()["priorityClassName"], "system-node-critical")
        self.assertEqual(pod(**top)["priorityClassName"], "system-node-critical")
        self.assertEqual(pod({"priorityClassName": ""}, **top)["priorityClassName"], "global")
        self.assertNotIn("priorityClassName", pod({"priorityClassName": ""}))


    # OpenShift chooses users and groups, and rejects a pod with others.
    def test_names_no_user_or_group_on_openshift(self):
        found = pod({"containerSecurityContext": {"runAsUser": None, "runAsGroup": None}})
        contexts = [found["securityContext"], *[c["securityContext"] for c in found["containers"]]]
        for context in contexts:
            self.assertFalse({"fsGroup", "runAsUser", "runAsGroup"} & set(context), context)


class OtherAgentsTest(unittest.TestCase):
    """`helm template` finds nothing in a cluster, so the check gets the other release's policy as JSON."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.chart = os.path.join(folder.name, "capstan")
        shutil.copytree(CHART, self.chart)

    def check(self, others, own, named, creates):
        """others: whom the other release's policy names; named: whom ours names."""
        policy = one(agent({"policies": {"otherAgents": others[1:]},
                            "serviceAccount": {"name": others[0].split("/")[1]}}),
                     "ValidatingAdmissionPolicy", "readiness-keys-reserved")
        users = [f'"system:serviceaccount:{user.replace("/", ":")}"' for user in (own, *named)]
        scope = json.dumps(json.dumps({"policy": policy, "own": users[0], "users": users, "creates": creates}))
        with open(os.path.join(self.chart, "templates/check.yaml"), "w", encoding="utf-8") as file:
            file.write(f'{{{{ include "capstan.checkOtherAgents" (fromJson {scope}) }}}}checked: "yes"')
        return text(chart=self.chart, show=["templates/check.yaml"])

    def test_accepts_releases_that_name_each_other(self):
        first = f"{NAMESPACE}/first"
        self.assertIn("checked", self.check([first, "b/agent"], "b/agent", [], creates=False))
        self.assertIn("checked", self.check([first, "b/agent"], "b/agent", [first], creates=True))

    def test_rejects_agents_that_another_policy_denies(self):
        with self.assertRaisesRegex(ChartError, "policy capstan-readiness-keys-reserved of another release denies "
                                                ".*b:agent.*: name them in its nodeAgent.policies.otherAgents"):
            self.check([f"{NAMESPACE}/first"], "b/agent", [], creates=False)

    def test_rejects_policies_that_deny_agents_of_another_release(self):
        with self.assertRaisesRegex(ChartError, "would deny the agents of another release .*first.*: name them in "
                                                "nodeAgent.policies.otherAgents, or set nodeAgent.policies.enabled"):
            self.check([f"{NAMESPACE}/first", "b/agent"], "b/agent", [], creates=True)


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
        own = {**self.VALUES, "securityContext": {"fsGroup": 7}}
        self.assertEqual(pod(own)["securityContext"]["fsGroup"], 7)
        self.assertEqual(broker["image"], "capstan-cri-event-broker:0.2.0")

    def test_rejects_the_gate_without_the_broker(self):
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

    def test_has_a_host_path_only_when_enabled(self):
        def host_paths(values):
            return [v["hostPath"]["path"] for v in pod(values)["volumes"] if "hostPath" in v]
        self.assertEqual(host_paths({}), [])
        self.assertEqual(host_paths(self.VALUES), ["/run/crio"])

    def test_follows_mounts_of_the_host(self):
        mount, = [m for m in pod(self.VALUES)["containers"][1]["volumeMounts"]
                  if m["name"] == "runtime"]
        self.assertEqual(mount, {"name": "runtime", "mountPath": "/run/crio", "readOnly": True,
                                 "mountPropagation": "HostToContainer"})

    def test_rejects_a_socket_in_a_shared_folder(self):
        for socket, folder in (("/run/cri-dockerd.sock", "/run"), ("/var/run/x.sock", "/var/run"),
                               ("/tmp/x.sock", "/tmp"), ("/run/../run/x.sock", "/run")):
            with self.assertRaisesRegex(ChartError, f"runtimeEvents.socket is {socket}, and the "
                                                    f"broker would mount all of {folder}: "):
                pod({"runtimeEvents": {"enabled": True, "socket": socket}})
        for socket in ("/run/k3s/containerd/containerd.sock", "/run/containerd/containerd.sock"):
            pod({"runtimeEvents": {"enabled": True, "socket": socket}})
