// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/apiregistration/v1/api_service.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::apiregistration::v1 {

CAPSTAN_LAYOUT(ServiceReference,
    CAPSTAN_FIELD(ServiceReference, "namespace", namespace_),
    CAPSTAN_FIELD(ServiceReference, "name", name),
    CAPSTAN_FIELD(ServiceReference, "port", port))

CAPSTAN_LAYOUT(APIServiceSpec,
    CAPSTAN_FIELD(APIServiceSpec, "service", service),
    CAPSTAN_FIELD(APIServiceSpec, "group", group),
    CAPSTAN_FIELD(APIServiceSpec, "version", version),
    CAPSTAN_NUMBER(APIServiceSpec, "insecureSkipTLSVerify", insecure_skip_tls_verify),
    CAPSTAN_FIELD(APIServiceSpec, "caBundle", ca_bundle),
    CAPSTAN_REQUIRED(APIServiceSpec, "groupPriorityMinimum", group_priority_minimum),
    CAPSTAN_REQUIRED(APIServiceSpec, "versionPriority", version_priority))

CAPSTAN_LAYOUT(APIServiceCondition,
    CAPSTAN_REQUIRED(APIServiceCondition, "type", type),
    CAPSTAN_REQUIRED(APIServiceCondition, "status", status),
    CAPSTAN_FIELD(APIServiceCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(APIServiceCondition, "reason", reason),
    CAPSTAN_FIELD(APIServiceCondition, "message", message))

CAPSTAN_LAYOUT(APIServiceStatus,
    CAPSTAN_FIELD(APIServiceStatus, "conditions", conditions))

CAPSTAN_LAYOUT(APIService,
    CAPSTAN_PART(APIService, "metadata", metadata, kMetadata),
    CAPSTAN_PART(APIService, "spec", spec, kSpec),
    CAPSTAN_PART(APIService, "status", status, kStatus))

}  // namespace capstan::api::apiregistration::v1

template class capstan::Boxed<capstan::api::apiregistration::v1::ServiceReference>;
template class capstan::List<capstan::api::apiregistration::v1::APIServiceCondition>;
