// SPDX-License-Identifier: Apache-2.0
// DelayedItems: items that become ready at a time, earliest first; an item is in it at most once,
// with the earlier of its times. Not thread-safe: RateLimitingQueue guards it.
// Mirrors waitForPriorityQueue of client-go's util/workqueue/delaying_queue.go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "clientgo/util/clock.h"

namespace clientgo::workqueue {

class DelayedItems {
 public:
  using TimePoint = util::Clock::TimePoint;

  void Add(std::string item, TimePoint ready_at) {
    const auto known = by_item_.find(item);
    if (known == by_item_.end()) {
      const auto it = by_time_.emplace(ready_at, item);
      by_item_.emplace(std::move(item), it);
    } else if (ready_at < known->second->first) {
      by_time_.erase(known->second);
      known->second = by_time_.emplace(ready_at, std::move(item));
    }
  }

  // TimePoint::max() when it is empty.
  TimePoint NextReadyAt() const {
    return by_time_.empty() ? TimePoint::max() : by_time_.begin()->first;
  }

  // Takes out the earliest item if it is ready; of two for the same time the one added first.
  std::optional<std::pair<TimePoint, std::string>> PopReady(TimePoint now) {
    if (NextReadyAt() > now || by_time_.empty()) return std::nullopt;
    const auto node = by_time_.extract(by_time_.begin());
    by_item_.erase(node.mapped());
    return std::pair(node.key(), std::move(node.mapped()));
  }

  void Clear() {
    by_time_.clear();
    by_item_.clear();
  }

 private:
  using ByTime = std::multimap<TimePoint, std::string>;
  ByTime by_time_;
  std::unordered_map<std::string, ByTime::iterator> by_item_;
};

}  // namespace clientgo::workqueue
