// SPDX-License-Identifier: Apache-2.0
// Storage: the objects of every resource, one resourceVersion counter for all of them, and per
// resource a bounded log of what happened last. The log is what a watch starts from, and what takes
// a list back to an earlier resourceVersion; older than the log is "expired", as after compaction.
//
// One thread, no locks. Mirrors etcd plus the watch cache of kube-apiserver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/object.h"
#include "apiserver/resources.h"

namespace apiserver {

enum class EventType { kAdded, kModified, kDeleted };

struct Event {
  EventType type = EventType::kAdded;
  std::uint64_t resource_version = 0;
  std::string key;
  ObjectPtr object;    // of a deletion: the last state, with the deletion's resourceVersion
  ObjectPtr previous;  // null for kAdded
};

// "namespace/name", or "name" for what is in no namespace: the order of lists.
std::string Key(std::string_view ns, std::string_view name);

class Storage {
 public:
  explicit Storage(std::size_t window);

  std::uint64_t resource_version() const { return resource_version_; }
  // What the next Put or Remove must stamp its object with.
  std::uint64_t NextVersion() const { return resource_version_ + 1; }

  ObjectPtr Get(const Resource& resource, std::string_view key) const;
  void Put(const Resource& resource, std::string_view key, ObjectPtr object);
  void Remove(const Resource& resource, std::string_view key, ObjectPtr last_state);

  struct Entry {
    std::string_view key;  // valid until the next change
    ObjectPtr object;
  };
  // In key order, from behind `after`, as of `version`, which must be at least OldestVersion.
  // `visit` returns false to end it. Only keys of namespace `ns`; empty: all.
  void Visit(const Resource& resource, std::string_view ns, std::uint64_t version,
             std::string_view after, const std::function<bool(const Entry&)>& visit) const;

  // The oldest resourceVersion whose state, and whose following events, are still known.
  std::uint64_t OldestVersion(const Resource& resource) const;
  const std::deque<Event>& Events(const Resource& resource) const;
  void Compact();

  // Called after every change.
  void SetObserver(std::function<void(const Resource&, const Event&)> observer) {
    observer_ = std::move(observer);
  }

 private:
  struct Table {
    std::map<std::string, ObjectPtr, std::less<>> objects;
    std::deque<Event> events;
    std::uint64_t compacted = 0;  // the last event that was dropped
  };

  void Record(const Resource& resource, Event event);

  const std::size_t window_;
  std::uint64_t resource_version_ = 0;
  std::vector<Table> tables_;
  std::function<void(const Resource&, const Event&)> observer_;
};

}  // namespace apiserver
