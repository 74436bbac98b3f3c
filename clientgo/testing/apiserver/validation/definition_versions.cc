// SPDX-License-Identifier: Apache-2.0
// The rules of the versions of a CustomResourceDefinition, and of their conversion.
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

std::string Copy(const std::string& text) { return text; }

}  // namespace

void CheckSubresources(const Place& subresources, FieldRules& rules) {
  const Place scale = subresources["scale"];
  if (!scale.Given()) return;
  const auto check = [&](const Place& path, std::initializer_list<std::string_view> places,
                         std::string_view detail) {
    const std::string_view text = path.Text();
    if (!text.starts_with('.')) {
      rules.Invalid(path, "must be a simple json path starting with .");
    } else if (std::none_of(places.begin(), places.end(),
                            [&](std::string_view place) { return text.starts_with(place); })) {
      rules.Invalid(path, detail);
    }
  };
  const Place replicas = scale["specReplicasPath"];
  const Place status = scale["statusReplicasPath"];
  const Place selector = scale["labelSelectorPath"];
  if (rules.RequireText(replicas)) check(replicas, {".spec."}, "should be a json path under .spec");
  if (rules.RequireText(status)) check(status, {".status."}, "should be a json path under .status");
  if (selector.Text().empty()) return;
  check(selector, {".spec.", ".status."}, "should be a json path under either .spec or .status");
}

void CheckSchemasExist(const Place& spec, FieldRules& rules) {
  for (const Place& version : spec["versions"].Items()) {
    const Place schema = version["schema"]["openAPIV3Schema"];
    if (!schema.Given()) rules.Required(schema.At(version.path() + ".schema.openAPIV3Schema"));
  }
}

void CheckVersionList(const Place& versions, FieldRules& rules) {
  const auto list = versions.Items();
  std::set<std::string_view> names;
  for (const Place& version : list) names.insert(version["name"].Text());
  if (names.size() != list.size()) rules.Invalid(versions, "must contain unique version names");
  const auto stored = std::count_if(
      list.begin(), list.end(), [](const Place& version) { return version["storage"].IsTrue(); });
  if (stored == 1) return;
  rules.Invalid(versions, "must have exactly one version marked as storage version");
}

void CheckDefinitionNames(const Place& spec, FieldRules& rules) {
  const Place names = spec["names"];
  for (const char* const name : {"plural", "singular", "kind", "listKind"}) {
    rules.RequireText(names[name]);
  }
  const auto check = [&](const Place& name, std::string_view prefix, const std::string& text) {
    const auto errors = Dns1035LabelErrors(text);
    if (!errors.empty()) rules.InvalidText(name, std::string(prefix) + Join(errors, ",", Copy));
  };
  for (const char* const name : {"plural", "singular"}) {
    const std::string text(names[name].Text());
    if (!text.empty()) check(names[name], "", text);
  }
  for (const char* const name : {"kind", "listKind"}) {
    const std::string text = LowerAscii(names[name].Text());
    if (text.empty()) continue;
    check(names[name], "may have mixed case, but should otherwise match: ", text);
  }
  for (const Place& name : names["shortNames"].Items()) check(name, "", std::string(name.Text()));
  if (!names["kind"].Text().empty() && names["kind"].Text() == names["listKind"].Text()) {
    rules.InvalidText(names["listKind"], "kind and listKind may not be the same");
  }
  for (const Place& name : names["categories"].Items()) check(name, "", std::string(name.Text()));
}

void CheckDeprecation(const Place& version, FieldRules& rules) {
  constexpr std::size_t kWarningMax = 256;
  const Place warning = version["deprecationWarning"];
  if (!warning.Given()) return;
  const std::string_view text = warning.Text();
  if (!version["deprecated"].IsTrue()) {
    rules.InvalidText(warning, "can only be set for deprecated versions");
    return;
  }
  if (text.size() > kWarningMax) rules.InvalidText(warning, "must be <= 256 characters long");
  if (text.empty()) rules.InvalidText(warning, "must not be an empty string");
  const auto* const bad = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
  if (bad == text.end()) return;
  rules.InvalidText(warning,
                    "must only contain printable UTF-8 characters; non-printable character found "
                    "at index " +
                        std::to_string(bad - text.begin()));
}

