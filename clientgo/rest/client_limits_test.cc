// SPDX-License-Identifier: Apache-2.0
// One object of a tenant must not end a list or a watch of all namespaces. A value that nobody
// reads may have any depth that the API server stores. A kept value beyond a limit makes its own
// object undecodable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Reads spec.kept only.
runtime::ResourceType FooType() {
  runtime::ResourceType type = SecretType(false);
  type.gvr = {"example.com", "v1", "foos"};
  type.kind = "Foo";
  type.projection = {{"spec", "kept"}};
  return type;
}

const runtime::ResourceType kFooType = FooType();

std::string Nested(std::size_t levels) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += i % 2 == 0 ? R"({"a":)" : "[";
  text += "1";
  for (std::size_t i = levels; i-- > 0;) text += i % 2 == 0 ? '}' : ']';
  return text;
}

// Returns an object with `members` beside its identity.
std::string Foo(std::string_view name, std::string_view members = R"("spec":{"kept":1})") {
  return R"({"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":")" + std::string(name) +
         R"(","namespace":"ns","resourceVersion":"5","uid":"u-)" + std::string(name) + R"("},)" +
         std::string(members) + "}";
}

class ClientLimitsTest : public ClientFixture {
 protected:
  ClientLimitsTest() { Start(); }

  // Lists the objects in pieces of 1,000 bytes. Returns the keys.
  std::vector<std::string> List(std::string_view items, std::string_view kind = "FooList") {
    const std::string body = R"({"kind":")" + std::string(kind) +
                             R"(","metadata":{"resourceVersion":"9"},"items":[)" +
                             std::string(items) + "]}";
    testing::FakeResponse response;
    for (std::size_t at = 0; at < body.size(); at += 1000) {
      response.chunks.push_back(body.substr(at, 1000));
    }
    transport_->Push(std::move(response));
    std::vector<std::string> keys;
    auto meta = client_->List({}, kFooType, {}, [&](const runtime::ObjectPtr& object) {
      keys.emplace_back(object->key());
    });
    if (!meta) return {meta.error().message};
    EXPECT_EQ(meta->resource_version, "9");
    undecodable_ = std::move(meta->undecodable);
    return keys;
  }

  // Reads one event of a watch, and another one after it.
  runtime::WatchEvent WatchEvent(const std::string& object) {
    transport_->Push({.chunks = {R"({"type":"MODIFIED","object":)" + object + "}\n",
                                 R"({"type":"ADDED","object":)" + Foo("next") + "}\n"}});
    auto watch = client_->Watch({}, kFooType, {});
    EXPECT_TRUE(watch.has_value());
    auto event = (*watch)->Next(std::chrono::minutes(1));
    if (!event || !*event) {
      ADD_FAILURE() << (event ? "the watch ended" : event.error().message);
      return {};
    }
    const auto next = (*watch)->Next(std::chrono::minutes(1));
    const bool has_object = next && *next && (*next)->object != nullptr;
    EXPECT_TRUE(has_object && (*next)->object->key() == "ns/next");
    return std::move(**event);
  }

  std::vector<runtime::UndecodableObject> undecodable_;
};

