// SPDX-License-Identifier: Apache-2.0
// The rules of the versions of a CustomResourceDefinition, and of their conversion.
#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

void CheckConversionVersions(const Place& versions, FieldRules& rules) {
  const auto list = versions.Items();
  if (list.empty()) {
    rules.Required(versions);
    return;
  }
  std::set<std::string_view> seen;
  for (const Place& version : list) {
    if (!seen.insert(version.Text()).second) {
      rules.Invalid(version, "duplicate version");
    } else {
      rules.Invalid(version, Dns1035LabelErrors(version.Text()));
    }
  }
  if (seen.count("v1") == 0 && seen.count("v1beta1") == 0) {
    rules.Invalid(versions, "must include at least one of v1, v1beta1");
  }
}

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
  for (const char* const name : {"plural", "singular", "kind", "listKind"}) {
    rules.RequireText(spec["names"][name]);
  }
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
    CheckConversionVersions(versions, rules);
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
