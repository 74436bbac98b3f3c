// SPDX-License-Identifier: Apache-2.0
// The rules of APIServices. Mirrors k8s.io/kube-aggregator/pkg/apis/apiregistration/validation.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "capstan/base64.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

void CheckPriority(const Place& priority, std::int64_t most, FieldRules& rules) {
  const std::int64_t number = priority.Number().value_or(0);
  if (number > 0 && number <= most) return;
  rules.InvalidAs(priority, std::to_string(number),
                  "must be positive and less than " + std::to_string(most));
}

// The server itself serves the version.
void CheckLocal(const Place& spec, FieldRules& rules) {
  const Place bundle = spec["caBundle"];
  if (!bundle.Text().empty()) {
    const std::size_t size = Base64Decode(bundle.Text()).value_or("").size();
    rules.InvalidAs(bundle, '"' + std::to_string(size) + " bytes\"",
                    "local APIServices may not have a caBundle");
  }
  const Place skip = spec["insecureSkipTLSVerify"];
  if (skip.IsTrue()) {
    rules.Invalid(skip, "local APIServices may not have insecureSkipTLSVerify");
  }
}

void CheckRemote(const Place& spec, FieldRules& rules) {
  constexpr int kPortMax = 65'535;
  const Place service = spec["service"];
  rules.RequireText(service["namespace"]);
  rules.RequireText(service["name"]);
  const Place port = service["port"];
  if (const auto number = port.Number(); number && (*number < 1 || *number > kPortMax)) {
    rules.Invalid(port, "port is not valid: must be between 1 and 65535, inclusive");
  }
  const Place skip = spec["insecureSkipTLSVerify"];
  if (skip.IsTrue() && !spec["caBundle"].Text().empty()) {
    rules.Invalid(skip, "may not be true if caBundle is present");
  }
}

}  // namespace

void CheckApiService(const Place& object, FieldRules& rules) {
  constexpr std::int64_t kGroupPriorityMax = 20'000;
  constexpr std::int64_t kVersionPriorityMax = 1000;
  const Place spec = object["spec"];
  const Place group = spec["group"];
  const Place version = spec["version"];
  const std::string wanted = std::string(version.Text()) + "." + std::string(group.Text());
  CheckRequiredName(object["metadata"], wanted,
                    R"(must be `spec.version+"."+spec.group`: ")" + wanted + "\"", rules);
  if (group.Text().empty() && version.Text() != "v1") {
    rules.Required(group, "only v1 may have an empty group and it better be legacy kube");
  }
  if (!group.Text().empty()) rules.Invalid(group, SubdomainErrors(group.Text()));
  rules.InvalidText(version, Dns1035LabelErrors(version.Text()));
  CheckPriority(spec["groupPriorityMinimum"], kGroupPriorityMax, rules);
  CheckPriority(spec["versionPriority"], kVersionPriorityMax, rules);
  if (spec["service"].Given()) {
    CheckRemote(spec, rules);
  } else {
    CheckLocal(spec, rules);
  }
}

void CheckApiServiceStatus(const Place&, const Place& next, FieldRules& rules) {
  for (const Place& condition : next["status"]["conditions"].Items()) {
    rules.ValueOneOf(condition["status"], {"True", "False", "Unknown"});
  }
}

}  // namespace capstan::testing::apiserver
