// SPDX-License-Identifier: Apache-2.0
#include "cmd/injector/options.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace capstan::cmd::injector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class InjectorOptionsTest : public ::testing::Test {
 protected:
  void SetUp() override { AddFeatures(gates_); }
  Expected<cainjector::CaInjectorOptions> Options(const std::vector<std::string>& arguments) {
    cainjector::CaInjectorOptions options;
    flags::FlagSet set({.name = "prog"});
    set.AddSection("Namespaces", NamespaceFlags(options));
    set.AddSection("Kinds", EnableFlags(options));
    set.AddSection("Sources", {SystemCaFlag(options)});
    EXPECT_TRUE(set.Parse(arguments));
    auto finished = set.Check().and_then([&] { return Finish(gates_, options); });
    if (!finished) return Err(std::move(finished.error()));
    return options;
  }
  std::string Refusal(const std::vector<std::string>& arguments) {
    const auto options = Options(arguments);
    return options ? "accepted" : options.error().message;
  }

  featuregate::FeatureGate gates_{[](const std::string&) { return std::nullopt; }};

 private:
  gflags::FlagSaver saver_;
};

TEST_F(InjectorOptionsTest, ConvertsFlagsAndGatesToOptions) {
  ASSERT_TRUE(
      gates_.Set("CAInjectorMerging=false,ConfigMapSource=false,"
                 "ClusterTrustBundleSource=true"));

  const auto options =
      Options({"--ignore-namespaces=a,b", "--enable-certificates-data-source=false",
               "--enable-apiservices-injectable=false", "--system-ca-file=/cas.crt",
               "--shared-source-namespaces=trust,cert-manager"});

  ASSERT_TRUE(options) << options.error().message;
  EXPECT_THAT(options->ignore_namespaces, ElementsAre("a", "b"));
  EXPECT_THAT(options->shared_source_namespaces, ElementsAre("trust", "cert-manager"));
  EXPECT_FALSE(options->certificates);
  EXPECT_FALSE(options->kinds.api_services);
  EXPECT_TRUE(options->kinds.custom_resource_definitions);
  EXPECT_FALSE(options->merge_bundles);
  EXPECT_FALSE(options->config_maps);
  EXPECT_TRUE(options->cluster_trust_bundles);
  EXPECT_EQ(options->system_ca_file, "/cas.crt");
}

// Two caches of one namespace would be the same, and its targets would be listed twice.
TEST_F(InjectorOptionsTest, IgnoresNamespacesThatAreRepeated) {
  const auto options = Options({"--namespace=b,a,b"});

  ASSERT_TRUE(options) << options.error().message;
  EXPECT_THAT(options->namespaces, ElementsAre("b", "a"));
  EXPECT_THAT(Options({"--namespace=", "--ignore-namespaces=a,a"})->ignore_namespaces,
              ElementsAre("a"));
}

// The command in docs/cli.md gives `capstan check` the flags of a running manager.
TEST_F(InjectorOptionsTest, DocumentedCommandSelectsEveryFlagOfTheManager) {
  std::ifstream file(CLI_MD);
  std::string pattern;
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find("grep -E '");
    if (at == std::string::npos || line.find("/flagz") == std::string::npos) continue;
    pattern = line.substr(at + 9, line.find('\'', at + 9) - at - 9);
  }
  ASSERT_FALSE(pattern.empty());
  cainjector::CaInjectorOptions options;
  std::vector<flags::Flag> flags = NamespaceFlags(options);
  for (const flags::Flag& flag : EnableFlags(options)) flags.push_back(flag);
  flags.push_back({.name = "feature-gates"});
  for (const flags::Flag& flag : flags) {
    EXPECT_TRUE(std::regex_search("--" + flag.name + "=x", std::regex(pattern))) << flag.name;
  }
}

TEST_F(InjectorOptionsTest, UsesDefaultsWithoutFlags) {
  const auto options = Options({});

  ASSERT_TRUE(options);
  const cainjector::CaInjectorOptions defaults;
  EXPECT_EQ(options->merge_bundles, defaults.merge_bundles);
  EXPECT_EQ(options->config_maps, defaults.config_maps);
  EXPECT_EQ(options->certificates, defaults.certificates);
  EXPECT_FALSE(options->cluster_trust_bundles);
  EXPECT_EQ(options->system_ca_file, defaults.system_ca_file);
  EXPECT_EQ(options->secret_caching, defaults.secret_caching);
}

TEST_F(InjectorOptionsTest, ErrorNamesTheFlag) {
  EXPECT_THAT(Refusal({"--namespace=No_Name"}), HasSubstr("for --namespace"));
  EXPECT_THAT(Refusal({"--namespace=a", "--shared-source-namespaces=*,No_Name"}),
              HasSubstr("for --shared-source-namespaces"));
  EXPECT_THAT(Refusal({"--namespace=a", "--ignore-namespaces=b", "--shared-source-namespaces=*"}),
              HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace capstan::cmd::injector
