// SPDX-License-Identifier: Apache-2.0
// DiscoveryRestMapper is a RestMapper for what discovery has found. It sends no request and does
// not change, so it is thread-safe. The CallOptions of its calls have no effect.
//
// Mirrors restmapper.NewDiscoveryRESTMapper, with meta's PriorityRESTMapper, MultiRESTMapper and
// DefaultRESTMapper in one class. Differs: no kinds in lower case and no "List" kinds; a kind that
// two resources of one version have is ambiguous, where client-go takes the last one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/discovery/discovery_client.h"
#include "capstan/export.h"
#include "capstan/restmapper/rest_mapper.h"

namespace capstan::restmapper {

// ApiGroupResources is a group and the resources of its versions. Mirrors
// restmapper.APIGroupResources.
struct CAPSTAN_EXPORT ApiGroupResources {
  discovery::ApiGroup group = {};
  std::map<std::string, std::vector<discovery::ApiResource>> versioned_resources = {};
};

// Returns all groups and the resources that were found in them, in the order of discovery. Mirrors
// restmapper.GetAPIGroupResources.
CAPSTAN_EXPORT std::vector<ApiGroupResources> GetApiGroupResources(
    const discovery::Discovered& found);

class CAPSTAN_EXPORT DiscoveryRestMapper final : public RestMapper {
 public:
  explicit DiscoveryRestMapper(const std::vector<ApiGroupResources>& groups);

  Expected<std::vector<runtime::GroupVersionKind>> KindsFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) override;
  Expected<std::vector<runtime::GroupVersionResource>> ResourcesFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) override;
  Expected<std::vector<RestMapping>> RestMappingsFor(
      const rest::CallOptions& call, const runtime::GroupKind& kind,
      const std::vector<std::string>& versions) override;
  Expected<std::string> ResourceSingularizer(const rest::CallOptions& call,
                                             std::string_view resource) override;

 private:
  struct Entry {
    RestMapping mapping;
    std::string singular;
  };
  void AddVersion(const ApiGroupResources& group, const std::string& version);
  // Returns the resources that match a partial one, the preferred one first.
  Expected<std::vector<const Entry*>> Matching(const runtime::GroupVersionResource& resource) const;

  std::vector<Entry> entries_;  // in the order of preference
};

}  // namespace capstan::restmapper
