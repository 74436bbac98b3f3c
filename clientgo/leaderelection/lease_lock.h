// SPDX-License-Identifier: Apache-2.0
// LeaseLock: one Lease as a lock. It remembers the Lease that the server told last, so an Update
// carries that resourceVersion and fails with Conflict when somebody else was faster.
// Not thread-safe: the elector's thread owns it. Mirrors client-go's resourcelock.LeaseLock.
#pragma once

#include <memory>
#include <string>

#include "clientgo/api/lease.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"

namespace clientgo::leaderelection {

class LeaseLock {
 public:
  // `managed_by`: label app.kubernetes.io/managed-by of a Lease that Create makes; may be empty.
  LeaseLock(rest::Client& client, runtime::ObjectKey key, std::string managed_by);

  using LeasePtr = std::shared_ptr<const api::Lease>;
  util::Expected<LeasePtr> Get(const rest::CallOptions& call);
  util::Expected<LeasePtr> Create(const rest::CallOptions& call, const api::LeaseSpec& spec);
  // REQUIRES: a Get, Create or Update succeeded before.
  util::Expected<LeasePtr> Update(const rest::CallOptions& call, const api::LeaseSpec& spec);

  std::string Describe() const { return key_.String(); }

 private:
  util::Expected<LeasePtr> Remember(util::Expected<runtime::ObjectPtr> answer, const char* verb);

  rest::Client& client_;
  const runtime::ObjectKey key_;
  const std::string managed_by_;
  LeasePtr lease_;
};

}  // namespace clientgo::leaderelection
