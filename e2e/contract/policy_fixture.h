// SPDX-License-Identifier: Apache-2.0
// PolicyContractTest makes ValidatingAdmissionPolicies and their bindings for this test's
// namespace. A real server notices them after a moment.
#pragma once

#include <string>
#include <string_view>

#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {

class PolicyContractTest : public ContractTest {
 protected:
  static constexpr const char* kConfigMapRule =
      R"({"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]})";
  static constexpr const char* kDenyAction = R"("validationActions":["Deny"])";

  static std::string Policies(std::string_view name = {}) {
    return Admission("validatingadmissionpolicies", name);
  }
  static std::string Bindings(std::string_view name = {}) {
    return Admission("validatingadmissionpolicybindings", name);
  }
  static std::string Admission(std::string_view plural, std::string_view name) {
    const std::string path = "/apis/admissionregistration.k8s.io/v1/" + std::string(plural);
    return name.empty() ? path : path + "/" + std::string(name);
  }
  // Returns one validation.
  static std::string Validation(std::string_view expression, const std::string& more = "") {
    return R"({"expression":)" + Quote(expression) + more + "}";
  }
  // Returns a matchConstraints for this test's namespace. `more` has more members.
  std::string Constraints(const std::string& rules, const std::string& more = "") const {
    return R"("matchConstraints":{"resourceRules":[)" + rules +
           R"(],"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":")" + ns() +
           "\"}}" + more + "}";
  }
  // Returns a policy with this spec, which has no matchConstraints yet, about ConfigMaps.
  std::string PolicyJson(const std::string& name, const std::string& spec) const {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + Constraints(kConfigMapRule) +
           "," + spec + "}}";
  }
  void Create(const std::string& collection, const std::string& name, const std::string& spec) {
    DeleteLater(collection + "/" + name);
    const Answer created =
        Post(collection, R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  // Creates a policy about ConfigMaps of this namespace. Its name is that of the namespace.
  void CreatePolicy(const std::string& spec) {
    Create(Policies(), ns(), Constraints(kConfigMapRule) + "," + spec);
  }
  void CreateBinding(const std::string& more = kDenyAction) {
    Create(Bindings(), ns(), R"("policyName":")" + ns() + "\"," + more);
  }
  // Creates a policy that denies what is not true for an expression, and its binding.
  void Require(std::string_view expression, const std::string& more = "",
               const std::string& spec = "") {
    CreatePolicy(R"("validations":[)" + Validation(expression, more) + "]" + spec);
    CreateBinding();
    Await();
  }
  // Waits until the server knows all policies and bindings that were created before.
  void Await() {
    const std::string name = ns() + "-last" + std::to_string(++awaited_);
    const std::string lease_rule =
        R"({"operations":["*"],"apiGroups":["coordination.k8s.io"],"apiVersions":["v1"],)"
        R"("resources":["leases"]})";
    Create(Policies(), name,
           Constraints(lease_rule) + R"(,"validations":[{"expression":"request.name != ')" + name +
               "'\"}]");
    Create(Bindings(), name, R"("policyName":")" + name + "\"," + kDenyAction);
    ASSERT_TRUE(Eventually([&] {
      return Post(Leases() + "?dryRun=All", R"({"metadata":{"name":")" + name + "\"}}").code == 422;
    }));
  }
  // Creates a ConfigMap without storing it.
  Answer Try(std::string_view name, std::string_view members = "") const {
    std::string body = R"({"metadata":{"name":")" + std::string(name) + "\"}";
    if (!members.empty()) body.append(",").append(members);
    return Post(ConfigMaps() + "?dryRun=All", body + "}");
  }
  // Returns the Refusal of a ConfigMap by this test's policy.
  Refusal Denied(const std::string& name, const std::string& message, int code = 422,
                 const std::string& reason = "Invalid") const {
    return DeniedBy("ValidatingAdmissionPolicy '" + ns() + "' with binding '" + ns() + "'", name,
                    message, code, reason);
  }
  static Refusal DeniedBy(const std::string& policy, const std::string& name,
                          const std::string& message, int code = 422,
                          const std::string& reason = "Invalid") {
    const std::string why = policy + " denied request: " + message;
    return {.code = code,
            .reason = reason,
            .message = "configmaps \"" + name + "\" is forbidden: " + why,
            .details = R"({"causes":[{"message":)" + Quote(why) +
                       R"(}],"kind":"configmaps","name":")" + name + "\"}"};
  }
  // Returns the texts of the Warning headers.
  static std::string Warnings(const Answer& answer) {
    std::string warnings;
    constexpr std::string_view kHeader = "warning: ";
    for (std::size_t at = answer.head.find(kHeader); at != std::string::npos;
         at = answer.head.find(kHeader, at)) {
      at += kHeader.size();
      warnings += answer.head.substr(at, answer.head.find("\r\n", at) - at) + "\n";
    }
    return warnings;
  }

 private:
  int awaited_ = 0;
};

}  // namespace capstan::testing::apiserver::contract
