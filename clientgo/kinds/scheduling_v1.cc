// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/scheduling/v1/priority_class.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::scheduling::v1 {

CAPSTAN_LAYOUT(PriorityClass,
    CAPSTAN_PART(PriorityClass, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(PriorityClass, "value", value),
    CAPSTAN_NUMBER(PriorityClass, "globalDefault", global_default),
    CAPSTAN_FIELD(PriorityClass, "description", description),
    CAPSTAN_FIELD(PriorityClass, "preemptionPolicy", preemption_policy))

}  // namespace capstan::api::scheduling::v1

