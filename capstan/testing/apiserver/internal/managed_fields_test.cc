// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/managed_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "capstan/testing/apiserver/internal/decoding.h"

namespace capstan::testing::apiserver {
namespace {

using clientgo::runtime::ToJson;
using ::testing::ElementsAre;

constexpr std::string_view kLive =
    R"({"metadata":{"name":"w"},"webhooks":[)"
    R"({"name":"a","clientConfig":{"url":"https://a"}},{"name":"b","clientConfig":{}}]})";

JsonDocument Parse(std::string_view text) {
  JsonDocument document;
  document.Parse(text.data(), text.size());
  EXPECT_FALSE(document.HasParseError()) << text;
  return document;
}

ManagedFieldsEntry Manager(const std::string& name) {
  return {.manager = name, .api_version = "v1", .time = "2026-01-01T00:00:00Z"};
}

// Returns a live object whose fields belong to "creator".
JsonDocument Live() {
  JsonDocument live = Parse(kLive);
  TrackUpdate(JsonValue(rapidjson::kObjectType), live, Manager("creator"));
  return live;
}

std::string FieldsOwnedBy(const JsonValue& object, const std::string& manager) {
  JsonDocument scratch;
  for (const auto& entry : ReadManagedFields(object)) {
    if (entry.manager == manager) return ToJson(entry.fields.ToJson(scratch.GetAllocator()));
  }
  return "";
}

std::string Webhooks(const JsonValue& object) { return ToJson(*Find(object, "webhooks")); }

constexpr std::string_view kApplied =
    R"({"metadata":{"name":"w"},"webhooks":[{"name":"a","clientConfig":{"caBundle":"Q0E="}}]})";

TEST(ApplyTest, MergesByNameAndOwnsAppliedFields) {
  const auto next = Apply(Live(), Parse(kApplied), Manager("injector"), false);

  ASSERT_TRUE(next.has_value()) << next.error().message;
  EXPECT_EQ(Webhooks(**next),
            R"([{"name":"a","clientConfig":{"url":"https://a","caBundle":"Q0E="}},)"
            R"({"name":"b","clientConfig":{}}])");
  EXPECT_EQ(FieldsOwnedBy(**next, "injector"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},)"
            R"("f:clientConfig":{"f:caBundle":{}},"f:name":{}}}})");
}

TEST(ApplyTest, RemovesUnappliedFieldsButNotThoseOfOthers) {
  const auto first = Apply(Live(), Parse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(first.has_value());

  const auto second =
      Apply(**first, Parse(R"({"metadata":{"name":"w"}})"), Manager("injector"), false);

  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(Webhooks(**second),
            R"([{"name":"a","clientConfig":{"url":"https://a"}},{"name":"b","clientConfig":{}}])");
  EXPECT_EQ(FieldsOwnedBy(**second, "injector"), "");
}

TEST(ApplyTest, RemovesItemThatOnlyItOwned) {
  const auto first =
      Apply(Live(), Parse(R"({"webhooks":[{"name":"c","x":1}]})"), Manager("injector"), false);
  ASSERT_TRUE(first.has_value());

  const auto second = Apply(**first, Parse(R"({"webhooks":[]})"), Manager("injector"), false);

  ASSERT_TRUE(second.has_value());
  EXPECT_THAT(Webhooks(**second), Not(::testing::HasSubstr("\"c\"")));
}

TEST(ApplyTest, ConflictsOnFieldOfAnotherManager) {
  const auto first = Apply(Live(), Parse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(first.has_value());
  const JsonDocument other =
      Parse(R"({"webhooks":[{"name":"a","clientConfig":{"caBundle":"WFhY"}}]})");

  const auto rejected = Apply(**first, other, Manager("other"), false);
  const auto forced = Apply(**first, other, Manager("other"), true);

  ASSERT_FALSE(rejected.has_value());
  EXPECT_EQ(rejected.error().code, 409);
  EXPECT_EQ(rejected.error().message,
            "Apply failed with 1 conflict: conflict with \"injector\": "
            ".webhooks[name=\"a\"].clientConfig.caBundle");
  ASSERT_TRUE(forced.has_value());
  EXPECT_EQ(FieldsOwnedBy(**forced, "injector"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}})");
}

TEST(ApplyTest, SharesFieldWithEqualValue) {
  const auto first = Apply(Live(), Parse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(first.has_value());

  const auto second = Apply(**first, Parse(kApplied), Manager("other"), false);

  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(FieldsOwnedBy(**second, "injector"), FieldsOwnedBy(**second, "other"));
}

TEST(ApplyTest, KeepsMapForWhichNullIsApplied) {
  const auto first =
      Apply(Parse("{}"), Parse(R"({"data":{"a":"1"},"finalizers":["x"]})"), Manager("a"), false);
  ASSERT_TRUE(first.has_value());

  const auto second =
      Apply(**first, Parse(R"({"data":null,"finalizers":null})"), Manager("b"), false);

  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_EQ(ToJson(*Find(**second, "data")), R"({"a":"1"})");
  EXPECT_EQ(ToJson(*Find(**second, "finalizers")), R"(["x"])");
  EXPECT_EQ(FieldsOwnedBy(**second, "a"), R"({"f:data":{"f:a":{}},"f:finalizers":{"v:\"x\"":{}}})");
}

TEST(ApplyTest, RejectsListsWithRepeatedKeys) {
  const Resource& deployments = *FindResource("apps", "v1", "deployments");
  const auto why = [&](std::string_view configuration) {
    const auto rejected = CheckApplied(deployments, Parse(configuration));
    const std::string message = rejected ? rejected->message : "";
    return message.substr(std::min(message.size(), message.find("): ") + 3));
  };
  EXPECT_EQ(why(R"({"metadata":{"finalizers":["a","b","a"]}})"),
            ".metadata.finalizers: duplicate entries for key [=\"a\"]");
  EXPECT_EQ(
      why(R"({"spec":{"template":{"spec":{"containers":[)"
          R"({"name":"a","env":[{"name":"E"},{"name":"E"}]}]}}}})"),
      ".spec.template.spec.containers[name=\"a\"].env: duplicate entries for key [name=\"E\"]");
  EXPECT_EQ(why(R"({"spec":{"template":{"spec":{"containers":[{"name":"a","args":["x","x"]}]}}}})"),
            "");
}

TEST(ApplyTest, ConflictsWhenAnEmptyMapReplacesNull) {
  const auto first = Apply(Parse("{}"), Parse(R"({"data":null})"), Manager("a"), false);
  ASSERT_TRUE(first.has_value());

  const auto rejected = Apply(**first, Parse(R"({"data":{}})"), Manager("b"), false);
  const auto forced = Apply(**first, Parse(R"({"data":{}})"), Manager("b"), true);

  ASSERT_FALSE(rejected.has_value());
  EXPECT_EQ(rejected.error().message, "Apply failed with 1 conflict: conflict with \"a\": .data");
  ASSERT_TRUE(forced.has_value());
  EXPECT_EQ(FieldsOwnedBy(**forced, "a"), "");
  EXPECT_EQ(FieldsOwnedBy(**forced, "b"), R"({"f:data":{}})");
}

TEST(TrackUpdateTest, MovesOwnershipToManagerThatChangesField) {
  const auto applied = Apply(Live(), Parse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(applied.has_value());
  JsonDocument next;
  next.CopyFrom(**applied, next.GetAllocator());
  SetString(*FindMutablePath((*FindMutable(next, "webhooks"))[0], {"clientConfig"}), "caBundle",
            "WVlZ", next.GetAllocator());

  const Comparison difference = TrackUpdate(**applied, next, Manager("editor"));

  EXPECT_THAT(difference.changed.Paths(),
              ElementsAre(".webhooks[name=\"a\"].clientConfig.caBundle"));
  EXPECT_EQ(FieldsOwnedBy(next, "editor"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{"f:clientConfig":{"f:caBundle":{}}}}})");
  EXPECT_EQ(FieldsOwnedBy(next, "injector"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}})");
}

TEST(TrackUpdateTest, EmptyListClearsManagers) {
  const JsonDocument live = Live();
  JsonDocument next;
  next.CopyFrom(live, next.GetAllocator());
  Set(*FindMutable(next, "metadata"), "managedFields", JsonValue(rapidjson::kArrayType),
      next.GetAllocator());

  TrackUpdate(live, next, Manager("editor"));

  EXPECT_TRUE(ReadManagedFields(next).empty());
}

TEST(TrackUpdateTest, KeepsEqualObjectUnchanged) {
  const JsonDocument live = Live();
  JsonDocument next;
  next.CopyFrom(live, next.GetAllocator());

  EXPECT_TRUE(TrackUpdate(live, next, Manager("editor")).empty());
  EXPECT_EQ(ToJson(next), ToJson(live));
}

TEST(FieldSetTest, RoundTripsThroughJson) {
  const JsonDocument json =
      Parse(R"({"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{"k:{\"name\":\"x\"}":{".":{},"v:1":{}}}})");
  JsonDocument scratch;

  const FieldSet set = FieldSet::FromJson(json);

  EXPECT_EQ(ToJson(set.ToJson(scratch.GetAllocator())), ToJson(json));
  EXPECT_THAT(set.Paths(), ElementsAre(".a", ".b", ".b.c", ".d[name=\"x\"]", ".d[name=\"x\"][=1]"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
