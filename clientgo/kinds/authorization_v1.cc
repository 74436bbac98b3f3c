// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/authorization/v1/local_subject_access_review.h"
#include "capstan/api/authorization/v1/non_resource_attributes.h"
#include "capstan/api/authorization/v1/resource_attributes.h"
#include "capstan/api/authorization/v1/self_subject_access_review.h"
#include "capstan/api/authorization/v1/self_subject_rules_review.h"
#include "capstan/api/authorization/v1/subject_access_review.h"
#include "capstan/api/authorization/v1/subject_access_review_spec.h"
#include "capstan/api/authorization/v1/subject_access_review_status.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::authorization::v1 {

CAPSTAN_LAYOUT(LocalSubjectAccessReview,
    CAPSTAN_PART(LocalSubjectAccessReview, "metadata", metadata, kMetadata),
    CAPSTAN_PART(LocalSubjectAccessReview, "spec", spec, kSpec),
    CAPSTAN_PART(LocalSubjectAccessReview, "status", status, kStatus))

CAPSTAN_LAYOUT(NonResourceAttributes,
    CAPSTAN_FIELD(NonResourceAttributes, "path", path),
    CAPSTAN_FIELD(NonResourceAttributes, "verb", verb))

CAPSTAN_LAYOUT(FieldSelectorAttributes,
    CAPSTAN_FIELD(FieldSelectorAttributes, "rawSelector", raw_selector),
    CAPSTAN_FIELD(FieldSelectorAttributes, "requirements", requirements))

CAPSTAN_LAYOUT(LabelSelectorAttributes,
    CAPSTAN_FIELD(LabelSelectorAttributes, "rawSelector", raw_selector),
    CAPSTAN_FIELD(LabelSelectorAttributes, "requirements", requirements))

CAPSTAN_LAYOUT(ResourceAttributes,
    CAPSTAN_FIELD(ResourceAttributes, "namespace", namespace_),
    CAPSTAN_FIELD(ResourceAttributes, "verb", verb),
    CAPSTAN_FIELD(ResourceAttributes, "group", group),
    CAPSTAN_FIELD(ResourceAttributes, "version", version),
    CAPSTAN_FIELD(ResourceAttributes, "resource", resource),
    CAPSTAN_FIELD(ResourceAttributes, "subresource", subresource),
    CAPSTAN_FIELD(ResourceAttributes, "name", name),
    CAPSTAN_FIELD(ResourceAttributes, "fieldSelector", field_selector),
    CAPSTAN_FIELD(ResourceAttributes, "labelSelector", label_selector))

CAPSTAN_LAYOUT(SelfSubjectAccessReviewSpec,
    CAPSTAN_FIELD(SelfSubjectAccessReviewSpec, "resourceAttributes", resource_attributes),
    CAPSTAN_FIELD(SelfSubjectAccessReviewSpec, "nonResourceAttributes", non_resource_attributes))

CAPSTAN_LAYOUT(SelfSubjectAccessReview,
    CAPSTAN_PART(SelfSubjectAccessReview, "metadata", metadata, kMetadata),
    CAPSTAN_PART(SelfSubjectAccessReview, "spec", spec, kSpec),
    CAPSTAN_PART(SelfSubjectAccessReview, "status", status, kStatus))

CAPSTAN_LAYOUT(SelfSubjectRulesReviewSpec,
    CAPSTAN_FIELD(SelfSubjectRulesReviewSpec, "namespace", namespace_))

CAPSTAN_LAYOUT(ResourceRule,
    CAPSTAN_REQUIRED(ResourceRule, "verbs", verbs),
    CAPSTAN_FIELD(ResourceRule, "apiGroups", api_groups),
    CAPSTAN_FIELD(ResourceRule, "resources", resources),
    CAPSTAN_FIELD(ResourceRule, "resourceNames", resource_names))

CAPSTAN_LAYOUT(NonResourceRule,
    CAPSTAN_REQUIRED(NonResourceRule, "verbs", verbs),
    CAPSTAN_FIELD(NonResourceRule, "nonResourceURLs", non_resource_urls))

CAPSTAN_LAYOUT(SubjectRulesReviewStatus,
    CAPSTAN_REQUIRED(SubjectRulesReviewStatus, "resourceRules", resource_rules),
    CAPSTAN_REQUIRED(SubjectRulesReviewStatus, "nonResourceRules", non_resource_rules),
    CAPSTAN_REQUIRED(SubjectRulesReviewStatus, "incomplete", incomplete),
    CAPSTAN_FIELD(SubjectRulesReviewStatus, "evaluationError", evaluation_error))

CAPSTAN_LAYOUT(SelfSubjectRulesReview,
    CAPSTAN_PART(SelfSubjectRulesReview, "metadata", metadata, kMetadata),
    CAPSTAN_PART(SelfSubjectRulesReview, "spec", spec, kSpec),
    CAPSTAN_PART(SelfSubjectRulesReview, "status", status, kStatus))

CAPSTAN_LAYOUT(SubjectAccessReview,
    CAPSTAN_PART(SubjectAccessReview, "metadata", metadata, kMetadata),
    CAPSTAN_PART(SubjectAccessReview, "spec", spec, kSpec),
    CAPSTAN_PART(SubjectAccessReview, "status", status, kStatus))

CAPSTAN_LAYOUT(SubjectAccessReviewSpec,
    CAPSTAN_FIELD(SubjectAccessReviewSpec, "resourceAttributes", resource_attributes),
    CAPSTAN_FIELD(SubjectAccessReviewSpec, "nonResourceAttributes", non_resource_attributes),
    CAPSTAN_FIELD(SubjectAccessReviewSpec, "user", user),
    CAPSTAN_FIELD(SubjectAccessReviewSpec, "groups", groups),
    CAPSTAN_FIELD(SubjectAccessReviewSpec, "extra", extra),
    CAPSTAN_FIELD(SubjectAccessReviewSpec, "uid", uid))

CAPSTAN_LAYOUT(SubjectAccessReviewStatus,
    CAPSTAN_REQUIRED(SubjectAccessReviewStatus, "allowed", allowed),
    CAPSTAN_NUMBER(SubjectAccessReviewStatus, "denied", denied),
    CAPSTAN_FIELD(SubjectAccessReviewStatus, "reason", reason),
    CAPSTAN_FIELD(SubjectAccessReviewStatus, "evaluationError", evaluation_error))

}  // namespace capstan::api::authorization::v1

template class capstan::Boxed<capstan::api::authorization::v1::NonResourceAttributes>;
template class capstan::Boxed<capstan::api::authorization::v1::FieldSelectorAttributes>;
template class capstan::Boxed<capstan::api::authorization::v1::LabelSelectorAttributes>;
template class capstan::Boxed<capstan::api::authorization::v1::ResourceAttributes>;
template class capstan::List<capstan::api::authorization::v1::ResourceRule>;
template class capstan::List<capstan::api::authorization::v1::NonResourceRule>;
