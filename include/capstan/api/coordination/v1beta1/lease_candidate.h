// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>
#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::coordination::v1beta1 {

// LeaseCandidateSpec is a specification of a Lease.
struct CAPSTAN_EXPORT LeaseCandidateSpec {
  // leaseName is the name of the lease for which this candidate is contending. The limits on this
  // field are the same as on Lease.name. Multiple lease candidates may reference the same
  // Lease.name. This field is immutable.
  std::string lease_name = {};
  // pingTime is the last time that the server has requested the LeaseCandidate to renew. It is only
  // done during leader election to check if any LeaseCandidates have become ineligible. When
  // PingTime is updated, the LeaseCandidate will respond by updating RenewTime.
  std::optional<MicroTime> ping_time = {};
  // renewTime is the time that the LeaseCandidate was last updated. Any time a Lease needs to do
  // leader election, the PingTime field is updated to signal to the LeaseCandidate that they should
  // update the RenewTime. Old LeaseCandidate objects are also garbage collected if it has been
  // hours since the last renew. The PingTime field is updated regularly to prevent garbage
  // collection for still active LeaseCandidates.
  std::optional<MicroTime> renew_time = {};
  // binaryVersion is the binary version. It must be in a semver format without leading `v`. This
  // field is required.
  std::string binary_version = {};
  // emulationVersion is the emulation version. It must be in a semver format without leading `v`.
  // EmulationVersion must be less than or equal to BinaryVersion. This field is required when
  // strategy is "OldestEmulationVersion"
  std::string emulation_version = {};
  // strategy is the strategy that coordinated leader election will use for picking the leader. If
  // multiple candidates for the same Lease return different strategies, the strategy provided by
  // the candidate with the latest BinaryVersion will be used. If there is still conflict, this is a
  // user error and coordinated leader election will not operate the Lease until resolved.
  std::string strategy = {};
};
CAPSTAN_EXPORT bool operator==(const LeaseCandidateSpec& a, const LeaseCandidateSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LeaseCandidateSpec*);

// LeaseCandidate defines a candidate for a Lease object. Candidates are created such that
// coordinated leader election will pick the best leader from the list of candidates.
struct CAPSTAN_EXPORT LeaseCandidate {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec contains the specification of the Lease. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  LeaseCandidateSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const LeaseCandidate& a, const LeaseCandidate& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LeaseCandidate*);

}  // namespace capstan::api::coordination::v1beta1

template <>
inline constexpr auto capstan::kKind<capstan::api::coordination::v1beta1::LeaseCandidate> =
    capstan::Kind("coordination.k8s.io", "v1beta1", "LeaseCandidate", "leasecandidates")
        .Namespaced()
        .Whole()
        .Spec();
