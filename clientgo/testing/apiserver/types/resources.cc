// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

std::string Resource::ApiVersion() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string Resource::Qualified() const {
  return group.empty() ? std::string(plural) : std::string(plural) + "." + std::string(group);
}

std::string Resource::ListKind() const {
  return list_kind.empty() ? std::string(kind) + "List" : std::string(list_kind);
}

bool IsNamespace(const Resource& resource) {
  return resource.group.empty() && resource.kind == "Namespace";
}

const Resource* FindResource(std::string_view group, std::string_view version,
                             std::string_view plural) {
  for (const Resource& resource : Resources()) {
    if (resource.group == group && resource.version == version && resource.plural == plural) {
      return &resource;
    }
  }
  return nullptr;
}

const Resource* FindKind(std::string_view api_version, std::string_view kind) {
  for (const Resource& resource : Resources()) {
    if (resource.kind == kind && resource.ApiVersion() == api_version) return &resource;
  }
  return nullptr;
}

}  // namespace capstan::testing::apiserver
