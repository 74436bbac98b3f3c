// SPDX-License-Identifier: Apache-2.0
#include "capstan/backoff.h"

#include <glog/logging.h>

#include <sys/random.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace capstan {

double RandomUnit() {
  // An engine for each thread would cost 2.5 KiB of memory in each.
  std::uint64_t bits = 0;
  PCHECK(getrandom(&bits, sizeof bits, 0) == sizeof bits) << "getrandom";
  constexpr int kFractionBits = 53;  // of a double
  return static_cast<double>(bits >> (64 - kFractionBits)) /
         static_cast<double>(std::uint64_t{1} << kFractionBits);
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

}  // namespace capstan
