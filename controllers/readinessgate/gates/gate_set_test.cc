// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/gate_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/testing/fakes.h"

namespace capstan::readinessgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const GateSet> MustParseSet(const std::vector<std::string>& specs) {
  auto set = ParseGateSet("", specs);
  if (set) return *std::move(set);
  ADD_FAILURE() << set.error().message;
  return nullptr;
}

Evaluation EvaluatePod(const GateSet& set, const PodJson& json) {
  GateNeeds needs;
  set.AddNeeds(needs);
  const FakeClusterReader cluster;
  const auto pod = MakePod(json, needs);
  return Evaluate(set, {.pod = *pod, .cluster = cluster, .now = {}});
}

PodJson WithIp() { return {.members = R"("status":{"podIPs":[{"ip":"10.0.0.7"}]})"}; }

TEST(GateSetTest, EmptySetOfFlagsIsOpen) {
  const auto set = MustParseSet({});

  EXPECT_TRUE(set->gates().empty());
  EXPECT_TRUE(EvaluatePod(*set, {}).open);
}

TEST(GateSetTest, KeepsOrderOfKinds) {
  const auto set = MustParseSet({"pod-ip:any", "pod-condition:Ready", "pod-annotation:a"});

  std::vector<std::string> specs;
  for (const auto& gate : set->gates()) specs.push_back(gate->spec());
  EXPECT_THAT(specs, ElementsAre("pod-ip:any", "pod-condition:Ready", "pod-annotation:a"));
}

TEST(GateSetTest, ErrorNamesTheFlag) {
  const auto second = ParseGateSet("", {"pod-ip:any", "pod-ip:v4"});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            R"(invalid --pod-readiness-gate "pod-ip:v4": pod-ip: unsupported family "v4"; )"
            "use any, ipv4, or ipv6");

  const auto colon = ParseGateSet("", {"pod-ip"});
  ASSERT_FALSE(colon);
  EXPECT_EQ(colon.error().message,
            R"(invalid --pod-readiness-gate "pod-ip": expected <type>:<value>, got "pod-ip")");
}

TEST(GateSetTest, HasAtMostSixteenGates) {
  EXPECT_TRUE(ParseGateSet("", std::vector<std::string>(16, "pod-ip:any")));
  const auto error = ParseGateSet("", std::vector<std::string>(17, "pod-ip:any"));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().message,
            "--pod-readiness-gate is given 17 times; a pod has at most 16 gates");
}

TEST(GateSetTest, OpensWhenEveryGateIsOpen) {
  const auto set = MustParseSet({"pod-ip:any", "pod-annotation:a"});
  PodJson both = WithIp();
  both.metadata = R"("annotations":{"a":"x"})";

  EXPECT_TRUE(EvaluatePod(*set, both).open);
  EXPECT_FALSE(EvaluatePod(*set, WithIp()).open);
  EXPECT_FALSE(EvaluatePod(*set, {.metadata = both.metadata}).open);
  EXPECT_FALSE(EvaluatePod(*set, {}).open);
}

TEST(GateSetTest, CollectsAllReasons) {
  const auto set = MustParseSet({"pod-ip:ipv4", "pod-ip:any", "pod-annotation:a"});

  EXPECT_EQ(EvaluatePod(*set, {}).Reasons(),
            "pod has no ipv4 address yet; pod has no any address yet; "
            R"(pod does not yet have annotation "a" with a non-empty value)");
  EXPECT_EQ(EvaluatePod(*set, WithIp()).Reasons(),
            R"(pod does not yet have annotation "a" with a non-empty value)");
}

TEST(GateSetTest, ReturnsResultOfEachGate) {
  const auto set = MustParseSet({"pod-ip:any", "pod-annotation:a"});
  const Evaluation evaluation = EvaluatePod(*set, WithIp());

  ASSERT_EQ(evaluation.results.size(), 2U);
  EXPECT_EQ(evaluation.results[0].gate, set->gates()[0].get());
  EXPECT_TRUE(evaluation.results[0].verdict.open);
  EXPECT_FALSE(evaluation.results[1].verdict.open);
  EXPECT_EQ(evaluation.recheck, std::nullopt);
}

