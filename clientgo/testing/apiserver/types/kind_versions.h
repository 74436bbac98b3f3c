// SPDX-License-Identifier: Apache-2.0
// KindVersions are the versions of the kind of one CustomResourceDefinition. Each has a Resource of
// its own, and all of them have the same objects: an object is stored in one version, and converted
// for a request at another one. Mirrors spec.versions and spec.conversion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

struct KindVersions {
  std::string definition = {};  // its name
  // The description of the storage version. The storage has the objects of all versions under it.
  Resource stored = {};
  // In the order of the definition, also those that are not served.
  std::vector<const Resource*> all = {};
  runtime::JsonDocument conversion = {};  // an object
  bool webhook = false;                   // the strategy is Webhook
};

// Returns the resource that has the objects in the storage: that of the kind, whose address does
// not change, or this one if the kind has one version.
inline const Resource& StoredAs(const Resource& resource) {
  return resource.versions == nullptr ? resource : resource.versions->stored;
}

// Returns the version of the kind of a resource, or null if the kind has no such version.
const Resource* VersionOf(const Resource& resource, std::string_view api_version);

// Orders the names of versions as kube-apiserver does: v2, v1, v11beta2, v10beta3, v3alpha1, and
// then other names by the alphabet. Returns whether `a` comes before `b`.
bool IsPreferredVersion(std::string_view a, std::string_view b);

}  // namespace capstan::testing::apiserver
