// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/base64.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/definition_schemas.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kColumnFormats[] = {"byte",  "date",  "date-time", "double",
                                               "float", "int32", "int64",     "password"};

void CheckColumns(const Place& columns, FieldRules& rules) {
  constexpr std::string_view kTypes[] = {"boolean", "date", "integer", "number", "string"};
  constexpr std::string_view kOneOf = "must be one of boolean,date,integer,number,string";
  for (const Place& column : columns.Items()) {
    const Place type = column["type"];
    const Place format = column["format"];
    const Place json_path = column["jsonPath"].At(column.path() + ".JSONPath");
    rules.RequireText(column["name"]);
    if (rules.RequireText(type, kOneOf) &&
        std::find(std::begin(kTypes), std::end(kTypes), type.Text()) == std::end(kTypes)) {
      rules.Invalid(type, kOneOf);
    }
    if (!format.Text().empty() && std::find(std::begin(kColumnFormats), std::end(kColumnFormats),
                                            format.Text()) == std::end(kColumnFormats)) {
      rules.Invalid(format, "must be one of " + Join(kColumnFormats, ",", [](std::string_view one) {
                              return std::string(one);
                            }));
    }
    if (rules.RequireText(json_path) && !json_path.Text().starts_with('.')) {
      rules.Invalid(json_path, "must be a simple json path starting with .");
    }
  }
}

void CheckVersionName(const Place& name, FieldRules& rules) {
  rules.InvalidText(name, Dns1035LabelErrors(name.Text()));
}

// Reports whether a member is the same in all versions, or missing in all. kube-apiserver moves
// such a member out of the versions before it validates.
template <class MemberOf>
bool IsShared(const std::vector<Place>& versions, const MemberOf& member_of) {
  return std::all_of(versions.begin(), versions.end(), [&](const Place& version) {
    return member_of(version).value() == member_of(versions.front()).value();
  });
}

// VersionMembers checks the members of versions: those that differ where they are, and the others
// as members of the spec.
class VersionMembers {
 public:
  VersionMembers(const std::vector<Place>& versions, FieldRules& rules)
      : versions_(versions), rules_(rules) {
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
      shared_[i] = IsShared(versions, kMembers[i].member_of);
    }
  }

  // Checks what is only in this version.
  void CheckOwn(const Place& version) {
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
      if (shared_[i]) continue;
      kMembers[i].check(kMembers[i].member_of(version), version, HasStatus(version), rules_);
    }
  }
  void CheckShared() {
    if (versions_.empty()) return;
    const Place& version = versions_.front();
    const bool has_status = std::any_of(versions_.begin(), versions_.end(), HasStatus);
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
      if (!shared_[i]) continue;
      const Place member = kMembers[i].member_of(version).At(kMembers[i].shared_path);
      kMembers[i].check(member, version, has_status, rules_);
    }
  }

 private:
  struct Member {
    Place (*member_of)(const Place& version);
    const char* shared_path;
    void (*check)(const Place& member, const Place& version, bool has_status, FieldRules& rules);
  };
  static constexpr std::array kMembers = std::to_array<Member>({
      {[](const Place& version) { return version["schema"]["openAPIV3Schema"]; },
       "spec.validation.openAPIV3Schema",
       [](const Place& member, const Place&, bool has_status, FieldRules& rules) {
         CheckDefinitionSchema(member, has_status, rules);
       }},
      {[](const Place& version) { return version["subresources"]; }, "spec.subresources",
       [](const Place& member, const Place&, bool, FieldRules& rules) {
         CheckSubresources(member, rules);
       }},
      {[](const Place& version) { return version["additionalPrinterColumns"]; },
       "spec.additionalPrinterColumns",
       [](const Place& member, const Place&, bool, FieldRules& rules) {
         CheckColumns(member, rules);
       }},
      {[](const Place& version) { return version["selectableFields"]; }, "spec.selectableFields",
       [](const Place& member, const Place& version, bool, FieldRules& rules) {
         CheckSelectableFields(member, version["schema"]["openAPIV3Schema"], rules);
       }},
  });

  static bool HasStatus(const Place& version) { return version["subresources"]["status"].Given(); }

  const std::vector<Place>& versions_;
  FieldRules& rules_;
  std::array<bool, kMembers.size()> shared_{};
};

void CheckNames(const Place& definition, FieldRules& rules) {
  const Place group = definition["spec"]["group"];
  const std::string plural(definition["spec"]["names"]["plural"].Text());
  CheckRequiredName(definition["metadata"], plural + "." + std::string(group.Text()),
                    R"(must be spec.names.plural+"."+spec.group)", rules);
  if (!rules.RequireText(group)) return;
  const auto errors = SubdomainErrors(group.Text());
  if (!errors.empty()) {
    rules.Invalid(group, errors.front());
  } else if (group.Text().find('.') == std::string_view::npos) {
    rules.Invalid(group, "should be a domain with at least one dot");
  }
}

