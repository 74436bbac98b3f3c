// SPDX-License-Identifier: Apache-2.0
// EventCorrelator: turns the events that happen into fewer Events that are stored. Equal ones
// become one Event whose count grows, many similar ones (same object, type and reason, other
// messages) become one "(combined from similar events)", and a flood about one object is cut.
//
// Memory is bounded: the last 4096 of each. Keys are 64-bit hashes; if two of 4096 ever collide, an
// Event shows the wrong count. Not thread-safe: the broadcaster's thread owns it.
// Mirrors k8s.io/client-go/tools/record/events_cache.go. Differs: it keeps hashes, not messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/api/event.h"
#include "clientgo/record/event.h"
#include "clientgo/record/lru_cache.h"
#include "clientgo/util/clock.h"

namespace clientgo::record {

class EventCorrelator {
 public:
  explicit EventCorrelator(util::Clock& clock) : clock_(clock) {}

  struct Result {
    EventRecord event;
    // The Event `event.name` was sent before, so this is a patch of it. It may be gone by now.
    bool seen_before = false;
  };
  // nullopt: too many events about this object lately; send nothing.
  std::optional<Result> Correlate(EventRecord event);

 private:
  using Key = std::uint64_t;
  // The messages seen lately about one object with one type and reason.
  struct Similar {
    std::vector<Key> messages;
    util::Clock::TimePoint last;
  };
  // What was stored for equal events.
  struct Observed {
    std::string name;
    std::string first_timestamp;
    int count = 0;
  };
  // A token bucket.
  struct Bucket {
    double tokens;
    util::Clock::TimePoint last;
  };

  Key Aggregate(EventRecord& event);
  bool TakeToken(const api::ObjectReference& object);

  static constexpr std::size_t kCacheSize = 4096;

  util::Clock& clock_;
  LruCache<Key, Similar> similar_{kCacheSize};
  LruCache<Key, Observed> observed_{kCacheSize};
  LruCache<Key, Bucket> buckets_{kCacheSize};
};

}  // namespace clientgo::record
