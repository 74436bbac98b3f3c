// SPDX-License-Identifier: Apache-2.0
#include "capstan/retry.h"

#include "capstan/backoff.h"

namespace capstan {

Retrier::Retrier(const RetryOptions& options)
    : options_(options), steps_left_(options.backoff.steps), delay_(options.backoff.duration) {}

bool Retrier::Wait() {
  if (--steps_left_ <= 0) return false;
  const double unit = options_.random ? options_.random() : RandomUnit();
  const Clock::Duration wait = Jitter(delay_, options_.backoff.jitter, unit);
  delay_ = Clock::Duration(static_cast<Clock::Duration::rep>(static_cast<double>(delay_.count()) *
                                                             options_.backoff.factor));
  if (wait >= options_.deadline - options_.clock.Now()) return false;
  return options_.clock.SleepFor(options_.stop, wait);
}

}  // namespace capstan
