// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/undecodable_objects.h"

#include <unordered_set>
#include <utility>

namespace clientgo::cache {

using runtime::EventType;
using runtime::ObjectPtr;

void UndecodableObjects::Add(runtime::UndecodableObject object) {
  if (object.key.empty()) {
    ++unnamed_;
    unnamed_error_ = std::move(object.error);
    return;
  }
  std::string key = object.key;
  by_key_.insert_or_assign(std::move(key), std::move(object));
}

bool UndecodableObjects::Remove(std::string_view key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return false;
  by_key_.erase(found);
  return true;
}

bool UndecodableObjects::Update(const runtime::WatchEvent& event) {
  const bool changed = event.type == EventType::kAdded || event.type == EventType::kModified;
  if (!changed && event.type != EventType::kDeleted) return false;
  if (event.object) return Remove(event.object->key());
  if (!changed) return Remove(event.key);
  Add({.key = event.key, .uid = event.uid, .error = event.error});
  return true;
}

UndecodableStatus UndecodableObjects::Status() const {
  UndecodableStatus status{.count = Size()};
  if (!by_key_.empty()) {
    status.key = by_key_.begin()->first;
    status.error = by_key_.begin()->second.error.message;
  } else if (unnamed_ > 0) {
    status.error = unnamed_error_.message;
  }
  return status;
}

void UndecodableObjects::KeepKnown(const ReflectorStore& store,
                                   std::vector<ObjectPtr>& items) const {
  if (Size() == 0) return;
  std::unordered_set<std::string_view> listed;
  for (const ObjectPtr& item : items) listed.insert(item->key());
  const auto keep = [&](const ObjectPtr& known) {
    if (!known || listed.contains(known->key())) return;
    const auto newer = by_key_.find(known->key());
    const bool is_another =
        newer != by_key_.end() && !newer->second.uid.empty() && newer->second.uid != known->uid();
    if (!is_another) items.push_back(known);
  };
  if (unnamed_ > 0) {
    for (const ObjectPtr& known : store.List()) keep(known);
  } else {
    for (const auto& [key, object] : by_key_) keep(store.GetByKey(key));
  }
}

}  // namespace clientgo::cache
