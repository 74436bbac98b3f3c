// SPDX-License-Identifier: Apache-2.0
// EventCorrelator reduces the number of Events that are stored. Equal events become one Event with
// a count. Many similar events (same object, type and reason, other messages) become one "(combined
// from similar events)". Too many events about one object are dropped.
//
// Memory is limited to the last 4096 of each. Keys are 64-bit hashes. A collision would only show a
// wrong count. Not thread-safe: the broadcaster's thread owns it. Mirrors
// k8s.io/client-go/tools/record/events_cache.go. Differs: it stores hashes instead of messages.
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

#include "capstan/api/event.h"
#include "capstan/clock.h"
#include "capstan/runtime/object.h"
#include "capstan/token_bucket.h"

namespace capstan::record {

struct EventRecord {
  std::string name = {};
  api::EventFields fields = {};

  // Returns the Event's key. Its namespace is that of its object, or "default".
  runtime::ObjectKey Key() const;
};

// Longer messages are truncated.
inline constexpr std::size_t kMessageBytesMax = 1024;

// Returns "<object>.<hex unix nanoseconds>", or "event.<hex unix nanoseconds>" if the object's name
// cannot be part of an Event's name (it is too long or has other characters).
std::string EventName(std::string_view object_name, Clock::WallTime time);
// Returns the body of a merge patch for one more occurrence.
std::string ToPatch(const EventRecord& event);

// LruCache is a map with a size limit. A full map removes the least recently used entry. So memory
// stays limited even for keys from outside. Not thread-safe. Mirrors k8s.io/utils/lru.
template <class Key, class Value>
class LruCache {
 public:
  explicit LruCache(std::size_t size_max) : size_max_(size_max) {}

  // Returns the value for `key`, which is `fresh` if the key is new. It becomes the most recently
  // used. The reference is valid until the next call.
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
  explicit EventCorrelator(Clock& clock) : clock_(clock) {}

  struct Result {
    EventRecord event;
    // The Event `event.name` was sent before, so this is a patch. It may no longer exist.
    bool seen_before = false;
  };
  // nullopt: there were too many events about this object; send nothing.
  std::optional<Result> Correlate(EventRecord event);

 private:
  using Key = std::uint64_t;
  // Similar is the recent messages about one object with one type and reason.
  struct Similar {
    std::vector<Key> messages;
    Clock::TimePoint last;
  };
  // Observed is the stored Event for equal events.
  struct Observed {
    std::string name;
    std::string first_timestamp;
    int count = 0;
  };
  Key Aggregate(EventRecord& event);
  // False: there were too many events about this object.
  bool IsAllowed(const api::ObjectReference& object);

  static constexpr std::size_t kCacheSize = 4096;

  Clock& clock_;
  LruCache<Key, Similar> similar_{kCacheSize};
  LruCache<Key, Observed> observed_{kCacheSize};
  LruCache<Key, TokenBucket> buckets_{kCacheSize};
};

}  // namespace capstan::record
