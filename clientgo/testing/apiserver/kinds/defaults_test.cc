// SPDX-License-Identifier: Apache-2.0
// Tests of what the server sets in objects of built-in kinds.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kServices = "/api/v1/namespaces/default/services";

using DefaultsTest = ServerTest;

// Returns the JSON at a path, with the members in the order of the object; "" if it is missing.
std::string JsonAt(const Answer& answer, std::initializer_list<std::string_view> path) {
  const runtime::JsonValue* const value = runtime::FindPath(answer.json, path);
  return value == nullptr ? "" : runtime::ToJson(*value);
}

const runtime::JsonValue& FirstContainer(const Answer& pod) {
  return ListAt(ObjectAt(pod.json, "spec"), "containers")[0];
}

TEST_F(DefaultsTest, SetsDefaultsOfPods) {
  const Answer pod = client_->Post(
      kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i",)"
             R"("ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"port":80}},)"
             R"("resources":{"limits":{"cpu":"1000m"}}}],"volumes":[{"name":"v"}]}})");

  ASSERT_EQ(pod.code, 201) << pod.body;
  EXPECT_EQ(JsonAt(pod, {"spec", "restartPolicy"}), R"("Always")");
  EXPECT_EQ(JsonAt(pod, {"spec", "terminationGracePeriodSeconds"}), "30");
  EXPECT_EQ(JsonAt(pod, {"spec", "dnsPolicy"}), R"("ClusterFirst")");
  EXPECT_EQ(JsonAt(pod, {"spec", "enableServiceLinks"}), "true");
  EXPECT_EQ(JsonAt(pod, {"spec", "priority"}), "0");
  EXPECT_EQ(ListAt(ObjectAt(pod.json, "spec"), "tolerations").Size(), 2U);
  EXPECT_EQ(JsonAt(pod, {"spec", "volumes"}), R"([{"name":"v","emptyDir":{}}])");
  EXPECT_EQ(JsonAt(pod, {"status", "phase"}), R"("Pending")");
  EXPECT_EQ(JsonAt(pod, {"status", "qosClass"}), R"("Burstable")");
  const runtime::JsonValue& container = FirstContainer(pod);
  EXPECT_EQ(runtime::ToJson(container["imagePullPolicy"]), R"("Always")");
  EXPECT_EQ(runtime::ToJson(container["ports"]), R"([{"containerPort":80,"protocol":"TCP"}])");
  EXPECT_EQ(runtime::ToJson(container["livenessProbe"]),
            R"({"httpGet":{"port":80,"path":"/","scheme":"HTTP"},"timeoutSeconds":1,)"
            R"("periodSeconds":10,"successThreshold":1,"failureThreshold":3})");
  EXPECT_EQ(runtime::ToJson(container["resources"]),
            R"({"limits":{"cpu":"1"},"requests":{"cpu":"1"}})");
}

TEST_F(DefaultsTest, ChoosesThePullPolicyByTheTag) {
  const auto policy = [&](const std::string& image) {
    const Answer pod =
        client_->Post(Path(kPods, "?dryRun=All"),
                      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":")" +
                          image + R"("}]}})");
    return runtime::ToJson(FirstContainer(pod)["imagePullPolicy"]);
  };

  EXPECT_EQ(policy("a"), R"("Always")");
  EXPECT_EQ(policy("a:latest"), R"("Always")");
  EXPECT_EQ(policy("localhost:5000/a"), R"("Always")");
  EXPECT_EQ(policy("a:1"), R"("IfNotPresent")");
  EXPECT_EQ(policy("localhost:5000/a:1"), R"("IfNotPresent")");
  EXPECT_EQ(policy("a@sha256:" + std::string(64, '0')), R"("IfNotPresent")");
}

TEST_F(DefaultsTest, SetsDefaultsOfPodTemplates) {
  const Answer deployment = client_->Post(
      kDeployments,
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{)"
      R"("metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");

  ASSERT_EQ(deployment.code, 201) << deployment.body;
  EXPECT_EQ(JsonAt(deployment, {"spec", "template", "spec"}),
            R"({"containers":[{"name":"c","image":"i:1","resources":{},)"
            R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
            R"("imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always",)"
            R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
            R"("securityContext":{},"schedulerName":"default-scheduler"})");
}

TEST_F(DefaultsTest, SetsDefaultsOfClaimTemplates) {
  const Answer set = client_->Post(
      "/apis/apps/v1/namespaces/default/statefulsets",
      R"({"metadata":{"name":"s"},"spec":{"selector":{"matchLabels":{"a":"b"}},"serviceName":"s",)"
      R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",)"
      R"("image":"i"}]}},"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{)"
      R"("accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}})");

  ASSERT_EQ(set.code, 201) << set.body;
  const runtime::JsonValue& claim = ListAt(ObjectAt(set.json, "spec"), "volumeClaimTemplates")[0];
  EXPECT_EQ(runtime::GetString(claim, "kind"), "PersistentVolumeClaim");
  EXPECT_EQ(runtime::GetString(claim, "apiVersion"), "v1");
  EXPECT_EQ(runtime::GetString(ObjectAt(claim, "spec"), "volumeMode"), "Filesystem");
  EXPECT_EQ(runtime::GetString(ObjectAt(claim, "status"), "phase"), "Pending");
}

