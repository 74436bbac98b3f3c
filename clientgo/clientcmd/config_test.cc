// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientcmd/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "capstan/testing/temp_dir.h"

namespace capstan::clientcmd {
namespace {

using ::testing::HasSubstr;

std::string Kubeconfig(const std::string& server) {
  return "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
         "clusters: [{name: k, cluster: {server: \"" +
         server + "\"}}]\n";
}

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    std::filesystem::create_directories(dir_.Path("home/.kube"));
    std::filesystem::create_directories(dir_.Path("sa"));
    environment_.home = dir_.Path("home");
    environment_.service_account_dir = dir_.Path("sa");
  }
  void MakePod(const std::string& host = "10.96.0.1") {
    dir_.Write("sa/token", "t");
    dir_.Write("sa/ca.crt", "ca");
    environment_.service_host = host;
    environment_.service_port = "443";
  }
  const testing::TempDir dir_;
  Environment environment_;
};

TEST_F(ConfigTest, TriesSourcesInOrder) {
  const std::string flag = dir_.Write("flag", Kubeconfig("https://flag"));
  const std::string variable = dir_.Write("variable", Kubeconfig("https://variable"));
  dir_.Write("home/.kube/config", Kubeconfig("https://home"));
  EXPECT_EQ(LoadConfig({}, environment_).value().host, "https://home");

  MakePod();
  EXPECT_EQ(LoadConfig({}, environment_).value().host, "https://10.96.0.1:443");
  EXPECT_EQ(LoadConfig({.context = "c"}, environment_).value().host, "https://home")
      << "ignored the context";

  environment_.kubeconfig = "/nonexistent:" + variable + ":" + flag;
  EXPECT_EQ(LoadConfig({}, environment_).value().host, "https://variable");

  EXPECT_EQ(LoadConfig({.kubeconfig = flag}, environment_).value().host, "https://flag");
}

TEST_F(ConfigTest, ExplainsWhatToSetWhenNothingIsFound) {
  auto config = LoadConfig({}, environment_);

  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().reason, ErrorReason::kInvalidArgument);
  EXPECT_THAT(config.error().message,
              HasSubstr("invalid configuration: no configuration has been provided"));
  EXPECT_THAT(config.error().message, HasSubstr("set --kubeconfig or KUBECONFIG"));
}

TEST_F(ConfigTest, FailsWhenConfiguredFileIsMissing) {
  dir_.Write("home/.kube/config", Kubeconfig("https://home"));

  auto flag = LoadConfig({.kubeconfig = "/nonexistent/config"}, environment_);
  ASSERT_FALSE(flag.has_value());
  EXPECT_THAT(flag.error().message, HasSubstr("/nonexistent/config"));

  environment_.kubeconfig = "/nonexistent/a:/nonexistent/b";
  auto variable = LoadConfig({}, environment_);
  ASSERT_FALSE(variable.has_value());
  EXPECT_THAT(variable.error().message, HasSubstr("KUBECONFIG=/nonexistent/a:/nonexistent/b"));
}

TEST_F(ConfigTest, InClusterUsesServiceAccount) {
  MakePod();

  auto config = InClusterConfig(environment_);

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->host, "https://10.96.0.1:443");
  EXPECT_EQ(config->bearer_token_file, dir_.Path("sa/token"));
  EXPECT_EQ(config->tls.ca_file, dir_.Path("sa/ca.crt"));
  EXPECT_EQ(config->source, "in-cluster");
}

TEST_F(ConfigTest, InClusterPutsIpv6AddressInBrackets) {
  MakePod("fd00:10:96::1");

  EXPECT_EQ(InClusterConfig(environment_).value().host, "https://[fd00:10:96::1]:443");
}

TEST_F(ConfigTest, InClusterWithoutCaTrustsSystemCas) {
  MakePod();
  dir_.Remove("sa/ca.crt");

  auto config = InClusterConfig(environment_);

  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->tls.ca_file, "");
  EXPECT_FALSE(config->tls.insecure_skip_verify);
}

TEST_F(ConfigTest, UsesInClusterWhenAllKubeconfigFilesAreMissing) {
  MakePod();
  environment_.kubeconfig = "/nonexistent/a:/nonexistent/b";
  dir_.Write("home/.kube/config", Kubeconfig("https://home"));

  EXPECT_EQ(LoadConfig({}, environment_).value().host, "https://10.96.0.1:443");
}

TEST_F(ConfigTest, InClusterNamesMissingTokenFile) {
  MakePod();
  dir_.Remove("sa/token");

  auto config = LoadConfig({}, environment_);

  ASSERT_FALSE(config.has_value());
  EXPECT_THAT(config.error().message, HasSubstr(dir_.Path("sa/token")));
}

}  // namespace
}  // namespace capstan::clientcmd
