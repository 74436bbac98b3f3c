// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::networking::v1 {

// IngressClassParametersReference identifies an API object. This can be used to specify a cluster
// or namespace-scoped resource.
struct CAPSTAN_EXPORT IngressClassParametersReference {
  // apiGroup is the group for the resource being referenced. If APIGroup is not specified, the
  // specified Kind must be in the core API group. For any other third-party types, APIGroup is
  // required.
  std::optional<std::string> api_group = {};
  // kind is the type of resource being referenced.
  std::string kind = {};
  // name is the name of resource being referenced.
  std::string name = {};
  // scope represents if this refers to a cluster or namespace scoped resource. This may be set to
  // "Cluster" (default) or "Namespace".
  std::optional<std::string> scope = {};
  // namespace is the namespace of the resource being referenced. This field is required when scope
  // is set to "Namespace" and must be unset when scope is set to "Cluster".
  std::optional<std::string> namespace_ = {};
};
CAPSTAN_EXPORT bool operator==(const IngressClassParametersReference& a,
                               const IngressClassParametersReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressClassParametersReference*);

// IngressClassSpec provides information about the class of an Ingress.
struct CAPSTAN_EXPORT IngressClassSpec {
  // controller refers to the name of the controller that should handle this class. This allows for
  // different "flavors" that are controlled by the same controller. For example, you may have
  // different parameters for the same implementing controller. This should be specified as a
  // domain-prefixed path no more than 250 characters in length, e.g. "acme.io/ingress-controller".
  // This field is immutable.
  std::string controller = {};
  // parameters is a link to a custom resource containing additional configuration for the
  // controller. This is optional if the controller does not require extra parameters.
  Boxed<IngressClassParametersReference> parameters = {};
};
CAPSTAN_EXPORT bool operator==(const IngressClassSpec& a, const IngressClassSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressClassSpec*);

// IngressClass represents the class of the Ingress, referenced by the Ingress Spec. The
// `ingressclass.kubernetes.io/is-default-class` annotation can be used to indicate that an
// IngressClass should be considered default. When a single IngressClass resource has this
// annotation set to true, new Ingress resources without a class specified will be assigned this
// default class.
struct CAPSTAN_EXPORT IngressClass {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec is the desired state of the IngressClass. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  IngressClassSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const IngressClass& a, const IngressClass& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressClass*);

}  // namespace capstan::api::networking::v1

extern template class capstan::Boxed<capstan::api::networking::v1::IngressClassParametersReference>;

template <>
inline constexpr auto capstan::kKind<capstan::api::networking::v1::IngressClass> =
    capstan::Kind("networking.k8s.io", "v1", "IngressClass", "ingressclasses")
        .ClusterScoped()
        .Whole()
        .Spec();
