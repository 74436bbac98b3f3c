// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/store.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "capstan/mutex.h"
#include "clientgo/cache/pointer_table.h"
#include "clientgo/cache/store_index.h"

namespace capstan::cache {

Change ChangeList::Next(Cursor& cursor) const {
  if (cursor.deleted_ < deleted_.size()) {
    return {Change::Type::kDeleted, deleted_[cursor.deleted_++], nullptr};
  }
  const std::size_t present = cursor.present_++;
  const bool is_update =
      cursor.updated_ < updated_.size() && updated_[cursor.updated_].present == present;
  if (!is_update) return {Change::Type::kAdded, nullptr, present_[present]};
  return {Change::Type::kUpdated, updated_[cursor.updated_++].old_object, present_[present]};
}

struct Indexer::Rep {
  using Objects = PointerTable<const runtime::Object, KeyHash>;
  using Position = Objects::Position;

  ~Rep() {
    for (auto at = objects.First(); at; at = objects.Next(at))
      runtime::ObjectPtr::Adopt(objects.At(at));
  }

  mutable Mutex mu;
  // Each entry is one reference to its object. An object has one number for each index.
  Objects objects CAPSTAN_GUARDED_BY(mu);
  std::vector<StoreIndex> indices CAPSTAN_GUARDED_BY(mu);
  std::size_t object_bytes CAPSTAN_GUARDED_BY(mu) = 0;

  Position Find(std::string_view key) const CAPSTAN_REQUIRES(mu) {
    return Find(key, KeyHash()(key));
  }
  Position Find(std::string_view key, std::uint64_t hash) const CAPSTAN_REQUIRES(mu) {
    return objects.Find(hash, [&](const runtime::Object& object) { return object.key() == key; });
  }
  runtime::ObjectPtr Share(Position position) const CAPSTAN_REQUIRES(mu) {
    return runtime::ObjectPtr(objects.At(position));
  }
  bool IsUnchanged(Position position, const runtime::Object& object) const CAPSTAN_REQUIRES(mu) {
    const runtime::Object* const known = objects.At(position);
    return known == &object || known->HasSameVersion(object);
  }
  // Insert, Exchange and Erase also change the indices.
  Position Insert(std::uint64_t hash, runtime::ObjectPtr object) CAPSTAN_REQUIRES(mu);
  runtime::ObjectPtr Exchange(Position position, runtime::ObjectPtr object) CAPSTAN_REQUIRES(mu);
  runtime::ObjectPtr Erase(Position position) CAPSTAN_REQUIRES(mu);
  void Account(Position position) CAPSTAN_REQUIRES(mu);
  void Discount(Position position) CAPSTAN_REQUIRES(mu);
  // Removes and returns all objects without a mark. Removes all marks.
  std::vector<runtime::ObjectPtr> EraseUnmarked() CAPSTAN_REQUIRES(mu);
};

void Indexer::Rep::Account(Position position) {
  const runtime::Object& object = *objects.At(position);
  object_bytes += object.ByteSize();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    objects.SetNumber(position, i, indices[i].Add(object));
  }
}

void Indexer::Rep::Discount(Position position) {
  const runtime::Object& object = *objects.At(position);
  object_bytes -= object.ByteSize();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i].Remove(object, objects.Number(position, i));
  }
}

Indexer::Rep::Position Indexer::Rep::Insert(std::uint64_t hash, runtime::ObjectPtr object) {
  const Position position = objects.Insert(hash, object.Detach());
  Account(position);
  return position;
}

runtime::ObjectPtr Indexer::Rep::Exchange(Position position, runtime::ObjectPtr object) {
  Discount(position);
  runtime::ObjectPtr before =
      runtime::ObjectPtr::Adopt(objects.Exchange(position, object.Detach()));
  Account(position);
  return before;
}

runtime::ObjectPtr Indexer::Rep::Erase(Position position) {
  Discount(position);
  runtime::ObjectPtr before = runtime::ObjectPtr::Adopt(objects.At(position));
  objects.Erase(position);
  return before;
}

std::vector<runtime::ObjectPtr> Indexer::Rep::EraseUnmarked() {
  std::vector<runtime::ObjectPtr> gone;
  for (auto at = objects.First(); at; at = objects.Next(at)) {
    if (!objects.SetMark(at, false)) gone.push_back(Share(at));
  }
  for (const runtime::ObjectPtr& object : gone) Erase(Find(object->key()));
  return gone;
}

Indexer::Indexer() : rep_(std::make_unique<Rep>()) {}

Indexer::~Indexer() = default;

Expected<void> Indexer::AddIndex(std::string name, IndexFunc func) {
  MutexLock lock(rep_->mu);
  for (const StoreIndex& index : rep_->indices) {
    if (index.name() == name) {
      return Err(ErrorReason::kInvalidArgument, "indexer conflict: " + name);
    }
  }
  const std::size_t column = rep_->indices.size();
  StoreIndex& index = rep_->indices.emplace_back(std::move(name), std::move(func));
  Rep::Objects& objects = rep_->objects;
  for (auto at = objects.First(); at; at = objects.Next(at)) {
    objects.SetNumber(at, column, index.Add(*objects.At(at)));
  }
  return {};
}

