// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/flowcontrol/v1/flow_schema.h"
#include "capstan/api/flowcontrol/v1/priority_level_configuration.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::flowcontrol::v1 {

CAPSTAN_LAYOUT(PriorityLevelConfigurationReference,
    CAPSTAN_REQUIRED(PriorityLevelConfigurationReference, "name", name))

CAPSTAN_LAYOUT(FlowDistinguisherMethod,
    CAPSTAN_REQUIRED(FlowDistinguisherMethod, "type", type))

CAPSTAN_LAYOUT(UserSubject,
    CAPSTAN_REQUIRED(UserSubject, "name", name))

CAPSTAN_LAYOUT(GroupSubject,
    CAPSTAN_REQUIRED(GroupSubject, "name", name))

CAPSTAN_LAYOUT(ServiceAccountSubject,
    CAPSTAN_REQUIRED(ServiceAccountSubject, "namespace", namespace_),
    CAPSTAN_REQUIRED(ServiceAccountSubject, "name", name))

CAPSTAN_LAYOUT(Subject,
    CAPSTAN_REQUIRED(Subject, "kind", kind),
    CAPSTAN_FIELD(Subject, "user", user),
    CAPSTAN_FIELD(Subject, "group", group),
    CAPSTAN_FIELD(Subject, "serviceAccount", service_account))

CAPSTAN_LAYOUT(ResourcePolicyRule,
    CAPSTAN_REQUIRED(ResourcePolicyRule, "verbs", verbs),
    CAPSTAN_REQUIRED(ResourcePolicyRule, "apiGroups", api_groups),
    CAPSTAN_REQUIRED(ResourcePolicyRule, "resources", resources),
    CAPSTAN_NUMBER(ResourcePolicyRule, "clusterScope", cluster_scope),
    CAPSTAN_REQUIRED(ResourcePolicyRule, "namespaces", namespaces))

CAPSTAN_LAYOUT(NonResourcePolicyRule,
    CAPSTAN_REQUIRED(NonResourcePolicyRule, "verbs", verbs),
    CAPSTAN_REQUIRED(NonResourcePolicyRule, "nonResourceURLs", non_resource_urls))

CAPSTAN_LAYOUT(PolicyRulesWithSubjects,
    CAPSTAN_REQUIRED(PolicyRulesWithSubjects, "subjects", subjects),
    CAPSTAN_FIELD(PolicyRulesWithSubjects, "resourceRules", resource_rules),
    CAPSTAN_FIELD(PolicyRulesWithSubjects, "nonResourceRules", non_resource_rules))

CAPSTAN_LAYOUT(FlowSchemaSpec,
    CAPSTAN_REQUIRED(FlowSchemaSpec, "priorityLevelConfiguration", priority_level_configuration),
    CAPSTAN_REQUIRED(FlowSchemaSpec, "matchingPrecedence", matching_precedence),
    CAPSTAN_FIELD(FlowSchemaSpec, "distinguisherMethod", distinguisher_method),
    CAPSTAN_FIELD(FlowSchemaSpec, "rules", rules))

