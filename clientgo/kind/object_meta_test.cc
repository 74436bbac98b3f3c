// SPDX-License-Identifier: Apache-2.0
#include "capstan/object_meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "capstan/codec.h"
#include "capstan/runtime/parsed_json.h"

namespace capstan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::Pair;

constexpr char kWhole[] =
    R"({"name":"n","generateName":"n-","namespace":"ns","uid":"u","resourceVersion":"5",)"
    R"("generation":3,"creationTimestamp":"2026-01-02T03:04:05Z",)"
    R"("deletionTimestamp":"2026-01-02T03:05:05Z","deletionGracePeriodSeconds":0,)"
    R"("labels":{"a":"b"},"annotations":{"c":"\"d\""},"ownerReferences":[{"apiVersion":"v1",)"
    R"("kind":"K","name":"o","uid":"ou","controller":true,"blockOwnerDeletion":true},)"
    R"({"apiVersion":"v1","kind":"K","name":"p","uid":"pu"}],"finalizers":["f"]})";

ObjectMeta Decode(std::string_view json) {
  ObjectMeta metadata;
  DecodeProblem problem;
  const auto parsed = runtime::ParsedJson::Parse(json);
  EXPECT_TRUE(parsed.has_value() && DecodeObjectMeta(parsed->root(), metadata, problem))
      << problem.message();
  return metadata;
}

std::string Encode(const ObjectMeta& metadata) {
  runtime::JsonWriter writer;
  EncodeObjectMeta(writer, metadata);
  return std::move(writer).Take();
}

TEST(ObjectMetaTest, KeepsEveryField) {
  const ObjectMeta metadata = Decode(kWhole);

  EXPECT_EQ(metadata.name, "n");
  EXPECT_EQ(metadata.namespace_, "ns");
  EXPECT_EQ(metadata.generation, 3);
  EXPECT_EQ(metadata.deletion_grace_period_seconds, 0);
  EXPECT_EQ(*metadata.deletion_timestamp - *metadata.creation_timestamp, std::chrono::minutes(1));
  EXPECT_THAT(metadata.annotations, ElementsAre(Pair("c", "\"d\"")));
  ASSERT_EQ(metadata.owner_references.size(), 2U);
  EXPECT_TRUE(metadata.owner_references[0].controller);
  EXPECT_FALSE(metadata.owner_references[1].controller);
  EXPECT_THAT(metadata.finalizers, ElementsAre("f"));
  EXPECT_EQ(Encode(metadata), kWhole);
}

TEST(ObjectMetaTest, OmitsEmptyFields) {
  EXPECT_EQ(Encode({}), "{}");
  EXPECT_EQ(Encode(Decode("{}")), "{}");
  EXPECT_EQ(Encode({.name = "n"}), R"({"name":"n"})");
}

TEST(ObjectMetaTest, ReadsNullLikeAMissingField) {
  EXPECT_EQ(Decode(R"({"creationTimestamp":null,"labels":null,"finalizers":null})"), ObjectMeta());
}

TEST(ObjectMetaTest, DoesNotKeepManagedFields) {
  EXPECT_THAT(ObjectMetaPaths(), Contains(ElementsAre("ownerReferences", "controller")));
  EXPECT_THAT(ObjectMetaPaths(), Contains(ElementsAre("labels")));
  EXPECT_THAT(ObjectMetaPaths(), Not(Contains(ElementsAre("managedFields"))));
}

TEST(ObjectMetaTest, CountsItsHeapBytes) {
  EXPECT_EQ(HeapBytesOf(ObjectMeta()), 0U);
  const ObjectMeta short_name{.name = "n"};
  EXPECT_EQ(HeapBytesOf(short_name), 0U);
  EXPECT_GT(HeapBytesOf(Decode(kWhole)), 200U);
}

}  // namespace
}  // namespace capstan
