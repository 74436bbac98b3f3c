// SPDX-License-Identifier: Apache-2.0
// Deadlines stops work that takes too long, on one thread for all workers of a Controller or of a
// webhook::Server. Not API. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/clock.h"
#include "capstan/mutex.h"
#include "capstan/thread.h"

namespace capstan {

class Deadlines {
 public:
  using Id = std::pair<Clock::TimePoint, std::uint64_t>;

  explicit Deadlines(Clock& clock)
      : clock_(clock),
        thread_(StartThread("deadlines", [this](std::stop_token end) { Run(end); })) {}
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  // Requests `stop` after `timeout`, unless Remove is called before.
  Id Add(std::chrono::nanoseconds timeout, std::stop_source stop) {
    const MutexLock lock(mu_);
    const Id id(clock_.Now() + timeout, next_++);
    pending_.emplace(id, std::move(stop));
    changed_.NotifyOne();
    return id;
  }
  // Returns false when the time was over before.
  bool Remove(const Id& id) {
    const MutexLock lock(mu_);
    return pending_.erase(id) != 0;
  }

 private:
  Clock::TimePoint Next() const CAPSTAN_REQUIRES(mu_) {
    return pending_.empty() ? Clock::TimePoint::max() : pending_.begin()->first.first;
  }

  void Run(const std::stop_token& end) {
    while (!end.stop_requested()) {
      std::stop_source due(std::nostopstate);
      {
        const MutexLock lock(mu_);
        const auto deadline = Next();
        clock_.WaitUntil(mu_, changed_, end, deadline,
                         [&]() CAPSTAN_REQUIRES(mu_) { return Next() < deadline; });
        if (Next() > clock_.Now() || pending_.empty()) continue;
        due = std::move(pending_.extract(pending_.begin()).mapped());
      }
      due.request_stop();  // without the lock, because it runs stop callbacks
    }
  }

  Clock& clock_;
  Mutex mu_;
  CondVar changed_;
  std::uint64_t next_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::map<Id, std::stop_source> pending_ CAPSTAN_GUARDED_BY(mu_);
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace capstan