TEST(GateSetTest, ClipsMessages) {
  const std::string key = std::string(253, 'a') + "/" + std::string(63, 'b');
  const auto set = MustParseSet({"pod-annotation:" + key});

  EXPECT_EQ(EvaluatePod(*set, {}).results[0].verdict.message.size(), kGateMessageBytesMax);
}

TEST(GateSetTest, GenerationChangesWithSpecs) {
  const auto generation = [](const std::vector<std::string>& specs) {
    return MustParseSet(specs)->generation();
  };

  EXPECT_EQ(generation({"pod-ip:any"}).size(), 12U);
  EXPECT_EQ(generation({"pod-ip:any"}), generation({"pod-ip:any"}));
  EXPECT_NE(generation({"pod-ip:any"}), generation({"pod-ip:ipv4"}));
  EXPECT_NE(generation({"pod-ip:any", "pod-ip:ipv4"}), generation({"pod-ip:ipv4", "pod-ip:any"}));
  EXPECT_NE(generation({"pod-ip:any"}), ParseGateSet("mesh", {"pod-ip:any"}).value()->generation());
}

Expected<GateSets> ParseMap(api::ConfigMap::Data data, const GateSets& last = {}) {
  const auto map = runtime::MakeObject<TypedObject<api::ConfigMap>>(
      {.namespace_ = "ns", .name = "gates", .uid = {}, .resource_version = {}},
      api::ConfigMap{std::move(data)});
  return ParseGateSets(*map, last);
}
std::string MapError(api::ConfigMap::Data data) {
  const auto sets = ParseMap(std::move(data));
  if (!sets) return sets.error().message;
  ADD_FAILURE() << "parses";
  return {};
}

TEST(GateSetsTest, ReadsSetPerKeyAndGatePerLine) {
  const auto sets =
      ParseMap({{"mesh", "# what the mesh needs\npod-ip:ipv4\n\n  pod-annotation:a\r\n"},
                {"plain.v2", "pod-ip:any"}});

  ASSERT_TRUE(sets) << sets.error().message;
  ASSERT_EQ(sets->size(), 2U);
  const GateSet& mesh = *sets->at("mesh");
  EXPECT_EQ(mesh.name(), "mesh");
  ASSERT_EQ(mesh.gates().size(), 2U);
  EXPECT_EQ(mesh.gates()[0]->spec(), "pod-ip:ipv4");
  EXPECT_EQ(mesh.gates()[1]->spec(), "pod-annotation:a");
  EXPECT_EQ(sets->at("plain.v2")->gates().size(), 1U);
}

TEST(GateSetsTest, ReadsNamespaces) {
  const auto sets = ParseMap({{"a", "namespaces: [team-a, team-b]\npod-ip:any"},
                              {"b", "pod-ip:any\nnamespaces:team-a\nnamespaces: team-c , d\n"},
                              {"c", "pod-ip:any"}});

  ASSERT_TRUE(sets) << sets.error().message;
  EXPECT_EQ(sets->at("a")->namespaces(), (GateSet::Namespaces{"team-a", "team-b"}));
  EXPECT_EQ(sets->at("b")->namespaces(), (GateSet::Namespaces{"team-a", "team-c", "d"}));
  EXPECT_TRUE(sets->at("a")->IsAllowedIn("team-a"));
  EXPECT_FALSE(sets->at("a")->IsAllowedIn("team-c"));
  EXPECT_TRUE(sets->at("c")->IsAllowedIn("any"));
}

