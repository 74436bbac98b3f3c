// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/coordination/v1/lease.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::coordination::v1 {

CAPSTAN_LAYOUT(LeaseSpec,
    CAPSTAN_FIELD(LeaseSpec, "holderIdentity", holder_identity),
    CAPSTAN_FIELD(LeaseSpec, "leaseDurationSeconds", lease_duration_seconds),
    CAPSTAN_FIELD(LeaseSpec, "acquireTime", acquire_time),
    CAPSTAN_FIELD(LeaseSpec, "renewTime", renew_time),
    CAPSTAN_FIELD(LeaseSpec, "leaseTransitions", lease_transitions),
    CAPSTAN_FIELD(LeaseSpec, "strategy", strategy),
    CAPSTAN_FIELD(LeaseSpec, "preferredHolder", preferred_holder))

CAPSTAN_LAYOUT(Lease,
    CAPSTAN_PART(Lease, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Lease, "spec", spec, kSpec))

}  // namespace capstan::api::coordination::v1