runtime::ObjectPtr Indexer::Upsert(runtime::ObjectPtr object) {
  const std::uint64_t hash = KeyHash()(*object);
  MutexLock lock(rep_->mu);
  const auto position = rep_->Find(object->key(), hash);
  if (position) return rep_->Exchange(position, std::move(object));
  rep_->Insert(hash, std::move(object));
  return nullptr;
}

runtime::ObjectPtr Indexer::Delete(std::string_view key) {
  MutexLock lock(rep_->mu);
  const auto position = rep_->Find(key);
  return position ? rep_->Erase(position) : nullptr;
}

// The new objects stay in `items`, which becomes a part of the result. Marks in the table, instead
// of a second table, show which objects are listed.
ChangeList Indexer::Replace(std::vector<runtime::ObjectPtr> items) {
  ChangeList changes;
  std::size_t kept = 0;
  MutexLock lock(rep_->mu);
  rep_->objects.Reserve(items.size());
  for (runtime::ObjectPtr& item : items) {
    const std::uint64_t hash = KeyHash()(*item);
    auto position = rep_->Find(item->key(), hash);
    if (!position) {
      position = rep_->Insert(hash, item);
    } else if (rep_->IsUnchanged(position, *item)) {
      rep_->objects.SetMark(position, true);
      item = nullptr;
      continue;
    } else {
      // Only a broken server sends a key twice. The last object wins.
      changes.updated_.push_back({.present = kept, .old_object = rep_->Exchange(position, item)});
    }
    rep_->objects.SetMark(position, true);
    std::swap(items[kept++], item);
  }
  changes.deleted_ = rep_->EraseUnmarked();
  items.resize(kept);
  if (kept < items.capacity() / 2) items.shrink_to_fit();
  changes.present_ = std::move(items);
  return changes;
}

runtime::ObjectPtr Indexer::GetByKey(std::string_view key) const {
  const std::uint64_t hash = KeyHash()(key);
  MutexLock lock(rep_->mu);
  const auto position = rep_->Find(key, hash);
  return position ? rep_->Share(position) : nullptr;
}

std::vector<runtime::ObjectPtr> Indexer::List() const {
  std::vector<runtime::ObjectPtr> all;
  MutexLock lock(rep_->mu);
  all.reserve(rep_->objects.size());
  for (auto at = rep_->objects.First(); at; at = rep_->objects.Next(at)) {
    all.push_back(rep_->Share(at));
  }
  return all;
}

std::vector<std::string> Indexer::ListKeys() const {
  std::vector<std::string> keys;
  MutexLock lock(rep_->mu);
  keys.reserve(rep_->objects.size());
  for (auto at = rep_->objects.First(); at; at = rep_->objects.Next(at)) {
    keys.emplace_back(rep_->objects.At(at)->key());
  }
  return keys;
}

bool Indexer::HasIndex(std::string_view name) const {
  MutexLock lock(rep_->mu);
  return std::any_of(rep_->indices.begin(), rep_->indices.end(),
                     [&](const StoreIndex& index) { return index.name() == name; });
}

std::vector<runtime::ObjectPtr> Indexer::ByIndex(std::string_view name,
                                                 std::string_view value) const {
  MutexLock lock(rep_->mu);
  for (const StoreIndex& index : rep_->indices) {
    if (index.name() == name) return index.Find(value);
  }
  return {};
}

std::size_t Indexer::Size() const {
  MutexLock lock(rep_->mu);
  return rep_->objects.size();
}

std::size_t Indexer::ByteSize() const {
  MutexLock lock(rep_->mu);
  std::size_t bytes = rep_->object_bytes + rep_->objects.ByteSize();
  for (const StoreIndex& index : rep_->indices) bytes += index.ByteSize();
  return bytes;
}

TemporaryStore::Position TemporaryStore::Find(std::string_view key) {
  if (sorted_.empty() || sorted_.back()->key() < key) return sorted_.end();
  return std::lower_bound(sorted_.begin(), sorted_.end(), key,
                          [](const runtime::ObjectPtr& object, std::string_view wanted) {
                            return object->key() < wanted;
                          });
}

void TemporaryStore::Upsert(runtime::ObjectPtr object) {
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
    for (runtime::ObjectPtr& sorted : sorted_) any_order_->Upsert(std::move(sorted));
    std::vector<runtime::ObjectPtr>().swap(sorted_);
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

std::vector<runtime::ObjectPtr> TemporaryStore::Release() {
  if (!any_order_) return std::exchange(sorted_, {});
  std::vector<runtime::ObjectPtr> objects = any_order_->List();
  any_order_.reset();
  return objects;
}

void EndOnWrongType(const std::type_info& wanted, const std::type_info& stored) {
  LOG(FATAL) << "Lister<" << wanted.name() << "> of a store that holds " << stored.name();
}

void EndOnUnknownIndex(std::string_view name) {
  LOG(FATAL) << "Lister::ByIndex(\"" << name
             << "\"): nobody has added this index; AddIndexFor does";
}

}  // namespace capstan::cache
