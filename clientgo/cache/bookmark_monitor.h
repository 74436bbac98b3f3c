// SPDX-License-Identifier: Apache-2.0
// BookmarkMonitor: when a watch has been silent for so long that the server must be gone.
//
// An API server sends a bookmark about once a minute to a watch that allows it. A server that
// hangs, or is dead behind a proxy, leaves the connection open and says nothing, and TCP keepalive
// reaches only the proxy or the kernel. Once two bookmarks of one watch have been seen, two of them
// may be missing, then the watch counts as dead. Servers that never send bookmarks are not
// affected.
//
// Mirrors the intent of client-go's HTTP/2 ping (45 s), which HTTP/1.1 does not have. One thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "clientgo/util/clock.h"

namespace clientgo::cache {

class BookmarkMonitor {
 public:
  using Duration = util::Clock::Duration;
  using TimePoint = util::Clock::TimePoint;

  // The API server's interval, and how much later than twice the interval a watch is given up.
  static constexpr Duration kInterval = std::chrono::minutes(1);
  static constexpr Duration kMargin = std::chrono::seconds(10);

  // A watch begins; what is known about the server stays.
  void OnOpened(TimePoint now) {
    heard_ = now;
    last_bookmark_.reset();
  }
  void OnEvent(TimePoint now, bool is_bookmark) {
    heard_ = now;
    if (!is_bookmark) return;
    if (last_bookmark_) {
      interval_ = std::max(interval_, std::min(now - *last_bookmark_, kLongestInterval));
    }
    last_bookmark_ = now;
    silent_ = 0;
  }
  // The watch was given up. A server that answers the next one, but sends no bookmarks any more,
  // gets twice the time each time.
  void OnSilent() { silent_ = std::min(silent_ + 1, kDoublingsMax); }

  // For how much longer the watch may be silent before it counts as dead; max(): for ever.
  Duration Allowed(TimePoint now) const {
    if (interval_ == Duration::zero()) return Duration::max();
    const Duration allowed = (2 * std::max(interval_, kInterval) + kMargin) * (1 << silent_);
    return std::max(heard_ + allowed - now, Duration::zero());
  }

 private:
  static constexpr Duration kLongestInterval = std::chrono::minutes(5);
  static constexpr int kDoublingsMax = 4;

  TimePoint heard_ = {};
  std::optional<TimePoint> last_bookmark_;  // of this watch
  Duration interval_{0};                    // the longest between two bookmarks; 0: not known
  int silent_ = 0;                          // watches given up since the last bookmark
};

}  // namespace clientgo::cache
