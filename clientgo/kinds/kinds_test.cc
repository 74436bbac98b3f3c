// SPDX-License-Identifier: Apache-2.0
// Tests of the generated kinds: what an API server sends is read and written without a loss.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/client.h"
#include "clientgo/kinds/testing/all_kinds.h"

namespace capstan {

struct NodeOfPod : api::core::v1::Pod {};
template <>
inline constexpr auto kKind<NodeOfPod> = kKind<api::core::v1::Pod>.Keep("status.podIPs",
                                                                        "spec.containers.image",
                                                                        "metadata.labels.app");

namespace api {
namespace {

using apps::v1::Deployment;
using core::v1::Pod;
using core::v1::Secret;
using ::testing::HasSubstr;

template <class T>
Ptr<T> Read(const std::string& json) {
  auto object = FromJson<T>(json);
  EXPECT_TRUE(object.has_value()) << object.error().message;
  return *object;
}

constexpr const char* kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{)"
    R"("volumes":[{"name":"c","configMap":{"name":"c","defaultMode":420}}],)"
    R"("containers":[{"name":"a","image":"i","ports":[{"containerPort":80,"protocol":"TCP"}],)"
    R"("env":[{"name":"X","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],)"
    R"("resources":{"limits":{"cpu":"100m","memory":"1Gi"}},)"
    R"("livenessProbe":{"httpGet":{"path":"/","port":"http"},"periodSeconds":10}}],)"
    R"("terminationGracePeriodSeconds":30,"hostNetwork":true},)"
    R"("status":{"podIPs":[{"ip":"10.0.0.1"}],"startTime":"2026-01-01T00:00:00Z"}})";

TEST(KindsTest, ReadsAWholePod) {
  const auto pod = Read<Pod>(kPod);
  ASSERT_EQ(pod->spec.containers.size(), 1U);
  const core::v1::Container& container = pod->spec.containers.front();
  EXPECT_EQ(container.ports.front().container_port, 80);
  EXPECT_EQ(container.env.front().value_from->secret_key_ref->name, "s");
  EXPECT_EQ(container.resources.limits.at("cpu"), Quantity::FromMilli(100));
  EXPECT_EQ(container.liveness_probe->http_get->port, IntOrString("http"));
  EXPECT_TRUE(pod->spec.host_network);
  EXPECT_EQ(pod->status.pod_ips.front().ip, "10.0.0.1");
}

TEST(KindsTest, KeepsTheNamedPathsOnly) {
  const auto pod = Read<NodeOfPod>(kPod);
  EXPECT_EQ(pod->status.pod_ips.front().ip, "10.0.0.1");
  EXPECT_FALSE(pod->status.start_time.has_value());
  EXPECT_EQ(pod->spec.containers.front().image, "i");
  EXPECT_EQ(pod->spec.containers.front().name, "");
  EXPECT_TRUE(pod->spec.volumes.empty());
  EXPECT_EQ(KeyOf(*pod).String(), "n/p");
  static_assert(!kIsWholeKind<NodeOfPod>);
}

TEST(KindsTest, WritesWhatItRead) { EXPECT_EQ(ToJson(*Read<Pod>(kPod)), kPod); }

TEST(KindsTest, KeepsAStructWithoutFieldsThatIsThere) {
  constexpr const char* kPodGroup =
      R"({"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup",)"
      R"("metadata":{"name":"g","namespace":"n"},"spec":{"disruptionMode":{"all":{}}}})";
  const auto group = Read<scheduling::v1beta1::PodGroup>(kPodGroup);
  ASSERT_TRUE(group->spec.disruption_mode);
  EXPECT_TRUE(group->spec.disruption_mode->all);
  EXPECT_FALSE(group->spec.disruption_mode->single);
  EXPECT_THAT(ToJson(*group), HasSubstr(R"("disruptionMode":{"all":{}})"));
}

// The template is a PersistentVolumeClaim, which is a kind as well.
TEST(KindsTest, KeepsTheMetadataOfATemplate) {
  const auto set = Read<apps::v1::StatefulSet>(
      R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s"},)"
      R"("spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"}}]}})");
  EXPECT_EQ(set->spec.volume_claim_templates.front().metadata.name, "data");
  EXPECT_THAT(ToJson(*set), HasSubstr(R"("volumeClaimTemplates":[{"metadata":{"name":"data"})"));
}

// The Gateway API's definitions have it as a default. A required time that is not set is the same.
TEST(KindsTest, KeepsTheTime1970) {
  admissionregistration::v1::ValidatingAdmissionPolicy policy;
  policy.metadata.name = "p";
  policy.status.conditions = {{.type = "Ready"}};
  const std::string json = ToJson(policy);
  EXPECT_THAT(json, HasSubstr(R"("lastTransitionTime":"1970-01-01T00:00:00Z")"));
  EXPECT_EQ(ToJson(*Read<admissionregistration::v1::ValidatingAdmissionPolicy>(json)), json);
}

TEST(KindsTest, AppliesOnlyWhatIsSet) {
  Deployment wanted;
  wanted.metadata.name = "d";
  wanted.spec.replicas = 0;
  EXPECT_EQ(ToApplyJson(wanted),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},)"
            R"("spec":{"replicas":0}})");
  policy::v1::PodDisruptionBudget budget;
  budget.metadata.name = "b";
  EXPECT_EQ(ToApplyJson(budget), R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget",)"
                                 R"("metadata":{"name":"b"}})");
}

