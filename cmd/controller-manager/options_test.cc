// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmd::controller_manager {
namespace {

using clientgo::util::Err;
using clientgo::util::Expected;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() : gates_([](const std::string& name) { return Environment(name); }) {
    environment.clear();
    AddFeatures(gates_);
  }

  Expected<Options> Parse(const std::vector<std::string>& arguments) {
    auto action = NewFlagSet(gates_).Parse(arguments);
    if (!action) return Err(action.error());
    return ReadOptions(gates_);
  }
  std::string ParseError(const std::vector<std::string>& arguments) {
    const auto options = Parse(arguments);
    return options ? "no error" : options.error().message;
  }

  static std::optional<std::string> Environment(const std::string& name) {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  }
  static inline std::map<std::string, std::string> environment;

  featuregate::FeatureGate gates_;

 private:
  gflags::FlagSaver saver_;
};

TEST_F(OptionsTest, DefaultsAreThoseOfCainjector) {
  const auto options = Parse({});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->namespace_, "");
  EXPECT_EQ(options->kubeconfig, "");
  EXPECT_EQ(options->cache_sync_timeout, minutes(2));
  EXPECT_FALSE(options->exit_on_cache_sync_timeout);
  EXPECT_TRUE(options->leader_election.enabled);
  EXPECT_EQ(options->leader_election.namespace_, "kube-system");
  EXPECT_EQ(options->leader_election.lease_duration, seconds(60));
  EXPECT_EQ(options->leader_election.renew_deadline, seconds(40));
  EXPECT_EQ(options->leader_election.retry_period, seconds(15));
  EXPECT_EQ(options->metrics, (controllers::runtime::BindAddress{.host = "0.0.0.0", .port = 9402}));
  EXPECT_TRUE(options->watch_list);
  EXPECT_TRUE(options->merge_bundles);
}

TEST_F(OptionsTest, TakesTheArgumentsOfTheCertManagerChart) {
  const auto options = Parse(
      {"--v=2", "--leader-election-namespace=cert-manager", "--leader-election-lease-duration=30s",
       "--leader-election-renew-deadline=20s", "--leader-election-retry-period=5s",
       "--feature-gates=ServerSideApply=true,CAInjectorMerging=false",
       "--metrics-listen-address=0"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->leader_election.namespace_, "cert-manager");
  EXPECT_EQ(options->leader_election.lease_duration, seconds(30));
  EXPECT_EQ(options->metrics, std::nullopt);
  EXPECT_FALSE(options->merge_bundles);
  EXPECT_THAT(gates_.Warnings(),
              ElementsAre(HasSubstr("CAInjectorMerging=false"), HasSubstr("ServerSideApply=true")));
}

TEST_F(OptionsTest, TheFlagWinsOverTheEnvironmentAndThatOverTheDefault) {
  environment["KUBE_FEATURE_WatchListClient"] = "false";
  EXPECT_FALSE(Parse({})->watch_list);
  EXPECT_TRUE(Parse({"--feature-gates=WatchListClient=true"})->watch_list);
}

TEST_F(OptionsTest, ARepeatedFeatureGatesFlagAccumulates) {
  const auto options = Parse({"--feature-gates=WatchListClient=false", "--namespace=x",
                              "--feature-gates", "CAInjectorMerging=false"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_FALSE(options->watch_list);
  EXPECT_FALSE(options->merge_bundles);
}

TEST_F(OptionsTest, BadInputIsOneLineThatNamesTheFlag) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"--feature-gates=NoSuch=true"}, "--feature-gates: unrecognized feature gate: NoSuch"},
      {{"--feature-gates=WatchListClient"}, "missing bool value for WatchListClient"},
      {{"--feature-gates=InformerResourceVersion=false"},
       "cannot set feature gate InformerResourceVersion to false, feature is locked to true"},
      {{"--cache-sync-timeout=soon"}, "\"soon\" for --cache-sync-timeout: expected a duration"},
      {{"--namespace=a,b"}, "\"a,b\" for --namespace: expected the name of one namespace"},
      {{"--namespace=Upper"}, "for --namespace"},
      {{"--namespace=a\nb"}, R"("a\nb" for --namespace)"},
      {{"--namespace=-x"}, "for --namespace"},
      {{"--leader-election-namespace="}, "\"\" for --leader-election-namespace"},
      {{"--leader-election-lease-duration=30s"},
       "--leader-election-lease-duration (30s) must be greater than "
       "--leader-election-renew-deadline (40s)"},
      {{"--leader-election-retry-period=39s"},
       "--leader-election-renew-deadline (40s) must be greater than 1.2 times "
       "--leader-election-retry-period (39s)"},
      {{"--leader-election-retry-period=0s"}, "must be greater than zero"},
      {{"--leader-election-lease-duration=10ms"}, "must be at least 1s"},
      {{"--metrics-listen-address=9402"},
       "--metrics-listen-address: listen address \"9402\": missing port; use host:port"},
      {{"--metrics-listen-address=localhost:http"}, "--metrics-listen-address: "},
      {{"--enable-profiling"}, "unknown flag: --enable-profiling"},
  };
  for (const Case& c : cases) {
    const gflags::FlagSaver restore;
    EXPECT_THAT(ParseError(c.arguments), AllOf(HasSubstr(c.message), Not(HasSubstr("\n"))));
  }
}

TEST_F(OptionsTest, ElectionDurationsDoNotMatterWithoutElection) {
  EXPECT_TRUE(Parse({"--leader-elect=false", "--leader-election-lease-duration=0s",
                     "--leader-election-namespace="})
                  .has_value());
}

TEST_F(OptionsTest, HelpNamesTheGatesAPersonMaySet) {
  const std::string help = NewFlagSet(gates_).Help();

  EXPECT_THAT(help, HasSubstr("WatchListClient=true|false (BETA - default=true)\n"));
  EXPECT_THAT(help, HasSubstr("--leader-election-lease-duration duration\n"));
  EXPECT_THAT(help, HasSubstr("(default 2m0s)"));
  EXPECT_THAT(help, HasSubstr("(default \"0.0.0.0:9402\")"));
  EXPECT_THAT(help, Not(HasSubstr("CAInjectorMerging")));  // GA: hidden, as upstream
  EXPECT_THAT(help, Not(HasSubstr("_")));
}

}  // namespace
}  // namespace cmd::controller_manager
