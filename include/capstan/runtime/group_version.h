// SPDX-License-Identifier: Apache-2.0
// GroupVersion, GroupKind, GroupVersionKind and GroupResource name parts of the API, in the forms
// that error messages and manifests use. Plain values.
//
// Mirrors k8s.io/apimachinery/pkg/runtime/schema. GroupVersionResource is in resource_type.h.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/export.h"

namespace capstan::runtime {

// Returns the group of the value of an apiVersion: "apps" of "apps/v1", "" of "v1".
inline std::string_view GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// NOLINTBEGIN(modernize-use-nullptr): clang-tidy 14 takes <=> for a null pointer.
struct CAPSTAN_EXPORT GroupVersion {
  std::string group = {};  // empty: the core group
  std::string version = {};

  // Returns "v1" or "apps/v1": the value of apiVersion.
  std::string String() const { return group.empty() ? version : group + "/" + version; }
  // Parses the value of an apiVersion. Returns nullopt for an empty text or one with more than one
  // '/', which differs from schema.ParseGroupVersion for the empty text.
  static std::optional<GroupVersion> Parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (text.empty() || slash != text.rfind('/')) return std::nullopt;
    if (slash == std::string_view::npos) return GroupVersion{.version = std::string(text)};
    return GroupVersion{.group = std::string(text.substr(0, slash)),
                        .version = std::string(text.substr(slash + 1))};
  }
  friend auto operator<=>(const GroupVersion&, const GroupVersion&) = default;
};

struct CAPSTAN_EXPORT GroupKind {
  std::string group = {};
  std::string kind = {};

  // Returns "Pod" or "Deployment.apps".
  std::string String() const { return group.empty() ? kind : kind + "." + group; }
  friend auto operator<=>(const GroupKind&, const GroupKind&) = default;
};

struct CAPSTAN_EXPORT GroupVersionKind {
  std::string group = {};
  std::string version = {};
  std::string kind = {};

  // Returns the kind of an object with this apiVersion: {"apps", "v1", "Deployment"} for "apps/v1"
  // and "Deployment". nullopt: the apiVersion is not valid.
  static std::optional<GroupVersionKind> FromApiVersion(std::string_view api_version,
                                                        std::string kind) {
    auto parsed = GroupVersion::Parse(api_version);
    if (!parsed) return std::nullopt;
    return GroupVersionKind{std::move(parsed->group), std::move(parsed->version), std::move(kind)};
  }
  // Returns "/v1, Kind=Pod" or "apps/v1, Kind=Deployment".
  std::string String() const { return group + "/" + version + ", Kind=" + kind; }
  friend auto operator<=>(const GroupVersionKind&, const GroupVersionKind&) = default;
};

struct CAPSTAN_EXPORT GroupResource {
  std::string group = {};
  std::string resource = {};  // plural, lower case

  // Returns "pods" or "deployments.apps".
  std::string String() const { return group.empty() ? resource : resource + "." + group; }
  friend auto operator<=>(const GroupResource&, const GroupResource&) = default;
};
// NOLINTEND(modernize-use-nullptr)
}  // namespace capstan::runtime
