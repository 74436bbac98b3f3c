// SPDX-License-Identifier: Apache-2.0
// History: the last samples of a few quantities, for plots. Bounded. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "statusz/page.h"

namespace statusz {

class History {
 public:
  // `samples_max` of one quantity; older ones go.
  explicit History(std::size_t samples_max) : samples_max_(samples_max) {}

  void Add(clientgo::util::Clock::WallTime time, double value) {
    const clientgo::util::MutexLock lock(mu_);
    samples_.push_back({time, value});
    if (samples_.size() > samples_max_) samples_.pop_front();
  }
  std::vector<Sample> Samples() const {
    const clientgo::util::MutexLock lock(mu_);
    return {samples_.begin(), samples_.end()};
  }

 private:
  const std::size_t samples_max_;
  mutable clientgo::util::Mutex mu_;
  std::deque<Sample> samples_ GUARDED_BY(mu_);
};

}  // namespace statusz
