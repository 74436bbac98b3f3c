// SPDX-License-Identifier: Apache-2.0
#include "apiserver/storage.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

namespace apiserver {
namespace {

bool InNamespace(std::string_view key, std::string_view ns) {
  return ns.empty() || (key.size() > ns.size() && key.starts_with(ns) && key[ns.size()] == '/');
}

}  // namespace

std::string Key(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : std::string(ns) + "/" + std::string(name);
}

Storage::Storage(std::size_t window)
    : window_(std::max<std::size_t>(window, 1)), tables_(Resources().size()) {}

ObjectPtr Storage::Get(const Resource& resource, std::string_view key) const {
  const auto& objects = tables_[IndexOf(resource)].objects;
  const auto at = objects.find(key);
  return at == objects.end() ? nullptr : at->second;
}

void Storage::Put(const Resource& resource, std::string_view key, ObjectPtr object) {
  CHECK_EQ(object->resource_version, NextVersion()) << "stamped with another resourceVersion";
  auto& objects = tables_[IndexOf(resource)].objects;
  const auto [at, added] = objects.try_emplace(std::string(key));
  ObjectPtr previous = std::exchange(at->second, object);
  Record(resource, {.type = added ? EventType::kAdded : EventType::kModified,
                    .resource_version = NextVersion(),
                    .key = at->first,
                    .object = std::move(object),
                    .previous = std::move(previous)});
}

void Storage::Remove(const Resource& resource, std::string_view key, ObjectPtr last_state) {
  CHECK_EQ(last_state->resource_version, NextVersion()) << "stamped with another resourceVersion";
  auto& objects = tables_[IndexOf(resource)].objects;
  const auto at = objects.find(key);
  CHECK(at != objects.end()) << "removing what is not there";
  ObjectPtr previous = std::move(at->second);
  objects.erase(at);
  Record(resource, {.type = EventType::kDeleted,
                    .resource_version = NextVersion(),
                    .key = std::string(key),
                    .object = std::move(last_state),
                    .previous = std::move(previous)});
}

void Storage::Record(const Resource& resource, Event event) {
  Table& table = tables_[IndexOf(resource)];
  resource_version_ = event.resource_version;
  table.events.push_back(std::move(event));
  while (table.events.size() > window_) {
    table.compacted = table.events.front().resource_version;
    table.events.pop_front();
  }
  if (observer_) observer_(resource, table.events.back());
}

void Storage::Visit(const Resource& resource, std::string_view ns, std::uint64_t version,
                    std::string_view after, const std::function<bool(const Entry&)>& visit) const {
  const Table& table = tables_[IndexOf(resource)];
  // What was different then: the state before the first event after `version`; null: not there.
  std::map<std::string_view, ObjectPtr> then;
  for (auto event = table.events.rbegin();
       event != table.events.rend() && event->resource_version > version; ++event) {
    if (InNamespace(event->key, ns)) then[event->key] = event->previous;
  }
  // The keys of a namespace are those between "ns/" and "ns0": '0' follows '/'.
  const std::string first = ns.empty() ? std::string() : std::string(ns) + "/";
  const std::string_view start = std::max(after, std::string_view(first));
  const auto end =
      ns.empty() ? table.objects.end() : table.objects.lower_bound(std::string(ns) + "0");
  auto now = table.objects.upper_bound(start);
  auto old = then.upper_bound(start);
  while (now != end || old != then.end()) {
    Entry entry;
    if (old != then.end() && (now == end || old->first <= now->first)) {
      if (now != end && now->first == old->first) ++now;
      entry = {.key = old->first, .object = old->second};
      ++old;
    } else {
      entry = {.key = now->first, .object = now->second};
      ++now;
    }
    if (entry.object != nullptr && !visit(entry)) return;
  }
}

std::uint64_t Storage::OldestVersion(const Resource& resource) const {
  return tables_[IndexOf(resource)].compacted;
}

const std::deque<Event>& Storage::Events(const Resource& resource) const {
  return tables_[IndexOf(resource)].events;
}

void Storage::Compact() {
  for (Table& table : tables_) {
    table.events.clear();
    table.compacted = resource_version_;
  }
}

}  // namespace apiserver
