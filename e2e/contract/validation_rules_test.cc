// SPDX-License-Identifier: Apache-2.0
// Tests of x-kubernetes-validations: rules in CEL that custom resources must fulfil, and the
// definitions that have them.
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/eventually.h"
#include "e2e/contract/things_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class ValidationRulesTest : public ThingsTest {
 protected:
  // Creates the definition of Things whose spec has this schema.
  Answer Define(const std::string& spec) { return ThingsTest::Define(DefinitionOf(spec)); }
  void Serve(const std::string& spec) { ThingsTest::Serve(DefinitionOf(spec)); }
  std::string DefinitionOf(const std::string& spec) const {
    return DefinitionJson(
        Group(),
        VersionJson(R"("spec":)" + spec +
                        R"(,"status":{"type":"object","properties":{"ready":{"type":"boolean"}}})",
                    R"("subresources":{"status":{}},)"));
  }
  // Returns the text about a value that breaks a rule. Kubernetes 1.37 shows a scalar instead of
  // its type, and nothing of an object.
  std::string Broken(const std::string& type, const std::string& value,
                     const std::string& why) const {
    if (Minor() < 37) return "Invalid value: \"" + type + "\": " + why;
    return "Invalid value: " + (value.empty() ? "" : value + ": ") + why;
  }
  Refusal InvalidThing(const std::string& field, const std::string& reason,
                       const std::string& message) const {
    return Invalid("Thing." + Group(), "a", field, reason, message);
  }
};

TEST_F(ValidationRulesTest, ReportsBrokenRuleWithItsMessage) {
  Serve(R"({"type":"object","properties":{"min":{"type":"integer"},"max":{"type":"integer"}},
            "x-kubernetes-validations":[
              {"rule":"self.min <= self.max","message":"min must be at most max"}]})");

  EXPECT_EQ(Create(R"({"min":1,"max":2})").code, 201);
  EXPECT_REFUSED(
      Update(R"({"min":3})"),
      InvalidThing("spec", "FieldValueInvalid", Broken("object", "", "min must be at most max")));
}

TEST_F(ValidationRulesTest, ReportsRuleWithoutMessage) {
  Serve(R"({"type":"object","properties":{"name":{"type":"string","maxLength":10,
            "x-kubernetes-validations":[{"rule":" self.startsWith('a') "}]}}})");

  EXPECT_REFUSED(Create(R"({"name":"b"})"),
                 InvalidThing("spec.name", "FieldValueInvalid",
                              Broken("string", "\"b\"", "failed rule: self.startsWith('a')")));
}

TEST_F(ValidationRulesTest, ReportsReasonFieldPathAndMessageExpression) {
  Serve(R"x({"type":"object","properties":{"kind":{"type":"string"},"size":{"type":"integer"}},
            "x-kubernetes-validations":[{"rule":"self.kind != 'big' || has(self.size)",
              "reason":"FieldValueRequired","fieldPath":".size",
              "messageExpression":"'a size is needed for ' + self.kind"}]})x");

  EXPECT_REFUSED(
      Create(R"({"kind":"big"})"),
      InvalidThing("spec.size", "FieldValueRequired", "Required value: a size is needed for big"));
}

TEST_F(ValidationRulesTest, ReportsErrorOfEvaluation) {
  Serve(R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},
            "x-kubernetes-validations":[{"rule":"10 / self.a > self.b"}]})");

  EXPECT_REFUSED(
      Create(R"({"a":0,"b":1})"),
      InvalidThing("spec", "FieldValueInvalid",
                   "Invalid value: \"object\": division by zero evaluating rule: 10 / self.a > "
                   "self.b"));
  EXPECT_REFUSED(Create(R"({"a":1})"),
                 InvalidThing("spec", "FieldValueInvalid",
                              "Invalid value: \"object\": no such key: b evaluating rule: 10 / "
                              "self.a > self.b"));
}

TEST_F(ValidationRulesTest, ChecksElementsOfListsAndMaps) {
  Serve(R"({"type":"object","properties":{
            "list":{"type":"array","maxItems":5,"items":{"type":"integer",
              "x-kubernetes-validations":[{"rule":"self % 2 == 0","message":"must be even"}]}},
            "map":{"type":"object","maxProperties":5,"additionalProperties":{"type":"integer",
              "x-kubernetes-validations":[{"rule":"self > 0","message":"must be positive"}]}}}})");

  EXPECT_REFUSED(Create(R"({"list":[2,3]})"), InvalidThing("spec.list[1]", "FieldValueInvalid",
                                                           Broken("integer", "3", "must be even")));
  EXPECT_REFUSED(
      Create(R"({"map":{"x":0}})"),
      InvalidThing("spec.map[x]", "FieldValueInvalid", Broken("integer", "0", "must be positive")));
}

