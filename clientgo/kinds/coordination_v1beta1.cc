// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/coordination/v1beta1/lease_candidate.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::coordination::v1beta1 {

CAPSTAN_LAYOUT(LeaseCandidateSpec,
    CAPSTAN_REQUIRED(LeaseCandidateSpec, "leaseName", lease_name),
    CAPSTAN_FIELD(LeaseCandidateSpec, "pingTime", ping_time),
    CAPSTAN_FIELD(LeaseCandidateSpec, "renewTime", renew_time),
    CAPSTAN_REQUIRED(LeaseCandidateSpec, "binaryVersion", binary_version),
    CAPSTAN_FIELD(LeaseCandidateSpec, "emulationVersion", emulation_version),
    CAPSTAN_FIELD(LeaseCandidateSpec, "strategy", strategy))

CAPSTAN_LAYOUT(LeaseCandidate,
    CAPSTAN_PART(LeaseCandidate, "metadata", metadata, kMetadata),
    CAPSTAN_PART(LeaseCandidate, "spec", spec, kSpec))

}  // namespace capstan::api::coordination::v1beta1

