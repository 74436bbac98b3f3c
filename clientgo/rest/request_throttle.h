// SPDX-License-Identifier: Apache-2.0
// RequestThrottle: the client's own limit on requests a second, a token bucket. Thread-safe.
// Mirrors client-go's util/flowcontrol.
#pragma once

#include <stop_token>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"

namespace clientgo::rest {

class RequestThrottle {
 public:
  // qps <= 0: no limit.
  RequestThrottle(double qps, int burst, util::Clock& clock);
  // Blocks until a request may go. False: stopped, or it may not go before `deadline`, which is
  // known at once. Warns of a wait that somebody would notice.
  bool Wait(std::stop_token stop, util::Clock::TimePoint deadline = util::Clock::TimePoint::max());

 private:
  const util::Clock::Duration interval_;
  const util::Clock::Duration depth_;
  util::Clock& clock_;
  util::Mutex mu_;
  util::Clock::TimePoint next_ GUARDED_BY(mu_);  // when the bucket is full again, less its depth
};

}  // namespace clientgo::rest
