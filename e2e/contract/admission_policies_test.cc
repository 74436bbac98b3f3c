// SPDX-License-Identifier: Apache-2.0
// Tests of what ValidatingAdmissionPolicies deny: validations, messages, reasons, actions,
// variables and matchConditions.
#include <string>

#include "e2e/contract/policy_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using AdmissionPoliciesTest = PolicyContractTest;

TEST_F(AdmissionPoliciesTest, DenyCreateUpdatePatchAndDelete) {
  CreateConfigMap("kept", "", R"({"k":"good"})");
  CreateConfigMap("other", "", R"({"k":"good"})");
  Require(
      "request.operation == 'DELETE' ? oldObject.metadata.name != 'kept' : "
      "object.data.k == 'good'",
      R"(,"message":" be good ")");
  const Refusal denied = Denied("kept", "be good");

  EXPECT_REFUSED(Try("a", R"("data":{"k":"bad"})"), Denied("a", "be good"));
  EXPECT_EQ(Try("a", R"("data":{"k":"good"})").code, 201);
  EXPECT_REFUSED(Put(ConfigMaps("kept"), R"({"metadata":{"name":"kept"},"data":{"k":"bad"}})"),
                 denied);
  EXPECT_REFUSED(MergePatch(ConfigMaps("kept"), R"({"data":{"k":"bad"}})"), denied);
  EXPECT_EQ(MergePatch(ConfigMaps("kept"), R"({"data":{"l":"1"}})").code, 200);
  EXPECT_REFUSED(Apply(ConfigMaps("b"), "fieldManager=x",
                       R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},)"
                       R"("data":{"k":"bad"}})"),
                 Denied("b", "be good"));
  EXPECT_REFUSED(Delete(ConfigMaps("kept")), denied);
  EXPECT_EQ(Delete(ConfigMaps("other")).code, 200);
}

TEST_F(AdmissionPoliciesTest, DenyADeleteOfACollection) {
  CreateConfigMap("a");
  Require("request.operation != 'DELETE' || oldObject.metadata.name == 'kube-root-ca.crt'");

  const Answer answer = Delete(ConfigMaps() + "?fieldSelector=metadata.name%3Da");

  EXPECT_EQ(answer.code, 422) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("configmaps \\\"Unknown\\\" is forbidden"));
  EXPECT_EQ(Get(ConfigMaps("a")).code, 200);
}

TEST_F(AdmissionPoliciesTest, ReportAGeneratedName) {
  Require("object.metadata.name == 'b'", R"(,"message":"no")");

  const Answer answer = Post(ConfigMaps(), R"({"metadata":{"generateName":"g-"}})");

  EXPECT_EQ(answer.code, 422) << answer.body;
  EXPECT_THAT(answer.message(), StartsWith("configmaps \"g-"));
  EXPECT_THAT(answer.message(), Not(HasSubstr("\"g-\"")));
}

struct DeniedValidation {
  const char* validation;  // members
  const char* message;
  int code = 422;
  const char* reason = "Invalid";
};

class PolicyMessageTest : public PolicyContractTest,
                          public ::testing::WithParamInterface<DeniedValidation> {};

TEST_P(PolicyMessageTest, IsInTheStatus) {
  const DeniedValidation& one = GetParam();
  CreatePolicy(R"("validations":[{"expression":"true"},{)" + std::string(one.validation) + "}]");
  CreateBinding();
  Await();

  EXPECT_REFUSED(Try("a"), Denied("a", one.message, one.code, one.reason));
}

