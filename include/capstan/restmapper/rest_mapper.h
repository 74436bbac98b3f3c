// SPDX-License-Identifier: Apache-2.0
// RestMapper maps kinds to resources and back, as the API server serves them: "Deployment" of the
// group "apps" is the namespaced resource "deployments" in version "v1". It never guesses a plural.
//
// A resource in an argument may be partial: without a group or without a version. Its name is the
// plural or the singular, in any case. Errors: kNoMatch (IsNoMatch), kAmbiguous (IsAmbiguous), and
// those of discovery. Their texts are those of apimachinery.
//
// Mirrors meta.RESTMapper. Differs: RestMappingFor is RESTMapping, and calls have CallOptions,
// because a mapper may send requests. Implementations are thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/group_version.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/unstructured.h"

namespace capstan::restmapper {

// RestMapping is where the objects of a kind are. Mirrors meta.RESTMapping.
struct CAPSTAN_EXPORT RestMapping {
  runtime::GroupVersionResource resource = {};
  runtime::GroupVersionKind kind = {};
  bool namespaced = false;
  friend bool operator==(const RestMapping&, const RestMapping&) = default;
};

class CAPSTAN_EXPORT RestMapper {
 public:
  virtual ~RestMapper() = default;

  // Returns the kind of a partial resource. Of several, it is the one in the core group, or in the
  // first group, and there in the preferred version.
  Expected<runtime::GroupVersionKind> KindFor(const rest::CallOptions& call,
                                              const runtime::GroupVersionResource& resource);
  // Returns all kinds, at least one, the preferred one first.
  virtual Expected<std::vector<runtime::GroupVersionKind>> KindsFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) = 0;
  // The same for the full name of a partial resource.
  Expected<runtime::GroupVersionResource> ResourceFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource);
  virtual Expected<std::vector<runtime::GroupVersionResource>> ResourcesFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) = 0;

  // Returns the mapping of a kind in the first of `versions` that is served; without versions, in
  // the version that the server prefers.
  Expected<RestMapping> RestMappingFor(const rest::CallOptions& call,
                                       const runtime::GroupKind& kind,
                                       const std::vector<std::string>& versions = {});
  // Returns the mappings in all of `versions` that are served, at least one; without versions, in
  // all versions.
  virtual Expected<std::vector<RestMapping>> RestMappingsFor(
      const rest::CallOptions& call, const runtime::GroupKind& kind,
      const std::vector<std::string>& versions = {}) = 0;

  // Returns the singular of a resource: "pod" for "pods".
  virtual Expected<std::string> ResourceSingularizer(const rest::CallOptions& call,
                                                     std::string_view resource) = 0;
};

// Returns the type for Client<Unstructured> and informers of a kind that is known at run time only:
//   auto type = restmapper::UnstructuredTypeFor(stop, mapper, {"apps", "v1", "Deployment"});
// An empty version is the one that the server prefers. The type must outlive its users.
CAPSTAN_EXPORT Expected<runtime::ResourceType> UnstructuredTypeFor(
    const rest::CallOptions& call, RestMapper& mapper, const runtime::GroupVersionKind& kind);

}  // namespace capstan::restmapper
