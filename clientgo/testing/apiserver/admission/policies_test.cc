// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/policies.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/admission/policy_check.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kPolicySpec =
    R"("matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":[""],)"
    R"("apiVersions":["v1"],"resources":["configmaps"]}]})";

const Resource& PolicyResource(std::string_view plural) {
  return *FindResource("admissionregistration.k8s.io", "v1", plural);
}

class PoliciesTest : public ::testing::Test {
 protected:
  void Store(std::string_view plural, const std::string& name, const std::string& spec,
             EventType type = EventType::kAdded) {
    const Resource& resource = PolicyResource(plural);
    runtime::JsonDocument object =
        runtime::MustParse(R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}");
    policies_.Update(resource,
                     {.type = type, .key = name, .object = MakeObject(resource, object, 1)});
  }
  void StorePolicy(const std::string& name, const std::string& more) {
    Store("validatingadmissionpolicies", name, kPolicySpec + ("," + more));
  }
  void StoreBinding(const std::string& name, const std::string& policy,
                    const std::string& action = "Deny", EventType type = EventType::kAdded) {
    Store("validatingadmissionpolicybindings", name,
          R"("policyName":")" + policy + R"(","validationActions":[")" + action + "\"]", type);
  }
  // Returns why the creation of a ConfigMap is denied; empty: it is allowed.
  std::string Denial(const std::string& data) {
    const runtime::JsonDocument object =
        runtime::MustParse(R"({"metadata":{"name":"c"},"data":)" + data + "}");
    const AdmissionAttributes attributes{.operation = "CREATE",
                                         .resource = FindResource("", "v1", "configmaps"),
                                         .namespace_ = "ns",
                                         .name = "c",
                                         .object = &object};
    const runtime::JsonDocument empty(rapidjson::kObjectType);
    const UserInfo user{.name = "u"};
    const AdmissionInput input(
        {.attributes = attributes, .user = user, .options = empty, .access = nullptr});
    const PolicyContext context{
        .storage = storage_,
        .resources = resources_,
        .namespace_labels = [&]() -> const runtime::JsonValue& { return empty; },
        .namespace_object = [] { return nullptr; },
        .input = [&](const Resource&) -> Result<const AdmissionInput*> { return &input; }};
    warnings_.clear();
    const auto result = CheckPolicies(policies_, attributes, context, warnings_);
    return result ? "" : result.error().message;
  }

  Storage storage_{100};
  CustomResources resources_;
  AdmissionPolicies policies_;
  std::vector<std::string> warnings_;
};

TEST_F(PoliciesTest, MatchNothingWithoutABinding) {
  const Resource& config_maps = *FindResource("", "v1", "configmaps");
  StorePolicy("p", R"("validations":[{"expression":"false"}])");
  EXPECT_FALSE(policies_.MayMatch(config_maps));

  StoreBinding("b", "p");
  EXPECT_TRUE(policies_.MayMatch(config_maps));
  EXPECT_FALSE(policies_.MayMatch(*FindResource("apps", "v1", "deployments")));
  EXPECT_FALSE(policies_.MayMatch(PolicyResource("validatingadmissionpolicies")));

  StoreBinding("b", "p", "Deny", EventType::kDeleted);
  EXPECT_FALSE(policies_.MayMatch(config_maps));
}

TEST_F(PoliciesTest, DenyWithTheFirstFailedValidation) {
  StorePolicy("p", R"("validations":[{"expression":"object.data.a == '1'","message":"one"},)"
                   R"({"expression":"object.data.b == '2'","message":"two"}])");
  StoreBinding("b", "p");

  EXPECT_EQ(Denial(R"({"a":"1","b":"2"})"), "");
  EXPECT_EQ(Denial(R"({"a":"1","b":"3"})"),
            "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied "
            "request: two");
  EXPECT_TRUE(Denial(R"({"a":"2","b":"3"})").ends_with(": one"));
}

TEST_F(PoliciesTest, EvaluateVariables) {
  StorePolicy("p", R"j("variables":[{"name":"v","expression":"[1, 2, 3].map(x, x * 2)"},)j"
                   R"j({"name":"w","expression":"variables.v[2]"}],"validations":[{"expression":)j"
                   R"j("variables.w == 6"},{"expression":"variables.v[0] == 3","message":"m"}])j");
  StoreBinding("b", "p");

  EXPECT_TRUE(Denial("{}").ends_with(": m"));
}

TEST_F(PoliciesTest, WarnForEachFailedValidation) {
  StorePolicy("p", R"("validations":[{"expression":"false","message":"one"},)"
                   R"({"expression":"true"},{"expression":"false","message":"two"}])");
  StoreBinding("b", "p", "Warn");

  EXPECT_EQ(Denial("{}"), "");
  EXPECT_EQ(warnings_.size(), 2U);
}

TEST_F(PoliciesTest, DenyWhatCostsTooMuch) {
  StorePolicy("p", R"j("validations":[{"expression":"object.data.all(a, object.data.all(b, )j"
                   R"j(object.data.all(c, a + b + c != '')))"}])j");
  StoreBinding("b", "p");
  std::string data = "{";
  for (int i = 0; i < 200; ++i) {
    data += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":"x")";
  }

  EXPECT_TRUE(Denial(data + "}").ends_with("operation cancelled: actual cost limit exceeded"))
      << Denial(data + "}");
}

}  // namespace
}  // namespace capstan::testing::apiserver
