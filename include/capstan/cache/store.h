// SPDX-License-Identifier: Apache-2.0
// The store of an informer. Indexer holds objects by key, and keys by any number of named index
// functions. TemporaryStore holds the objects of a streaming list. Lister is the typed read side.
//
// Indexer is thread-safe. Reads copy shared pointers, never objects. The key exists once, inside
// the object. The store adds about 10 bytes for each object, and more for each index (StoreIndex).
// Mirrors client-go's cache.Store, cache.Indexer and ThreadSafeStore. Differs: Replace returns the
// changes, so that an informer does not have to compare the objects again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/object.h"

namespace capstan::cache {

// StoreReader is the read side, for Listers, resolvers and reconcilers.
class CAPSTAN_EXPORT StoreReader {
 public:
  virtual ~StoreReader() = default;
  virtual runtime::ObjectPtr GetByKey(std::string_view key) const = 0;  // nullptr: not found
  virtual std::vector<runtime::ObjectPtr> List() const = 0;             // in no order
  virtual std::vector<std::string> ListKeys() const = 0;
  virtual bool HasIndex(std::string_view name) const = 0;
  // Returns the objects whose index `name` contains `value`. Empty if there is no such index.
  virtual std::vector<runtime::ObjectPtr> ByIndex(std::string_view name,
                                                  std::string_view value) const = 0;
  virtual std::size_t Size() const = 0;
  // Returns the sum of Object::ByteSize and the store's own memory.
  virtual std::size_t ByteSize() const = 0;
};

struct CAPSTAN_EXPORT Change {
  enum class Type { kAdded, kUpdated, kDeleted };
  Type type = Type::kAdded;
  runtime::ObjectPtr old_object = {};  // kUpdated, kDeleted
  runtime::ObjectPtr new_object = {};  // kAdded, kUpdated
  // kAdded: the object was there when the informer, or a handler that came later, got its first
  // list. Mirrors controller-runtime's CreateEvent.IsInInitialList.
  bool is_in_initial_list = false;
  // kDeleted: a relist found the deletion, and the object is the last known version.
  bool final_state_unknown = false;
};

// ChangeList is a sequence of changes: first deletions, then adds and updates. An add or a deletion
// needs 8 bytes and an update 24, because the list of a million new objects is a million changes.
// Immutable after construction.
class CAPSTAN_EXPORT ChangeList {
 public:
  // Cursor is a position in the sequence.
  class Cursor {
    friend class ChangeList;
    std::uint32_t deleted_ = 0;
    std::uint32_t present_ = 0;
    std::uint32_t updated_ = 0;
  };

  ChangeList() = default;
  // The objects are adds.
  explicit ChangeList(std::vector<runtime::ObjectPtr> added) : present_(std::move(added)) {}

  // Returns the change at the cursor and moves the cursor. REQUIRES: IsEnd is false.
  Change Next(Cursor& cursor) const;
  bool IsEnd(const Cursor& cursor) const {
    return cursor.deleted_ == deleted_.size() && cursor.present_ == present_.size();
  }
  std::size_t size() const { return deleted_.size() + present_.size(); }
  std::size_t added() const { return present_.size() - updated_.size(); }

 private:
  friend class Indexer;
  struct Update {
    std::size_t present = 0;  // the position of the new object
    runtime::ObjectPtr old_object = {};
  };

  std::vector<runtime::ObjectPtr> deleted_;
  std::vector<runtime::ObjectPtr> present_;  // the new object of each add and update
  std::vector<Update> updated_;              // in the order of `present`
};

// From this number of objects, ReleaseFreeMemory is worth the few milliseconds that it takes.
inline constexpr std::size_t kManyObjects = 1000;

// IndexFunc returns the values of one index for an object. An object without values is not in the
// index. It runs once for each object that is added, with the store locked, so it must be fast and
// must not call the store. It should depend only on the object, because the store keeps the values
// as long as the object.
using IndexFunc = std::function<std::vector<std::string>(const runtime::Object&)>;

class CAPSTAN_EXPORT Indexer final : public StoreReader {
 public:
  Indexer();
  ~Indexer() override;
  // Adds an index, also for the objects already in the store. Fails if the name is in use.
  Expected<void> AddIndex(std::string name, IndexFunc func);

