// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/resource_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "capstan/runtime/group_version.h"
#include "clientgo/runtime/json.h"

namespace capstan::runtime {
namespace {

using ::testing::HasSubstr;

ResourceType MakeType(std::string group, bool namespaced) {
  return {.gvr = {std::move(group), "v1", "things"},
          .kind = "Thing",
          .namespaced = namespaced,
          .projection = {{"spec"}},
          .decode = {}};
}

Expected<ObjectIdentity> DecodeIdentityOf(const std::string& text, JsonDocument& document) {
  document.Parse(text.c_str());
  return DecodeIdentity(document);
}

TEST(ResourceTypeTest, BuildsPathsOfCoreGroup) {
  const ResourceType type = MakeType("", true);
  EXPECT_EQ(type.Path(""), "/api/v1/things");
  EXPECT_EQ(type.Path("ns"), "/api/v1/namespaces/ns/things");
  EXPECT_EQ(type.Path("ns", "n"), "/api/v1/namespaces/ns/things/n");
  EXPECT_EQ(type.Path("ns", "n", "status"), "/api/v1/namespaces/ns/things/n/status");
  EXPECT_EQ(type.gvr.ApiVersion(), "v1");
}

TEST(ResourceTypeTest, BuildsPathsOfNamedGroup) {
  const ResourceType type = MakeType("example.io", false);
  EXPECT_EQ(type.Path("ignored", "n"), "/apis/example.io/v1/things/n");
  EXPECT_EQ(type.gvr.ApiVersion(), "example.io/v1");
}

TEST(ResourceTypeTest, EscapesEachPathSegment) {
  const ResourceType type = MakeType("", true);
  EXPECT_EQ(type.Path("ns", "a/../b?x=1"), "/api/v1/namespaces/ns/things/a%2F..%2Fb%3Fx%3D1");
  EXPECT_EQ(type.Path("ns", "system:node"), "/api/v1/namespaces/ns/things/system:node");
  EXPECT_EQ(type.Path("ns", "\xc3\xa9\n"), "/api/v1/namespaces/ns/things/%C3%A9%0A");
}

TEST(ResourceTypeTest, DerivesAllThreeWireProjections) {
  const ResourceType type = MakeType("", true);
  const auto& object = type.projection.object().root();
  EXPECT_TRUE(object.Find("spec")->keep_all);
  EXPECT_TRUE(object.Find("metadata")->Find("uid")->keep_all);
  EXPECT_EQ(object.Find("status"), nullptr);
  EXPECT_TRUE(type.projection.list().root().Find("items")->Find("spec")->keep_all);
  EXPECT_TRUE(type.projection.watch().root().Find("object")->Find("spec")->keep_all);
}

TEST(ResourceTypeTest, ChangesAllThreeWireProjectionsTogether) {
  ResourceType type = MakeType("", true);

  type.projection = {{"status"}};

  EXPECT_EQ(type.projection.object().root().Find("spec"), nullptr);
  EXPECT_TRUE(type.projection.object().root().Find("status")->keep_all);
  EXPECT_TRUE(type.projection.list().root().Find("items")->Find("status")->keep_all);
  EXPECT_TRUE(type.projection.watch().root().Find("object")->Find("status")->keep_all);
  // None of the three can be changed alone.
  static_assert(std::is_same_v<decltype(type.projection.watch()), const Projection&>);
}

TEST(DecodeMetaTest, ReadsIdentity) {
  JsonDocument document;
  const auto meta = DecodeIdentityOf(
      R"({"metadata":{"namespace":"ns","name":"n","uid":"u","resourceVersion":"7"}})", document);

  ASSERT_TRUE(meta.has_value());
  EXPECT_EQ(meta->namespace_, "ns");
  EXPECT_EQ(meta->name, "n");
  EXPECT_EQ(meta->uid, "u");
  EXPECT_EQ(meta->resource_version, "7");
}

TEST(DecodeMetaTest, RejectsObjectWithoutName) {
  for (const char* text : {"{}", "[]", "null", R"({"metadata":{}})", R"({"metadata":[]})",
                           R"({"metadata":{"name":""}})", R"({"metadata":{"name":7}})"}) {
    JsonDocument document;
    const auto meta = DecodeIdentityOf(text, document);
    ASSERT_FALSE(meta.has_value()) << text;
    EXPECT_EQ(meta.error().reason, ErrorReason::kDecode);
  }
}

TEST(DecodeMetaTest, RejectsFieldsThatAreTooLong) {
  for (const char* field : {"namespace", "name", "uid", "resourceVersion"}) {
    JsonDocument document;
    const auto meta = DecodeIdentityOf(R"({"metadata":{")" + std::string(field) + "\":\"" +
                                           std::string(70'000, 'x') + R"(","name":"n"}})",
                                       document);
    ASSERT_FALSE(meta.has_value()) << field;
    EXPECT_THAT(meta.error().message, HasSubstr("70000 bytes"));
  }
}

TEST(GroupVersionTest, ParsesAnApiVersion) {
  EXPECT_EQ(GroupVersion::Parse("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(GroupVersion::Parse("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(GroupVersion::Parse(""), std::nullopt);
  EXPECT_EQ(GroupVersion::Parse("a/b/c"), std::nullopt);
  EXPECT_EQ(GroupVersionKind::FromApiVersion("apps/v1", "Deployment"),
            (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(GroupVersionKind::FromApiVersion("a/b/c", "X"), std::nullopt);
}

TEST(GroupVersionTest, WritesNamesAsApimachineryDoes) {
  EXPECT_EQ((GroupVersion{"apps", "v1"}.String()), "apps/v1");
  EXPECT_EQ((GroupKind{"apps", "Deployment"}.String()), "Deployment.apps");
  EXPECT_EQ((GroupKind{"", "Pod"}.String()), "Pod");
  EXPECT_EQ((GroupVersionKind{"", "v1", "Pod"}.String()), "/v1, Kind=Pod");
  EXPECT_EQ((GroupResource{"apps", "deployments"}.String()), "deployments.apps");
  EXPECT_EQ((GroupVersionResource{"", "v1", "pods"}.String()), "/v1, Resource=pods");
}

}  // namespace
}  // namespace capstan::runtime
