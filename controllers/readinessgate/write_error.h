// SPDX-License-Identifier: Apache-2.0
// What becomes of a patch of a pod that the API server did not take. Pure functions.
#pragma once

#include <string_view>

#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace controllers::readinessgate {

enum class WriteError {
  kGone,       // the pod is no more: drop it
  kReplaced,   // another pod has its name (the uid did not match): drop it, the new one will come
  kConflict,   // somebody wrote it first: again, on what the cache then holds
  kTooLong,    // no room for the status: the ready key alone, once, and an Event
  kDenied,     // an admission policy, or RBAC: once in the log, then rarely
  kThrottled,  // 429: when the server says
  kTransient,  // no answer, 401, 5xx: again
};
WriteError Classify(const clientgo::util::Error& error);
std::string_view ToString(WriteError error);  // of the label `result`: "denied"

// How long to wait before try number `failures` + 1, from 1 on. `unit` is in [0, 1).
//   kConflict              200 ms .. 5 s; the cache's next version ends it
//   kDenied                1 s .. 5 min
//   kThrottled             Retry-After, or as kTransient
//   kTransient             250 ms .. 30 s
clientgo::util::Clock::Duration RetryDelay(WriteError kind, const clientgo::util::Error& error,
                                           int failures, double unit);

}  // namespace controllers::readinessgate