  // Adds or updates an object. Returns the previous object, or nullptr.
  runtime::ObjectPtr Upsert(runtime::ObjectPtr object);
  runtime::ObjectPtr Delete(std::string_view key);  // returns the previous object, or nullptr
  // Replaces the content by `items`, atomically for readers. Returns the deletions first, then the
  // adds and updates in the order of `items`. If an item has the uid and resourceVersion of the
  // object in the store, that object stays and is not a change.
  ChangeList Replace(std::vector<runtime::ObjectPtr> items);

  runtime::ObjectPtr GetByKey(std::string_view key) const override;
  std::vector<runtime::ObjectPtr> List() const override;
  std::vector<std::string> ListKeys() const override;
  bool HasIndex(std::string_view name) const override;
  std::vector<runtime::ObjectPtr> ByIndex(std::string_view name,
                                          std::string_view value) const override;
  std::size_t Size() const override;
  std::size_t ByteSize() const override;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// TemporaryStore holds the objects that a streaming list has received, while the Indexer still
// serves the old ones. API servers send the initial events in the order of their keys, so a sorted
// vector is enough for almost all lists, without a hash or a node for each object. A key out of
// order (created meanwhile, or another kind of server) moves everything into an Indexer. Not
// thread-safe. Mirrors the temporary store of client-go's Reflector.watchList.
class CAPSTAN_EXPORT TemporaryStore {
 public:
  void Upsert(runtime::ObjectPtr object);
  void Delete(std::string_view key);
  // Returns all objects, each key once, and leaves the store empty.
  std::vector<runtime::ObjectPtr> Release();

 private:
  using Position = std::vector<runtime::ObjectPtr>::iterator;
  Position Find(std::string_view key);  // the first object that is not before `key`

  std::vector<runtime::ObjectPtr> sorted_;
  std::optional<Indexer> any_order_;
};

// Ends the process, because a Lister of `wanted` reads a store that holds objects of `stored`.
[[noreturn]] CAPSTAN_EXPORT void EndOnWrongType(const std::type_info& wanted,
                                                const std::type_info& stored);

// Ends the process, because a Lister was asked for an index that nobody has added.
[[noreturn]] CAPSTAN_EXPORT void EndOnUnknownIndex(std::string_view name);

// Lister is the typed read side of a store. It has no logic of its own. A Lister of a wrong type
// ends the process when it reads the first object. Mirrors the generated listers of client-go.
template <class T>
class Lister {
 public:
  // `store` must outlive the lister: a temporary does not compile.
  explicit Lister(const StoreReader& store) : store_(&store) {}
  explicit Lister(const StoreReader&& store) = delete;
  runtime::ObjectPtrTo<T> Get(std::string_view key) const { return Cast(store_->GetByKey(key)); }
  std::vector<runtime::ObjectPtrTo<T>> List() const { return Cast(store_->List()); }
  // An index that nobody has added ends the process, so that a wrong name is not "no objects".
  std::vector<runtime::ObjectPtrTo<T>> ByIndex(std::string_view name,
                                               std::string_view value) const {
    if (!store_->HasIndex(name)) EndOnUnknownIndex(name);
    return Cast(store_->ByIndex(name, value));
  }

 private:
  static runtime::ObjectPtrTo<T> Cast(runtime::ObjectPtr object) {
    if (object == nullptr) return nullptr;
    const runtime::Object& stored = *object;
    if (dynamic_cast<const T*>(&stored) == nullptr) EndOnWrongType(typeid(T), typeid(stored));
    return runtime::StaticObjectCast<T>(std::move(object));
  }
  static std::vector<runtime::ObjectPtrTo<T>> Cast(std::vector<runtime::ObjectPtr> from) {
    std::vector<runtime::ObjectPtrTo<T>> to;
    to.reserve(from.size());
    for (auto& object : from) to.push_back(Cast(std::move(object)));
    return to;
  }
  const StoreReader* store_;
};

}  // namespace capstan::cache
