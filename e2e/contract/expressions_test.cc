// SPDX-License-Identifier: Apache-2.0
// Tests of the validation of policies, bindings and matchConditions when they are written.
#include <string>

#include "e2e/contract/policy_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

// One spec, and why its field is invalid.
struct InvalidSpec {
  const char* spec;
  const char* field;
  const char* reason;
  const char* message;
};

constexpr const char* kInvalidField = "FieldValueInvalid";
constexpr const char* kRequiredField = "FieldValueRequired";
constexpr const char* kUnsupportedField = "FieldValueNotSupported";

class PolicyValidationTest : public PolicyContractTest,
                             public ::testing::WithParamInterface<InvalidSpec> {};

TEST_P(PolicyValidationTest, Rejects) {
  const InvalidSpec& one = GetParam();
  std::string spec = one.spec;
  if (spec.find("matchConstraints") == std::string::npos) {
    spec = Constraints(kConfigMapRule) + "," + spec;
  }
  if (spec.find("\"validations\"") == std::string::npos) {
    spec += R"(,"validations":[{"expression":"true"}])";
  }
  std::string message = one.message;
  if (const auto at = message.find("NS"); at != std::string::npos) message.replace(at, 2, ns());
  const auto must = message.find(": must ");
  if (Minor() < 34 && std::string_view(one.field).ends_with(".message") &&
      must != std::string::npos) {
    message.insert(must + 2, "message ");
  }

  EXPECT_REFUSED(
      Post(Policies(), R"({"metadata":{"name":")" + ns() + R"("},"spec":{)" + spec + "}}"),
      Invalid("ValidatingAdmissionPolicy.admissionregistration.k8s.io", ns(), one.field, one.reason,
              message));
}

#define CAPSTAN_ERROR(value, column, why, line, dots)                                   \
  "Invalid value: \"" value "\": compilation failed: ERROR: <input>:1:" column ": " why \
  "\n | " line "\n | " dots "^"

