// SPDX-License-Identifier: Apache-2.0
// CustomResourceDefinition returns the manifest of a declared kind as JSON, with its OpenAPI
// schema. Every field, attribute, rule, column and subresource of the declaration is in it. A group
// of the Kubernetes project (*.k8s.io) gets the annotation that its API is not approved, without
// which API servers reject it. Pure and thread-safe. The compiler rejects a group without a dot and
// a version that is not written v1, v1beta1 or v1alpha1.
//
// All versions are served. The first one is stored, and others follow it:
// CustomResourceDefinition<v1::Foo, v1beta1::Foo>({.conversion = ...}).
//
// Print it from a program and apply it: foo-controller --print-crds | kubectl apply -f -
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include "capstan/detail/kind_codec.h"
#include "capstan/detail/schema.h"
#include "capstan/kind.h"

namespace capstan {

template <DeclaredKind Stored, DeclaredKind... Others>
std::string CustomResourceDefinition(const DefinitionOptions& options = {}) {
  static_assert(detail::CheckKind<Stored>() && (detail::CheckKind<Others>() && ...));
  static_assert(detail::CheckDefinition<Stored>() && (detail::CheckDefinition<Others>() && ...));
  static_assert((detail::AreVersionsOfOneKind(kKind<Stored>.info(), kKind<Others>.info()) && ...),
                "the versions of a definition have the same group, kind, plural and scope");
  // `capstan generate types` keeps the manifest from which it has made a type.
  if constexpr (detail::HasDefinition<Stored>) {
    return std::string(DefinitionOf(static_cast<const Stored*>(nullptr)));
  }
  const std::array versions = {
      detail::DefinitionVersion{&kKind<Stored>.info(), &detail::LayoutOfKind<Stored>()},
      detail::DefinitionVersion{&kKind<Others>.info(), &detail::LayoutOfKind<Others>()}...};
  return detail::MakeDefinition(versions, options);
}

}  // namespace capstan
