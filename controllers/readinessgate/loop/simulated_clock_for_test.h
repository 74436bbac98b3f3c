// SPDX-License-Identifier: Apache-2.0
// SimulatedClock: time for one thread that only ever waits. A wait jumps to its deadline, or to the
// next scripted event before it, which then runs; a day takes as long as what happens in it.
// Tests only; not thread-safe.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <stop_token>
#include <utility>

#include "clientgo/util/clock.h"

namespace controllers::readinessgate {

class SimulatedClock final : public clientgo::util::Clock {
 public:
  // At the start, time is kStart.
  static constexpr TimePoint kStart{std::chrono::hours(1000)};

  TimePoint Now() const override { return now_; }
  WallTime WallNow() const override {
    return WallTime(std::chrono::duration_cast<WallTime::duration>(now_.time_since_epoch())) +
           wall_offset_;
  }

  // During a wait that reaches `after`, counted from the start; twice at one time: in this order.
  void At(Duration after, std::function<void()> event) {
    events_.emplace(kStart + after, std::move(event));
  }
  // The process did not run for a while: suspended, or stopped by a signal.
  void Jump(Duration duration) { now_ += duration; }
  // Somebody set the wall clock.
  void JumpWall(Duration duration) {
    wall_offset_ += std::chrono::duration_cast<WallTime::duration>(duration);
  }
  Duration Elapsed() const { return now_ - kStart; }

  bool WaitUntil(clientgo::util::Mutex& mu, clientgo::util::CondVar&, std::stop_token stop,
                 TimePoint deadline, const std::function<bool()>& ready) override REQUIRES(mu) {
    while (!ready() && !stop.stop_requested() && now_ < deadline) {
      const auto next = events_.begin();
      if (next == events_.end() || next->first > deadline) {
        now_ = deadline;
        break;
      }
      now_ = std::max(now_, next->first);
      const std::function<void()> event = std::move(next->second);
      events_.erase(next);
      mu.unlock();
      event();
      mu.lock();
    }
    return ready();
  }

 private:
  TimePoint now_ = kStart;
  WallTime::duration wall_offset_{};
  std::multimap<TimePoint, std::function<void()>> events_;
};

}  // namespace controllers::readinessgate
