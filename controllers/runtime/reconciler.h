// SPDX-License-Identifier: Apache-2.0
// Reconciler: brings one object to its desired state. Mirrors controller-runtime's reconcile.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

#include "clientgo/runtime/object.h"
#include "clientgo/util/error.h"

namespace controllers::runtime {

using Request = clientgo::runtime::ObjectKey;

struct Result {
  // Reconcile again then; nullopt: when something changes. Ignored when there is an error.
  std::optional<std::chrono::nanoseconds> requeue_after;
};

// An error is retried with backoff, unless it is terminal: nothing but a change can help.
struct ReconcileError {
  clientgo::util::Error error;
  bool terminal = false;
};

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  // Never runs for one key on two threads at once; for different keys it does.
  virtual tl::expected<Result, ReconcileError> Reconcile(std::stop_token stop,
                                                         const Request& request) = 0;
};

}  // namespace controllers::runtime
