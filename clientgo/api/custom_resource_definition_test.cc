// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/custom_resource_definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clientgo/api/decode_testing.h"
#include "clientgo/runtime/testing/golden.h"

namespace clientgo::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CustomResourceDefinitionTest : public ::testing::Test {
 protected:
  CustomResourceDefinition::Fields Decode(const std::string& conversion) {
    return MustDecode<CustomResourceDefinition>(
               type_, R"({"kind":"CustomResourceDefinition","metadata":{"name":"x"},"spec":)" +
                          conversion + "}")
        ->fields();
  }
  runtime::ResourceType type_ =
      MakeCustomResourceDefinitionType({.bundles = std::make_shared<util::Interner>()});
};

TEST_F(CustomResourceDefinitionTest, ReadsWhatARealServerSends) {
  const auto crd = MustDecode<CustomResourceDefinition>(
      type_, runtime::ReadGolden("custom_resource_definition.json"));

  ASSERT_NE(crd, nullptr);
  EXPECT_EQ(crd->key(), "widgets.demo.io");
  EXPECT_TRUE(crd->fields().webhook_conversion);
  EXPECT_THAT(*crd->fields().ca_bundle, StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_FALSE(crd->fields().deleting);
}

TEST_F(CustomResourceDefinitionTest, SchemasDoNotReachTheFrame) {
  runtime::JsonFilter filter(type_.projection.object(), {});
  ASSERT_TRUE(filter.Feed(runtime::ReadGolden("custom_resource_definition.json")).has_value());
  ASSERT_TRUE(filter.HasFrame());
  EXPECT_THAT(filter.frame(), Not(HasSubstr("openAPIV3Schema")));
  EXPECT_THAT(filter.frame(), Not(HasSubstr("managedFields")));
}

TEST_F(CustomResourceDefinitionTest, OnlyTheStrategyWebhookConvertsByWebhook) {
  EXPECT_FALSE(Decode("{}").webhook_conversion);
  EXPECT_FALSE(Decode(R"({"conversion":null})").webhook_conversion);
  EXPECT_FALSE(Decode(R"({"conversion":{"strategy":"None"}})").webhook_conversion);
  const auto bare = Decode(R"({"conversion":{"strategy":"Webhook"}})");
  EXPECT_TRUE(bare.webhook_conversion);
  EXPECT_EQ(*bare.ca_bundle, "");
}

TEST_F(CustomResourceDefinitionTest, LivesAtItsPath) {
  EXPECT_EQ(type_.Path("", "n"), "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/n");
}

}  // namespace
}  // namespace clientgo::api
