// SPDX-License-Identifier: Apache-2.0
// UnknownField finds a wrong JSON name in the declaration of a kind, which otherwise reads nothing.
//
//   testing::Require(testing::UnknownField<ConfigMap>().empty(), "ConfigMap has these fields");
//
// The functions are pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "capstan/export.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/typed_object.h"

namespace capstan::testing {

// Returns the first declared field that the kind lacks in Kubernetes, as "spec.replica"; empty: it
// has all. Throws as require.h does for a kind that Kubernetes does not define.
CAPSTAN_EXPORT std::string UnknownField(const runtime::ResourceType& type);
// The same for a kind that `definition` defines: a CustomResourceDefinition in JSON or YAML, with
// this version.
CAPSTAN_EXPORT std::string UnknownField(const runtime::ResourceType& type,
                                        std::string_view definition);

template <DeclaredKind T>
std::string UnknownField() {
  return UnknownField(TypeOf<T>());
}
template <DeclaredKind T>
std::string UnknownField(std::string_view definition) {
  return UnknownField(TypeOf<T>(), definition);
}

}  // namespace capstan::testing
