// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/metadata_validation.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/logging.h"
#include "capstan/runtime/group_version.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kAnnotationsMax = 1U << 18U;  // keys and values
constexpr std::size_t kManagerMax = 128;
constexpr std::size_t kSubresourceMax = 256;

void CheckFinalizers(const Place& finalizers, FieldRules& rules) {
  const auto items = finalizers.Items();
  const auto has = [&](std::string_view name) {
    return std::any_of(items.begin(), items.end(),
                       [&](const Place& finalizer) { return finalizer.Text() == name; });
  };
  for (const Place& finalizer : items) {
    rules.Invalid(finalizer.At(finalizers.path()), QualifiedNameErrors(finalizer.Text()));
  }
  if (has(kForegroundFinalizer) && has(kOrphanFinalizer)) {
    rules.Invalid(finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

// Unlike QualifiedNameErrors, this depends on the kind.
void CheckShortFinalizers(const Resource& resource, const Place& finalizers, FieldRules& rules) {
  if (resource.short_finalizers) return;
  for (const Place& finalizer : finalizers.Items()) {
    if (!IsShortFinalizer(finalizer.Text())) continue;
    rules.Invalid(finalizer, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

// Returns the finalizers of `next` that `live` does not have, as Go prints a []string.
std::string NewFinalizers(const Place& live, const Place& next) {
  std::string text;
  const auto before = live.Items();
  for (const Place& finalizer : next.Items()) {
    const bool known = std::any_of(before.begin(), before.end(), [&](const Place& one) {
      return one.value() == finalizer.value();
    });
    if (!known) text += (text.empty() ? "\"" : ", \"") + std::string(finalizer.Text()) + "\"";
  }
  return text;
}

// Returns the reference as Go writes it: with the members that it requires.
Json OwnerJson(const Place& owner) {
  const auto given = [&](std::string_view member) {
    const Place value = owner[member];
    return value.Given() ? Json(value.value()) : Json();
  };
  return {{"apiVersion", owner["apiVersion"].Text()},
          {"kind", owner["kind"].Text()},
          {"name", owner["name"].Text()},
          {"uid", owner["uid"].Text()},
          {"controller", given("controller")},
          {"blockOwnerDeletion", given("blockOwnerDeletion")}};
}

void CheckOwner(const Place& owner, FieldRules& rules) {
  const auto kind = runtime::GroupVersionKind::FromApiVersion(owner["apiVersion"].Text(),
                                                              std::string(owner["kind"].Text()));
  if (!kind || kind->version.empty()) {
    rules.InvalidText(owner["apiVersion"], "version must not be empty");
  }
  for (const char* const member : {"kind", "name", "uid"}) {
    const Place field = owner[member];
    if (field.Text().empty()) rules.InvalidText(field, "must not be empty");
  }
  if (kind == runtime::GroupVersionKind{.version = "v1", .kind = "Event"}) {
    rules.InvalidAs(owner, OwnerJson(owner).text(),
                    kind->String() + " is disallowed from being an owner");
  }
}

void CheckOwners(const Place& owners, FieldRules& rules) {
  std::string first;  // the controller
  for (const Place& item : owners.Items()) {
    const Place owner = item.At(owners.path());
    CheckOwner(owner, rules);
    if (!owner["controller"].IsTrue()) continue;
    const std::string name =
        std::string(owner["kind"].Text()) + "/" + std::string(owner["name"].Text());
    if (first.empty()) {
      first = name;
      continue;
    }
    std::vector<Json> all;
    for (const Place& one : owners.Items()) all.push_back(OwnerJson(one));
    rules.InvalidAs(owners, Json::List(all).text(),
                    std::string("Only one reference can have Controller set to true. Found "
                                "\"true\" in references for ")
                        .append(first)
                        .append(" and ")
                        .append(name));
  }
}

void CheckManagers(const Place& managers, FieldRules& rules) {
  for (const Place& entry : managers.Items()) {
    const Place operation = entry["operation"];
    if (operation.Text() != "Apply" && operation.Text() != "Update") {
      rules.InvalidText(operation, "must be `Apply` or `Update`");
    }
    const Place type = entry["fieldsType"];
    if (!type.Text().empty() && type.Text() != "FieldsV1") {
      rules.Invalid(type, "must be `FieldsV1`");
    }
    const Place manager = entry["manager"];
    if (manager.Text().size() > kManagerMax) rules.TooLong(manager, kManagerMax);
    const Place subresource = entry["subresource"];
    if (subresource.Text().size() > kSubresourceMax) rules.TooLong(subresource, kSubresourceMax);
  }
}

// Checks what has the same rules in all metadata.
void CheckCommon(const Place& metadata, FieldRules& rules) {
  rules.NotNegative(metadata["generation"]);
  rules.Labels(metadata["labels"]);
  CheckAnnotations(metadata["annotations"], rules);
  CheckOwners(metadata["ownerReferences"], rules);
  CheckFinalizers(metadata["finalizers"], rules);
}

// A write keeps the time and the grace period of a deletion, and cannot begin one.
void CheckDeletion(const Place& live, const Place& next, bool keeps_time, FieldRules& rules) {
  const Place time = next["deletionTimestamp"];
  if (const auto begin = ParseTime(time.Text());
      begin && !keeps_time && !live["deletionTimestamp"].Given()) {
    rules.InvalidAs(time, Quote(FormatTime(std::chrono::floor<std::chrono::seconds>(*begin))),
                    "field is immutable");
  }
  const Place period = next["deletionGracePeriodSeconds"];
  if (period.Given()) rules.Immutable(live["deletionGracePeriodSeconds"], period);
}

}  // namespace

std::string MaskTrailingDash(std::string_view prefix) {
  if (prefix.size() < 2 || !prefix.ends_with('-')) return std::string(prefix);
  return std::string(prefix.substr(0, prefix.size() - 2)) + "a";
}

// Unlike those of labels, the prefixes of annotations may have capital letters.
void CheckAnnotations(const Place& annotations, FieldRules& rules) {
  if (!annotations.value().IsObject()) return;
  std::size_t size = 0;
  for (const auto& [name, value] : annotations.value().GetObject()) {
    const Place key(name, annotations.path());
    rules.Invalid(key, QualifiedNameErrors(LowerAscii(key.Text())));
    size += key.Text().size() + runtime::ToView(value).size();
  }
  if (size > kAnnotationsMax) rules.TooLong(annotations, kAnnotationsMax);
}

bool IsShortFinalizer(std::string_view name) {
  return name != kForegroundFinalizer && name != kOrphanFinalizer && name != "kubernetes" &&
         name.find('/') == std::string_view::npos;
}

std::vector<std::string> FinalizerWarnings(const runtime::JsonValue* live,
                                           const runtime::JsonValue& next) {
  const runtime::JsonValue none;
  const auto before = Place(live == nullptr ? none : *live, "")["metadata"]["finalizers"].Items();
  std::set<std::string_view> added;
  for (const Place& finalizer : Place(next, "")["metadata"]["finalizers"].Items()) {
    added.insert(finalizer.Text());
  }
  for (const Place& finalizer : before) added.erase(finalizer.Text());
  std::vector<std::string> warnings;
  for (const std::string_view name : added) {
    if (!IsShortFinalizer(name)) continue;
    const bool domain = name.find('.') != std::string_view::npos;
    warnings.push_back("metadata.finalizers: " + Quoted(name) +
                       ": prefer a domain-qualified finalizer name " +
                       (domain ? "including a path (/) " : "") +
                       "to avoid accidental conflicts with other finalizer writers");
  }
  return warnings;
}

void CheckMetadata(const Resource& resource, const Place& metadata, FieldRules& rules) {
  const auto name_errors = resource.name_errors != nullptr ? resource.name_errors : SubdomainErrors;
  const Place generate_name = metadata["generateName"];
  if (!generate_name.Text().empty()) {
    rules.Invalid(generate_name, name_errors(MaskTrailingDash(generate_name.Text())));
  }
  const Place name = metadata["name"];
  if (rules.RequireText(name, "name or generateName is required")) {
    rules.Invalid(name, name_errors(name.Text()));
  }
  CheckCommon(metadata, rules);
  CheckShortFinalizers(resource, metadata["finalizers"], rules);
}

void CheckEmbeddedMetadata(const Place& metadata, FieldRules& rules) {
  const Place prefix = metadata["generateName"];
  // A text follows the prefix, so it may be "." or "..".
  rules.Invalid(prefix, PathSegmentErrors(std::string(prefix.Text()) + "x"));
  const Place name = metadata["name"];
  rules.Invalid(name, PathSegmentErrors(name.Text()));
  rules.Label(metadata["namespace"]);
  CheckCommon(metadata, rules);
  CheckManagers(metadata["managedFields"], rules);
}

void CheckMetadataUpdate(const Resource& resource, std::string_view subresource, const Place& live,
                         const Place& next, FieldRules& rules) {
  const std::string added = NewFinalizers(live["finalizers"], next["finalizers"]);
  if (!added.empty() && !live["deletionTimestamp"].Text().empty()) {
    rules.Forbidden(next["finalizers"],
                    "no new finalizers can be added if the object is being deleted, found new "
                    "finalizers []string{" +
                        added + "}");
  }
  const Place uid = next["uid"];
  if (!uid.Text().empty() && uid.Text() != live["uid"].Text()) {
    rules.Invalid(uid, "field is immutable");
  }
  const bool ignored = subresource == "status" && resource.status_ignores == "*" &&
                       !resource.status_updates_metadata;
  if (!ignored) CheckDeletion(live, next, resource.pods && !subresource.empty(), rules);
}

}  // namespace capstan::testing::apiserver
