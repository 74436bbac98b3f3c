// SPDX-License-Identifier: Apache-2.0
// Lease is a coordination.k8s.io/v1 Lease for leader election. Times are the server's text: they
// are shown and written back, and never compared with a local clock.
// Mirrors coordinationv1.Lease.
#pragma once

#include <string>

#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/typed_object.h"

namespace capstan::api {

struct CAPSTAN_EXPORT LeaseSpec {
  std::string holder_identity = {};  // empty: no holder
  int lease_duration_seconds = 0;
  std::string acquire_time = {};  // MicroTime
  std::string renew_time = {};    // MicroTime
  int lease_transitions = 0;
  std::string strategy = {};          // for coordinated leader election
  std::string preferred_holder = {};  // for coordinated leader election
  friend bool operator==(const LeaseSpec&, const LeaseSpec&) = default;
};

struct CAPSTAN_EXPORT Lease {
  ObjectMeta metadata = {};
  LeaseSpec spec = {};
};

using LeasePtr = Ptr<Lease>;

}  // namespace capstan::api

namespace capstan {

// holderIdentity is always written, because an empty one releases the Lease.
template <>
inline constexpr auto kKind<api::Lease> =
    Kind("coordination.k8s.io", "v1", "Lease", "leases")
        .Namespaced()
        .Whole()
        .Spec(Field("holderIdentity", &api::LeaseSpec::holder_identity).Required(),
              Field("leaseDurationSeconds", &api::LeaseSpec::lease_duration_seconds),
              Field("acquireTime", &api::LeaseSpec::acquire_time),
              Field("renewTime", &api::LeaseSpec::renew_time),
              Field("leaseTransitions", &api::LeaseSpec::lease_transitions),
              Field("strategy", &api::LeaseSpec::strategy),
              Field("preferredHolder", &api::LeaseSpec::preferred_holder));

}  // namespace capstan
