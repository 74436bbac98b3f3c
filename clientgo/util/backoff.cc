// SPDX-License-Identifier: Apache-2.0
#include "clientgo/util/backoff.h"

#include <algorithm>
#include <random>
#include <utility>

namespace clientgo::util {

double RandomUnit() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
}

Clock::Duration Jitter(Clock::Duration base, double max_factor, double unit) {
  const double ticks = static_cast<double>(base.count()) * (1.0 + max_factor * unit);
  return Clock::Duration(static_cast<Clock::Duration::rep>(ticks));
}

Backoff::Backoff(Clock& clock, BackoffOptions options, std::function<double()> random)
    : clock_(clock),
      options_(options),
      random_(random ? std::move(random) : std::function<double()>(RandomUnit)),
      current_(options.initial) {}

Clock::Duration Backoff::Next() {
  const Clock::TimePoint now = clock_.Now();
  if (last_ && now - *last_ > options_.reset_after) current_ = options_.initial;
  last_ = now;
  const Clock::Duration delay = Jitter(current_, options_.jitter, random_());
  const double next = static_cast<double>(current_.count()) * options_.factor;
  current_ = std::min(options_.cap, Clock::Duration(static_cast<Clock::Duration::rep>(next)));
  return delay;
}

}  // namespace clientgo::util
