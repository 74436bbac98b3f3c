// SPDX-License-Identifier: Apache-2.0
#include "capstan/create_or_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "capstan/testing/apiserver/server.h"
#include "clientgo/client/testing/kinds.h"
#include "clientgo/client/testing/results.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;

class CreateOrUpdateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.Start().has_value());
    ASSERT_TRUE(server_
                    .CreateObjects({R"({"apiVersion":"v1","kind":"Namespace",)"
                                    R"("metadata":{"name":"ns"}})"})
                    .has_value());
    auto rest = rest::Client::New({.host = server_.url()});
    ASSERT_TRUE(rest.has_value()) << rest.error().message;
    rest_ = std::move(*rest);
  }
  std::uint64_t Writes() const {
    return server_.CountRequests({.verb = "create", .resource = "configmaps"}) +
           server_.CountRequests({.verb = "update", .resource = "configmaps"});
  }

  testing::apiserver::Server server_{{.tls = false}};
  std::unique_ptr<rest::Client> rest_;
};

TEST_F(CreateOrUpdateTest, CreatesMissingObject) {
  const Client<testing::ConfigMap> client(*rest_);
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");

  const auto result = CreateOrUpdate({}, client, object,
                                     [](testing::ConfigMap& map) { map.data["color"] = "red"; });

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(*result, OperationResult::kCreated);
  EXPECT_EQ(ToString(*result), "created");
  EXPECT_FALSE(object.metadata.uid.empty());
  EXPECT_EQ(testing::Value(client.Get({}, {"ns", "a"}))->data.at("color"), "red");
}

TEST_F(CreateOrUpdateTest, UpdatesAndKeepsWhatOthersSet) {
  const Client<testing::ConfigMap> client(*rest_);
  testing::ConfigMap other = testing::NewConfigMap("ns", "a");
  other.metadata.labels = {{"team", "web"}};
  ASSERT_TRUE(client.Create({}, other));
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");

  const auto result = CreateOrUpdate({}, client, object,
                                     [](testing::ConfigMap& map) { map.data["color"] = "red"; });

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(*result, OperationResult::kUpdated);
  const auto found = testing::Value(client.Get({}, {"ns", "a"}));
  EXPECT_EQ(found->data.at("color"), "red");
  EXPECT_EQ(found->metadata.labels.at("team"), "web");
  EXPECT_EQ(object.metadata.resource_version, found->metadata.resource_version);
}

TEST_F(CreateOrUpdateTest, WritesNothingWithoutChange) {
  const Client<testing::ConfigMap> client(*rest_);
  ASSERT_TRUE(client.Create({}, testing::NewConfigMap("ns", "a")));
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");

  const auto result =
      CreateOrUpdate({}, client, object, [](testing::ConfigMap& map) { map.data["k"] = "1"; });

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(*result, OperationResult::kNone);
  EXPECT_EQ(Writes(), 1U);
  EXPECT_FALSE(object.metadata.uid.empty());
}

TEST_F(CreateOrUpdateTest, ReturnsErrorOfFunctionWithoutWrite) {
  const Client<testing::ConfigMap> client(*rest_);
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");

  const auto result = CreateOrUpdate({}, client, object, [](testing::ConfigMap&) -> Expected<void> {
    return Err(ErrorReason::kInvalid, "no color");
  });

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "no color");
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(CreateOrUpdateTest, RejectsFunctionThatChangesName) {
  const Client<testing::ConfigMap> client(*rest_);
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");

  const auto result =
      CreateOrUpdate({}, client, object, [](testing::ConfigMap& map) { map.metadata.name = "b"; });

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().reason, ErrorReason::kInvalidArgument);
  EXPECT_THAT(result.error().message, HasSubstr("ns/a"));
  EXPECT_EQ(Writes(), 0U);
}

// Another writer changes the object between the GET and the write.
TEST_F(CreateOrUpdateTest, FailsWithConflictAfterConcurrentChange) {
  const Client<testing::ConfigMap> client(*rest_);
  ASSERT_TRUE(client.Create({}, testing::NewConfigMap("ns", "a")));
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");

  const auto result = CreateOrUpdate({}, client, object, [&](testing::ConfigMap& map) {
    testing::ConfigMap other = map;
    other.data["color"] = "blue";
    EXPECT_TRUE(client.Update({}, other));
    map.data["color"] = "red";
  });

  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(IsConflict(result.error()));
  EXPECT_EQ(testing::Value(client.Get({}, {"ns", "a"}))->data.at("color"), "blue");
}

// A retry after the deletion creates the object without the metadata of the deleted one.
TEST_F(CreateOrUpdateTest, KeepsObjectOfCallerAfterFailure) {
  const Client<testing::ConfigMap> client(*rest_);
  ASSERT_TRUE(client.Create({}, testing::NewConfigMap("ns", "a")));
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");
  const testing::ConfigMap before = object;

  const auto failed = CreateOrUpdate({}, client, object, [&](testing::ConfigMap& map) {
    testing::ConfigMap other = map;
    other.data["color"] = "blue";
    EXPECT_TRUE(client.Update({}, other));
    map.data["color"] = "red";
  });
  ASSERT_FALSE(failed.has_value());
  EXPECT_TRUE(IsConflict(failed.error()));
  EXPECT_TRUE(MergeFrom(before, object).IsEmpty()) << MergeFrom(before, object).body();
  ASSERT_TRUE(client.Delete({}, {"ns", "a"}));
  const auto again = CreateOrUpdate({}, client, object,
                                    [](testing::ConfigMap& map) { map.data["color"] = "red"; });

  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, OperationResult::kCreated);
}

TEST_F(CreateOrUpdateTest, RejectsTextThatIsNotUtf8) {
  const Client<testing::ConfigMap> client(*rest_);
  ASSERT_TRUE(client.Create({}, testing::NewConfigMap("ns", "a")));
  testing::ConfigMap object = testing::NewConfigMap("ns", "a");

  const auto result = CreateOrUpdate({}, client, object,
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
