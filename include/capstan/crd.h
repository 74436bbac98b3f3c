// SPDX-License-Identifier: Apache-2.0
// CustomResourceDefinition returns the manifest of a declared kind as JSON, with its OpenAPI
// schema. Every field, attribute, rule, column and subresource of the declaration is in it. It has
// one version, which is served and stored. A group of the Kubernetes project (*.k8s.io) gets the
// annotation that its API is not approved, without which API servers reject it. Pure and
// thread-safe. The compiler rejects a group without a dot and a version that is not written v1,
// v1beta1 or v1alpha1.
//
// Print it from a program and apply it: foo-controller --print-crds | kubectl apply -f -
#pragma once

#include <string>
#include <utility>

#include "capstan/detail/kind_codec.h"
#include "capstan/detail/schema.h"
#include "capstan/kind.h"

namespace capstan {

template <DeclaredKind T>
std::string CustomResourceDefinition() {
  static_assert(detail::CheckKind<T>());
  static_assert(detail::CheckDefinition<T>());
  runtime::JsonWriter writer;
  detail::BeginDefinition(writer, kKind<T>.info());
  detail::WriteKindSchema<T>(writer);
  detail::EndDefinition(writer, kKind<T>.info(), kHasStatus<T>);
  return std::move(writer).Take();
}

}  // namespace capstan