TEST_F(ClientLimitsTest, ListsObjectWhoseUnreadValueHas10000Levels) {
  const std::string deep = Foo("deep", R"("spec":{"kept":1},"status":)" + Nested(9'999));

  EXPECT_THAT(List(Foo("a") + "," + deep + "," + Foo("z")), ElementsAre("ns/a", "ns/deep", "ns/z"));
  EXPECT_TRUE(undecodable_.empty());
}

TEST_F(ClientLimitsTest, WatchesObjectWhoseUnreadValueHas10000Levels) {
  const auto event = WatchEvent(Foo("deep", R"("spec":{"free":)" + Nested(9'998) + "}"));

  ASSERT_NE(event.object, nullptr) << event.error.message;
  EXPECT_EQ(event.object->key(), "ns/deep");
}

TEST_F(ClientLimitsTest, SkipsOnlyListedObjectWhoseKeptValueIsTooDeep) {
  for (const std::size_t levels : {257U, 300U, 9'998U}) {
    const std::string deep = Foo("deep", R"("spec":{"kept":)" + Nested(levels) + "}");

    EXPECT_THAT(List(Foo("a") + "," + deep + "," + Foo("z")), ElementsAre("ns/a", "ns/z"));
    ASSERT_EQ(undecodable_.size(), 1U);
    EXPECT_EQ(undecodable_[0].key, "ns/deep");
    EXPECT_EQ(undecodable_[0].uid, "u-deep");
    EXPECT_EQ(undecodable_[0].error.message, "bad Foo ns/deep: nested deeper than 256 levels");
  }
}

TEST_F(ClientLimitsTest, SkipsOnlyWatchedObjectWhoseKeptValueIsTooDeep) {
  const auto event = WatchEvent(Foo("deep", R"("spec":{"kept":)" + Nested(300) + "}"));

  EXPECT_EQ(event.type, runtime::EventType::kModified);
  EXPECT_EQ(event.object, nullptr);
  EXPECT_EQ(event.key, "ns/deep");
  EXPECT_EQ(event.uid, "u-deep");
  EXPECT_EQ(event.resource_version, "5");
  EXPECT_THAT(event.error.message, HasSubstr("nested deeper than 256 levels"));
}

TEST_F(ClientLimitsTest, SkipsOnlyObjectWhoseKeptValueIsTooLarge) {
  const std::string text(std::size_t{5} << 20U, 'x');
  const std::string digits(text.size(), '7');
  for (const std::string& kept : {'"' + text + '"', R"({")" + text + R"(":[1,{}]})", digits}) {
    const std::string object = Foo("large", R"("spec":{"kept":)" + kept + "}");

    EXPECT_THAT(List(Foo("a") + "," + object + "," + Foo("z")), ElementsAre("ns/a", "ns/z"));
    ASSERT_EQ(undecodable_.size(), 1U);
    EXPECT_EQ(undecodable_[0].key, "ns/large");
    EXPECT_THAT(undecodable_[0].error.message, HasSubstr("more than 4194304 bytes"));
    EXPECT_EQ(WatchEvent(object).key, "ns/large");
  }
}

TEST_F(ClientLimitsTest, SkipsOnlyObjectWhoseIdentityComesAfterItsTooDeepValue) {
  const std::string deep = R"({"spec":{"kept":)" + Nested(300) +
                           R"(},"metadata":{"uid":"u","name":"late","namespace":"ns"}})";

  EXPECT_THAT(List(Foo("a") + "," + deep), ElementsAre("ns/a"));
  ASSERT_EQ(undecodable_.size(), 1U);
  EXPECT_EQ(undecodable_[0].key, "ns/late");
}

TEST_F(ClientLimitsTest, SkipsOnlyObjectWhoseNameIsTooLarge) {
  const std::string named = Foo(std::string(std::size_t{5} << 20U, 'n'));

  EXPECT_THAT(List(Foo("a") + "," + named + "," + Foo("z")), ElementsAre("ns/a", "ns/z"));
  ASSERT_EQ(undecodable_.size(), 1U);
  EXPECT_EQ(undecodable_[0].key, "");
}

TEST_F(ClientLimitsTest, SkipsOnlyWatchedObjectWithInvalidUtf8) {
  const auto event = WatchEvent(Foo("text", "\"spec\":{\"kept\":\"\xff\"}"));

  EXPECT_EQ(event.object, nullptr);
  EXPECT_EQ(event.key, "ns/text");
  EXPECT_EQ(event.resource_version, "5");
  EXPECT_THAT(event.error.message, HasSubstr("not UTF-8"));
}

TEST_F(ClientLimitsTest, ListsObjectWhoseKeyHasAnUnpairedSurrogate) {
  EXPECT_THAT(List(Foo("a", R"("spec":{"\ud800":1,"kept":1})") + "," + Foo("z")),
              ElementsAre("ns/a", "ns/z"));
}

TEST_F(ClientLimitsTest, ListsKindWhoseListKindDoesNotEndInList) {
  EXPECT_THAT(List(Foo("a"), "FooCollection"), ElementsAre("ns/a"));
  EXPECT_THAT(List("", "FooCollection"), ElementsAre());
  EXPECT_THAT(List(Foo("a"), "Status"), ElementsAre("expected a list, got Status: "));
}

}  // namespace
}  // namespace capstan::rest