// A create makes the first version for the storage a stored one.
void CheckStored(const Place& definition, FieldRules& rules) {
  const Place stored = definition["status"]["storedVersions"];
  const auto list = stored.Items();
  if (list.empty()) {
    rules.Invalid(stored, "must have at least one stored version");
    return;
  }
  std::set<std::string_view> names;  // that no version had so far
  for (const Place& name : list) names.insert(name.Text());
  for (const Place& version : definition["spec"]["versions"].Items()) {
    const std::string_view name = version["name"].Text();
    if (names.erase(name) == 0 && version["storage"].IsTrue()) {
      rules.Invalid(stored, "must have the storage version " + std::string(name));
    }
  }
}

// Fields that are not in a schema are kept. `preserves` is true if the request says so.
void CheckPreserving(const Place& preserves, const Place& strategy, FieldRules& rules) {
  if (!preserves.IsTrue() || strategy.Text() == "None" || strategy.Text().empty()) return;
  rules.Invalid(strategy, "must be None if spec.preserveUnknownFields is true");
}

void CheckApproval(const Place& definition, FieldRules& rules) {
  const std::string group = "." + std::string(definition["spec"]["group"].Text());
  if (!group.ends_with(".k8s.io") && !group.ends_with(".kubernetes.io")) return;
  const Place approval = definition["metadata"]["annotations"].Entry("api-approved.kubernetes.io");
  const std::string rule =
      R"(protected groups must have approval annotation "api-approved.kubernetes.io")";
  const std::string see = ", see https://github.com/kubernetes/enhancements/pull/1111";
  const std::string_view state = approval.Text();
  if (rules.RequireText(approval, rule + see) && !state.starts_with("unapproved") &&
      !state.starts_with("https://")) {
    rules.Invalid(approval,
                  rule + R"( with either a URL or a reason starting with "unapproved")" + see);
  }
}

}  // namespace

void CheckDefinition(const Place& definition, FieldRules& rules) {
  CheckNames(definition, rules);
  const Place scope = definition["spec"]["scope"];
  if (rules.RequireText(scope)) rules.OneOf(scope, {"Cluster", "Namespaced"});
  CheckSchemasExist(definition["spec"], rules);
  const auto versions = definition["spec"]["versions"].Items();
  VersionMembers members(versions, rules);
  for (const Place& version : versions) {
    CheckVersionName(version["name"], rules);
    CheckDeprecation(version, rules);
    members.CheckOwn(version);
  }
  CheckVersionList(definition["spec"]["versions"], rules);
  // The internal form has the first version a second time.
  if (!versions.empty() && !versions.front()["name"].Text().empty()) {
    CheckVersionName(versions.front()["name"].At("spec.version"), rules);
  }
  CheckDefinitionNames(definition["spec"], rules);
  members.CheckShared();
  const Place preserves = definition["spec"]["preserveUnknownFields"];
  CheckPreserving(preserves, definition["spec"]["conversion"]["strategy"], rules);
  CheckConversion(definition["spec"]["conversion"], rules);
  CheckStored(definition, rules);
  CheckApproval(definition, rules);
  if (preserves.IsTrue()) {
    rules.Invalid(preserves,
                  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                  "spec.versions[*].schema instead");
  }
}

// What established definitions have is immutable. An update may not replace a valid CA bundle of
// the conversion webhook with an invalid one. A create may set an invalid one.
void CheckDefinitionUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const auto bundle = [](const Place& definition) {
    return definition["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"].At(
        "spec.conversion.webhookClientConfig.caBundle");
  };
  const auto why_not = [](const Place& base64) {
    return WhyNoRootCertificates(Base64Decode(base64.Text()).value_or(""));
  };
  const auto why = why_not(bundle(next));
  if (why && !why_not(bundle(live))) rules.Invalid(bundle(next), *why);
  const Place before = live["spec"];
  const Place after = next["spec"];
  if (!after.Given()) return;  // an update of the status
  rules.Immutable(before["scope"], after["scope"]);
  rules.Immutable(before["names"]["kind"], after["names"]["kind"]);
  rules.Immutable(before["group"], after["group"]);
  rules.Immutable(before["names"]["plural"], after["names"]["plural"]);
  CheckStoredVersions(live, next, rules);
}

}  // namespace capstan::testing::apiserver
