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
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clientgo/api/event.h"
#include "clientgo/runtime/object.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/token_bucket.h"

namespace clientgo::record {

struct EventRecord {
  std::string name = {};
  api::EventFields fields = {};

  // It lives with its object, or in "default".
  runtime::ObjectKey Key() const;
};

// A message that is longer is cut.
inline constexpr std::size_t kMessageBytesMax = 1024;

// "<object>.<hex unix nanoseconds>". An object whose name makes no valid name for an Event (too
// long, or characters that only some kinds may have) gives "event.<hex unix nanoseconds>".
std::string EventName(std::string_view object_name, util::Clock::WallTime time);
// The body of a merge patch that tells one more occurrence.
std::string ToPatch(const EventRecord& event);

// LRU
template <class Key, class Value>
class LruCache {
 public:
  explicit LruCache(std::size_t size_max) : size_max_(size_max) {}

  // The value for `key`, made from `fresh` when there is none; now the most recently used. The
  // reference is valid until the next call.
  Value& GetOrAdd(const Key& key, Value fresh = {}) {
    const auto known = by_key_.find(key);
    if (known != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, known->second);
      return known->second->second;
    }
    if (entries_.size() >= size_max_) {
      by_key_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, std::move(fresh));
    by_key_.emplace(key, entries_.begin());
    return entries_.front().second;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<Key, Value>>;  // most recently used first

  const std::size_t size_max_;
  Entries entries_;
  std::unordered_map<Key, typename Entries::iterator> by_key_;
};

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
  Key Aggregate(EventRecord& event);
  // False: too many events about this object.
  bool IsAllowed(const api::ObjectReference& object);

  static constexpr std::size_t kCacheSize = 4096;

  util::Clock& clock_;
  LruCache<Key, Similar> similar_{kCacheSize};
  LruCache<Key, Observed> observed_{kCacheSize};
  LruCache<Key, util::TokenBucket> buckets_{kCacheSize};
};

}  // namespace clientgo::record
