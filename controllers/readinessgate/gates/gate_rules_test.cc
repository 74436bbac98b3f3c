// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/gate_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/readinessgate/gates/gate_testing.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace controllers::readinessgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A pod of namespace "ns" that names `set`; empty: none.
std::shared_ptr<const clientgo::api::Pod> PodNaming(const std::string& set = "") {
  GateNeeds needs;
  needs.annotations.emplace(kGateSetKey);
  if (set.empty()) return MakePod({}, needs);
  return MakePod({.metadata = R"("annotations":{"readiness.capstan.dev/gate-set":")" + set + "\"}"},
                 needs);
}

std::shared_ptr<const GateSet> Set(const std::string& name, const std::vector<std::string>& specs,
                                   const GateSet::Namespaces& namespaces = {}) {
  const auto set = ParseGateSet(name, specs).value();
  return std::make_shared<const GateSet>(name, set->gates(), namespaces);
}

std::vector<std::string> SpecsOf(const std::shared_ptr<const GateSet>& set) {
  std::vector<std::string> specs;
  for (const auto& gate : set->gates()) specs.push_back(gate->spec());
  return specs;
}

TEST(ChooseGatesTest, TakesTheNamedSetOrTheDefaultGates) {
  GateRules rules{.default_gates = Set("", {"pod-ip:any"})};
  rules.named["mesh"] = Set("mesh", {"pod-ip:ipv4"});

  EXPECT_EQ(ChooseGates(rules, *PodNaming()).gates, rules.default_gates);
  EXPECT_EQ(ChooseGates(rules, *PodNaming("mesh")).gates, rules.named["mesh"]);
}

TEST(ChooseGatesTest, PodWithoutGatesIsOpenedOrHeldAsConfigured) {
  GateRules rules;
  const GateChoice open = ChooseGates(rules, *PodNaming());
  EXPECT_EQ(open.gates, nullptr);
  EXPECT_TRUE(open.open);
  EXPECT_EQ(open.reason, "NoGates");

  rules.pods_without_gates = PodsWithoutGates::kClosed;
  const GateChoice closed = ChooseGates(rules, *PodNaming());
  EXPECT_FALSE(closed.open);
  EXPECT_TRUE(closed.is_error && closed.is_final);
  EXPECT_EQ(closed.reason, "NoGates");
  EXPECT_THAT(closed.message, HasSubstr("--pods-without-gates=closed"));
}

TEST(ChooseGatesTest, SetThatDoesNotExistIsAnErrorThatMayPass) {
  const GateChoice choice =
      ChooseGates({.default_gates = Set("", {"pod-ip:any"})}, *PodNaming("mesh"));

  EXPECT_EQ(choice.gates, nullptr);
  EXPECT_TRUE(choice.is_error && !choice.is_final);
  EXPECT_EQ(choice.reason, "UnknownGateSet");
  EXPECT_EQ(choice.message,
            R"(there is no gate set "mesh" (annotation readiness.capstan.dev/gate-set))");
}

TEST(ChooseGatesTest, SetsThatCannotBeReadAreNoError) {
  const GateRules rules{.default_gates = Set("", {"pod-ip:any"}),
                        .why_named_unknown = "cannot list configmaps in namespace a: forbidden"};

  const GateChoice choice = ChooseGates(rules, *PodNaming("mesh"));
  EXPECT_EQ(choice.gates, nullptr);
  EXPECT_FALSE(choice.open || choice.is_error);
  EXPECT_EQ(choice.reason, "GateSetsUnknown");
  EXPECT_THAT(choice.message, HasSubstr("cannot list configmaps in namespace a: forbidden"));
  EXPECT_EQ(ChooseGates(rules, *PodNaming()).gates, rules.default_gates);
}

TEST(ChooseGatesTest, SetOfOtherNamespacesIsNotAllowed) {
  GateRules rules;
  rules.named["theirs"] = Set("theirs", {"pod-ip:any"}, {"team-a", "team-b"});
  rules.named["ours"] = Set("ours", {"pod-ip:any"}, {"ns", "team-a"});

  EXPECT_EQ(ChooseGates(rules, *PodNaming("ours")).gates, rules.named["ours"]);
  const GateChoice choice = ChooseGates(rules, *PodNaming("theirs"));
  EXPECT_EQ(choice.gates, nullptr);
  EXPECT_TRUE(choice.is_error && choice.is_final);
  EXPECT_EQ(choice.reason, "GateSetNotAllowed");
  EXPECT_THAT(choice.message, HasSubstr("may not be used in namespace ns"));
}

TEST(WithMandatoryTest, AddsTheMandatoryGatesToEverySet) {
  const auto mandatory = Set("", {"pod-ip:any", "rate:1/1s"});
  const auto set = Set("mesh", {"pod-label:a", "pod-ip:any"}, {"team-a"});

  const auto both = WithMandatory(mandatory, set);

  EXPECT_THAT(SpecsOf(both), ElementsAre("pod-ip:any", "rate:1/1s", "pod-label:a"));
  EXPECT_EQ(both->name(), "mesh");
  EXPECT_THAT(both->namespaces(), ElementsAre("team-a"));
  EXPECT_NE(both->generation(), set->generation());
  EXPECT_EQ(both->gates()[1], mandatory->gates()[1]) << "one bucket for all sets";
  EXPECT_EQ(WithMandatory(mandatory, nullptr), mandatory);
  EXPECT_EQ(WithMandatory(nullptr, set), set);
  EXPECT_EQ(WithMandatory(nullptr, nullptr), nullptr);
}

}  // namespace
}  // namespace controllers::readinessgate
