// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/node/v1/runtime_class.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::node::v1 {

CAPSTAN_LAYOUT(Overhead,
    CAPSTAN_FIELD(Overhead, "podFixed", pod_fixed))

CAPSTAN_LAYOUT(Scheduling,
    CAPSTAN_FIELD(Scheduling, "nodeSelector", node_selector),
    CAPSTAN_FIELD(Scheduling, "tolerations", tolerations))

CAPSTAN_LAYOUT(RuntimeClass,
    CAPSTAN_PART(RuntimeClass, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(RuntimeClass, "handler", handler),
    CAPSTAN_FIELD(RuntimeClass, "overhead", overhead),
    CAPSTAN_FIELD(RuntimeClass, "scheduling", scheduling))

}  // namespace capstan::api::node::v1

template class capstan::Boxed<capstan::api::node::v1::Overhead>;
template class capstan::Boxed<capstan::api::node::v1::Scheduling>;