TEST(KindsTest, RefusesAnObjectWithoutName) {
  const auto pod = FromJson<Pod>(R"({"apiVersion":"v1","kind":"Pod","metadata":{}})");
  ASSERT_FALSE(pod.has_value());
  EXPECT_THAT(pod.error().message, HasSubstr("object has no metadata.name"));
}

TEST(KindsTest, ComparesObjects) {
  const auto before = Read<Pod>(kPod);
  Pod after = *before;
  EXPECT_TRUE(after == static_cast<const Pod&>(*before));
  after.spec.containers.front().resources.limits["cpu"] = Quantity(1);
  EXPECT_FALSE(after == static_cast<const Pod&>(*before));
}

TEST(KindsTest, DecodesBytes) {
  Secret secret = *Read<Secret>(
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"dg=="}})");
  EXPECT_EQ(secret.data.at("k").value, "v");
  secret.data["l"].value = "w";
  EXPECT_THAT(ToJson(secret), HasSubstr(R"("data":{"k":"dg==","l":"dw=="})"));
}

// JSONSchemaProps contains itself, and three of its members are one of two types.
TEST(KindsTest, ReadsSchemasInsideOfSchemas) {
  const std::string json =
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"foos.example.com"},"spec":{"group":"example.com",)"
      R"("names":{"plural":"foos","kind":"Foo"},"scope":"Namespaced",)"
      R"("versions":[{"name":"v1","served":true,"storage":true,)"
      R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
      R"("default":{"a":[1]},"properties":{"list":{"type":"array","items":{"type":"string",)"
      R"("enum":["a","b"]}}},"additionalProperties":false}}}}}]},)"
      R"("status":{"conditions":[],"acceptedNames":{"plural":"foos","kind":"Foo"},)"
      R"("storedVersions":["v1"]}})";
  const auto crd = Read<apiextensions::v1::CustomResourceDefinition>(json);
  const auto& schema = *crd->spec.versions.front().schema->open_apiv3_schema;
  EXPECT_EQ(schema.properties.at("spec").properties.at("list").items->schema->type, "string");
  EXPECT_EQ(ToJson(*crd), json);
}

TEST(KindsTest, HasAllKinds) {
  int count = 0;
  ForEachKind([&]<class T>() {
    ++count;
    const auto& info = kKind<T>.info();
    const std::string api_version = info.group.empty()
                                        ? std::string(info.version)
                                        : std::string(info.group) + "/" + std::string(info.version);
    const std::string json = R"({"apiVersion":")" + api_version + R"(","kind":")" +
                             std::string(info.kind) + R"(","metadata":{"name":"a"}})";
    const auto object = FromJson<T>(json);
    ASSERT_TRUE(object.has_value()) << json;
    EXPECT_EQ((*object)->name(), "a") << json;
  });
  EXPECT_GE(count, 60);
}

}  // namespace
}  // namespace api
}  // namespace capstan
