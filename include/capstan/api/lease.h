// SPDX-License-Identifier: Apache-2.0
// Lease is a coordination.k8s.io/v1 Lease for leader election. Times are the server's text: they
// are shown and written back, and never compared with a local clock.
//
// UpdateJson returns the whole object for a PUT. It keeps the labels, annotations, owners and
// finalizers, which the PUT would otherwise remove. Immutable, so threads can share it.
// Mirrors coordinationv1.Lease and client-go's resourcelock.LeaseLock.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/export.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

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

class CAPSTAN_EXPORT Lease final : public runtime::Object {
 public:
  static const runtime::ResourceType& Type();

  Lease(const runtime::ObjectIdentity& meta, const runtime::JsonValue& value);

  const LeaseSpec& spec() const { return spec_; }
  // Returns the spec as JSON text, including unknown fields, to detect any change.
  std::string_view raw_spec() const { return raw_spec_; }
  std::size_t ByteSize() const override;

 private:
  friend std::string UpdateJson(const Lease& current, const LeaseSpec& spec);

  LeaseSpec spec_;
  std::string raw_spec_;
  std::vector<std::pair<std::string, std::string>> carried_;  // metadata fields, as JSON text
};

// Returns the body of a POST.
CAPSTAN_EXPORT std::string CreateJson(
    const runtime::ObjectKey& key, const std::vector<std::pair<std::string, std::string>>& labels,
    const LeaseSpec& spec);
// Returns the body of a PUT that replaces `current` at its resourceVersion.
CAPSTAN_EXPORT std::string UpdateJson(const Lease& current, const LeaseSpec& spec);

}  // namespace capstan::api
