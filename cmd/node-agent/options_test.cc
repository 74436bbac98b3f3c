// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/options.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace capstan::cmd::node_agent {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() { unsetenv("NODE_NAME"); }

  static Expected<Options> Parse(const std::vector<std::string>& arguments) {
    featuregate::FeatureGate gates;
    AddFeatures(gates);
    Options options;
    flags::FlagSet set = NewFlagSet(options, gates);
    const auto action = set.Parse(arguments);
    if (!action) return Err(action.error());
    return ReadOptions(set, options, gates);
  }
  static Options Read(const std::vector<std::string>& arguments) {
    auto options = Parse(arguments);
    EXPECT_TRUE(options.has_value()) << options.error().message;
    return options ? *std::move(options) : Options();
  }
  static std::string ErrorOf(const std::vector<std::string>& arguments) {
    const auto options = Parse(arguments);
    EXPECT_FALSE(options.has_value());
    return options ? "" : options.error().message;
  }

 private:
  gflags::FlagSaver saver_;
};

TEST_F(OptionsTest, DefaultsConfigureNoGate) {
  const Options options = Read({});

  EXPECT_FALSE(options.agent.HasGates());
  EXPECT_EQ(options.agent.csi_driver, "csi.cert-manager.io");
  EXPECT_TRUE(options.agent.outputs.annotation);
  EXPECT_FALSE(options.agent.outputs.condition);
  EXPECT_EQ(options.agent.pending_event_after, std::chrono::minutes(1));
  EXPECT_EQ(options.agent.loop_mode, readinessgate::LoopMode::kAdaptive);
  EXPECT_TRUE(options.agent.watch_list);
  EXPECT_EQ(options.agent.runtime_events_socket, "") << "nothing is opened with the gate off";
}

TEST_F(OptionsTest, GatesAreRepeatableAndNotSplitAtCommas) {
  const Options options = Read({"--node-id=a", "--pod-readiness-gate=pod-ip:any",
                                "--pod-readiness-gate", "pod-annotation:x.example/a"});

  ASSERT_NE(options.agent.default_gates, nullptr);
  ASSERT_EQ(options.agent.default_gates->gates().size(), 2U);
  EXPECT_EQ(options.agent.default_gates->gates()[0]->spec(), "pod-ip:any");
  EXPECT_THAT(ErrorOf({"--node-id=a", "--pod-readiness-gate=pod-ip:any,pod-ip:ipv4"}),
              HasSubstr("unsupported family \"any,pod-ip:ipv4\""))
      << "one value, not two";
}

TEST_F(OptionsTest, ReportsInvalidGateWithErrorOfCsiDriver) {
  EXPECT_EQ(ErrorOf({"--node-id=a", "--pod-readiness-gate=pod-ip:v4"}),
            "invalid --pod-readiness-gate \"pod-ip:v4\": pod-ip: unsupported family \"v4\"; use "
            "any, ipv4, or ipv6");
  EXPECT_EQ(ErrorOf({"--node-id=a", "--pod-readiness-gate=pod-ip:any", "--pod-readiness-gate="}),
            "invalid --pod-readiness-gate \"\": expected <type>:<value>, got \"\"");
}

TEST_F(OptionsTest, ReadsNodeFromFlagOrEnvironment) {
  EXPECT_THAT(ErrorOf({"--pod-readiness-gate=pod-ip:any"}), StartsWith("--node-id is required"));
  setenv("NODE_NAME", "from-env", 1);
  EXPECT_EQ(Read({"--pod-readiness-gate=pod-ip:any"}).agent.node_name, "from-env");
  EXPECT_EQ(Read({"--pod-readiness-gate=pod-ip:any", "--node-id=b"}).agent.node_name, "b");
}

TEST_F(OptionsTest, ReadsConfigMapOfGateSets) {
  const Options options = Read({"--node-id=a", "--gate-sets=ns/sets"});

  EXPECT_TRUE(options.agent.HasGates());
  EXPECT_EQ(options.agent.gate_sets->String(), "ns/sets");
  for (const char* bad : {"sets", "/sets", "ns/", "ns/a/b"}) {
    EXPECT_THAT(ErrorOf({"--node-id=a", std::string("--gate-sets=") + bad}),
                HasSubstr("for --gate-sets: expected <namespace>/<name>"));
  }
}

TEST_F(OptionsTest, ReadsMandatoryGates) {
  const Options options =
      Read({"--node-id=a", "--mandatory-gate=pod-ip:any", "--mandatory-gate=rate:5/1s"});

  EXPECT_TRUE(options.agent.HasGates());
  EXPECT_EQ(options.agent.default_gates, nullptr);
  ASSERT_EQ(options.agent.mandatory_gates->gates().size(), 2U);
  EXPECT_EQ(ErrorOf({"--node-id=a", "--mandatory-gate=pod-ip:v4"}),
            "invalid --mandatory-gate \"pod-ip:v4\": pod-ip: unsupported family \"v4\"; use any, "
            "ipv4, or ipv6");
}

TEST_F(OptionsTest, ReadsPodsWithoutGates) {
  EXPECT_EQ(Read({}).agent.pods_without_gates, readinessgate::PodsWithoutGates::kOpen);
  EXPECT_EQ(Read({"--pods-without-gates=closed"}).agent.pods_without_gates,
            readinessgate::PodsWithoutGates::kClosed);
  EXPECT_THAT(ErrorOf({"--pods-without-gates=maybe"}),
              HasSubstr("for --pods-without-gates: expected open or closed"));
}

TEST_F(OptionsTest, ReadsOutputs) {
  const Options options = Read({"--output=annotation,condition"});

  EXPECT_TRUE(options.agent.outputs.annotation);
  EXPECT_TRUE(options.agent.outputs.condition);
  EXPECT_FALSE(Read({"--output=condition"}).agent.outputs.annotation);
  EXPECT_THAT(ErrorOf({"--output=label"}), HasSubstr("expected annotation or condition"));
  EXPECT_THAT(ErrorOf({"--output="}), HasSubstr("expected annotation or condition"));
}

TEST_F(OptionsTest, FeatureGatesSelectLoopModeAndRuntimeEvents) {
  EXPECT_EQ(Read({"--feature-gates=AdaptiveGateLoop=false"}).agent.loop_mode,
            readinessgate::LoopMode::kFixed);
  EXPECT_EQ(Read({"--gate-loop-events-only"}).agent.loop_mode, readinessgate::LoopMode::kEventOnly);
  EXPECT_EQ(Read({"--feature-gates=CRIContainerEvents=true", "--runtime-events-socket=/s"})
                .agent.runtime_events_socket,
            "/s");
  EXPECT_NE(Read({"--feature-gates=AllAlpha=true"}).agent.runtime_events_socket, "");
  EXPECT_FALSE(Read({"--feature-gates=AllBeta=false"}).agent.watch_list);
  EXPECT_THAT(ErrorOf({"--feature-gates=Nonsense=true"}), HasSubstr("--feature-gates"));
}

}  // namespace
}  // namespace capstan::cmd::node_agent