TEST(GateSetsTest, RejectsInvalidListOfNamespaces) {
  for (const std::string list : {"", " ", "[]", "[ ]"}) {
    EXPECT_THAT(MapError({{"mesh", "namespaces:" + list + "\npod-ip:any"}}),
                HasSubstr("line 1: \"namespaces:" + list.substr(0, list == " " ? 0 : 3) +
                          "\" names no namespace; leave the line out to allow all"));
  }
  EXPECT_THAT(MapError({{"mesh", "namespaces: [a, Team]\npod-ip:any"}}),
              HasSubstr(R"(line 1: "Team" is no namespace's name)"));
  EXPECT_THAT(MapError({{"mesh", "namespaces: [a b]\npod-ip:any"}}), HasSubstr(R"("a b" is no)"));
  EXPECT_THAT(MapError({{"mesh", "namespaces: [a\npod-ip:any"}}), HasSubstr(R"("[a" is no)"));
  EXPECT_THAT(MapError({{"mesh", "namespaces: a"}}), HasSubstr("it has no gates"));
  std::string many = "pod-ip:any\n";
  for (int i = 0; i < 257; ++i) many += "namespaces: n" + std::to_string(i) + "\n";
  EXPECT_THAT(MapError({{"mesh", many}}), HasSubstr("line 258: a set names at most 256 namesp"));
}

TEST(GateSetsTest, AcceptsEmptyConfigMap) { EXPECT_TRUE(ParseMap({})->empty()); }

TEST(GateSetsTest, ErrorsNameSetAndLine) {
  EXPECT_EQ(MapError({{"mesh", "# comment\n\npod-ip:any\npod-ip:v4\n"}}),
            R"(ConfigMap ns/gates: gate set "mesh", line 4: pod-ip: unsupported family "v4"; )"
            "use any, ipv4, or ipv6");
  EXPECT_EQ(MapError({{"mesh", "- pod-ip:any"}}),
            R"(ConfigMap ns/gates: gate set "mesh", line 1: "- pod-ip:any" is an item of a YAML )"
            R"(list; leave out the "- ")");
  EXPECT_EQ(
      MapError({{"mesh", "pod-ip:any\npod-ip:ipv4\npod-ip:any"}}),
      R"(ConfigMap ns/gates: gate set "mesh", line 3: "pod-ip:any" stands in line 1 already)");
  EXPECT_EQ(MapError({{"mesh", std::string(1025, 'x')}}),
            R"(ConfigMap ns/gates: gate set "mesh", line 1: it is longer than 1024 bytes)");
  EXPECT_THAT(MapError({{"mesh", std::string("pod-ip:any\0", 11)}}),
              HasSubstr(R"(line 1: pod-ip: unsupported family "any\x00")"));
  EXPECT_THAT(MapError({{"mesh", "pod-ip:any # comment"}}), HasSubstr("line 1: pod-ip: unsupp"));
}

TEST(GateSetsTest, ReportsAllErrors) {
  const std::string error =
      MapError({{"a", "pod-ip:v4\nnonsense"}, {"b", "pod-ip:any"}, {"c", "pod-ip:v6"}});

  EXPECT_THAT(error, HasSubstr(R"(gate set "a", line 1)"));
  EXPECT_THAT(error, HasSubstr(R"(gate set "a", line 2)"));
  EXPECT_THAT(error, HasSubstr(R"(gate set "c", line 1)"));
}

TEST(GateSetsTest, ClipsErrors) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "wrong\n";

  EXPECT_LE(MapError({{"mesh", text}}).size(), 1000U);
}

TEST(GateSetsTest, RejectsTooManySets) {
  api::ConfigMap::Data data;
  for (int i = 0; i < 128; ++i) data["set-" + std::to_string(i)] = "pod-ip:any";
  EXPECT_EQ(ParseMap(data)->size(), 128U);
  data["one-more"] = "pod-ip:any";
  EXPECT_EQ(MapError(data),
            "ConfigMap ns/gates: it has 129 gate sets, at most 128 are allowed; delete what no pod "
            "names");
}

// Such a set would open all pods that wait.
TEST(GateSetsTest, RejectsSetWithoutGates) {
  for (const std::string text : {"", "\n", "  \n\t\n", "# pod-ip:any\n"}) {
    EXPECT_EQ(MapError({{"mesh", text}}),
              R"(ConfigMap ns/gates: gate set "mesh": it has no gates, so it would open at once; )"
              "give it one, or delete its key");
  }
}

