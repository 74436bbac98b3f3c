// SPDX-License-Identifier: Apache-2.0
#include "capstan/featuregate/feature_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::featuregate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Environment = std::map<std::string, std::string>;

FeatureGate MakeGate(const Environment& environment = {}) {
  FeatureGate gate([environment](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  });
  gate.Add({{"AlphaOff", {.default_value = false, .stage = Stage::kAlpha}},
            {"BetaOn", {.default_value = true, .stage = Stage::kBeta}},
            {"BetaOff", {.default_value = false, .stage = Stage::kBeta}},
            {"GaOn", {.default_value = true, .stage = Stage::kGa}},
            {"GaLocked", {.default_value = true, .stage = Stage::kGa, .lock_to_default = true}},
            {"GaLockedOff", {.stage = Stage::kGa, .lock_to_default = true}},
            {"Old", {.default_value = true, .stage = Stage::kDeprecated}}});
  return gate;
}

TEST(FeatureGateTest, RejectsBadValuesWithComponentBaseErrors) {
  const struct {
    std::string value;
    std::string error;
  } cases[] = {
      {"AlphaOff", "missing bool value for AlphaOff"},
      {" AlphaOff ", "missing bool value for AlphaOff"},
      {"BetaOn=true,AlphaOff", "missing bool value for AlphaOff"},
      {"AlphaOff=",
       "invalid value of AlphaOff=, err: strconv.ParseBool: parsing \"\": invalid "
       "syntax"},
      {"AlphaOff=yes",
       "invalid value of AlphaOff=yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax"},
      {"AlphaOff=tRUE",
       "invalid value of AlphaOff=tRUE, err: strconv.ParseBool: parsing \"tRUE\": invalid syntax"},
      {"AlphaOff=a=b",
       "invalid value of AlphaOff=a=b, err: strconv.ParseBool: parsing \"a=b\": invalid syntax"},
      {"Nope=true", "unrecognized feature gate: Nope"},
      {"alphaoff=true", "unrecognized feature gate: alphaoff"},
      {"=true", "unrecognized feature gate: "},
      {"GaLocked=false", "cannot set feature gate GaLocked to false, feature is locked to true"},
      {"GaLocked=false,GaLockedOff=true",
       "[cannot set feature gate GaLocked to false, feature is locked to true, "
       "cannot set feature gate GaLockedOff to true, feature is locked to false]"},
      {"GaLocked=false,Nope=true",
       "[cannot set feature gate GaLocked to false, feature is locked to true, "
       "unrecognized feature gate: Nope]"},
      {"Nope=true,Zzz=true", "unrecognized feature gate: Nope"},
  };
  for (const auto& test_case : cases) {
    SCOPED_TRACE(test_case.value);
    FeatureGate gate = MakeGate();

    const auto set = gate.Set(test_case.value);

    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().message, test_case.error);
    EXPECT_EQ(set.error().reason, ErrorReason::kInvalidArgument);
  }
}

TEST(FeatureGateTest, ParsesEveryGoBool) {
  for (const char* value : {"1", "t", "T", "TRUE", "true", "True"}) {
    FeatureGate gate = MakeGate();
    EXPECT_TRUE(gate.Set(std::string("AlphaOff=") + value));
    EXPECT_TRUE(gate.Enabled("AlphaOff")) << value;
  }
  for (const char* value : {"0", "f", "F", "FALSE", "false", "False"}) {
    FeatureGate gate = MakeGate();
    EXPECT_TRUE(gate.Set(std::string("BetaOn=") + value));
    EXPECT_FALSE(gate.Enabled("BetaOn")) << value;
  }
}

TEST(FeatureGateTest, TrimsSpacesSkipsEmptyPartsAndUsesLastValue) {
  FeatureGate gate = MakeGate();

  EXPECT_TRUE(gate.Set(", AlphaOff = true ,,BetaOff=true,BetaOff=false,"));

  EXPECT_TRUE(gate.Enabled("AlphaOff"));
  EXPECT_FALSE(gate.Enabled("BetaOff"));
}

TEST(FeatureGateTest, FailedSetChangesNothing) {
  FeatureGate gate = MakeGate();

  EXPECT_FALSE(gate.Set("AlphaOff=true,GaOn=false,Nope=true"));

  EXPECT_FALSE(gate.Enabled("AlphaOff"));
  EXPECT_TRUE(gate.Enabled("GaOn"));
  EXPECT_THAT(gate.Warnings(), IsEmpty());
  EXPECT_TRUE(gate.Set("BetaOff=true")) << "an earlier failure affects this call";
}

TEST(FeatureGateTest, SetAccumulates) {
  FeatureGate gate = MakeGate();

  EXPECT_TRUE(gate.Set("AlphaOff=true"));
  EXPECT_TRUE(gate.Set("BetaOn=false"));
  EXPECT_TRUE(gate.Set(""));

  EXPECT_TRUE(gate.Enabled("AlphaOff"));
  EXPECT_FALSE(gate.Enabled("BetaOn"));
}

TEST(FeatureGateTest, AllBetaSetsItsStageAndNothingElse) {
  FeatureGate gate = MakeGate();

  EXPECT_TRUE(gate.Set("AllBeta=true"));

  EXPECT_TRUE(gate.Enabled("BetaOff"));
  EXPECT_TRUE(gate.Enabled("AllBeta"));
  EXPECT_FALSE(gate.Enabled("AlphaOff"));
  EXPECT_FALSE(gate.Enabled("AllAlpha"));
}