TEST_F(DefaultsTest, SetsTrafficPoliciesOfServices) {
  const auto create = [&](const std::string& members) {
    return client_->Post(
        Path(kServices, "?dryRun=All"),
        R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}])" + members + "}}");
  };
  const Answer internal = create("");
  const Answer balanced = create(R"(,"type":"LoadBalancer","sessionAffinity":"ClientIP")");

  EXPECT_EQ(JsonAt(internal, {"spec", "internalTrafficPolicy"}), R"("Cluster")");
  EXPECT_EQ(JsonAt(internal, {"spec", "externalTrafficPolicy"}), "");
  EXPECT_EQ(JsonAt(internal, {"spec", "ports"}),
            R"([{"port":80,"protocol":"TCP","targetPort":80}])");
  EXPECT_EQ(JsonAt(balanced, {"spec", "externalTrafficPolicy"}), R"("Cluster")");
  EXPECT_EQ(JsonAt(balanced, {"spec", "allocateLoadBalancerNodePorts"}), "true");
  EXPECT_EQ(JsonAt(balanced, {"spec", "sessionAffinityConfig"}),
            R"({"clientIP":{"timeoutSeconds":10800}})");
}

TEST_F(DefaultsTest, AllocatesAddressesOfServices) {
  const auto create = [&](const std::string& name, const std::string& members) {
    return client_->Post(kServices, R"({"metadata":{"name":")" + name +
                                        R"("},"spec":{"ports":[{"port":80}])" + members + "}}");
  };
  const Answer one = create("one", "");
  const Answer two = create("two", R"(,"type":"NodePort")");
  const Answer headless = create("none", R"(,"clusterIP":"None","selector":{"a":"b"})");
  const Answer updated = client_->Put(Path(kServices, "/two"),
                                      R"({"metadata":{"name":"two"},"spec":{"type":"NodePort",)"
                                      R"("ports":[{"port":80}]}})");

  EXPECT_EQ(JsonAt(one, {"spec", "clusterIPs"}), R"(["10.0.0.2"])");
  EXPECT_EQ(JsonAt(two, {"spec", "clusterIP"}), R"("10.0.0.3")");
  EXPECT_EQ(ListAt(ObjectAt(two.json, "spec"), "ports")[0]["nodePort"].GetInt(), 30000);
  EXPECT_EQ(JsonAt(updated, {"spec", "clusterIP"}), R"("10.0.0.3")");
  EXPECT_EQ(JsonAt(updated, {"spec", "ports"}), JsonAt(two, {"spec", "ports"}));
  EXPECT_EQ(JsonAt(headless, {"spec", "clusterIPs"}), R"(["None"])");
}

TEST_F(DefaultsTest, CountsChangesOfADaemonSetsTemplate) {
  const std::string sets = "/apis/apps/v1/namespaces/default/daemonsets";
  const Answer created = client_->Post(
      sets,
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{)"
      R"("metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  const Answer same =
      client_->Patch(sets + "/d", "merge-patch+json", R"({"spec":{"minReadySeconds":1}})");
  const Answer changed =
      client_->Patch(sets + "/d", "merge-patch+json",
                     R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}})");
  const auto count = [](const Answer& answer) {
    return JsonAt(answer, {"metadata", "annotations", "deprecated.daemonset.template.generation"});
  };

  EXPECT_EQ(count(created), R"("1")");
  EXPECT_EQ(count(same), R"("1")");
  EXPECT_EQ(count(changed), R"("2")");
}

TEST_F(DefaultsTest, TaintsNewNodes) {
  const Answer node = client_->Post(
      "/api/v1/nodes", R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"2000m"}}})");

  EXPECT_EQ(JsonAt(node, {"spec", "taints"}),
            R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])");
  EXPECT_EQ(JsonAt(node, {"status", "capacity"}), R"({"cpu":"2"})");
  EXPECT_EQ(JsonAt(node, {"status", "allocatable"}), R"({"cpu":"2"})");
}

TEST_F(DefaultsTest, SelectsThePodsOfAJobByItsUid) {
  const Answer job = client_->Post(
      kJobs, R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",)"
             R"("containers":[{"name":"c","image":"i"}]}}}})");

  ASSERT_EQ(job.code, 201) << job.body;
  const std::string uid = "\"" + std::string(job.meta("uid")) + "\"";
  EXPECT_EQ(JsonAt(job, {"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"}),
            uid);
  EXPECT_EQ(JsonAt(job, {"spec", "template", "metadata", "labels", "controller-uid"}), uid);
  EXPECT_EQ(JsonAt(job, {"spec", "template", "metadata", "labels", "job-name"}), R"("j")");
  EXPECT_EQ(JsonAt(job, {"spec", "completions"}), "1");
  EXPECT_EQ(JsonAt(job, {"spec", "backoffLimit"}), "6");
  EXPECT_EQ(JsonAt(job, {"spec", "podReplacementPolicy"}), R"("TerminatingOrFailed")");
}

TEST_F(DefaultsTest, HasTheServiceOfTheApiServer) {
  const Answer service = client_->Get(Path(kServices, "/kubernetes"));

  EXPECT_EQ(service.code, 200);
  EXPECT_EQ(JsonAt(service, {"spec", "clusterIP"}), R"("10.0.0.1")");
  EXPECT_EQ(JsonAt(service, {"metadata", "labels"}),
            R"({"component":"apiserver","provider":"kubernetes"})");
}

}  // namespace
}  // namespace capstan::testing::apiserver