TEST_F(ValidationRulesTest, TransitionRulesCompareWithOldValue) {
  Serve(R"({"type":"object","properties":{
            "name":{"type":"string","x-kubernetes-validations":[
              {"rule":"self == oldSelf","message":"is immutable"}]},
            "ports":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map",
              "x-kubernetes-list-map-keys":["key"],"items":{"type":"object","required":["key"],
              "properties":{"key":{"type":"string"},"port":{"type":"integer"}},
              "x-kubernetes-validations":[
                {"rule":"self.port >= oldSelf.port","message":"only grows"}]}}}})");

  EXPECT_EQ(Create(R"({"name":"x","ports":[{"key":"a","port":5},{"key":"b","port":1}]})").code,
            201);
  EXPECT_REFUSED(
      Update(R"({"name":"y"})"),
      InvalidThing("spec.name", "FieldValueInvalid", Broken("string", "\"y\"", "is immutable")));
  EXPECT_REFUSED(
      Update(R"({"ports":[{"key":"b","port":1},{"key":"a","port":4}]})"),
      InvalidThing("spec.ports[1]", "FieldValueInvalid", Broken("object", "", "only grows")));
  EXPECT_EQ(Update(R"({"ports":[{"key":"b","port":2},{"key":"c","port":0}]})").code, 200);
}

TEST_F(ValidationRulesTest, RootRulesSeeNameAndKind) {
  DeleteLater(std::string(kDefinitions) + "/things." + Group());
  const Answer created =
      Post(kDefinitions,
           R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
           R"("metadata":{"name":"things.)" +
               Group() + R"("},"spec":{"group":")" + Group() +
               R"(","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[)"
               R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
               R"({"type":"object","properties":{"spec":{"type":"object"}},)"
               R"("x-kubernetes-validations":[{"rule":"self.metadata.name != 'a' && self.kind == )"
               R"('Thing'","message":"a is taken"}]}}}]}})");
  ASSERT_EQ(created.code, 201) << created.body;
  ASSERT_TRUE(Eventually([&] { return Get(Things()).code == 200; }));

  EXPECT_REFUSED(Create("{}"),
                 InvalidThing("<nil>", "FieldValueInvalid", Broken("object", "", "a is taken")));
}

TEST_F(ValidationRulesTest, RulesWaitForValidTypes) {
  Serve(R"({"type":"object","properties":{"a":{"type":"integer"}},
            "x-kubernetes-validations":[{"rule":"self.a > 0"}]})");

  const Answer refused = Create(R"({"a":"x"})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(refused.message(),
              ::testing::HasSubstr("some validation rules were not checked because the object was "
                                   "invalid; correct the existing errors to complete validation"));
  EXPECT_THAT(refused.message(), ::testing::Not(::testing::HasSubstr("failed rule")));
}

TEST_F(ValidationRulesTest, RejectsRulesThatDoNotCompile) {
  struct Mistake {
    const char* rule;
    const char* error;
  };
  for (const auto& [rule, error] : std::vector<Mistake>{
           {"self.x > 1",
            "compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x > 1\n | ....^"},
           {"self.a + 'b' == 'c'",
            "compilation failed: ERROR: <input>:1:8: found no matching overload for '_+_' applied "
            "to '(int, string)'\n | self.a + 'b' == 'c'\n | .......^"},
           {"self.a", "cel expression must evaluate to a bool"},
           {"other == 1",
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'other' (in container "
            "'')\n | other == 1\n | ^"}}) {
    const Answer refused = Define(
        R"({"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[)"
        R"({"rule":")" +
        std::string(rule) + R"("}]})");
    EXPECT_EQ(refused.code, 422) << rule;
    const std::string path =
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: ";
    EXPECT_THAT(refused.message(), ::testing::HasSubstr(path)) << rule;
    EXPECT_THAT(refused.message(), ::testing::EndsWith(error)) << rule;
  }
}