TEST(GateSetsTest, RejectsSeventeenGates) {
  std::string text;
  for (int i = 0; i < 16; ++i) text += "pod-annotation:a" + std::to_string(i) + "\n";
  EXPECT_EQ(ParseMap({{"mesh", text}})->at("mesh")->gates().size(), 16U);

  EXPECT_EQ(MapError({{"mesh", text + "pod-ip:any\n"}}),
            R"(ConfigMap ns/gates: gate set "mesh", line 17: a set has at most 16 gates)");
}

TEST(GateSetsTest, RejectsInvalidSetName) {
  EXPECT_THAT(MapError({{".mesh", "pod-ip:any"}}), HasSubstr(R"(gate set ".mesh": its name is)"));
  EXPECT_THAT(MapError({{std::string(64, 'a'), "pod-ip:any"}}), HasSubstr("longer than 63"));
  EXPECT_THAT(MapError({{"", "pod-ip:any"}}), HasSubstr("is empty"));
}

TEST(GateSetsTest, KeepsUnchangedGatesAfterEdit) {
  const auto first = ParseMap({{"mesh", "pod-ip:any\npod-annotation:a"}, {"other", "pod-ip:any"}});
  ASSERT_TRUE(first);
  const auto second =
      ParseMap({{"mesh", "pod-annotation:b\npod-ip:any"}, {"third", "pod-ip:any"}}, *first);
  ASSERT_TRUE(second);

  EXPECT_EQ(second->at("mesh")->gates()[1], first->at("mesh")->gates()[0]);
  EXPECT_NE(second->at("mesh")->generation(), first->at("mesh")->generation());
  EXPECT_NE(second->at("third")->gates()[0], first->at("other")->gates()[0]);
  EXPECT_FALSE(second->contains("other"));
}

// Returns a pod of namespace "ns" that names `set`, or no set when it is empty.
PodPtr PodNaming(const std::string& set = "") {
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

TEST(ChooseGatesTest, ReturnsNamedSetOrDefaultGates) {
  GateRules rules{.default_gates = Set("", {"pod-ip:any"})};
  rules.named["mesh"] = Set("mesh", {"pod-ip:ipv4"});

  EXPECT_EQ(ChooseGates(rules, *PodNaming()).gates, rules.default_gates);
  EXPECT_EQ(ChooseGates(rules, *PodNaming("mesh")).gates, rules.named["mesh"]);
}

TEST(ChooseGatesTest, OpensOrHoldsPodWithoutGatesAsConfigured) {
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

TEST(ChooseGatesTest, MissingSetIsATemporaryError) {
  const GateChoice choice =
      ChooseGates({.default_gates = Set("", {"pod-ip:any"})}, *PodNaming("mesh"));

  EXPECT_EQ(choice.gates, nullptr);
  EXPECT_TRUE(choice.is_error && !choice.is_final);
  EXPECT_EQ(choice.reason, "UnknownGateSet");
  EXPECT_EQ(choice.message,
            R"(there is no gate set "mesh" (annotation readiness.capstan.dev/gate-set))");
}

TEST(ChooseGatesTest, UnreadableSetsAreNotAnError) {
  const GateRules rules{.default_gates = Set("", {"pod-ip:any"}),
                        .why_named_unknown = "cannot list configmaps in namespace a: forbidden"};

  const GateChoice choice = ChooseGates(rules, *PodNaming("mesh"));
  EXPECT_EQ(choice.gates, nullptr);
  EXPECT_FALSE(choice.open || choice.is_error);
  EXPECT_EQ(choice.reason, "GateSetsUnknown");
  EXPECT_THAT(choice.message, HasSubstr("cannot list configmaps in namespace a: forbidden"));
  EXPECT_EQ(ChooseGates(rules, *PodNaming()).gates, rules.default_gates);
}

TEST(ChooseGatesTest, RejectsSetOfOtherNamespaces) {
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
}  // namespace capstan::readinessgate
