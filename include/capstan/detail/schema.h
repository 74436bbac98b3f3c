// SPDX-License-Identifier: Apache-2.0
// Makes and checks the OpenAPI schema of a declared kind, for crd.h. Only the library uses this
// header.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "capstan/detail/kind_codec.h"
#include "capstan/export.h"
#include "capstan/kind.h"

namespace capstan {

// ConversionWebhook is the service that converts objects between versions (webhook/conversion.h).
struct CAPSTAN_EXPORT ConversionWebhook {
  std::string service_namespace = {};
  std::string service_name = {};
  std::string path = "/convert";
  int port = 443;
  std::string ca_pem = {};  // empty: an injector writes it
};

struct CAPSTAN_EXPORT DefinitionOptions {
  // Without it the versions have the same fields, and the API server only changes apiVersion.
  std::optional<ConversionWebhook> conversion = {};
};

namespace detail {

// Reports whether the manifest of the kind is known as text.
template <class T>
concept HasDefinition = requires(const T* object) {
  { DefinitionOf(object) } -> std::same_as<std::string_view>;
};

constexpr bool AreVersionsOfOneKind(const KindInfo& a, const KindInfo& b) {
  return a.group == b.group && a.kind == b.kind && a.plural == b.plural && a.scope == b.scope &&
         a.version != b.version;
}

// Reports what every API server would reject in the definition, as errors of the compiler.
template <DeclaredKind T>
consteval bool CheckDefinition() {
  constexpr const KindInfo& kInfo = kKind<T>.info();
  static_assert(!kInfo.partial,
                "a Partial() kind is defined by others: its CustomResourceDefinition is theirs");
  static_assert(!kInfo.group.empty(), "a custom resource needs a group");
  static_assert(IsOfKubernetes(kInfo.group) || kInfo.group.find('.') != std::string_view::npos,
                "the group of a custom resource is a domain with at least one dot: example.com");
  static_assert(IsVersionName(kInfo.version),
                "the version of a custom resource is written v1, v1beta1 or v1alpha1");
  return true;
}

struct CAPSTAN_EXPORT DefinitionVersion {
  const KindInfo* info;
  const StructLayout* layout;
};

// Returns the manifest of a kind with these versions, the storage version first.
CAPSTAN_EXPORT std::string MakeDefinition(std::span<const DefinitionVersion> versions,
                                          const DefinitionOptions& options);

}  // namespace detail
}  // namespace capstan
