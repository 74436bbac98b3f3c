// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/store.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "clientgo/util/mutex.h"

namespace clientgo::cache {
namespace {

using runtime::Object;
using runtime::ObjectPtr;

// An object's hash and equality are those of its key, so that a key can find it. The hash is
// noexcept: libstdc++ then stores no copy of it in the node, which saves 16 bytes an object.
struct KeyHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const noexcept {
    return std::hash<std::string_view>()(key);
  }
  std::size_t operator()(const ObjectPtr& object) const noexcept { return (*this)(object->key()); }
};

struct KeyEqual {
  using is_transparent = void;
  static std::string_view Key(std::string_view key) { return key; }
  static std::string_view Key(const ObjectPtr& object) { return object->key(); }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return Key(a) == Key(b);
  }
};

using ObjectSet = std::unordered_set<ObjectPtr, KeyHash, KeyEqual>;

// Sizes with the heap's overhead: a link and the payload, rounded up, with malloc's own word.
constexpr std::size_t kObjectNodeBytes = 32;   // link, shared pointer
constexpr std::size_t kIndexEntryBytes = 80;   // twice: link, raw pointer(s), bucket
constexpr std::size_t kIndexValueBytes = 128;  // link, hash, string, empty set, bucket

struct Index {
  // Raw pointers to objects that `objects` owns. Both are always changed together.
  using ByValue =
      std::unordered_map<std::string, std::unordered_set<const Object*>, KeyHash, std::equal_to<>>;

  std::string name;
  IndexFunc func;
  ByValue by_value = {};
  // The entries of `by_value` that contain an object; none for an object without values. Removal
  // uses these entries, so a function whose result has changed leaves no dangling pointer. A node
  // of an unordered_map never moves.
  std::unordered_multimap<const Object*, ByValue::value_type*> by_object = {};
};

}  // namespace

bool IsSameVersion(const Object& a, const Object& b) {
  return !a.resource_version().empty() && a.resource_version() == b.resource_version() &&
         a.uid() == b.uid();
}

struct Indexer::Rep {
  mutable util::Mutex mu;
  ObjectSet objects GUARDED_BY(mu);
  std::vector<Index> indices GUARDED_BY(mu);
  std::size_t object_bytes GUARDED_BY(mu) = 0;
  std::size_t index_bytes GUARDED_BY(mu) = 0;

  void AddTo(Index& index, const Object& object) REQUIRES(mu);
  void RemoveFrom(Index& index, const Object& object) REQUIRES(mu);
  // Updates the sizes and indices for an object that is added to or removed from `objects`.
  void Account(const Object& object) REQUIRES(mu);
  void Discount(const Object& object) REQUIRES(mu);
  // Replaces the object at `position` by `object`, and reuses its node.
  ObjectPtr Exchange(ObjectSet& from, ObjectSet::const_iterator position, ObjectPtr object)
      REQUIRES(mu);
};

void Indexer::Rep::AddTo(Index& index, const Object& object) {
  for (std::string& value : index.func(object)) {
    const auto [entry, is_new] = index.by_value.try_emplace(std::move(value));
    if (is_new) index_bytes += kIndexValueBytes + entry->first.capacity();
    // A function may return a value twice.
    if (!entry->second.insert(&object).second) continue;
    index.by_object.emplace(&object, &*entry);
    index_bytes += kIndexEntryBytes;
  }
}

void Indexer::Rep::RemoveFrom(Index& index, const Object& object) {
  const auto [first, last] = index.by_object.equal_range(&object);
  for (auto each = first; each != last; ++each) {
    auto& [value, objects_of_value] = *each->second;
    objects_of_value.erase(&object);
    index_bytes -= kIndexEntryBytes;
    if (!objects_of_value.empty()) continue;
    index_bytes -= kIndexValueBytes + value.capacity();
    index.by_value.erase(index.by_value.find(value));
  }
  index.by_object.erase(first, last);
}

void Indexer::Rep::Account(const Object& object) {
  object_bytes += object.ByteSize();
  for (Index& index : indices) AddTo(index, object);
}

void Indexer::Rep::Discount(const Object& object) {
  object_bytes -= object.ByteSize();
  for (Index& index : indices) RemoveFrom(index, object);
}

ObjectPtr Indexer::Rep::Exchange(ObjectSet& from, ObjectSet::const_iterator position,
                                 ObjectPtr object) {
  auto node = from.extract(position);
  Discount(*node.value());
  Account(*object);
  ObjectPtr before = std::exchange(node.value(), std::move(object));
  objects.insert(std::move(node));
  return before;
}

Indexer::Indexer() : rep_(std::make_unique<Rep>()) {}
Indexer::~Indexer() = default;

util::Expected<void> Indexer::AddIndex(std::string name, IndexFunc func) {
  util::MutexLock lock(rep_->mu);
  for (const Index& index : rep_->indices) {
    if (index.name == name) {
      return util::Err(util::ErrorReason::kInvalidArgument, "indexer conflict: " + name);
    }
  }
  rep_->indices.push_back(Index{.name = std::move(name), .func = std::move(func)});
  for (const ObjectPtr& object : rep_->objects) rep_->AddTo(rep_->indices.back(), *object);
  return {};
}

