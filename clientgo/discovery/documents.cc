// SPDX-License-Identifier: Apache-2.0
#include "clientgo/discovery/documents.h"

#include <algorithm>
#include <array>
#include <utility>

#include "capstan/text.h"

namespace capstan::discovery {

namespace {

// Returns the elements of a member, none if it is missing.
runtime::JsonElements ElementsOf(const runtime::JsonValue& object, std::string_view key) {
  const runtime::JsonValue* const member = runtime::Find(object, key);
  return runtime::JsonElements(member != nullptr ? *member : object);
}

std::vector<std::string> StringsOf(const runtime::JsonValue& object, std::string_view key) {
  std::vector<std::string> strings;
  for (const runtime::JsonValue& element : ElementsOf(object, key)) {
    if (const auto text = runtime::AsString(element)) strings.emplace_back(*text);
  }
  return strings;
}

// Sets the kind of an aggregated resource. An empty version in `responseKind` is that of the list.
void SetResponseKind(const runtime::JsonValue& entry, const runtime::GroupVersion& listed,
                     ApiResource& resource) {
  const runtime::JsonValue* const kind = runtime::Find(entry, "responseKind");
  if (kind == nullptr) return;
  resource.kind = runtime::GetString(*kind, "kind");
  resource.group = runtime::GetString(*kind, "group");
  resource.version = runtime::GetString(*kind, "version");
  if (!resource.version.empty()) return;
  resource.group = listed.group;
  resource.version = listed.version;
}

// Appends a resource and its subresources.
void AddAggregated(const runtime::JsonValue& entry, ApiResourceList& list) {
  ApiResource resource{.name = std::string(runtime::GetString(entry, "resource")),
                       .singular_name = std::string(runtime::GetString(entry, "singularResource")),
                       .namespaced = runtime::GetString(entry, "scope") == "Namespaced",
                       .verbs = StringsOf(entry, "verbs"),
                       .short_names = StringsOf(entry, "shortNames"),
                       .categories = StringsOf(entry, "categories")};
  SetResponseKind(entry, list.group_version, resource);
  if (resource.name.empty()) return;
  const std::string name = resource.name;
  const bool namespaced = resource.namespaced;
  if (!resource.kind.empty()) list.resources.push_back(std::move(resource));
  for (const runtime::JsonValue& sub : ElementsOf(entry, "subresources")) {
    ApiResource subresource{
        .name = name + "/" + std::string(runtime::GetString(sub, "subresource")),
        .namespaced = namespaced,
        .verbs = StringsOf(sub, "verbs")};
    SetResponseKind(sub, list.group_version, subresource);
    if (!subresource.kind.empty() && subresource.name.size() > name.size() + 1) {
      list.resources.push_back(std::move(subresource));
    }
  }
}

Error Stale(const runtime::GroupVersion& version) {
  return {.reason = ErrorReason::kServiceUnavailable,
          .message = "stale GroupVersion discovery: " + version.String()};
}

}  // namespace

bool IsAggregated(std::string_view content_type) {
  const auto parts = Split(content_type, ';');
  if (parts.empty() || !EqualIgnoringCase(Trim(parts[0], " "), "application/json")) {
    return false;
  }
  constexpr std::array<std::string_view, 3> kNeeded = {"g=apidiscovery.k8s.io", "v=v2",
                                                       "as=APIGroupDiscoveryList"};
  return std::all_of(kNeeded.begin(), kNeeded.end(), [&](std::string_view needed) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return Trim(part, " ") == needed; });
  });
}

Discovered DecodeAggregated(const runtime::JsonValue& document) {
  Discovered found;
  for (const runtime::JsonValue& item : ElementsOf(document, "items")) {
    const runtime::JsonValue* const metadata = runtime::Find(item, "metadata");
    ApiGroup group;
    if (metadata != nullptr) group.name = runtime::GetString(*metadata, "name");
    for (const runtime::JsonValue& entry : ElementsOf(item, "versions")) {
      const runtime::GroupVersion version{group.name,
                                          std::string(runtime::GetString(entry, "version"))};
      if (version.version.empty()) continue;
      if (runtime::GetString(entry, "freshness") == "Stale") {
        found.failed.emplace(version, Stale(version));
        continue;
      }
      group.versions.push_back(version.version);
      ApiResourceList list{.group_version = version};
      for (const runtime::JsonValue& resource : ElementsOf(entry, "resources")) {
        AddAggregated(resource, list);
      }
      found.resources.push_back(std::move(list));
    }
    if (!group.versions.empty()) group.preferred_version = group.versions.front();
    found.groups.push_back(std::move(group));
  }
  return found;
}

std::vector<ApiGroup> DecodeVersions(const runtime::JsonValue& document) {
  ApiGroup core{.versions = StringsOf(document, "versions")};
  if (core.versions.empty()) return {};
  core.preferred_version = core.versions.front();
  return {std::move(core)};
}

std::vector<ApiGroup> DecodeGroups(const runtime::JsonValue& document) {
  std::vector<ApiGroup> groups;
  for (const runtime::JsonValue& entry : ElementsOf(document, "groups")) {
    ApiGroup group{.name = std::string(runtime::GetString(entry, "name"))};
    for (const runtime::JsonValue& version : ElementsOf(entry, "versions")) {
      const std::string_view name = runtime::GetString(version, "version");
      if (!name.empty()) group.versions.emplace_back(name);
    }
    if (group.name.empty() || group.versions.empty()) continue;
    const runtime::JsonValue* const preferred = runtime::Find(entry, "preferredVersion");
    if (preferred != nullptr) group.preferred_version = runtime::GetString(*preferred, "version");
    if (group.preferred_version.empty()) group.preferred_version = group.versions.front();
    groups.push_back(std::move(group));
  }
  return groups;
}

ApiResourceList DecodeResources(const runtime::JsonValue& document,
                                const runtime::GroupVersion& group_version) {
  ApiResourceList list{.group_version = group_version};
  for (const runtime::JsonValue& entry : ElementsOf(document, "resources")) {
    ApiResource resource{.name = std::string(runtime::GetString(entry, "name")),
                         .singular_name = std::string(runtime::GetString(entry, "singularName")),
                         .namespaced = runtime::GetBool(entry, "namespaced"),
                         .group = std::string(runtime::GetString(entry, "group")),
                         .version = std::string(runtime::GetString(entry, "version")),
                         .kind = std::string(runtime::GetString(entry, "kind")),
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

ServerVersionInfo DecodeVersionInfo(const runtime::JsonValue& document) {
  return {.major = std::string(runtime::GetString(document, "major")),
          .minor = std::string(runtime::GetString(document, "minor")),
          .git_version = std::string(runtime::GetString(document, "gitVersion")),
          .git_commit = std::string(runtime::GetString(document, "gitCommit")),
          .go_version = std::string(runtime::GetString(document, "goVersion")),
          .platform = std::string(runtime::GetString(document, "platform"))};
}

}  // namespace capstan::discovery
