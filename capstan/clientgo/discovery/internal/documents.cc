// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/discovery/internal/documents.h"

#include <algorithm>
#include <array>
#include <utility>

#include "capstan/clientgo/util/text.h"

namespace capstan::clientgo::discovery {

using runtime::Find;
using runtime::GetString;
using runtime::GroupVersion;
using runtime::JsonElements;
using runtime::JsonValue;

namespace {

// Returns the elements of a member, none if it is missing.
JsonElements ElementsOf(const JsonValue& object, std::string_view key) {
  const JsonValue* const member = Find(object, key);
  return JsonElements(member != nullptr ? *member : object);
}

std::vector<std::string> StringsOf(const JsonValue& object, std::string_view key) {
  std::vector<std::string> strings;
  for (const JsonValue& element : ElementsOf(object, key)) {
    if (const auto text = runtime::AsString(element)) strings.emplace_back(*text);
  }
  return strings;
}

// Sets the kind of an aggregated resource. An empty version in `responseKind` is that of the list.
void SetResponseKind(const JsonValue& entry, const GroupVersion& listed, ApiResource& resource) {
  const JsonValue* const kind = Find(entry, "responseKind");
  if (kind == nullptr) return;
  resource.kind = GetString(*kind, "kind");
  resource.group = GetString(*kind, "group");
  resource.version = GetString(*kind, "version");
  if (!resource.version.empty()) return;
  resource.group = listed.group;
  resource.version = listed.version;
}

// Appends a resource and its subresources.
void AddAggregated(const JsonValue& entry, ApiResourceList& list) {
  ApiResource resource{.name = std::string(GetString(entry, "resource")),
                       .singular_name = std::string(GetString(entry, "singularResource")),
                       .namespaced = GetString(entry, "scope") == "Namespaced",
                       .verbs = StringsOf(entry, "verbs"),
                       .short_names = StringsOf(entry, "shortNames"),
                       .categories = StringsOf(entry, "categories")};
  SetResponseKind(entry, list.group_version, resource);
  if (resource.name.empty()) return;
  const std::string name = resource.name;
  const bool namespaced = resource.namespaced;
  if (!resource.kind.empty()) list.resources.push_back(std::move(resource));
  for (const JsonValue& sub : ElementsOf(entry, "subresources")) {
    ApiResource subresource{.name = name + "/" + std::string(GetString(sub, "subresource")),
                            .namespaced = namespaced,
                            .verbs = StringsOf(sub, "verbs")};
    SetResponseKind(sub, list.group_version, subresource);
    if (!subresource.kind.empty() && subresource.name.size() > name.size() + 1) {
      list.resources.push_back(std::move(subresource));
    }
  }
}

util::Error Stale(const GroupVersion& version) {
  return {.reason = util::ErrorReason::kServiceUnavailable,
          .message = "stale GroupVersion discovery: " + version.String()};
}

}  // namespace

bool IsAggregated(std::string_view content_type) {
  const auto parts = util::Split(content_type, ';');
  if (parts.empty() || !util::EqualIgnoringCase(util::Trim(parts[0], " "), "application/json")) {
    return false;
  }
  constexpr std::array<std::string_view, 3> kNeeded = {"g=apidiscovery.k8s.io", "v=v2",
                                                       "as=APIGroupDiscoveryList"};
  return std::all_of(kNeeded.begin(), kNeeded.end(), [&](std::string_view needed) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return util::Trim(part, " ") == needed; });
  });
}

Discovered DecodeAggregated(const JsonValue& document) {
  Discovered found;
  for (const JsonValue& item : ElementsOf(document, "items")) {
    const JsonValue* const metadata = Find(item, "metadata");
    ApiGroup group;
    if (metadata != nullptr) group.name = GetString(*metadata, "name");
    for (const JsonValue& entry : ElementsOf(item, "versions")) {
      const GroupVersion version{group.name, std::string(GetString(entry, "version"))};
      if (version.version.empty()) continue;
      if (GetString(entry, "freshness") == "Stale") {
        found.failed.emplace(version, Stale(version));
        continue;
      }
      group.versions.push_back(version.version);
      ApiResourceList list{.group_version = version};
      for (const JsonValue& resource : ElementsOf(entry, "resources")) {
        AddAggregated(resource, list);
      }
      found.resources.push_back(std::move(list));
    }
    if (!group.versions.empty()) group.preferred_version = group.versions.front();
    found.groups.push_back(std::move(group));
  }
  return found;
}

std::vector<ApiGroup> DecodeVersions(const JsonValue& document) {
  ApiGroup core{.versions = StringsOf(document, "versions")};
  if (core.versions.empty()) return {};
  core.preferred_version = core.versions.front();
  return {std::move(core)};
}

std::vector<ApiGroup> DecodeGroups(const JsonValue& document) {
  std::vector<ApiGroup> groups;
  for (const JsonValue& entry : ElementsOf(document, "groups")) {
    ApiGroup group{.name = std::string(GetString(entry, "name"))};
    for (const JsonValue& version : ElementsOf(entry, "versions")) {
      const std::string_view name = GetString(version, "version");
      if (!name.empty()) group.versions.emplace_back(name);
    }
    if (group.name.empty() || group.versions.empty()) continue;
    const JsonValue* const preferred = Find(entry, "preferredVersion");
    if (preferred != nullptr) group.preferred_version = GetString(*preferred, "version");
    if (group.preferred_version.empty()) group.preferred_version = group.versions.front();
    groups.push_back(std::move(group));
  }
  return groups;
}

ApiResourceList DecodeResources(const JsonValue& document, const GroupVersion& group_version) {
  ApiResourceList list{.group_version = group_version};
  for (const JsonValue& entry : ElementsOf(document, "resources")) {
    ApiResource resource{.name = std::string(GetString(entry, "name")),
                         .singular_name = std::string(GetString(entry, "singularName")),
                         .namespaced = runtime::GetBool(entry, "namespaced"),
                         .group = std::string(GetString(entry, "group")),
                         .version = std::string(GetString(entry, "version")),
                         .kind = std::string(GetString(entry, "kind")),
                         .verbs = StringsOf(entry, "verbs"),
                         .short_names = StringsOf(entry, "shortNames"),
                         .categories = StringsOf(entry, "categories")};
    if (resource.name.empty() || resource.kind.empty()) continue;
    if (resource.version.empty()) {
      resource.group = group_version.group;
      resource.version = group_version.version;
    }
    list.resources.push_back(std::move(resource));
  }
  return list;
}

ServerVersionInfo DecodeVersionInfo(const JsonValue& document) {
  return {.major = std::string(GetString(document, "major")),
          .minor = std::string(GetString(document, "minor")),
          .git_version = std::string(GetString(document, "gitVersion")),
          .git_commit = std::string(GetString(document, "gitCommit")),
          .go_version = std::string(GetString(document, "goVersion")),
          .platform = std::string(GetString(document, "platform"))};
}

}  // namespace capstan::clientgo::discovery
