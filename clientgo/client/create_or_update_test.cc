// SPDX-License-Identifier: Apache-2.0
#include "capstan/create_or_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "clientgo/client/testing/kinds.h"
#include "clientgo/client/testing/results.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;

class CreateOrUpdateTest : public testing::apiserver::RestFixture {
 protected:
  CreateOrUpdateTest() { CreateNamespace("ns"); }
  std::uint64_t Writes() const {
    return server_.CountRequests({.verb = "create", .resource = "configmaps"}) +
           server_.CountRequests({.verb = "update", .resource = "configmaps"});
  }

  const Client<testing::ConfigMap> config_maps_{*client_};
  testing::ConfigMap object_ = testing::NewConfigMap("ns", "a");
};

TEST_F(CreateOrUpdateTest, CreatesMissingObject) {
  const auto result = CreateOrUpdate({}, config_maps_, object_,
                                     [](testing::ConfigMap& map) { map.data["color"] = "red"; });

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(*result, OperationResult::kCreated);
  EXPECT_EQ(ToString(*result), "created");
  EXPECT_FALSE(object_.metadata.uid.empty());
  EXPECT_EQ(testing::Value(config_maps_.Get({}, {"ns", "a"}))->data.at("color"), "red");
}

TEST_F(CreateOrUpdateTest, UpdatesAndKeepsWhatOthersSet) {
  testing::ConfigMap other = testing::NewConfigMap("ns", "a");
  other.metadata.labels = {{"team", "web"}};
  ASSERT_TRUE(config_maps_.Create({}, other));

  const auto result = CreateOrUpdate({}, config_maps_, object_,
                                     [](testing::ConfigMap& map) { map.data["color"] = "red"; });

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(*result, OperationResult::kUpdated);
  const auto found = testing::Value(config_maps_.Get({}, {"ns", "a"}));
  EXPECT_EQ(found->data.at("color"), "red");
  EXPECT_EQ(found->metadata.labels.at("team"), "web");
  EXPECT_EQ(object_.metadata.resource_version, found->metadata.resource_version);
}

TEST_F(CreateOrUpdateTest, WritesNothingWithoutChange) {
  ASSERT_TRUE(config_maps_.Create({}, testing::NewConfigMap("ns", "a")));

  const auto result = CreateOrUpdate({}, config_maps_, object_,
                                     [](testing::ConfigMap& map) { map.data["k"] = "1"; });

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(*result, OperationResult::kNone);
  EXPECT_EQ(Writes(), 1U);
  EXPECT_FALSE(object_.metadata.uid.empty());
}

TEST_F(CreateOrUpdateTest, ReturnsErrorOfFunctionWithoutWrite) {
  const auto result = CreateOrUpdate(
      {}, config_maps_, object_,
      [](testing::ConfigMap&) -> Expected<void> { return Err(ErrorReason::kInvalid, "no color"); });

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "no color");
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(CreateOrUpdateTest, RejectsFunctionThatChangesName) {
  const auto result = CreateOrUpdate({}, config_maps_, object_,
                                     [](testing::ConfigMap& map) { map.metadata.name = "b"; });

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().reason, ErrorReason::kInvalidArgument);
  EXPECT_THAT(result.error().message, HasSubstr("ns/a"));
  EXPECT_EQ(Writes(), 0U);
}

// Another writer changes the object between the GET and the write.
TEST_F(CreateOrUpdateTest, FailsWithConflictAfterConcurrentChange) {
  ASSERT_TRUE(config_maps_.Create({}, testing::NewConfigMap("ns", "a")));

  const auto result = CreateOrUpdate({}, config_maps_, object_, [&](testing::ConfigMap& map) {
    testing::ConfigMap other = map;
    other.data["color"] = "blue";
    EXPECT_TRUE(config_maps_.Update({}, other));
    map.data["color"] = "red";
  });

  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(IsConflict(result.error()));
  EXPECT_EQ(testing::Value(config_maps_.Get({}, {"ns", "a"}))->data.at("color"), "blue");
}

// A retry after the deletion creates the object without the metadata of the deleted one.
TEST_F(CreateOrUpdateTest, KeepsObjectOfCallerAfterFailure) {
  ASSERT_TRUE(config_maps_.Create({}, testing::NewConfigMap("ns", "a")));
  const testing::ConfigMap before = object_;

  const auto failed = CreateOrUpdate({}, config_maps_, object_, [&](testing::ConfigMap& map) {
    testing::ConfigMap other = map;
    other.data["color"] = "blue";
    EXPECT_TRUE(config_maps_.Update({}, other));
    map.data["color"] = "red";
  });
  ASSERT_FALSE(failed.has_value());
  EXPECT_TRUE(IsConflict(failed.error()));
  EXPECT_TRUE(MergeFrom(before, object_).IsEmpty()) << MergeFrom(before, object_).body();
  ASSERT_TRUE(config_maps_.Delete({}, {"ns", "a"}));
  const auto again = CreateOrUpdate({}, config_maps_, object_,
                                    [](testing::ConfigMap& map) { map.data["color"] = "red"; });

  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, OperationResult::kCreated);
}

TEST_F(CreateOrUpdateTest, RejectsTextThatIsNotUtf8) {
  ASSERT_TRUE(config_maps_.Create({}, testing::NewConfigMap("ns", "a")));

  const auto result = CreateOrUpdate({}, config_maps_, object_,
                                     [](testing::ConfigMap& map) { map.data["color"] = "\xff"; });

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().reason, ErrorReason::kInvalidArgument);
  EXPECT_EQ(Writes(), 1U);
}

TEST(IgnoreErrorsTest, IgnoresOnlyItsReason) {
  const Expected<int> value = 1;
  const Expected<int> missing = Err(ErrorReason::kNotFound, "missing");
  const Expected<void> exists = Err(ErrorReason::kAlreadyExists, "exists");

  EXPECT_TRUE(IgnoreNotFound(value));
  EXPECT_TRUE(IgnoreNotFound(missing));
  EXPECT_TRUE(IgnoreAlreadyExists(exists));
  ASSERT_FALSE(IgnoreAlreadyExists(missing));
  EXPECT_EQ(IgnoreNotFound(exists).error().message, "exists");
}

}  // namespace
}  // namespace capstan
