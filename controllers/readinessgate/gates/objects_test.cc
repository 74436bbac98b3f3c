// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "clientgo/api/testing/decode.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::readinessgate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

PodPtr Decode(std::string_view body, PodFields keep = {}) {
  return api::MustDecode<Pod>(MakePodType(std::move(keep)), body);
}

// Decodes a pod "ns/n" with further members.
PodPtr DecodeWith(const std::string& members, PodFields keep = {}) {
  return Decode(
      R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n","uid":"u"})" + members + "}",
      std::move(keep));
}

PodPtr DecodeWithMetadata(const std::string& members, PodFields keep = {}) {
  return Decode(R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n",)" + members + "}}",
                std::move(keep));
}

TEST(PodTest, DecodesPodOfRealServer) {
  const std::string networks = "k8s.v1.cni.cncf.io/network-status";
  const auto pod = Decode(runtime::ReadGolden("pod.json"),
                          {.annotations = {networks, "readiness.capstan.dev/gate-set"},
                           .labels = {"app", "example.com/stage"}});

  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->key(), "demo/web-0");
  EXPECT_EQ(pod->uid().size(), 36U);
  EXPECT_THAT(std::string(pod->Annotation(networks).value_or("")), StartsWith("[{\n"));
  EXPECT_EQ(pod->Annotation("readiness.capstan.dev/gate-set"), "mesh");
  EXPECT_EQ(pod->Label("app"), "web");
  EXPECT_EQ(pod->Label("example.com/stage"), "");
  EXPECT_EQ(pod->node_name(), "node-a");
  EXPECT_EQ(pod->phase(), "Running");
  EXPECT_THAT(pod->pod_ips(), ElementsAre("10.244.1.7", "fd00::7"));
  EXPECT_EQ(pod->FindCondition("Initialized")->status, "True");
  EXPECT_EQ(pod->FindCondition("Ready")->status, "False");
  EXPECT_TRUE(pod->UsesCsiDriver("csi.cert-manager.io"));
  EXPECT_FALSE(pod->deleting() || pod->mirror() || pod->IsFinished());
  EXPECT_LT(pod->ByteSize(), 1200U);
}

TEST(PodTest, KeepsFieldsThatGatesRead) {
  const auto pod = Decode(
      R"({
    "kind": "Pod", "apiVersion": "v1",
    "metadata": {"namespace": "demo", "name": "web-0", "uid": "8c5b", "resourceVersion": "12",
                 "annotations": {"a.example/x": "1", "a.example/empty": "", "other": "dropped"},
                 "labels": {"app": "web", "other": "dropped"}},
    "spec": {"nodeName": "node-a", "containers": [{"name": "c", "image": "i"}],
             "volumes": [{"name": "v", "emptyDir": {}},
                         {"name": "tls", "csi": {"driver": "csi.cert-manager.io",
                                                 "volumeAttributes": {"driver": "no"}}}]},
    "status": {"phase": "Running", "podIP": "10.0.0.7", "hostIP": "192.0.2.1",
               "podIPs": [{"ip": "10.0.0.7"}, {"ip": "fd00::7"}],
               "conditions": [{"type": "Ready", "status": "False", "reason": "Waits"},
                              {"type": "Initialized", "status": "True"}]}})",
      {.annotations = {"a.example/x", "a.example/empty", "a.example/none"}, .labels = {"app"}});

  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->key(), "demo/web-0");
  EXPECT_EQ(pod->uid(), "8c5b");
  EXPECT_EQ(pod->resource_version(), "12");
  EXPECT_EQ(pod->Annotation("a.example/x"), "1");
  EXPECT_EQ(pod->Annotation("a.example/empty"), "");
  EXPECT_EQ(pod->Annotation("a.example/none"), std::nullopt);
  EXPECT_EQ(pod->Annotation("other"), std::nullopt);
  EXPECT_EQ(pod->Label("app"), "web");
  EXPECT_EQ(pod->Label("other"), std::nullopt);
  EXPECT_EQ(pod->node_name(), "node-a");
  EXPECT_EQ(pod->phase(), "Running");
  EXPECT_THAT(pod->pod_ips(), ElementsAre("10.0.0.7", "fd00::7"));
  ASSERT_NE(pod->FindCondition("Ready"), nullptr);
  EXPECT_EQ(pod->FindCondition("Ready")->status, "False");
  EXPECT_EQ(pod->FindCondition("ready"), nullptr);
  EXPECT_TRUE(pod->UsesCsiDriver("csi.cert-manager.io"));
  EXPECT_FALSE(pod->deleting());
  EXPECT_FALSE(pod->mirror());
  EXPECT_FALSE(pod->IsFinished());
}

