// SPDX-License-Identifier: Apache-2.0
// Lister<T>: the typed read side of an informer's store. A façade: all logic is in Indexer.
// Mirrors the generated listers of client-go.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "clientgo/cache/store.h"

namespace clientgo::cache {

template <class T>
class Lister {
 public:
  explicit Lister(const StoreReader& store) : store_(&store) {}
  std::shared_ptr<const T> Get(std::string_view key) const { return Cast(store_->GetByKey(key)); }
  std::vector<std::shared_ptr<const T>> List() const { return Cast(store_->List()); }
  std::vector<std::shared_ptr<const T>> ByIndex(std::string_view name,
                                                std::string_view value) const {
    return Cast(store_->ByIndex(name, value));
  }

 private:
  static std::shared_ptr<const T> Cast(const runtime::ObjectPtr& object) {
    return std::static_pointer_cast<const T>(object);
  }
  static std::vector<std::shared_ptr<const T>> Cast(const std::vector<runtime::ObjectPtr>& from) {
    std::vector<std::shared_ptr<const T>> to;
    to.reserve(from.size());
    for (const auto& object : from) to.push_back(Cast(object));
    return to;
  }
  const StoreReader* store_;
};

}  // namespace clientgo::cache
