// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/api/meta/v1/field_selector_requirement.h"
#include "capstan/api/meta/v1/label_selector_requirement.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/list.h"

namespace capstan::api::authorization::v1 {

// FieldSelectorAttributes indicates a field limited access. Webhook authors are encouraged to
// * ensure rawSelector and requirements are not both set
// * consider the requirements field if set
// * not try to parse or consider the rawSelector field if set. This is to avoid another
// CVE-2022-2880 (i.e. getting different systems to agree on how exactly to parse a query is not
// something we want), see https://www.oxeye.io/resources/golang-parameter-smuggling-attack for more
// details. For the *SubjectAccessReview endpoints of the kube-apiserver:
// * If rawSelector is empty and requirements are empty, the request is not limited.
// * If rawSelector is present and requirements are empty, the rawSelector will be parsed and
// limited if the parsing succeeds.
// * If rawSelector is empty and requirements are present, the requirements should be honored
// * If rawSelector is present and requirements are present, the request is invalid.
struct CAPSTAN_EXPORT FieldSelectorAttributes {
  // rawSelector is the serialization of a field selector that would be included in a query
  // parameter. Webhook implementations are encouraged to ignore rawSelector. The kube-apiserver's
  // *SubjectAccessReview will parse the rawSelector as long as the requirements are not present.
  std::string raw_selector = {};
  // requirements is the parsed interpretation of a field selector. All requirements must be met for
  // a resource instance to match the selector. Webhook implementations should handle requirements,
  // but how to handle them is up to the webhook. Since requirements can only limit the request, it
  // is safe to authorize as unlimited request if the requirements are not understood.
  List<meta::v1::FieldSelectorRequirement> requirements = {};
};
CAPSTAN_EXPORT bool operator==(const FieldSelectorAttributes& a, const FieldSelectorAttributes& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const FieldSelectorAttributes*);

// LabelSelectorAttributes indicates a label limited access. Webhook authors are encouraged to
// * ensure rawSelector and requirements are not both set
// * consider the requirements field if set
// * not try to parse or consider the rawSelector field if set. This is to avoid another
// CVE-2022-2880 (i.e. getting different systems to agree on how exactly to parse a query is not
// something we want), see https://www.oxeye.io/resources/golang-parameter-smuggling-attack for more
// details. For the *SubjectAccessReview endpoints of the kube-apiserver:
// * If rawSelector is empty and requirements are empty, the request is not limited.
// * If rawSelector is present and requirements are empty, the rawSelector will be parsed and
// limited if the parsing succeeds.
// * If rawSelector is empty and requirements are present, the requirements should be honored
// * If rawSelector is present and requirements are present, the request is invalid.
struct CAPSTAN_EXPORT LabelSelectorAttributes {
  // rawSelector is the serialization of a field selector that would be included in a query
  // parameter. Webhook implementations are encouraged to ignore rawSelector. The kube-apiserver's
  // *SubjectAccessReview will parse the rawSelector as long as the requirements are not present.
  std::string raw_selector = {};
  // requirements is the parsed interpretation of a label selector. All requirements must be met for
  // a resource instance to match the selector. Webhook implementations should handle requirements,
  // but how to handle them is up to the webhook. Since requirements can only limit the request, it
  // is safe to authorize as unlimited request if the requirements are not understood.
  List<meta::v1::LabelSelectorRequirement> requirements = {};
};
CAPSTAN_EXPORT bool operator==(const LabelSelectorAttributes& a, const LabelSelectorAttributes& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LabelSelectorAttributes*);

// ResourceAttributes includes the authorization attributes available for resource requests to the
// Authorizer interface
struct CAPSTAN_EXPORT ResourceAttributes {
  // namespace is the namespace of the action being requested.  Currently, there is no distinction
  // between no namespace and all namespaces "" (empty) is defaulted for LocalSubjectAccessReviews
  // "" (empty) is empty for cluster-scoped resources "" (empty) means "all" for namespace scoped
  // resources from a SubjectAccessReview or SelfSubjectAccessReview
  std::string namespace_ = {};
  // verb is a kubernetes resource API verb, like: get, list, watch, create, update, delete, proxy.
  // "*" means all.
  std::string verb = {};
  // group is the API Group of the Resource.  "*" means all.
  std::string group = {};
  // version is the API Version of the Resource.  "*" means all.
  std::string version = {};
  // resource is one of the existing resource types.  "*" means all.
  std::string resource = {};
  // subresource is one of the existing resource types.  "" means none.
  std::string subresource = {};
  // name is the name of the resource being requested for a "get" or deleted for a "delete". ""
  // (empty) means all.
  std::string name = {};
  // fieldSelector describes the limitation on access based on field.  It can only limit access, not
  // broaden it.
  Boxed<FieldSelectorAttributes> field_selector = {};
  // labelSelector describes the limitation on access based on labels.  It can only limit access,
  // not broaden it.
  Boxed<LabelSelectorAttributes> label_selector = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceAttributes& a, const ResourceAttributes& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceAttributes*);

}  // namespace capstan::api::authorization::v1

extern template class capstan::Boxed<capstan::api::authorization::v1::FieldSelectorAttributes>;
extern template class capstan::Boxed<capstan::api::authorization::v1::LabelSelectorAttributes>;
extern template class capstan::Boxed<capstan::api::authorization::v1::ResourceAttributes>;
