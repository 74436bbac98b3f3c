// SPDX-License-Identifier: Apache-2.0
// AnswerLimit: how long a server may take to begin its answer before the request is repeated on
// another connection, which a balancer may lead to another server. One thread. No upstream
// counterpart: client-go notices a server that hangs by HTTP/2's ping.
#pragma once

#include <algorithm>
#include <chrono>

#include "clientgo/util/clock.h"

namespace clientgo::cache {

class AnswerLimit {
 public:
  using Duration = util::Clock::Duration;

  // Begins with `shortest`, and doubles after each request without an answer, so that a server or a
  // proxy that needs longer gets it.
  AnswerLimit(Duration shortest, Duration longest) : shortest_(shortest), longest_(longest) {}

  std::chrono::milliseconds current() const {
    const Duration doubled = shortest_ * (1 << doublings_);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::min(doubled, longest_));
  }
  void OnUnanswered() {
    if (doublings_ < kDoublingsMax) ++doublings_;
  }
  // What needed more than the shortest limit will need it again.
  void OnAnswered(Duration took) {
    if (took <= shortest_) doublings_ = 0;
  }

 private:
  static constexpr int kDoublingsMax = 10;

  const Duration shortest_;
  const Duration longest_;
  int doublings_ = 0;
};

}  // namespace clientgo::cache