INSTANTIATE_TEST_SUITE_P(
    Fields, PolicyValidationTest,
    ::testing::Values(
        InvalidSpec{
            R"("validations":[{"expression":"object.x =="}])", "spec.validations[0].expression",
            kInvalidField,
            CAPSTAN_ERROR("object.x ==", "12",
                          "Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', "
                          "'-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
                          "STRING, BYTES, IDENTIFIER}",
                          "object.x ==", "...........")},
        InvalidSpec{R"("validations":[{"expression":"objects.x == ''"}])",
                    "spec.validations[0].expression", kInvalidField,
                    CAPSTAN_ERROR("objects.x == ''", "1",
                                  "undeclared reference to 'objects' (in container '')",
                                  "objects.x == ''", "")},
        InvalidSpec{R"("validations":[{"expression":"request.object.x == ''"}])",
                    "spec.validations[0].expression", kInvalidField,
                    CAPSTAN_ERROR("request.object.x == ''", "8", "undefined field 'object'",
                                  "request.object.x == ''", ".......")},
        InvalidSpec{R"("validations":[{"expression":"params.x == ''"}])",
                    "spec.validations[0].expression", kInvalidField,
                    CAPSTAN_ERROR("params.x == ''", "1",
                                  "undeclared reference to 'params' (in container '')",
                                  "params.x == ''", "")},
        InvalidSpec{R"("validations":[{"expression":"variables.x"}])",
                    "spec.validations[0].expression", kInvalidField,
                    CAPSTAN_ERROR("variables.x", "1",
                                  "undeclared reference to 'variables' (in container '')",
                                  "variables.x", "")},
        InvalidSpec{R"("variables":[{"name":"y","expression":"1"}],)"
                    R"("validations":[{"expression":"variables.x == 1"}])",
                    "spec.validations[0].expression", kInvalidField,
                    CAPSTAN_ERROR("variables.x == 1", "10", "undefined field 'x'",
                                  "variables.x == 1", ".........")},
        InvalidSpec{
            R"("variables":[{"name":"y","expression":"1"}],)"
            R"("validations":[{"expression":"variables.y == ''"}])",
            "spec.validations[0].expression", kInvalidField,
            CAPSTAN_ERROR("variables.y == ''", "13",
                          "found no matching overload for '_==_' applied to '(int, string)'",
                          "variables.y == ''", "............")},
        InvalidSpec{R"("validations":[{"expression":"object.x"}])",
                    "spec.validations[0].expression", kInvalidField,
                    R"(Invalid value: "object.x": must evaluate to bool but got dyn)"},
        InvalidSpec{R"("validations":[{"expression":"request.userInfo.groups"}])",
                    "spec.validations[0].expression", kInvalidField,
                    R"(Invalid value: "request.userInfo.groups": must evaluate to bool but got )"
                    "list(string)"},
        InvalidSpec{R"("validations":[{"expression":"request.kind"}])",
                    "spec.validations[0].expression", kInvalidField,
                    R"(Invalid value: "request.kind": must evaluate to bool but got )"
                    "kubernetes.GroupVersionKind"},
        InvalidSpec{R"("validations":[{"expression":" "}])", "spec.validations[0].expression",
                    kRequiredField, "Required value: expression is not specified"},
        InvalidSpec{R"("validations":[{"expression":"true","messageExpression":"1"}])",
                    "spec.validations[0].messageExpression", kInvalidField,
                    R"(Invalid value: "1": must evaluate to string but got int)"},
        InvalidSpec{R"("validations":[{"expression":"true","messageExpression":"authorizer.x"}])",
                    "spec.validations[0].messageExpression", kInvalidField,
                    CAPSTAN_ERROR("authorizer.x", "1",
                                  "undeclared reference to 'authorizer' (in container '')",
                                  "authorizer.x", "")},
        InvalidSpec{R"("validations":[{"expression":"true","messageExpression":" "}])",
                    "spec.validations[0].messageExpression", kInvalidField,
                    R"(Invalid value: " ": must be non-empty if specified)"},
        InvalidSpec{R"("validations":[{"expression":"true","message":" "}])",
                    "spec.validations[0].message", kInvalidField,
                    R"(Invalid value: " ": must be non-empty if specified)"},
        InvalidSpec{R"("validations":[{"expression":"true","message":"a\nb"}])",
                    "spec.validations[0].message", kInvalidField,
                    R"(Invalid value: "a\nb": must not contain line breaks)"},
        InvalidSpec{R"("validations":[{"expression":"true","reason":"Teapot"}])",
                    "spec.validations[0].reason", kUnsupportedField,
                    R"(Unsupported value: "Teapot": supported values: "Forbidden", "Invalid", )"
                    R"("RequestEntityTooLarge")"},
        InvalidSpec{R"("variables":[{"name":"in","expression":"1"}])", "spec.variables[0].name",
                    kInvalidField, R"(Invalid value: "in": must be a valid CEL identifier)"},
        InvalidSpec{R"("variables":[{"name":"","expression":"1"}])", "spec.variables[0].name",
                    kRequiredField, "Required value: name is not specified"},
        InvalidSpec{R"("variables":[{"name":"a","expression":""}])", "spec.variables[0].expression",
                    kRequiredField, "Required value: expression is not specified"},
        InvalidSpec{
            R"("variables":[{"name":"a","expression":"x"}])", "spec.variables[0].expression",
            kInvalidField,
            CAPSTAN_ERROR("x", "1", "undeclared reference to 'x' (in container '')", "x", "")},
        InvalidSpec{
            R"("matchConditions":[{"name":"a b","expression":"true"}])",
            "spec.matchConditions[0].name", kInvalidField,
            R"(Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' )"
            "or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
            "'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
        InvalidSpec{R"("matchConditions":[{"name":"a","expression":""}])",
                    "spec.matchConditions[0].expression", kRequiredField, "Required value"},
        InvalidSpec{R"("variables":[{"name":"y","expression":"1"}],)"
                    R"("matchConditions":[{"name":"a","expression":"variables.y == 1"}])",
                    "spec.matchConditions[0].expression", kInvalidField,
                    CAPSTAN_ERROR("variables.y == 1", "1",
                                  "undeclared reference to 'variables' (in container '')",
                                  "variables.y == 1", "")},
        InvalidSpec{
            R"("auditAnnotations":[{"key":"k","valueExpression":"1"}])",
            "spec.auditAnnotations[0].valueExpression", kInvalidField,
            R"(Invalid value: "1": must evaluate to one of [string null_type] but got int)"},
        InvalidSpec{R"("auditAnnotations":[{"key":"k","valueExpression":""}])",
                    "spec.auditAnnotations[0].valueExpression", kRequiredField,
                    "Required value: valueExpression is not specified"},
        InvalidSpec{R"("auditAnnotations":[{"key":"k","valueExpression":"'a'"},)"
                    R"({"key":"k","valueExpression":"'b'"}])",
                    "spec.auditAnnotations[1].key", "FieldValueDuplicate",
                    R"(Duplicate value: "k")"},
        InvalidSpec{
            R"("auditAnnotations":[{"key":"a b","valueExpression":"'a'"}])",
            "spec.auditAnnotations[0].key", kInvalidField,
            R"(Invalid value: "NS/a b": name part must consist of alphanumeric characters, '-', )"
            "'_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  "
            "or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
        InvalidSpec{R"("paramKind":{"apiVersion":"","kind":"ConfigMap"})",
                    "spec.paramKind.apiVersion", kRequiredField, "Required value"},
        InvalidSpec{R"("paramKind":{"apiVersion":"a/b/c","kind":"ConfigMap"})",
                    "spec.paramKind.apiVersion", kInvalidField,
                    R"(Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)"},
        InvalidSpec{R"("paramKind":{"apiVersion":"v1","kind":""})", "spec.paramKind.kind",
                    kRequiredField, "Required value"},
        InvalidSpec{R"("matchConstraints":{"resourceRules":[]})",
                    "spec.matchConstraints.resourceRules", kRequiredField, "Required value"},
        InvalidSpec{
            R"("matchConstraints":{"matchPolicy":"Some","resourceRules":[{"operations":["*"],)"
            R"("apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]}]})",
            "spec.matchConstraints.matchPolicy", kUnsupportedField,
            R"(Unsupported value: "Some": supported values: "Equivalent", "Exact")"},
        InvalidSpec{R"("matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":[""],)"
                    R"("apiVersions":["v1"],"resources":["pods"],"resourceNames":["a","a"]}]})",
                    "spec.matchConstraints.resourceRules[0].resourceNames[1]",
                    "FieldValueDuplicate", R"(Duplicate value: "a")"},
        InvalidSpec{
            R"("matchConstraints":{"resourceRules":[{"operations":["READ"],"apiGroups":[""],)"
            R"("apiVersions":["v1"],"resources":["pods"]}]})",
            "spec.matchConstraints.resourceRules[0].operations[0]", kUnsupportedField,
            R"(Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", )"
            R"("UPDATE")"},
        InvalidSpec{R"("failurePolicy":"Retry")", "spec.failurePolicy", kUnsupportedField,
                    R"(Unsupported value: "Retry": supported values: "Fail", "Ignore")"}));

