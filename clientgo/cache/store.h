// SPDX-License-Identifier: Apache-2.0
// Indexer: the cache itself: objects by key, and keys by any number of named index functions.
// Thread-safe; reads copy shared pointers, never objects.
//
// The key lives once, inside the object. The store adds 40 to 48 bytes for each object, and 80 for
// each of its index values. Mirrors client-go's cache.Store, cache.Indexer and ThreadSafeStore.
// Differs: Replace returns what changed, so that an informer diffs nothing twice.
#pragma once

#include <glog/logging.h>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "clientgo/runtime/object.h"
#include "clientgo/util/error.h"

namespace clientgo::cache {

// IndexFunc returns the values of one index for an object. An object without values is not in the
// index. It runs once for each object that the store takes in, with the store locked, so it must be
// quick and must not call the store. It should depend on nothing but the object: the store keeps
// the values of that one call for as long as it holds the object.
using IndexFunc = std::function<std::vector<std::string>(const runtime::Object&)>;

// The read side: what a Lister, a resolver or a reconciler may do.
class StoreReader {
 public:
  virtual ~StoreReader() = default;
  virtual runtime::ObjectPtr GetByKey(std::string_view key) const = 0;  // nullptr: not there
  virtual std::vector<runtime::ObjectPtr> List() const = 0;             // no order
  virtual std::vector<std::string> ListKeys() const = 0;
  // Objects whose index `name` has `value`; empty also when there is no such index.
  virtual std::vector<runtime::ObjectPtr> ByIndex(std::string_view name,
                                                  std::string_view value) const = 0;
  virtual std::size_t Size() const = 0;
  virtual std::size_t ByteSize() const = 0;  // sum of Object::ByteSize and the store's own share
};

// The same object, unchanged: equal uid and resourceVersion. Versions are compared for equality
// only; an object without one is never known to be unchanged.
bool IsSameVersion(const runtime::Object& a, const runtime::Object& b);

struct Change {
  enum class Type { kAdded, kUpdated, kDeleted };
  Type type = Type::kAdded;
  runtime::ObjectPtr old_object = {};  // kUpdated, kDeleted
  runtime::ObjectPtr new_object = {};  // kAdded, kUpdated
};

// From this many objects on it is worth the few milliseconds that util::ReleaseFreeMemory takes.
inline constexpr std::size_t kManyObjects = 1000;

class Indexer final : public StoreReader {
 public:
  Indexer();
  ~Indexer() override;
  // Adds an index, also over what is already held; an error when the name is taken.
  util::Expected<void> AddIndex(std::string name, IndexFunc func);

  // Add and Update are one: whether it was there decides. Returns what was there before.
  runtime::ObjectPtr Upsert(runtime::ObjectPtr object);
  runtime::ObjectPtr Delete(std::string_view key);  // returns what was there
  // Makes the store hold exactly `items`, atomically for readers: deletes first, then adds and
  // updates in the order of `items`. An item with the uid and resourceVersion of the one held is
  // the one held: kept as it is, and reported as kUpdated with old == new.
  std::vector<Change> Replace(std::vector<runtime::ObjectPtr> items);

  runtime::ObjectPtr GetByKey(std::string_view key) const override;
  std::vector<runtime::ObjectPtr> List() const override;
  std::vector<std::string> ListKeys() const override;
  std::vector<runtime::ObjectPtr> ByIndex(std::string_view name,
                                          std::string_view value) const override;
  std::size_t Size() const override;
  std::size_t ByteSize() const override;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// TEMP
class TemporaryStore {
 public:
  void Upsert(runtime::ObjectPtr object);
  void Delete(std::string_view key);
  // All of them, each key once. Leaves nothing here.
  std::vector<runtime::ObjectPtr> Release();

 private:
  using Position = std::vector<runtime::ObjectPtr>::iterator;
  Position Find(std::string_view key);  // the first that is not before it

  std::vector<runtime::ObjectPtr> sorted_;
  std::optional<Indexer> any_order_;
};

// LISTER
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