TEST(PodTest, UsesFirstOfDuplicateConditions) {
  const auto pod = DecodeWith(R"(,"status":{"conditions":[{"type":"A","status":"False"},
                                  {"type":"B","status":"True"},{"type":"A","status":"True"}]})");

  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->FindCondition("A")->status, "False");
}

TEST(PodTest, SkipsInvalidConditions) {
  const auto pod = DecodeWith(
      R"(,"status":{"conditions":[null,7,{"type":1,"status":"True"},{"status":"True"},
          {"type":"A"},{"type":"B","status":true},{"type":"C","status":"Unknown"}]})");

  ASSERT_NE(pod, nullptr);
  ASSERT_EQ(pod->conditions().size(), 3U);
  EXPECT_EQ(pod->FindCondition("A")->status, "");
  EXPECT_EQ(pod->FindCondition("B")->status, "");
  EXPECT_EQ(pod->FindCondition("C")->status, "Unknown");
}

TEST(PodTest, FindsOnlyInlineCsiVolumes) {
  const auto two = DecodeWith(R"(,"spec":{"volumes":[{"csi":{"driver":"b"}},{"csi":{"driver":"a"}},
                                  {"csi":{"driver":"b"}}]})");
  const auto ephemeral = DecodeWith(
      R"(,"spec":{"volumes":[{"ephemeral":{"volumeClaimTemplate":{"spec":{"csi":{"driver":"a"}}}}},
          {"csi":null},{"csi":{"driver":7}},{"csi":{}},null]})");
  const auto none = DecodeWith(R"(,"spec":{"hostNetwork":true})");

  EXPECT_TRUE(two->UsesCsiDriver("a"));
  EXPECT_TRUE(two->UsesCsiDriver("b"));
  EXPECT_FALSE(two->UsesCsiDriver("c"));
  EXPECT_FALSE(ephemeral->UsesCsiDriver("a"));
  EXPECT_FALSE(none->UsesCsiDriver("a"));
  EXPECT_FALSE(none->UsesCsiDriver(""));
}

TEST(PodTest, IgnoresSingularPodIp) {
  const auto pod = DecodeWith(R"(,"status":{"podIP":"10.0.0.7","podIPs":[]})");

  ASSERT_NE(pod, nullptr);
  EXPECT_THAT(pod->pod_ips(), IsEmpty());
}

TEST(PodTest, DecodesDeletionTimestampAsFlag) {
  EXPECT_TRUE(DecodeWithMetadata(R"("deletionTimestamp":"2026-01-02T03:04:05Z",
                                    "finalizers":["example.org/hold"])")
                  ->deleting());
  EXPECT_FALSE(DecodeWithMetadata(R"("deletionTimestamp":null)")->deleting());
}

TEST(PodTest, RecognizesMirrorPods) {
  EXPECT_TRUE(
      DecodeWithMetadata(R"("annotations":{"kubernetes.io/config.mirror":"5f1e"})")->mirror());
  EXPECT_FALSE(
      DecodeWithMetadata(R"("annotations":{"kubernetes.io/config.source":"api"})")->mirror());
}

TEST(PodTest, RecognizesFinishedPods) {
  for (const std::string phase : {"Succeeded", "Failed"}) {
    EXPECT_TRUE(DecodeWith(R"(,"status":{"phase":")" + phase + R"("})")->IsFinished()) << phase;
  }
  for (const std::string phase : {"Pending", "Running", "Unknown", "", "failed"}) {
    EXPECT_FALSE(DecodeWith(R"(,"status":{"phase":")" + phase + R"("})")->IsFinished()) << phase;
  }
}

