// SPDX-License-Identifier: Apache-2.0
// LruCache: a map that forgets what was used longest ago when it is full, so that what somebody
// else makes up keys for stays bounded. Not thread-safe. Mirrors k8s.io/utils/lru.
#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace clientgo::record {

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

}  // namespace clientgo::record