TEST(FeatureGateTest, GateSetByNameOverridesStageInAnyOrder) {
  for (const char* value : {"AllBeta=false,BetaOn=true", "BetaOn=true,AllBeta=false"}) {
    FeatureGate gate = MakeGate();
    EXPECT_TRUE(gate.Set(value));
    EXPECT_TRUE(gate.Enabled("BetaOn")) << value;
  }
  FeatureGate later = MakeGate();
  EXPECT_TRUE(later.Set("AllBeta=false"));
  EXPECT_TRUE(later.Set("BetaOn=true"));
  EXPECT_TRUE(later.Enabled("BetaOn"));
}

TEST(FeatureGateTest, KeepsExpansionOfStage) {
  FeatureGate gate = MakeGate();

  EXPECT_TRUE(gate.Set("AllAlpha=true"));
  EXPECT_TRUE(gate.Set("AllAlpha=false"));

  EXPECT_TRUE(gate.Enabled("AlphaOff"));
  EXPECT_FALSE(gate.Enabled("AllAlpha"));
}

TEST(FeatureGateTest, SettingGaOrDeprecatedGatesWarnsOnce) {
  FeatureGate gate = MakeGate();

  EXPECT_TRUE(gate.Set("GaOn=false,Old=true,GaLocked=true,AlphaOff=true"));
  EXPECT_TRUE(gate.Set("Old=true"));

  EXPECT_THAT(gate.Warnings(),
              ElementsAre("Setting GA feature gate GaLocked=true. It will be removed in a future "
                          "release.",
                          "Setting GA feature gate GaOn=false. It will be removed in a future "
                          "release.",
                          "Setting deprecated feature gate Old=true. It will be removed in a "
                          "future release."));
}

TEST(FeatureGateTest, EnvironmentOverridesDefaultAndFlagOverridesBoth) {
  const Environment environment = {{"KUBE_FEATURE_BetaOn", "false"},
                                   {"KUBE_FEATURE_AlphaOff", "T"}};
  FeatureGate by_environment = MakeGate(environment);
  FeatureGate by_flag = MakeGate(environment);
  FeatureGate by_stage = MakeGate(environment);

  EXPECT_TRUE(by_flag.Set("BetaOn=true"));
  EXPECT_TRUE(by_stage.Set("AllAlpha=false"));

  EXPECT_FALSE(by_environment.Enabled("BetaOn"));
  EXPECT_TRUE(by_environment.Enabled("AlphaOff"));
  EXPECT_TRUE(by_flag.Enabled("BetaOn"));
  EXPECT_TRUE(by_flag.Enabled("AlphaOff"));
  EXPECT_FALSE(by_stage.Enabled("AlphaOff"));
}

TEST(FeatureGateTest, IgnoresUnusableEnvironmentWithWarning) {
  FeatureGate gate = MakeGate({{"KUBE_FEATURE_BetaOn", "off"},
                               {"KUBE_FEATURE_GaLocked", "false"},
                               {"KUBE_FEATURE_GaLockedOff", "false"},
                               {"KUBE_FEATURE_AllAlpha", "true"},
                               {"KUBE_FEATURE_Unknown", "true"}});

  EXPECT_TRUE(gate.Enabled("BetaOn"));
  EXPECT_TRUE(gate.Enabled("GaLocked"));
  EXPECT_FALSE(gate.Enabled("AlphaOff"));
  EXPECT_THAT(gate.Warnings(),
              ElementsAre("cannot set feature gate \"BetaOn\" to \"off\", due to "
                          "strconv.ParseBool: parsing \"off\": invalid syntax",
                          "cannot set feature gate \"GaLocked\" to \"false\", feature is locked "
                          "to true"));
}

TEST(FeatureGateTest, HelpListsGatesThatUsersMaySet) {
  const FeatureGate gate = MakeGate();

  EXPECT_THAT(gate.KnownFeatures(), ElementsAre("AllAlpha=true|false (ALPHA - default=false)",
                                                "AllBeta=true|false (BETA - default=false)",
                                                "AlphaOff=true|false (ALPHA - default=false)",
                                                "BetaOff=true|false (BETA - default=false)",
                                                "BetaOn=true|false (BETA - default=true)"));
  EXPECT_EQ(FeatureGate().Help(),
            "A set of key=value pairs that describe feature gates for alpha/experimental features. "
            "Options are:\nAllAlpha=true|false (ALPHA - default=false)\n"
            "AllBeta=true|false (BETA - default=false)");
}

TEST(FeatureGateTest, StatesContainEveryGateAndStage) {
  FeatureGate gate = MakeGate({{"KUBE_FEATURE_BetaOff", "true"}});
  EXPECT_TRUE(gate.Set("AlphaOff=true"));

  std::vector<std::string> states;
  for (const auto& state : gate.States()) {
    states.push_back(state.name + "/" + std::string(ToString(state.stage)) +
                     (state.enabled ? "/1" : "/0"));
  }

  EXPECT_THAT(states, ElementsAre("AllAlpha/ALPHA/0", "AllBeta/BETA/0", "AlphaOff/ALPHA/1",
                                  "BetaOff/BETA/1", "BetaOn/BETA/1", "GaLocked//1",
                                  "GaLockedOff//0", "GaOn//1", "Old/DEPRECATED/1"));
}

TEST(FeatureGateDeathTest, MisuseIsFatal) {
  FeatureGate gate = MakeGate();

  EXPECT_DEATH(gate.Add({{"BetaOn", {}}}), "feature gate \"BetaOn\" already exists");
  EXPECT_DEATH(gate.Enabled("Nope"), "feature \"Nope\" is not registered");
  EXPECT_TRUE(gate.Set("BetaOn=true"));
  EXPECT_DEATH(gate.Add({{"New", {}}}), "cannot add a feature gate after");
}

}  // namespace
}  // namespace capstan::featuregate