INSTANTIATE_TEST_SUITE_P(
    Validations, PolicyMessageTest,
    ::testing::Values(
        DeniedValidation{R"("expression":" object.metadata.name == 'b' ")",
                         "failed expression: object.metadata.name == 'b'"},
        DeniedValidation{R"("expression":"false","message":"m")", "m"},
        DeniedValidation{R"("expression":"false","message":"m","reason":"Forbidden")", "m", 403,
                         "Forbidden"},
        DeniedValidation{R"("expression":"false","message":"m","reason":"RequestEntityTooLarge")",
                         "m", 413, "RequestEntityTooLarge"},
        DeniedValidation{R"("expression":"false","message":"m",)"
                         R"("messageExpression":"'not ' + object.metadata.name + ' '")",
                         "not a"},
        DeniedValidation{
            R"j("expression":"false","message":"m","messageExpression":"string(object.data.x)")j",
            "m"},
        DeniedValidation{R"("expression":"false","message":"m","messageExpression":"'a\\nb'")",
                         "m"},
        DeniedValidation{R"("expression":"false","messageExpression":"''")",
                         "failed expression: false"},
        DeniedValidation{R"("expression":"object.data.x == '1'","message":"m")",
                         "expression 'object.data.x == '1'' resulted in error: no such key: data"},
        DeniedValidation{
            R"("expression":"oldObject.metadata.name == '1'")",
            "expression 'oldObject.metadata.name == '1'' resulted in error: no such key: "
            "metadata"},
        DeniedValidation{
            R"("expression":"object.metadata.name > 1")",
            "expression 'object.metadata.name > 1' resulted in error: no such overload"},
        DeniedValidation{
            R"("expression":"int(object.metadata.name) == 1")",
            "expression 'int(object.metadata.name) == 1' resulted in error: type conversion error "
            "from 'string' to 'int'"}));

TEST_F(AdmissionPoliciesTest, AdmitAfterAnErrorWithFailurePolicyIgnore) {
  CreatePolicy(R"("failurePolicy":"Ignore","validations":[)" +
               Validation("object.data.x == '1'", R"(,"message":"m")") + "]");
  CreateBinding();
  Await();

  EXPECT_EQ(Try("a").code, 201);
  EXPECT_REFUSED(Try("a", R"("data":{"x":"2"})"), Denied("a", "m"));
}

TEST_F(AdmissionPoliciesTest, WarnInsteadOfDenying) {
  CreatePolicy(R"("validations":[)" + Validation("false", R"(,"message":"one")") + "," +
               Validation("object.data.x == ''", R"(,"message":"two")") + "]");
  CreateBinding(R"("validationActions":["Warn","Audit"])");
  Await();

  const Answer answer = Try("a");

  EXPECT_EQ(answer.code, 201) << answer.body;
  const std::string prefix = R"(299 - "Validation failed for ValidatingAdmissionPolicy ')" + ns() +
                             "' with binding '" + ns() + "': ";
  EXPECT_EQ(Warnings(answer),
            prefix + "one\"\n" + prefix +
                "expression 'object.data.x == ''' resulted in error: no such key: data\"\n");
}

TEST_F(AdmissionPoliciesTest, AuditDoesNotDeny) {
  CreatePolicy(R"("validations":[)" + Validation("false") + "]");
  CreateBinding(R"("validationActions":["Audit"])");
  Await();

  const Answer answer = Try("a");

  EXPECT_EQ(answer.code, 201) << answer.body;
  EXPECT_EQ(Warnings(answer), "");
}

TEST_F(AdmissionPoliciesTest, DenyIfAnAuditAnnotationCannotBeEvaluated) {
  CreatePolicy(R"j("auditAnnotations":[{"key":"a","valueExpression":"string(object.data.x)"}])j");
  CreateBinding(R"("validationActions":["Warn"])");
  Await();

  EXPECT_EQ(Try("a", R"("data":{"x":"1"})").code, 201);
  EXPECT_REFUSED(
      Try("a"),
      Denied("a", "expression 'string(object.data.x)' resulted in error: no such key: data"));
}

