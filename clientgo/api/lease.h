// SPDX-License-Identifier: Apache-2.0
// Lease (coordination.k8s.io/v1), as leader election reads and writes it. Times stay the text that
// the server sent: they are shown and written back, never compared with a local clock.
//
// UpdateJson makes a whole object for a PUT; what a PUT would otherwise wipe (labels, annotations,
// owners, finalizers) is carried over. Immutable; safe to read from any thread.
// Mirrors coordinationv1.Lease and client-go's resourcelock.LeaseLock.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

struct LeaseSpec {
  std::string holder_identity = {};  // empty: nobody
  int lease_duration_seconds = 0;
  std::string acquire_time = {};  // MicroTime
  std::string renew_time = {};    // MicroTime
  int lease_transitions = 0;
  std::string strategy = {};          // of coordinated leader election; empty: none
  std::string preferred_holder = {};  // ditto
  friend bool operator==(const LeaseSpec&, const LeaseSpec&) = default;
};

class Lease final : public runtime::Object {
 public:
  static const runtime::ResourceType& Type();

  Lease(const runtime::ObjectMeta& meta, const runtime::JsonValue& value);

  const LeaseSpec& spec() const { return spec_; }
  // The spec as JSON text, unknown fields included: it changes when anything in it does.
  std::string_view raw_spec() const { return raw_spec_; }
  std::size_t ByteSize() const override;

 private:
  friend std::string UpdateJson(const Lease& current, const LeaseSpec& spec);

  LeaseSpec spec_;
  std::string raw_spec_;
  std::vector<std::pair<std::string, std::string>> carried_;  // metadata fields, as JSON text
};

// The body of a POST.
std::string CreateJson(const runtime::ObjectKey& key,
                       const std::vector<std::pair<std::string, std::string>>& labels,
                       const LeaseSpec& spec);
// The body of a PUT over `current`; its resourceVersion is the precondition.
std::string UpdateJson(const Lease& current, const LeaseSpec& spec);

}  // namespace clientgo::api
