// SPDX-License-Identifier: Apache-2.0
#include "capstan/restmapper/rest_mapper.h"

#include <utility>

#include "capstan/text.h"

namespace capstan::restmapper {
namespace {

// The text of apimachinery's AmbiguousResourceError and AmbiguousKindError.
template <class T>
Error Ambiguous(const std::string& partial, const std::string& what, const std::vector<T>& found) {
  return {
      .reason = ErrorReason::kAmbiguous,
      .message = partial + " matches multiple " + what + " [" + Join(found, " ", &T::String) + "]"};
}

template <class T>
bool SameVersion(const T& a, const T& b) {
  return a.group == b.group && a.version == b.version;
}

// Returns the first of a list in the order of preference, unless its version has another one.
template <class T>
Expected<T> First(const std::string& partial, const std::string& what, const std::vector<T>& all) {
  if (all.size() > 1 && SameVersion(all[0], all[1])) return Err(Ambiguous(partial, what, all));
  return all.front();
}

}  // namespace

Expected<runtime::GroupVersionKind> RestMapper::KindFor(
    const rest::CallOptions& call, const runtime::GroupVersionResource& resource) {
  const auto kinds = KindsFor(call, resource);
  if (!kinds) return Err(kinds.error());
  return First(resource.String(), "kinds", *kinds);
}

Expected<runtime::GroupVersionResource> RestMapper::ResourceFor(
    const rest::CallOptions& call, const runtime::GroupVersionResource& resource) {
  const auto resources = ResourcesFor(call, resource);
  if (!resources) return Err(resources.error());
  return First(resource.String(), "resources", *resources);
}

Expected<RestMapping> RestMapper::RestMappingFor(const rest::CallOptions& call,
                                                 const runtime::GroupKind& kind,
                                                 const std::vector<std::string>& versions) {
  auto mappings = RestMappingsFor(call, kind, versions);
  if (!mappings) return Err(std::move(mappings.error()));
  const RestMapping& first = mappings->front();
  if (mappings->size() == 1 || !SameVersion(first.kind, (*mappings)[1].kind)) return first;
  std::vector<runtime::GroupVersionKind> kinds;
  for (const RestMapping& mapping : *mappings) kinds.push_back(mapping.kind);
  const runtime::GroupVersionKind partial{.group = kind.group, .kind = kind.kind};
  return Err(Ambiguous(partial.String(), "kinds", kinds));
}

Expected<runtime::ResourceType> UnstructuredTypeFor(const rest::CallOptions& call,
                                                    RestMapper& mapper,
                                                    const runtime::GroupVersionKind& kind) {
  std::vector<std::string> versions;
  if (!kind.version.empty()) versions.push_back(kind.version);
  auto mapping = mapper.RestMappingFor(call, {kind.group, kind.kind}, versions);
  if (!mapping) return Err(std::move(mapping.error()));
  return Unstructured::TypeFor(std::move(mapping->resource), std::move(mapping->kind.kind),
                               mapping->namespaced);
}

}  // namespace capstan::restmapper
