// SPDX-License-Identifier: Apache-2.0
#include "capstan/restmapper/discovery_rest_mapper.h"

#include <algorithm>
#include <set>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::restmapper {

namespace {

// The text of apimachinery's NoKindMatchError.
Error NoKindMatch(const runtime::GroupKind& kind, const std::vector<std::string>& versions) {
  std::set<std::string> searched;
  for (const std::string& version : versions) {
    searched.insert(runtime::GroupVersion{kind.group, version}.String());
  }
  std::string text = "no matches for kind " + Quoted(kind.kind);
  if (searched.empty()) {
    text += " in group " + Quoted(kind.group);
  } else if (searched.size() == 1) {
    text += " in version " + Quoted(*searched.begin());
  } else {
    text += " in versions [" + Join(searched, " ", Quoted) + "]";
  }
  return {.reason = ErrorReason::kNoMatch, .message = std::move(text)};
}

template <class T>
void AddOnce(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

std::vector<ApiGroupResources> GetApiGroupResources(const discovery::Discovered& found) {
  std::vector<ApiGroupResources> groups;
  for (const discovery::ApiGroup& group : found.groups) {
    groups.push_back({.group = group});
    for (const discovery::ApiResourceList& list : found.resources) {
      if (list.group_version.group != group.name) continue;
      groups.back().versioned_resources[list.group_version.version] = list.resources;
    }
  }
  return groups;
}

DiscoveryRestMapper::DiscoveryRestMapper(const std::vector<ApiGroupResources>& groups) {
  // The core group comes first, as in client-go.
  for (const bool core : {true, false}) {
    for (const ApiGroupResources& group : groups) {
      if (group.group.name.empty() != core) continue;
      const std::string& preferred = group.group.preferred_version;
      if (!preferred.empty()) AddVersion(group, preferred);
      for (const std::string& version : group.group.versions) {
        if (version != preferred) AddVersion(group, version);
      }
    }
  }
}

void DiscoveryRestMapper::AddVersion(const ApiGroupResources& group, const std::string& version) {
  const auto found = group.versioned_resources.find(version);
  if (found == group.versioned_resources.end()) return;
  for (const discovery::ApiResource& resource : found->second) {
    if (resource.IsSubresource()) continue;
    entries_.push_back({.mapping = {.resource = {group.group.name, version, resource.name},
                                    .kind = {group.group.name, version, resource.kind},
                                    .namespaced = resource.namespaced},
                        .singular = LowerAscii(resource.singular_name)});
  }
}

Expected<std::vector<const DiscoveryRestMapper::Entry*>> DiscoveryRestMapper::Matching(
    const runtime::GroupVersionResource& resource) const {
  const std::string name = LowerAscii(resource.resource);
  if (name.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "a resource must be present, got: " + resource.String());
  }
  std::vector<const Entry*> exact;
  std::vector<const Entry*> by_prefix;
  for (const Entry& entry : entries_) {
    const runtime::GroupVersionResource& full = entry.mapping.resource;
    if (full.resource != name && entry.singular != name) continue;
    if (!resource.version.empty() && full.version != resource.version) continue;
    if (resource.group.empty() || full.group == resource.group) {
      exact.push_back(&entry);
    } else if (resource.version.empty() && full.group.starts_with(resource.group)) {
      by_prefix.push_back(&entry);
    }
  }
  if (exact.empty()) exact = std::move(by_prefix);
  if (!exact.empty()) return exact;
  return Err(ErrorReason::kNoMatch, "no matches for " + resource.String());
}

Expected<std::vector<runtime::GroupVersionKind>> DiscoveryRestMapper::KindsFor(
    const rest::CallOptions& /*call*/, const runtime::GroupVersionResource& resource) {
  const auto entries = Matching(resource);
  if (!entries) return Err(entries.error());
  std::vector<runtime::GroupVersionKind> kinds;
  for (const Entry* const entry : *entries) AddOnce(kinds, entry->mapping.kind);
  return kinds;
}

Expected<std::vector<runtime::GroupVersionResource>> DiscoveryRestMapper::ResourcesFor(
    const rest::CallOptions& /*call*/, const runtime::GroupVersionResource& resource) {
  const auto entries = Matching(resource);
  if (!entries) return Err(entries.error());
  std::vector<runtime::GroupVersionResource> resources;
  for (const Entry* const entry : *entries) AddOnce(resources, entry->mapping.resource);
  return resources;
}

Expected<std::vector<RestMapping>> DiscoveryRestMapper::RestMappingsFor(
    const rest::CallOptions& /*call*/, const runtime::GroupKind& kind,
    const std::vector<std::string>& versions) {
  std::vector<RestMapping> mappings;
  const auto add = [&](const std::string* version) {
    for (const Entry& entry : entries_) {
      const runtime::GroupVersionKind& mapped = entry.mapping.kind;
      if (mapped.group != kind.group || mapped.kind != kind.kind) continue;
      if (version == nullptr || mapped.version == *version) AddOnce(mappings, entry.mapping);
    }
  };
  bool any_version = true;
  for (const std::string& version : versions) {
    if (version.empty()) continue;
    any_version = false;
    add(&version);
  }
  if (any_version) add(nullptr);
  if (!mappings.empty()) return mappings;
  return Err(NoKindMatch(kind, versions));
}

Expected<std::string> DiscoveryRestMapper::ResourceSingularizer(const rest::CallOptions& /*call*/,
                                                                std::string_view resource) {
  const auto entries = Matching({.resource = std::string(resource)});
  if (!entries) return Err(entries.error());
  std::string singular;
  for (const Entry* const entry : *entries) {
    if (entry->singular.empty()) continue;
    if (!singular.empty() && entry->singular != singular) {
      return Err(ErrorReason::kAmbiguous,
                 "multiple possible singular resources found for " + std::string(resource));
    }
    singular = entry->singular;
  }
  if (!singular.empty()) return singular;
  return Err(ErrorReason::kNoMatch,
             "no singular of resource " + std::string(resource) + " has been defined");
}

}  // namespace capstan::restmapper