class BindingValidationTest : public PolicyContractTest,
                              public ::testing::WithParamInterface<InvalidSpec> {};

TEST_P(BindingValidationTest, Rejects) {
  const InvalidSpec& one = GetParam();
  std::string message = one.message;
  // Declarative validation has no detail.
  if (Minor() >= 37 && one.reason == std::string(kRequiredField) &&
      message.ends_with("action is required")) {
    message = "Required value";
  }

  EXPECT_REFUSED(
      Post(Bindings(), R"({"metadata":{"name":")" + ns() + R"("},"spec":{)" + one.spec + "}}"),
      Invalid("ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io", ns(), one.field,
              one.reason, message));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BindingValidationTest,
    ::testing::Values(
        InvalidSpec{R"("validationActions":["Deny"])", "spec.policyName", kRequiredField,
                    "Required value"},
        InvalidSpec{R"("policyName":"a","validationActions":[])", "spec.validationActions",
                    kRequiredField, "Required value: at least one validation action is required"},
        InvalidSpec{
            R"("policyName":"a","validationActions":["Deny","Warn"])", "spec.validationActions",
            kInvalidField,
            R"(Invalid value: ["Deny","Warn"]: must not contain both Deny and Warn (repeating )"
            "the same validation failure information in the API response and headers serves no "
            "purpose)"},
        InvalidSpec{R"("policyName":"a","validationActions":[""])", "spec.validationActions[0]",
                    kUnsupportedField,
                    R"(Unsupported value: "": supported values: "Audit", "Deny", "Warn")"},
        InvalidSpec{R"("policyName":"a","validationActions":["Stop"])", "spec.validationActions[0]",
                    kUnsupportedField,
                    R"(Unsupported value: "Stop": supported values: "Audit", "Deny", "Warn")"},
        InvalidSpec{R"("policyName":"a","validationActions":["Deny"],)"
                    R"("paramRef":{"parameterNotFoundAction":"Deny"})",
                    "spec.paramRef", kRequiredField,
                    "Required value: one of name or selector must be "
                    "specified"},
        InvalidSpec{R"("policyName":"a","validationActions":["Deny"],"paramRef":{"name":"a"})",
                    "spec.paramRef.parameterNotFoundAction", kRequiredField, "Required value"},
        InvalidSpec{R"("policyName":"a","validationActions":["Deny"],)"
                    R"("paramRef":{"name":"a","parameterNotFoundAction":"Stop"})",
                    "spec.paramRef.parameterNotFoundAction", kUnsupportedField,
                    R"(Unsupported value: "Stop": supported values: "Deny", "Allow")"}));