TEST(PodTest, DecodesPodWithOnlyAName) {
  for (const std::string rest :
       {"", R"(,"spec":null,"status":null)", R"(,"spec":7,"status":"x")",
        R"(,"spec":{"volumes":{}},"status":{"podIPs":{},"conditions":{}})",
        R"(,"spec":{"volumes":null},"status":{"podIPs":null,"conditions":null})"}) {
    const auto pod = DecodeWith(rest, {.annotations = {"a"}, .labels = {"a"}});
    ASSERT_NE(pod, nullptr) << rest;
    EXPECT_EQ(pod->phase(), "");
    EXPECT_EQ(pod->node_name(), "");
    EXPECT_THAT(pod->pod_ips(), IsEmpty());
    EXPECT_THAT(pod->conditions(), IsEmpty());
    EXPECT_EQ(pod->Annotation("a"), std::nullopt);
    EXPECT_EQ(pod->Label("a"), std::nullopt);
  }
}

TEST(PodTest, IgnoresAnnotationsThatAreNotStrings) {
  const auto pod = DecodeWithMetadata(R"("annotations":{"a":7,"b":null,"c":{"d":"e"},"d":"yes"},
                                         "labels":["app"])",
                                      {.annotations = {"a", "b", "c", "d"}, .labels = {"app"}});

  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->Annotation("a"), std::nullopt);
  EXPECT_EQ(pod->Annotation("b"), std::nullopt);
  EXPECT_EQ(pod->Annotation("c"), std::nullopt);
  EXPECT_EQ(pod->Annotation("d"), "yes");
  EXPECT_EQ(pod->Label("app"), std::nullopt);
}

TEST(PodTest, LargePodCostsOnlyTheKeptFields) {
  const std::string big(std::size_t{1200} * 1024, 'x');
  const auto pod = DecodeWith(R"(,"spec":{"containers":[{"name":"c","args":[")" + big +
                              R"("]}],"nodeName":"a"},"status":{"phase":"Pending"})");

  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->phase(), "Pending");
  EXPECT_LT(pod->ByteSize(), 1024U);
}

// A pod's author may fill 256 KiB of annotations.
TEST(PodTest, AnnotationsCostOnlyWhatGatesRead) {
  const std::string big(std::size_t{120} * 1024, 'x');
  const auto pod = DecodeWithMetadata(
      R"("annotations":{"own":"v1","marker":")" + big + R"(","other":")" + big + R"(","empty":""})",
      {.annotations = {"own", "other"},
       .annotation_bytes_max = 100,
       .markers = {"marker", "empty"}});

  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->Annotation("own"), "v1");
  EXPECT_TRUE(pod->HasMarker("marker"));
  EXPECT_FALSE(pod->HasMarker("empty"));
  EXPECT_FALSE(pod->HasMarker("absent"));
  EXPECT_LT(pod->ByteSize(), 700U);
}

TEST(PodTest, KeepsOnlyNamedConditions) {
  const auto pod = DecodeWith(R"(,"status":{"conditions":[{"type":"A","status":"False"},
      {"type":"B","status":"True"},{"type":"A","status":"True"}]})",
                              {.conditions = {{"A"}}});

  ASSERT_NE(pod, nullptr);
  ASSERT_EQ(pod->conditions().size(), 1U);
  EXPECT_EQ(pod->FindCondition("A")->status, "False");
}

TEST(PodTest, KeepsNothingOfPodsThatGatesDoNotConcern) {
  const auto decode = [](const std::string& driver, const std::string& annotation,
                         const std::string& phase) {
    return Decode(
        R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n","annotations":{"a":"b")" +
            annotation +
            R"(},"labels":{"a":"b"}},"spec":{"nodeName":"node","volumes":[)"
            R"({"csi":{"driver":")" +
            driver +
            R"("}},{"csi":{"driver":"other"}}]},)"
            R"("status":{"podIPs":[{"ip":"10.0.0.1"}],"phase":")" +
            phase + R"("}})",
        {.annotations = {"a"}, .labels = {"a"}, .csi_driver = "d"});
  };
  const auto ours = decode("d", "", "Running");
  EXPECT_TRUE(ours->UsesCsiDriver("d"));
  EXPECT_FALSE(ours->UsesCsiDriver("other"));
  EXPECT_EQ(ours->Annotation("a"), "b");
  for (const auto& pod : {decode("x", "", "Running"), decode("d", "", "Succeeded"),
                          decode("d", R"(,"kubernetes.io/config.mirror":"1")", "Running")}) {
    EXPECT_EQ(pod->node_name(), "node");
    EXPECT_EQ(pod->Annotation("a"), std::nullopt);
    EXPECT_EQ(pod->Label("a"), std::nullopt);
    EXPECT_THAT(pod->pod_ips(), IsEmpty());
  }
  EXPECT_TRUE(decode("d", "", "Failed")->IsFinished());
}