TEST_F(AdmissionPoliciesTest, EvaluateVariablesWhenTheyAreRead) {
  const std::string variables =
      R"(,"variables":[{"name":"data","expression":"has(object.data) ? object.data : {}"},)"
      R"j({"name":"count","expression":"size(variables.data)"},)j"
      R"({"name":"broken","expression":"object.data.none"}])";
  Require("variables.count < 2 || variables.broken == ''",
          R"(,"messageExpression":)"
          R"j("'has ' + string(variables.count)")j",
          variables);

  EXPECT_EQ(Try("a", R"("data":{"x":"1"})").code, 201);
  EXPECT_REFUSED(
      Try("a", R"("data":{"x":"1","y":"2"})"),
      Denied("a",
             "expression 'variables.count < 2 || variables.broken == ''' resulted in error: "
             "composited variable \"broken\" fails to evaluate: no such key: none"));
  EXPECT_REFUSED(Try("a", R"("data":{"x":"1","y":"2","none":"3"})"), Denied("a", "has 3"));
}

struct PolicyCondition {
  const char* conditions;
  const char* policy;  // the failurePolicy
  const char* error;   // empty: the request is allowed; "m": the validation is evaluated
};

class PolicyConditionTest : public PolicyContractTest,
                            public ::testing::WithParamInterface<PolicyCondition> {};

TEST_P(PolicyConditionTest, DecidesWhetherTheValidationsAreEvaluated) {
  const PolicyCondition& one = GetParam();
  CreatePolicy(R"("failurePolicy":")" + std::string(one.policy) + R"(","matchConditions":[)" +
               one.conditions + R"(],"validations":[{"expression":"false","message":"m"}])");
  CreateBinding();
  Await();

  const Answer answer = Try("a");

  if (std::string_view(one.error).empty()) {
    EXPECT_EQ(answer.code, 201) << answer.body;
  } else {
    EXPECT_REFUSED(answer, Denied("a", one.error));
  }
}

constexpr const char* kTrueAndError =
    R"({"name":"t","expression":"true"},{"name":"e","expression":"object.data.x == ''"})";
constexpr const char* kErrorAndFalse =
    R"({"name":"e","expression":"object.data.x == ''"},{"name":"f","expression":"false"})";
constexpr const char* kTwoErrors =
    R"({"name":"e","expression":"object.data.x == ''"},{"name":"f","expression":"object.y == ''"})";

INSTANTIATE_TEST_SUITE_P(
    Conditions, PolicyConditionTest,
    ::testing::Values(
        PolicyCondition{R"({"name":"a","expression":"request.name == 'a'"})", "Fail", "m"},
        PolicyCondition{R"({"name":"a","expression":"request.name == 'b'"})", "Fail", ""},
        PolicyCondition{kErrorAndFalse, "Fail", ""}, PolicyCondition{kErrorAndFalse, "Ignore", ""},
        PolicyCondition{kTrueAndError, "Ignore", ""},
        PolicyCondition{kTrueAndError, "Fail",
                        "expression 'object.data.x == ''' resulted in error: no such key: data"},
        PolicyCondition{kTwoErrors, "Fail",
                        "[expression 'object.data.x == ''' resulted in error: no such key: data, "
                        "expression 'object.y == ''' resulted in error: no such key: y]"}));

TEST_F(AdmissionPoliciesTest, DoNotApplyWithoutABinding) {
  CreatePolicy(R"("validations":[{"expression":"false"}])");
  Await();
  EXPECT_EQ(Try("a").code, 201);

  CreateBinding();
  Await();
  EXPECT_EQ(Try("a").code, 422);

  EXPECT_EQ(Delete(Bindings(ns())).code, 200);
  Await();
  EXPECT_TRUE(Eventually([&] { return Try("a").code == 201; }));
}

TEST_F(AdmissionPoliciesTest, FollowAChangeOfThePolicy) {
  Require("object.metadata.name != 'a'");
  EXPECT_EQ(Try("a").code, 422);

  EXPECT_EQ(MergePatch(Policies(ns()),
                       R"({"spec":{"validations":[{"expression":"object.metadata.name != 'b'"}]}})")
                .code,
            200);

  EXPECT_TRUE(Eventually([&] { return Try("a").code == 201 && Try("b").code == 422; }));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
