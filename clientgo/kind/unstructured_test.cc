// SPDX-License-Identifier: Apache-2.0
#include "capstan/unstructured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kDeployment[] =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"ns",)"
    R"("uid":"u","resourceVersion":"7","labels":{"app":"web"}},"spec":{"replicas":3,"template":)"
    R"({"spec":{"containers":[{"name":"a","image":"i:1"},{"name":"b","image":"j"}]}}},)"
    R"("status":{"readyReplicas":2}})";

Unstructured Deployment() { return Unstructured::FromJson(kDeployment).value(); }

TEST(UnstructuredTest, ReadsValuesByPath) {
  const Unstructured object = Deployment();

  EXPECT_EQ(object.api_version(), "apps/v1");
  EXPECT_EQ(object.kind(), "Deployment");
  EXPECT_EQ(object.metadata.name, "d");
  EXPECT_EQ(object.Get<int>({"spec", "replicas"}), 3);
  EXPECT_EQ(object.Get<std::string>({"spec", "template", "spec", "containers", "1", "image"}), "j");
  EXPECT_EQ(object.Get<RawJson>({"status"})->text, R"({"readyReplicas":2})");
  EXPECT_EQ(object.Get<std::string>({"metadata", "labels", "app"}), "web");
  EXPECT_EQ((object.Get<std::map<std::string, int>>({"status"}).value().at("readyReplicas")), 2);
}

TEST(UnstructuredTest, ReturnsNothingForAMissingValueOrAnotherType) {
  const Unstructured object = Deployment();
  EXPECT_EQ(object.Get<int>({"spec", "paused"}), std::nullopt);
  EXPECT_EQ(object.Get<std::string>({"spec", "replicas"}), std::nullopt);
  EXPECT_EQ(object.Get<int>({"spec", "replicas", "x"}), std::nullopt);
  EXPECT_EQ(object.Get<int>({"spec", "template", "spec", "containers", "2"}), std::nullopt);
  EXPECT_EQ(object.Get<int>({"spec", "template", "spec", "containers", "-1"}), std::nullopt);
}

TEST(UnstructuredTest, SetsValuesByPath) {
  Unstructured object("example.io/v1", "Foo");
  object.metadata.name = "f";
  ASSERT_TRUE(object.Set({"spec", "deep", "text"}, "x").has_value());
  ASSERT_TRUE(object.Set({"spec", "number"}, 5).has_value());
  ASSERT_TRUE(object.Set({"spec", "list"}, std::vector<std::string>{"a"}).has_value());
  ASSERT_TRUE(object.Set({"spec", "list", "1"}, "b").has_value());
  ASSERT_TRUE(object.Set({"spec", "list", "0"}, "A").has_value());
  ASSERT_TRUE(object.Set({"spec", "raw"}, RawJson{R"({"k":[true]})"}).has_value());
  ASSERT_TRUE(object.Set({"spec", "number"}, 6).has_value());

  EXPECT_EQ(object.ToJson(),
            R"({"apiVersion":"example.io/v1","kind":"Foo","metadata":{"name":"f"},"spec":)"
            R"({"deep":{"text":"x"},"number":6,"list":["A","b"],"raw":{"k":[true]}}})");
}

TEST(UnstructuredTest, SetsMetadataByPath) {
  Unstructured object = Deployment();
  ASSERT_TRUE(object.Set({"metadata", "labels", "tier"}, "front").has_value());
  EXPECT_THAT(object.metadata.labels, ElementsAre(Pair("app", "web"), Pair("tier", "front")));

  const auto failed = object.Set({"metadata", "labels", "tier"}, 5);
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message,
              HasSubstr("failed to set \"metadata.labels.tier\": labels.tier: not a string"));
  EXPECT_EQ(object.metadata.labels.at("tier"), "front");
}