namespace {

// Returns the schema that a path as ".spec.color" leads to. `why` is set when it leads to none.
Place FollowPath(std::string_view path, Place schema, std::string& why) {
  if (path.find('[') != std::string_view::npos) {
    why = "array notation is not allowed";
    return schema;
  }
  while (why.empty() && !path.empty()) {
    if (path.front() != '.') {
      const std::string_view token = path.substr(0, path.find_first_of(".]", 1));
      why = "expected [ or . but got: " + std::string(token);
    } else if (path.size() == 1) {
      why = "unexpected end of JSON path";
    } else {
      path.remove_prefix(1);
      const std::string_view name = path.substr(0, std::max<std::size_t>(path.find('.'), 1));
      const Place properties = schema["properties"];
      const bool named = !properties.Keys().empty();
      schema = named ? properties.Entry(name) : schema["additionalProperties"];
      if (!schema.value().IsObject()) why = "does not refer to a valid field";
      path.remove_prefix(name.size());
    }
  }
  return schema;
}

}  // namespace

void CheckSelectableFields(const Place& fields, const Place& schema, FieldRules& rules) {
  if (fields.Items().empty()) return;
  if (!schema.Given()) {
    const bool shared = fields.path() == "spec.selectableFields";
    rules.InvalidText(Place(schema.value(), fields.path()),
                      shared ? "may only be set when validations.schema is included"
                             : "may only be set when `version.schema.openAPIV3Schema` is not "
                               "included");
    return;
  }
  constexpr std::size_t kFieldsMax = 8;
  constexpr std::string_view kTypes[] = {"string", "boolean", "integer"};
  std::set<std::string_view> unique;
  for (const Place& field : fields.Items()) {
    const Place path = field["jsonPath"];
    if (!rules.RequireText(path)) continue;
    std::string why;
    const Place found = FollowPath(path.Text(), schema, why);
    if (!why.empty()) {
      rules.Invalid(path, "is an invalid path: " + why);
      continue;
    }
    if (path.Text() == ".metadata" || path.Text().starts_with(".metadata.")) {
      rules.Invalid(path, "must not point to fields in metadata");
    }
    const std::string_view type = found["type"].Text();
    if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
      rules.Invalid(path,
                    "must point to a field of type string, boolean or integer. Enum string fields "
                    "and strings with formats are allowed.");
    }
    if (!unique.insert(path.Text()).second) rules.Duplicate(path);
  }
  if (unique.size() <= kFieldsMax) return;
  rules.causes().push_back(
      {.reason = "FieldValueTooMany",
       .message = "Too many: " + std::to_string(unique.size()) + ": must have at most 8 items",
       .field = fields.path()});
}

// kube-apiserver validates its internal type: webhook.clientConfig is webhookClientConfig there.
void CheckConversion(const Place& conversion, FieldRules& rules) {
  if (!conversion.value().IsObject()) return;
  const Place webhook = conversion["webhook"];
  const Place config = webhook["clientConfig"].At(conversion.path() + ".webhookClientConfig");
  const Place versions =
      webhook["conversionReviewVersions"].At(conversion.path() + ".conversionReviewVersions");
  const Place strategy = conversion["strategy"];
  if (rules.RequireText(strategy)) rules.OneOf(strategy, {"None", "Webhook"});
  if (strategy.Text() == "Webhook") {
    if (config.Given()) {
      CheckClient(config, rules);
    } else {
      rules.Required(config, "required when strategy is set to Webhook");
    }
    CheckReviewVersions(versions, "", rules);
    return;
  }
  const std::string_view why = "should not be set when strategy is not set to Webhook";
  if (config.Given()) rules.Forbidden(config, why);
  if (!versions.Items().empty()) rules.Forbidden(versions, why);
}

void CheckStoredVersions(const Place& live, const Place& next, FieldRules& rules) {
  const auto versions = next["spec"]["versions"].Items();
  for (const Place& stored : live["status"]["storedVersions"].Items()) {
    const std::string name(stored.Text());
    const bool exists = std::any_of(versions.begin(), versions.end(), [&](const Place& version) {
      return version["name"].Text() == name;
    });
    if (exists) continue;
    rules.Invalid(stored, std::string("missing from spec.versions; ")
                              .append(name)
                              .append(" was previously a storage version, and must remain in "
                                      "spec.versions until a storage migration ensures no data "
                                      "remains persisted in ")
                              .append(name)
                              .append(" and removes ")
                              .append(name)
                              .append(" from status.storedVersions"));
  }
}

}  // namespace capstan::testing::apiserver
