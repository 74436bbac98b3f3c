// SPDX-License-Identifier: Apache-2.0
#include "namespaces.h"

#include <utility>

#include "capstan/api/object_metadata.h"
#include "capstan/runtime/object.h"

using capstan::api::ObjectMetadata;

capstan::Expected<std::vector<std::string>> ListNamespaces(capstan::rest::Client& client) {
  // Only the names are requested, and only they are ever in memory.
  static const auto type =
      capstan::api::MakeMetadataType({.gvr = {"", "v1", "namespaces"}, .kind = "Namespace"});
  std::vector<std::string> names;
  const auto list = client.List({}, type, {}, [&](capstan::runtime::ObjectPtr object) {
    if (const auto* metadata = dynamic_cast<const ObjectMetadata*>(object.get())) {
      names.emplace_back(metadata->name());
    }
  });
  if (!list) return tl::unexpected(list.error().Wrap("failed to list the namespaces"));
  return names;
}