TEST(UnstructuredTest, RejectsAPathThatLeavesTheObject) {
  const std::string before = Deployment().ToJson();
  for (const Unstructured::Path& path :
       {Unstructured::Path{}, Unstructured::Path{"kind"}, Unstructured::Path{"apiVersion"},
        Unstructured::Path{"spec", "replicas", "x"},
        Unstructured::Path{"spec", "template", "spec", "containers", "3"},
        Unstructured::Path{"spec", "template", "spec", "containers", "first"}}) {
    Unstructured object = Deployment();
    const auto set = object.Set(path, 1);
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_EQ(object.ToJson(), before);
  }
}

TEST(UnstructuredTest, RejectsTextThatIsNotJson) {
  Unstructured object = Deployment();
  EXPECT_FALSE(object.Set({"spec", "raw"}, RawJson{"{"}).has_value());
  EXPECT_FALSE(object.Set({"spec", "text"}, std::string("\xff")).has_value());
  EXPECT_EQ(object, Deployment());
}

TEST(UnstructuredTest, RemovesValuesByPath) {
  Unstructured object = Deployment();
  object.Remove({"spec", "template", "spec", "containers", "0"});
  object.Remove({"status"});
  object.Remove({"metadata", "labels"});
  object.Remove({"spec", "missing", "too"});
  object.Remove({});

  EXPECT_EQ(object.ToJson(),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d",)"
            R"("namespace":"ns","uid":"u","resourceVersion":"7"},"spec":{"replicas":3,"template":)"
            R"({"spec":{"containers":[{"name":"b","image":"j"}]}}}})");
}

TEST(UnstructuredTest, KeepsAllFieldsOfAnObject) {
  EXPECT_EQ(Deployment().ToJson(), kDeployment);
  EXPECT_EQ(Unstructured::FromJson(Deployment().ToJson()).value(), Deployment());
}

TEST(UnstructuredTest, WritesTheStatusWithTheIdentity) {
  EXPECT_EQ(StatusToJson(Deployment()),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d",)"
            R"("namespace":"ns","uid":"u","resourceVersion":"7"},"status":{"readyReplicas":2}})");
}

TEST(UnstructuredTest, ReadsObjectThatIsNestedAsDeepAsTheApiServerAllows) {
  const std::string deep = std::string(9'999, '[') + std::string(9'999, ']');

  const auto object = Unstructured::FromJson(
      R"({"apiVersion":"v1","kind":"Foo","metadata":{"name":"x"},"free":)" + deep + "}");

  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_NE(object->ToJson().find(deep), std::string::npos);
}

TEST(UnstructuredTest, RejectsTextWithoutAKind) {
  for (const char* text : {"", "[]", "{}", R"({"kind":5})", R"({"kind":"A","metadata":[]})"}) {
    EXPECT_FALSE(Unstructured::FromJson(text).has_value()) << text;
  }
}

TEST(UnstructuredTest, IsDecodedFromAListItem) {
  const auto type = Unstructured::TypeFor({"apps", "v1", "deployments"}, "Deployment", true);
  std::string item = R"({"metadata":{"name":"d","namespace":"ns","managedFields":[{}]},)"
                     R"("spec":{"replicas":3}} )";
  const auto object = runtime::DecodeListItem(type, item.data(), item.size() - 1);

  ASSERT_TRUE(object.has_value()) << object.error().error.message;
  const auto typed = runtime::DynamicObjectCast<TypedObject<Unstructured>>(*object);
  ASSERT_NE(typed, nullptr);
  EXPECT_EQ(typed->key(), "ns/d");
  EXPECT_EQ(KeyOf(*typed).name, "d");
  EXPECT_EQ(typed->Get<int>({"spec", "replicas"}), 3);
  EXPECT_EQ(ToJson(*typed), R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d",)"
                            R"("namespace":"ns"},"spec":{"replicas":3}})");
  EXPECT_GT(typed->ByteSize(), sizeof(TypedObject<Unstructured>));
}

}  // namespace
}  // namespace capstan
