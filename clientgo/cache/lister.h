// SPDX-License-Identifier: Apache-2.0
// Lister<T>: the typed read side of an informer's store. A façade: all logic is in Indexer.
// A Lister of a type that the store does not hold ends the process at the first object it reads,
// since a ResourceType made by a function does not say at compile time what it decodes to.
// Mirrors the generated listers of client-go.
#pragma once

#include <glog/logging.h>

#include <memory>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "clientgo/cache/store.h"

namespace clientgo::cache {

template <class T>
class Lister {
 public:
  // `store` outlives the lister: a temporary does not compile.
  explicit Lister(const StoreReader& store) : store_(&store) {}
  explicit Lister(const StoreReader&& store) = delete;
  std::shared_ptr<const T> Get(std::string_view key) const { return Cast(store_->GetByKey(key)); }
  std::vector<std::shared_ptr<const T>> List() const { return Cast(store_->List()); }
  std::vector<std::shared_ptr<const T>> ByIndex(std::string_view name,
                                                std::string_view value) const {
    return Cast(store_->ByIndex(name, value));
  }

 private:
  static std::shared_ptr<const T> Cast(const runtime::ObjectPtr& object) {
    if (object == nullptr) return nullptr;
    const runtime::Object& stored = *object;
    const auto* const typed = dynamic_cast<const T*>(&stored);
    CHECK(typed != nullptr) << "Lister<" << typeid(T).name() << "> of a store that holds "
                            << typeid(stored).name();
    return {object, typed};
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
