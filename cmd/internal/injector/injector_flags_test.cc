// SPDX-License-Identifier: Apache-2.0
#include "cmd/internal/injector/injector_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace cmd::injector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InjectorFlagsTest : public ::testing::Test {
 protected:
  void SetUp() override { AddFeatures(gates_); }
  auto Options(const Flags& flags) { return OptionsOf(flags, gates_); }
  std::string Refusal(const Flags& flags) {
    const auto options = Options(flags);
    return options ? "accepted" : options.error().message;
  }

  featuregate::FeatureGate gates_{[](const std::string&) { return std::nullopt; }};
};

TEST_F(InjectorFlagsTest, ConvertsFlagsAndGatesToOptions) {
  ASSERT_TRUE(gates_.Set("CAInjectorMerging=false,ConfigMapSource=false"));

  const auto options = Options({.ignore_namespaces = "a,b",
                                .certificates_data_source = false,
                                .kinds = {.api_services = false}});

  ASSERT_TRUE(options) << options.error().message;
  EXPECT_THAT(options->ignore_namespaces, ElementsAre("a", "b"));
  EXPECT_FALSE(options->certificates);
  EXPECT_FALSE(options->kinds.api_services);
  EXPECT_TRUE(options->kinds.custom_resource_definitions);
  EXPECT_FALSE(options->merge_bundles);
  EXPECT_FALSE(options->config_maps);
}

TEST_F(InjectorFlagsTest, UsesDefaultsWithoutFlags) {
  const auto options = Options({});

  ASSERT_TRUE(options);
  const controllers::cainjector::CaInjectorOptions defaults;
  EXPECT_EQ(options->merge_bundles, defaults.merge_bundles);
  EXPECT_EQ(options->config_maps, defaults.config_maps);
  EXPECT_EQ(options->certificates, defaults.certificates);
  EXPECT_EQ(options->secret_caching, defaults.secret_caching);
}

TEST_F(InjectorFlagsTest, ErrorNamesTheFlag) {
  EXPECT_THAT(Refusal({.namespaces = "No_Name"}), HasSubstr("for --namespace"));
  EXPECT_THAT(Refusal({.namespaces = "a", .ignore_namespaces = "b"}),
              HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace cmd::injector