ObjectPtr Indexer::Upsert(ObjectPtr object) {
  util::MutexLock lock(rep_->mu);
  const auto position = rep_->objects.find(object->key());
  if (position != rep_->objects.end()) {
    return rep_->Exchange(rep_->objects, position, std::move(object));
  }
  rep_->Account(*object);
  rep_->objects.insert(std::move(object));
  return nullptr;
}

ObjectPtr Indexer::Delete(std::string_view key) {
  util::MutexLock lock(rep_->mu);
  const auto position = rep_->objects.find(key);
  if (position == rep_->objects.end()) return nullptr;
  ObjectPtr before = std::move(rep_->objects.extract(position).value());
  rep_->Discount(*before);
  return before;
}

std::vector<Change> Indexer::Replace(std::vector<ObjectPtr> items) {
  using Type = Change::Type;
  std::vector<Change> changes;
  changes.reserve(items.size());
  util::MutexLock lock(rep_->mu);
  // Nodes of objects in `items` move to the new set. The rest was deleted.
  ObjectSet behind;
  behind.swap(rep_->objects);
  rep_->objects.reserve(items.size());
  for (ObjectPtr& item : items) {
    const auto known = behind.empty() ? behind.end() : behind.find(item->key());
    if (known == behind.end()) {
      const auto [position, is_new] = rep_->objects.insert(item);
      if (is_new) {
        rep_->Account(*item);
        changes.push_back({Type::kAdded, nullptr, std::move(item)});
        continue;
      }
      // Only a broken server sends a key twice. The last object wins.
      ObjectPtr before = rep_->Exchange(rep_->objects, position, item);
      changes.push_back({Type::kUpdated, std::move(before), std::move(item)});
    } else if (IsSameVersion(**known, *item)) {
      changes.push_back({Type::kUpdated, *known, *known});
      rep_->objects.insert(behind.extract(known));
    } else {
      ObjectPtr before = rep_->Exchange(behind, known, item);
      changes.push_back({Type::kUpdated, std::move(before), std::move(item)});
    }
  }
  const auto kept = static_cast<std::ptrdiff_t>(changes.size());
  for (const ObjectPtr& gone : behind) {
    rep_->Discount(*gone);
    changes.push_back({Type::kDeleted, gone, nullptr});
  }
  std::rotate(changes.begin(), changes.begin() + kept, changes.end());
  return changes;
}

ObjectPtr Indexer::GetByKey(std::string_view key) const {
  util::MutexLock lock(rep_->mu);
  const auto position = rep_->objects.find(key);
  return position == rep_->objects.end() ? nullptr : *position;
}

std::vector<ObjectPtr> Indexer::List() const {
  util::MutexLock lock(rep_->mu);
  return {rep_->objects.begin(), rep_->objects.end()};
}

std::vector<std::string> Indexer::ListKeys() const {
  std::vector<std::string> keys;
  util::MutexLock lock(rep_->mu);
  keys.reserve(rep_->objects.size());
  for (const ObjectPtr& object : rep_->objects) keys.emplace_back(object->key());
  return keys;
}

std::vector<ObjectPtr> Indexer::ByIndex(std::string_view name, std::string_view value) const {
  std::vector<ObjectPtr> found;
  util::MutexLock lock(rep_->mu);
  for (const Index& index : rep_->indices) {
    if (index.name != name) continue;
    const auto entry = index.by_value.find(value);
    if (entry == index.by_value.end()) break;
    found.reserve(entry->second.size());
    for (const Object* object : entry->second) {
      found.push_back(*rep_->objects.find(object->key()));
    }
    break;
  }
  return found;
}

std::size_t Indexer::Size() const {
  util::MutexLock lock(rep_->mu);
  return rep_->objects.size();
}

std::size_t Indexer::ByteSize() const {
  util::MutexLock lock(rep_->mu);
  return rep_->object_bytes + rep_->index_bytes + rep_->objects.size() * kObjectNodeBytes +
         rep_->objects.bucket_count() * sizeof(void*);
}

TemporaryStore::Position TemporaryStore::Find(std::string_view key) {
  if (sorted_.empty() || sorted_.back()->key() < key) return sorted_.end();
  return std::lower_bound(
      sorted_.begin(), sorted_.end(), key,
      [](const ObjectPtr& object, std::string_view wanted) { return object->key() < wanted; });
}

void TemporaryStore::Upsert(ObjectPtr object) {
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

void TemporaryStore::Delete(std::string_view key) {
  if (any_order_) {
    any_order_->Delete(key);
    return;
  }
  const auto position = Find(key);
  if (position != sorted_.end() && (*position)->key() == key) sorted_.erase(position);
}

std::vector<ObjectPtr> TemporaryStore::Release() {
  if (!any_order_) return std::exchange(sorted_, {});
  std::vector<ObjectPtr> objects = any_order_->List();
  any_order_.reset();
  return objects;
}

}  // namespace clientgo::cache
