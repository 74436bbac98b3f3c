// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/base64.h"
#include "capstan/text.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "clientgo/testing/apiserver/validation/rule_validation.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

// Calls `visit` with every schema inside of `schema`.
template <class Visit>
void VisitSchemas(const Place& schema, const Visit& visit) {
  visit(schema);
  for (const char* const member : {"items", "additionalProperties"}) {
    if (schema[member].value().IsObject()) VisitSchemas(schema[member], visit);
  }
  const Place properties = schema["properties"];
  for (const Place& name : properties.Keys()) {
    const Place property = properties.Entry(name.Text());
    if (property.value().IsObject()) VisitSchemas(property, visit);
  }
}

void CheckPattern(const Place& schema, FieldRules& rules) {
  const Place pattern = schema["pattern"];
  const std::string why = cel::GoRegexp(pattern.Text()).Error();
  if (why.empty()) return;
  rules.Invalid(pattern, "must be a valid regular expression, but isn't: " + why);
}

void CheckDefault(const Place& schema, FieldRules& rules) {
  const Place value = schema["default"];
  if (!value.Given()) return;
  const auto more = ValidateDefault(schema.value(), value.value(), value.path());
  rules.causes().insert(rules.causes().end(), more.begin(), more.end());
}

void CheckListKeys(const Place& schema, FieldRules& rules) {
  if (schema["x-kubernetes-list-type"].Text() != "map") return;
  const Place keys = schema["x-kubernetes-list-map-keys"];
  const Place items = schema["items"];
  const Place properties = items["properties"];
  if (keys.Items().empty()) {
    rules.Required(keys, "must not be empty if x-kubernetes-list-type is map");
  }
  if (items["type"].Text() != "object") {
    rules.InvalidText(items["type"],
                      "must be object if parent array's x-kubernetes-list-type is map");
    return;
  }
  for (const Place& key : keys.Items()) {
    if (properties.Entry(key.Text()).Given()) continue;
    rules.Invalid(keys, "entries must all be names of item properties");
  }
  const runtime::JsonValue& required = ListAt(items.value(), "required");
  for (const Place& key : keys.Items()) {
    const Place property = properties.Entry(key.Text());
    if (!property.Given() || property["default"].Given() ||
        std::find(required.Begin(), required.End(), key.value()) != required.End()) {
      continue;
    }
    rules.Required(property["default"],
                   "this property is in x-kubernetes-list-map-keys, so it must have a default or "
                   "be a required property");
  }
}

void CheckSchema(const Place& schema, FieldRules& rules) {
  if (!schema.value().IsObject()) return;
  const auto before = rules.causes().size();
  const auto all = [&](const auto& check) {
    VisitSchemas(schema, [&](const Place& inner) { check(inner, rules); });
  };
  all(CheckPattern);
  if (rules.causes().size() == before) all(CheckDefault);
  all(CheckListKeys);
  if (rules.causes().size() == before) CheckValidationRules(schema, rules);
}

void CheckColumns(const Place& columns, FieldRules& rules) {
  constexpr std::string_view kTypes[] = {"boolean", "date", "integer", "number", "string"};
  constexpr std::string_view kOneOf = "must be one of boolean,date,integer,number,string";
  for (const Place& column : columns.Items()) {
    const Place type = column["type"];
    const Place json_path = column["jsonPath"].At(column.path() + ".JSONPath");
    rules.RequireText(column["name"]);
    if (rules.RequireText(type, kOneOf) &&
        std::find(std::begin(kTypes), std::end(kTypes), type.Text()) == std::end(kTypes)) {
      rules.Invalid(type, kOneOf);
    }
    if (rules.RequireText(json_path) && !json_path.Text().starts_with('.')) {
      rules.Invalid(json_path, "must be a simple json path starting with .");
    }
  }
}

void CheckVersionName(const Place& name, FieldRules& rules) {
  rules.InvalidText(name, Dns1035LabelErrors(name.Text()));
}

// Calls `check` with a member of the versions, which `member_of` returns. kube-apiserver moves a
// member that is the same in all versions to `moved_to` before it validates.
template <class MemberOf>
void CheckVersions(const std::vector<Place>& versions, const MemberOf& member_of,
                   const char* moved_to, bool moved, void (*check)(const Place&, FieldRules&),
                   FieldRules& rules) {
  const bool same =
      !versions.empty() && std::all_of(versions.begin(), versions.end(), [&](const Place& version) {
        const Place member = member_of(version);
        return member.Given() && member.value() == member_of(versions.front()).value();
      });
  if (same && moved) check(member_of(versions.front()).At(moved_to), rules);
  if (same || moved) return;
  for (const Place& version : versions) check(member_of(version), rules);
}

void CheckNames(const Place& definition, FieldRules& rules) {
  const Place group = definition["spec"]["group"];
  const Place name = definition["metadata"]["name"];
  const std::string plural(definition["spec"]["names"]["plural"].Text());
  if (name.Text() != plural + "." + std::string(group.Text())) {
    rules.InvalidText(name, R"(must be spec.names.plural+"."+spec.group)");
  }
  if (rules.RequireText(group) && IsDnsSubdomain(group.Text()) &&
      group.Text().find('.') == std::string_view::npos) {
    rules.Invalid(group, "should be a domain with at least one dot");
  }
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
  for (const Place& version : versions) CheckVersionName(version["name"], rules);
  const auto check_both = [&](bool moved) {
    CheckVersions(
        versions, [](const Place& version) { return version["schema"]["openAPIV3Schema"]; },
        "spec.validation.openAPIV3Schema", moved, CheckSchema, rules);
    CheckVersions(
        versions, [](const Place& version) { return version["subresources"]; }, "spec.subresources",
        moved, CheckSubresources, rules);
    CheckVersions(
        versions, [](const Place& version) { return version["additionalPrinterColumns"]; },
        "spec.additionalPrinterColumns", moved, CheckColumns, rules);
  };
  check_both(false);
  CheckVersionList(definition["spec"]["versions"], rules);
  // The internal form has the first version a second time.
  if (!versions.empty()) CheckVersionName(versions.front()["name"].At("spec.version"), rules);
  CheckDefinitionNames(definition["spec"], rules);
  check_both(true);
  CheckConversion(definition["spec"]["conversion"], rules);
  CheckApproval(definition, rules);
  if (const Place preserves = definition["spec"]["preserveUnknownFields"]; preserves.IsTrue()) {
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