class ConditionValidationTest : public ContractTest,
                                public ::testing::WithParamInterface<InvalidSpec> {
 protected:
  Answer Create(const std::string& plural, const std::string& conditions) const {
    return Post("/apis/admissionregistration.k8s.io/v1/" + plural,
                R"({"metadata":{"name":")" + ns() +
                    R"("},"webhooks":[{"name":"a.x.io","clientConfig":{"url":"https://b"},)"
                    R"("sideEffects":"None","admissionReviewVersions":["v1"],"matchConditions":[)" +
                    conditions + "]}]}");
  }
};

TEST_P(ConditionValidationTest, Rejects) {
  const InvalidSpec& one = GetParam();
  const auto refusal = [&](const std::string& kind) {
    return Invalid(kind + ".admissionregistration.k8s.io", ns(),
                   std::string("webhooks[0].matchConditions") + one.field, one.reason, one.message);
  };

  EXPECT_REFUSED(Create("validatingwebhookconfigurations", one.spec),
                 refusal("ValidatingWebhookConfiguration"));
  EXPECT_REFUSED(Create("mutatingwebhookconfigurations", one.spec),
                 refusal("MutatingWebhookConfiguration"));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ConditionValidationTest,
    ::testing::Values(
        InvalidSpec{R"({"name":"a","expression":" 1 "})", "[0].expression", kInvalidField,
                    R"(Invalid value: "1": must evaluate to bool but got int)"},
        InvalidSpec{R"({"name":"a","expression":"params == null"})", "[0].expression",
                    kInvalidField,
                    CAPSTAN_ERROR("params == null", "1",
                                  "undeclared reference to 'params' (in container '')",
                                  "params == null", "")},
        InvalidSpec{R"j({"name":"a","expression":"authorizer.check('get').allowed()"})j",
                    "[0].expression", kInvalidField,
                    CAPSTAN_ERROR("authorizer.check('get').allowed()", "17",
                                  "found no matching overload for 'check' applied to "
                                  "'kubernetes.authorization.Authorizer.(string)'",
                                  "authorizer.check('get').allowed()", "................")},
        InvalidSpec{R"({"name":"a","expression":"true"},{"name":"a","expression":"true"})",
                    "[1].name", "FieldValueDuplicate", R"(Duplicate value: "a")"},
        InvalidSpec{R"({"name":"","expression":"true"})", "[0].name", kRequiredField,
                    "Required value"}));

#undef CAPSTAN_ERROR

TEST_F(ConditionValidationTest, RejectsMoreThan64Conditions) {
  std::string conditions;
  for (int i = 0; i < 65; ++i) {
    conditions += (i == 0 ? "" : ",") + std::string(R"({"name":"c)") + std::to_string(i) +
                  R"(","expression":"true"})";
  }

  EXPECT_REFUSED(Create("validatingwebhookconfigurations", conditions),
                 Invalid("ValidatingWebhookConfiguration.admissionregistration.k8s.io", ns(),
                         "webhooks[0].matchConditions", "FieldValueTooMany",
                         "Too many: 65: must have at most 64 items"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