TEST_F(ValidationRulesTest, RejectsIncompleteRules) {
  struct Mistake {
    const char* rule;
    const char* error;
  };
  for (
      const auto& [rule, error] : std::vector<Mistake>{
          {R"({"rule":" "})",
           "x-kubernetes-validations[0].rule: Required value: rule is not specified"},
          {R"({"rule":"true","message":" "})",
           "x-kubernetes-validations[0].message: Invalid value: \" \": must be non-empty if "
           "specified"},
          {R"({"rule":"true\n&& true"})",
           "x-kubernetes-validations[0].message: Required value: message must be specified if rule "
           "contains line breaks"},
          {R"({"rule":"true","fieldPath":".x"})",
           "x-kubernetes-validations[0].fieldPath: Invalid value: \".x\": must be a valid path"}}) {
    const Answer refused = Define(
        R"({"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[)" +
        std::string(rule) + "]}");
    EXPECT_EQ(refused.code, 422) << rule;
    std::string expected(error);
    for (const std::string field : {"message", "fieldPath"}) {
      if (Minor() >= 34 || expected.find("." + field + ": Invalid") == std::string::npos) continue;
      expected.insert(expected.find(": must") + 2, field + " ");
    }
    EXPECT_THAT(refused.message(), ::testing::EndsWith(expected)) << rule;
  }
}

TEST_F(ValidationRulesTest, RejectsOldSelfInsideAtomicLists) {
  const Answer refused = Define(
      R"({"type":"object","properties":{"l":{"type":"array","maxItems":5,"items":{"type":"string",)"
      R"("x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}}})");
  EXPECT_EQ(refused.code, 422);
  EXPECT_THAT(
      refused.message(),
      ::testing::EndsWith(
          "Invalid value: \"self == oldSelf\": oldSelf cannot be used on the uncorrelatable "
          "portion of the schema within "
          "spec.validation.openAPIV3Schema.properties[spec].properties[l]"));
}

TEST_F(ValidationRulesTest, RejectsRulesThatMayCostTooMuch) {
  const Answer refused =
      Define(R"x({"type":"object","properties":{"l":{"type":"array","items":{"type":"string"},)x"
             R"x("x-kubernetes-validations":[{"rule":"self.all(a, self.exists(b, a == b))"}]}}})x");
  EXPECT_EQ(refused.code, 422);
  const std::string field =
      "spec.validation.openAPIV3Schema.properties[spec].properties[l].x-kubernetes-validations[0]."
      "rule: Forbidden: ";
  const std::string advice =
      "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, "
      "maps, and strings are declared)";
  EXPECT_THAT(refused.message(),
              ::testing::HasSubstr(field +
                                   "estimated rule cost exceeds budget by factor of more "
                                   "than 100x " +
                                   advice));
  EXPECT_THAT(refused.message(),
              ::testing::HasSubstr(field + "contributed to estimated rule cost total exceeding "
                                           "cost limit for entire OpenAPIv3 schema"));
  EXPECT_THAT(refused.message(),
              ::testing::HasSubstr("spec.validation.openAPIV3Schema: Forbidden: "
                                   "x-kubernetes-validations estimated rule cost total for entire "
                                   "OpenAPIv3 schema exceeds budget by factor of more than 100x " +
                                   advice));
}

TEST_F(ValidationRulesTest, StatusUpdatesAreCheckedToo) {
  Serve(R"({"type":"object","properties":{"a":{"type":"integer"}}})");
  EXPECT_EQ(Create(R"({"a":1})").code, 201);
  EXPECT_EQ(MergePatch(Things("a") + "/status", R"({"status":{"ready":true}})").code, 200);
}

TEST_F(ValidationRulesTest, UnchangedValueMayBreakRule) {
  Serve(R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}}})");
  ASSERT_EQ(Create(R"({"a":1,"b":1})").code, 201);
  const Answer defined = JsonPatch(
      std::string(kDefinitions) + "/things." + Group(),
      R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/)"
      R"(a/x-kubernetes-validations","value":[{"rule":"self > 5","message":"too small"}]}])");
  ASSERT_EQ(defined.code, 200) << defined.body;
  const std::string other = R"({"apiVersion":")" + Group() +
                            R"(/v1","kind":"Thing","metadata":{"name":"b"},"spec":{"a":1}})";
  ASSERT_TRUE(Eventually([&] { return Post(Things() + "?dryRun=All", other).code == 422; }));

  EXPECT_EQ(Update(R"({"b":2})").code, 200);
  EXPECT_REFUSED(Update(R"({"a":2})"),
                 InvalidThing("spec.a", "FieldValueInvalid", Broken("integer", "2", "too small")));
}

TEST_F(ValidationRulesTest, OptionalOldSelfIsCheckedForNewObjects) {
  Serve(R"({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[
            {"rule":"oldSelf.hasValue() || self == 1","optionalOldSelf":true,
             "message":"begins with 1"}]}}})");

  EXPECT_REFUSED(Create(R"({"a":2})"), InvalidThing("spec.a", "FieldValueInvalid",
                                                    Broken("integer", "2", "begins with 1")));
  EXPECT_EQ(Create(R"({"a":1})").code, 201);
  EXPECT_EQ(Update(R"({"a":2})").code, 200);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