CAPSTAN_LAYOUT(FlowSchemaCondition,
    CAPSTAN_FIELD(FlowSchemaCondition, "type", type),
    CAPSTAN_FIELD(FlowSchemaCondition, "status", status),
    CAPSTAN_FIELD(FlowSchemaCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(FlowSchemaCondition, "reason", reason),
    CAPSTAN_FIELD(FlowSchemaCondition, "message", message))

CAPSTAN_LAYOUT(FlowSchemaStatus,
    CAPSTAN_FIELD(FlowSchemaStatus, "conditions", conditions))

CAPSTAN_LAYOUT(FlowSchema,
    CAPSTAN_PART(FlowSchema, "metadata", metadata, kMetadata),
    CAPSTAN_PART(FlowSchema, "spec", spec, kSpec),
    CAPSTAN_PART(FlowSchema, "status", status, kStatus))

CAPSTAN_LAYOUT(QueuingConfiguration,
    CAPSTAN_REQUIRED(QueuingConfiguration, "queues", queues),
    CAPSTAN_REQUIRED(QueuingConfiguration, "handSize", hand_size),
    CAPSTAN_REQUIRED(QueuingConfiguration, "queueLengthLimit", queue_length_limit))

CAPSTAN_LAYOUT(LimitResponse,
    CAPSTAN_REQUIRED(LimitResponse, "type", type),
    CAPSTAN_FIELD(LimitResponse, "queuing", queuing))

CAPSTAN_LAYOUT(LimitedPriorityLevelConfiguration,
    CAPSTAN_REQUIRED(LimitedPriorityLevelConfiguration, "nominalConcurrencyShares", nominal_concurrency_shares),
    CAPSTAN_FIELD(LimitedPriorityLevelConfiguration, "limitResponse", limit_response),
    CAPSTAN_FIELD(LimitedPriorityLevelConfiguration, "lendablePercent", lendable_percent),
    CAPSTAN_FIELD(LimitedPriorityLevelConfiguration, "borrowingLimitPercent", borrowing_limit_percent))

CAPSTAN_LAYOUT(ExemptPriorityLevelConfiguration,
    CAPSTAN_FIELD(ExemptPriorityLevelConfiguration, "nominalConcurrencyShares", nominal_concurrency_shares),
    CAPSTAN_FIELD(ExemptPriorityLevelConfiguration, "lendablePercent", lendable_percent))

CAPSTAN_LAYOUT(PriorityLevelConfigurationSpec,
    CAPSTAN_REQUIRED(PriorityLevelConfigurationSpec, "type", type),
    CAPSTAN_FIELD(PriorityLevelConfigurationSpec, "limited", limited),
    CAPSTAN_FIELD(PriorityLevelConfigurationSpec, "exempt", exempt))

CAPSTAN_LAYOUT(PriorityLevelConfigurationCondition,
    CAPSTAN_FIELD(PriorityLevelConfigurationCondition, "type", type),
    CAPSTAN_FIELD(PriorityLevelConfigurationCondition, "status", status),
    CAPSTAN_FIELD(PriorityLevelConfigurationCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(PriorityLevelConfigurationCondition, "reason", reason),
    CAPSTAN_FIELD(PriorityLevelConfigurationCondition, "message", message))

CAPSTAN_LAYOUT(PriorityLevelConfigurationStatus,
    CAPSTAN_FIELD(PriorityLevelConfigurationStatus, "conditions", conditions))

CAPSTAN_LAYOUT(PriorityLevelConfiguration,
    CAPSTAN_PART(PriorityLevelConfiguration, "metadata", metadata, kMetadata),
    CAPSTAN_PART(PriorityLevelConfiguration, "spec", spec, kSpec),
    CAPSTAN_PART(PriorityLevelConfiguration, "status", status, kStatus))

}  // namespace capstan::api::flowcontrol::v1

template class capstan::Boxed<capstan::api::flowcontrol::v1::FlowDistinguisherMethod>;
template class capstan::Boxed<capstan::api::flowcontrol::v1::UserSubject>;
template class capstan::Boxed<capstan::api::flowcontrol::v1::GroupSubject>;
template class capstan::Boxed<capstan::api::flowcontrol::v1::ServiceAccountSubject>;
template class capstan::List<capstan::api::flowcontrol::v1::Subject>;
template class capstan::List<capstan::api::flowcontrol::v1::ResourcePolicyRule>;
template class capstan::List<capstan::api::flowcontrol::v1::NonResourcePolicyRule>;
template class capstan::List<capstan::api::flowcontrol::v1::PolicyRulesWithSubjects>;
template class capstan::List<capstan::api::flowcontrol::v1::FlowSchemaCondition>;
template class capstan::Boxed<capstan::api::flowcontrol::v1::QueuingConfiguration>;
template class capstan::Boxed<capstan::api::flowcontrol::v1::LimitedPriorityLevelConfiguration>;
template class capstan::Boxed<capstan::api::flowcontrol::v1::ExemptPriorityLevelConfiguration>;
template class capstan::List<capstan::api::flowcontrol::v1::PriorityLevelConfigurationCondition>;
