// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/received_objects.h"

#include <algorithm>
#include <utility>

namespace clientgo::cache {

using runtime::ObjectPtr;

ReceivedObjects::Position ReceivedObjects::Find(std::string_view key) {
  if (sorted_.empty() || sorted_.back()->key() < key) return sorted_.end();
  return std::lower_bound(
      sorted_.begin(), sorted_.end(), key,
      [](const ObjectPtr& object, std::string_view wanted) { return object->key() < wanted; });
}

void ReceivedObjects::Upsert(ObjectPtr object) {
  if (any_order_) {
    any_order_->Upsert(std::move(object));
    return;
  }
  const auto position = Find(object->key());
  if (position == sorted_.end()) {
    sorted_.push_back(std::move(object));
  } else if ((*position)->key() == object->key()) {
    *position = std::move(object);
  } else {
    any_order_.emplace();
    any_order_->Replace(std::exchange(sorted_, {}));
    any_order_->Upsert(std::move(object));
  }
}

void ReceivedObjects::Delete(std::string_view key) {
  if (any_order_) {
    any_order_->Delete(key);
    return;
  }
  const auto position = Find(key);
  if (position != sorted_.end() && (*position)->key() == key) sorted_.erase(position);
}

std::vector<ObjectPtr> ReceivedObjects::Take() {
  if (!any_order_) return std::exchange(sorted_, {});
  std::vector<ObjectPtr> objects = any_order_->List();
  any_order_.reset();
  return objects;
}

}  // namespace clientgo::cache
