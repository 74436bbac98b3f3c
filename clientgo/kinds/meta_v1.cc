// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/meta/v1/delete_options.h"
#include "capstan/api/meta/v1/field_selector_requirement.h"
#include "capstan/api/meta/v1/group_resource.h"
#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/api/meta/v1/label_selector_requirement.h"
#include "capstan/api/meta/v1/partial_object_metadata.h"
#include "capstan/api/meta/v1/status.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::meta::v1 {

CAPSTAN_LAYOUT(Preconditions,
    CAPSTAN_FIELD(Preconditions, "uid", uid),
    CAPSTAN_FIELD(Preconditions, "resourceVersion", resource_version))

CAPSTAN_LAYOUT(DeleteOptions,
    CAPSTAN_FIELD(DeleteOptions, "gracePeriodSeconds", grace_period_seconds),
    CAPSTAN_FIELD(DeleteOptions, "preconditions", preconditions),
    CAPSTAN_FIELD(DeleteOptions, "orphanDependents", orphan_dependents),
    CAPSTAN_FIELD(DeleteOptions, "propagationPolicy", propagation_policy),
    CAPSTAN_FIELD(DeleteOptions, "dryRun", dry_run),
    CAPSTAN_FIELD(DeleteOptions, "ignoreStoreReadErrorWithClusterBreakingPotential", ignore_store_read_error_with_cluster_breaking_potential))

CAPSTAN_LAYOUT(FieldSelectorRequirement,
    CAPSTAN_REQUIRED(FieldSelectorRequirement, "key", key),
    CAPSTAN_REQUIRED(FieldSelectorRequirement, "operator", operator_),
    CAPSTAN_FIELD(FieldSelectorRequirement, "values", values))

CAPSTAN_LAYOUT(GroupResource,
    CAPSTAN_REQUIRED(GroupResource, "group", group),
    CAPSTAN_REQUIRED(GroupResource, "resource", resource))

CAPSTAN_LAYOUT(LabelSelector,
    CAPSTAN_FIELD(LabelSelector, "matchLabels", match_labels),
    CAPSTAN_FIELD(LabelSelector, "matchExpressions", match_expressions))

CAPSTAN_LAYOUT(LabelSelectorRequirement,
    CAPSTAN_REQUIRED(LabelSelectorRequirement, "key", key),
    CAPSTAN_REQUIRED(LabelSelectorRequirement, "operator", operator_),
    CAPSTAN_FIELD(LabelSelectorRequirement, "values", values))

CAPSTAN_LAYOUT(PartialObjectMetadata,
    CAPSTAN_PART(PartialObjectMetadata, "metadata", metadata, kMetadata))

CAPSTAN_LAYOUT(ShardInfo,
    CAPSTAN_REQUIRED(ShardInfo, "selector", selector))

CAPSTAN_LAYOUT(ListMeta,
    CAPSTAN_FIELD(ListMeta, "selfLink", self_link),
    CAPSTAN_FIELD(ListMeta, "resourceVersion", resource_version),
    CAPSTAN_FIELD(ListMeta, "continue", continue_),
    CAPSTAN_FIELD(ListMeta, "remainingItemCount", remaining_item_count),
    CAPSTAN_FIELD(ListMeta, "shardInfo", shard_info))

CAPSTAN_LAYOUT(StatusCause,
    CAPSTAN_FIELD(StatusCause, "reason", reason),
    CAPSTAN_FIELD(StatusCause, "message", message),
    CAPSTAN_FIELD(StatusCause, "field", field))

CAPSTAN_LAYOUT(StatusDetails,
    CAPSTAN_FIELD(StatusDetails, "name", name),
    CAPSTAN_FIELD(StatusDetails, "group", group),
    CAPSTAN_FIELD(StatusDetails, "kind", kind),
    CAPSTAN_FIELD(StatusDetails, "uid", uid),
    CAPSTAN_FIELD(StatusDetails, "causes", causes),
    CAPSTAN_NUMBER(StatusDetails, "retryAfterSeconds", retry_after_seconds))

CAPSTAN_LAYOUT(Status,
    CAPSTAN_PART(Status, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Status, "status", status, kStatus),
    CAPSTAN_FIELD(Status, "message", message),
    CAPSTAN_FIELD(Status, "reason", reason),
    CAPSTAN_FIELD(Status, "details", details),
    CAPSTAN_NUMBER(Status, "code", code))

}  // namespace capstan::api::meta::v1

template class capstan::Boxed<capstan::api::meta::v1::Preconditions>;
template class capstan::Boxed<capstan::api::meta::v1::DeleteOptions>;
template class capstan::List<capstan::api::meta::v1::FieldSelectorRequirement>;
template class capstan::Boxed<capstan::api::meta::v1::LabelSelector>;
template class capstan::List<capstan::api::meta::v1::LabelSelector>;
template class capstan::List<capstan::api::meta::v1::LabelSelectorRequirement>;
template class capstan::Boxed<capstan::api::meta::v1::ShardInfo>;
template class capstan::List<capstan::api::meta::v1::StatusCause>;
template class capstan::Boxed<capstan::api::meta::v1::StatusDetails>;