TEST(GateConfigMapTest, KeepsWhichKeysHaveAValue) {
  const std::string big(std::size_t{900} * 1024, 'x');
  const std::string body =
      R"({"kind":"ConfigMap","metadata":{"namespace":"ns","name":"c"},"data":{)"
      R"("ca.crt":")" +
      big + R"(","empty":"","other":"x"}})";
  const auto named = api::MustDecode<TypedObject<api::ConfigMap>>(
      MakeGateConfigMapType({"ca.crt", "empty", "absent"}, {"c"}), body);
  const auto other =
      api::MustDecode<TypedObject<api::ConfigMap>>(MakeGateConfigMapType({"ca.crt"}, {"d"}), body);

  ASSERT_NE(named, nullptr);
  EXPECT_EQ(named->data.size(), 1U);
  EXPECT_FALSE(named->Find("ca.crt").value_or("").empty());
  EXPECT_LT(named->ByteSize(), 500U);
  EXPECT_TRUE(other->data.empty());
}

TEST(PodTest, HasPathOfPods) {
  EXPECT_EQ(MakePodType({}).Path("ns", "n", "status"), "/api/v1/namespaces/ns/pods/n/status");
}

TEST(NodeTest, DecodesNodeOfRealServer) {
  const auto node = api::MustDecode<Node>(Node::Type(), runtime::ReadGolden("node.json"));

  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->key(), "node-a");
  ASSERT_EQ(node->conditions().size(), 2U);
  EXPECT_EQ(node->FindCondition("NetworkUnavailable")->status, "False");
  EXPECT_EQ(node->FindCondition("Ready")->status, "True");
}

TEST(NodeTest, KeepsConditions) {
  const auto node = api::MustDecode<Node>(Node::Type(), R"({"kind":"Node",
    "metadata":{"name":"node-a","uid":"u","labels":{"a":"b"}},
    "spec":{"podCIDR":"10.0.0.0/24","taints":[{"key":"type","effect":"NoSchedule"}]},
    "status":{"images":[{"names":["i"]}],"conditions":[
      {"type":"NetworkUnavailable","status":"False","reason":"CiliumIsUp"},
      {"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-02T03:04:05Z"},
      {"type":"Ready","status":"False"}]}})");

  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->key(), "node-a");
  ASSERT_NE(node->FindCondition("NetworkUnavailable"), nullptr);
  EXPECT_EQ(node->FindCondition("NetworkUnavailable")->status, "False");
  EXPECT_EQ(node->FindCondition("Ready")->status, "True");
  EXPECT_EQ(node->FindCondition("DiskPressure"), nullptr);
  EXPECT_LT(node->ByteSize(), 600U);
}

TEST(NodeTest, DecodesNodeWithoutConditions) {
  for (const std::string rest : {"}", R"(,"status":null})", R"(,"status":{}})",
                                 R"(,"status":{"conditions":{"type":"A"}}})"}) {
    const auto node =
        api::MustDecode<Node>(Node::Type(), R"({"kind":"Node","metadata":{"name":"n"})" + rest);
    ASSERT_NE(node, nullptr);
    EXPECT_THAT(node->conditions(), IsEmpty());
  }
}

TEST(NodeTest, HasPathOfNodes) { EXPECT_EQ(Node::Type().Path("", "n"), "/api/v1/nodes/n"); }

}  // namespace
}  // namespace capstan::readinessgate
