// SPDX-License-Identifier: Apache-2.0
// RetryOnConflict repeats a read and write of an object while another client changes it at the same
// time. Mirrors k8s.io/client-go/util/retry.
//
//   auto updated = RetryOnConflict({.stop = stop}, [&]() -> Expected<Ptr<Foo>> {
//     auto current = foos.Get(stop, key);  // in each attempt
//     if (!current) return tl::unexpected(current.error());
//     Foo wanted = **current;
//     wanted.spec.replicas = 3;
//     return foos.Update(stop, wanted);
//   });
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan {

// RetryBackoff is a number of attempts and the delays between them. Mirrors wait.Backoff.
struct CAPSTAN_EXPORT RetryBackoff {
  int steps = 0;  // attempts, including the first one
  Clock::Duration duration = {};
  double factor = 1.0;  // the delay grows by it
  double jitter = 0.0;  // each delay is uniform in [delay, delay * (1 + jitter))
};

// For a conflict with clients that change other fields. Mirrors retry.DefaultRetry.
inline constexpr RetryBackoff kDefaultRetry = {
    .steps = 5, .duration = std::chrono::milliseconds(10), .factor = 1.0, .jitter = 0.1};
// For a conflict with controllers that write the same fields. Mirrors retry.DefaultBackoff.
inline constexpr RetryBackoff kDefaultBackoff = {
    .steps = 4, .duration = std::chrono::milliseconds(10), .factor = 5.0, .jitter = 0.1};

struct CAPSTAN_EXPORT RetryOptions {
  std::stop_token stop = {};
  // No attempt begins after the deadline.
  Clock::TimePoint deadline = Clock::TimePoint::max();
  RetryBackoff backoff = kDefaultRetry;
  Clock& clock = Clock::Real();
  std::function<double()> random = {};  // in [0, 1); empty: RandomUnit
};

// Retrier waits between the attempts of one call. Not thread-safe.
class CAPSTAN_EXPORT Retrier {
 public:
  explicit Retrier(const RetryOptions& options);
  // Waits before the next attempt. Returns false if there is none: the steps are used up, the
  // deadline would pass, or a stop is requested.
  bool Wait();

 private:
  const RetryOptions& options_;
  int steps_left_;
  Clock::Duration delay_;
};

// Calls `fn` until it succeeds, fails with an error for which `is_retriable` is false, or there are
// no more attempts. Returns the last result, also after a stop or the deadline. `fn` takes nothing
// and returns an Expected. Mirrors retry.OnError. Differs: the Go function has no way to stop.
template <class Fn>
std::invoke_result_t<Fn&> RetryOnError(const RetryOptions& options,
                                       const std::function<bool(const Error&)>& is_retriable,
                                       Fn fn) {
  Retrier retrier(options);
  for (;;) {
    auto result = fn();
    if (result || !is_retriable(result.error()) || !retrier.Wait()) return result;
  }
}

// RetryOnError for conflicts: a 409 with the reason Conflict. `fn` must read the object in each
// attempt, from the server or from a cache that has the other client's write by then.
template <class Fn>
std::invoke_result_t<Fn&> RetryOnConflict(const RetryOptions& options, Fn fn) {
  return RetryOnError(options, IsConflict, std::move(fn));
}

}  // namespace capstan
