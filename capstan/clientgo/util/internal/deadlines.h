// SPDX-License-Identifier: Apache-2.0
// Deadlines stops work that takes too long, on one thread for all workers of a Controller or of a
// webhook::Server. Internal to this folder and capstan/webhook. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/clientgo/util/clock.h"
#include "capstan/clientgo/util/mutex.h"
#include "capstan/clientgo/util/thread.h"

namespace capstan::controller_runtime {

class Deadlines {
 public:
  using Id = std::pair<clientgo::util::Clock::TimePoint, std::uint64_t>;

  explicit Deadlines(clientgo::util::Clock& clock)
      : clock_(clock),
        thread_(
            clientgo::util::StartThread("deadlines", [this](std::stop_token end) { Run(end); })) {}
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  // Requests `stop` after `timeout`, unless Remove is called before.
  Id Add(std::chrono::nanoseconds timeout, std::stop_source stop) {
    const clientgo::util::MutexLock lock(mu_);
    const Id id(clock_.Now() + timeout, next_++);
    pending_.emplace(id, std::move(stop));
    changed_.NotifyOne();
    return id;
  }
  // Returns false when the time was over before.
  bool Remove(const Id& id) {
    const clientgo::util::MutexLock lock(mu_);
    return pending_.erase(id) != 0;
  }

 private:
  clientgo::util::Clock::TimePoint Next() const CAPSTAN_REQUIRES(mu_) {
    return pending_.empty() ? clientgo::util::Clock::TimePoint::max()
                            : pending_.begin()->first.first;
  }

  void Run(const std::stop_token& end) {
    while (!end.stop_requested()) {
      std::stop_source due(std::nostopstate);
      {
        const clientgo::util::MutexLock lock(mu_);
        const auto deadline = Next();
        clock_.WaitUntil(mu_, changed_, end, deadline,
                         [&]() CAPSTAN_REQUIRES(mu_) { return Next() < deadline; });
        if (Next() > clock_.Now() || pending_.empty()) continue;
        due = std::move(pending_.extract(pending_.begin()).mapped());
      }
      due.request_stop();  // without the lock, because it runs stop callbacks
    }
  }

  clientgo::util::Clock& clock_;
  clientgo::util::Mutex mu_;
  clientgo::util::CondVar changed_;
  std::uint64_t next_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::map<Id, std::stop_source> pending_ CAPSTAN_GUARDED_BY(mu_);
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace capstan::controller_runtime
