// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::coordination::v1 {

// OldestEmulationVersion picks the oldest LeaseCandidate, where "oldest" is defined as follows 1)
// Select the candidate(s) with the lowest emulation version 2) If multiple candidates have the same
// emulation version, select the candidate(s) with the lowest binary version. (Note that binary
// version must be greater or equal to emulation version) 3) If multiple candidates have the same
// binary version, select the candidate with the oldest creationTimestamp. If a candidate does not
// specify the emulationVersion and binaryVersion fields, it will not be considered a candidate for
// the lease.
inline constexpr std::string_view kOldestEmulationVersion = "OldestEmulationVersion";

// LeaseSpec is a specification of a Lease.
struct CAPSTAN_EXPORT LeaseSpec {
  // holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader
  // Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name
  // field.
  std::optional<std::string> holder_identity = {};
  // leaseDurationSeconds is a duration that candidates for a lease need to wait to force acquire
  // it. This is measured against the time of last observed renewTime.
  std::optional<std::int32_t> lease_duration_seconds = {};
  // acquireTime is a time when the current lease was acquired.
  std::optional<MicroTime> acquire_time = {};
  // renewTime is a time when the current holder of a lease has last updated the lease.
  std::optional<MicroTime> renew_time = {};
  // leaseTransitions is the number of transitions of a lease between holders.
  std::optional<std::int32_t> lease_transitions = {};
  // strategy indicates the strategy for picking the leader for coordinated leader election. If the
  // field is not specified, there is no active coordination for this lease. (Alpha) Using this
  // field requires the CoordinatedLeaderElection feature gate to be enabled.
  std::optional<std::string> strategy = {};
  // preferredHolder signals to a lease holder that the lease has a more optimal holder and should
  // be given up. This field can only be set if Strategy is also set.
  std::optional<std::string> preferred_holder = {};
};
CAPSTAN_EXPORT bool operator==(const LeaseSpec& a, const LeaseSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LeaseSpec*);

// Lease defines a lease concept.
struct CAPSTAN_EXPORT Lease {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec contains the specification of the Lease. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  LeaseSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const Lease& a, const Lease& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Lease*);

}  // namespace capstan::api::coordination::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::coordination::v1::Lease> =
    capstan::Kind("coordination.k8s.io", "v1", "Lease", "leases").Namespaced().Whole().Spec();
