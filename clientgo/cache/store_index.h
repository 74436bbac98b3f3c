// SPDX-License-Identifier: Apache-2.0
// StoreIndex is one index of an Indexer: the objects by the values that an index function returns.
//
// Add returns a number that stands for the values of the object. The Indexer keeps it beside the
// object and gives it back to Remove. So the function runs once for each object, and a function
// whose result has changed leaves no dangling pointer. An object needs about 15 bytes if it shares
// its value with many others, and about 80 if its value is unique. Not thread-safe. Mirrors one
// Index of client-go's ThreadSafeStore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/store.h"
#include "capstan/runtime/object.h"
#include "clientgo/cache/pointer_table.h"

namespace capstan::cache {

// KeyHash is the hash of a text, and of an entry with a key.
struct KeyHash {
  std::uint64_t operator()(std::string_view key) const {
    return std::hash<std::string_view>()(key);
  }
  template <class Entry>
  std::uint64_t operator()(const Entry& entry) const {
    return (*this)(entry.key());
  }
};

class StoreIndex {
 public:
  StoreIndex(std::string name, IndexFunc func);
  ~StoreIndex();
  StoreIndex(StoreIndex&&) noexcept;
  StoreIndex& operator=(StoreIndex&&) = delete;

  const std::string& name() const { return name_; }
  // Adds an object, which must stay alive until Remove. Returns 0 for an object without values.
  std::uint32_t Add(const runtime::Object& object);
  // `number` is what Add returned for this object.
  void Remove(const runtime::Object& object, std::uint32_t number);
  std::vector<runtime::ObjectPtr> Find(std::string_view value) const;
  // Returns the heap bytes of the index, without those numbers.
  std::size_t ByteSize() const;

 private:
  class Value;
  using Ids = std::vector<std::uint32_t>;

  // Returns the id of a value, which is at least 1.
  std::uint32_t IdOf(std::string_view text);
  // False: the object has the value already.
  bool AddTo(std::uint32_t id, const runtime::Object& object);
  void RemoveFrom(std::uint32_t id, const runtime::Object& object);
  std::uint32_t NewList(Ids ids);

  std::string name_;
  IndexFunc func_;
  PointerTable<Value, KeyHash> by_text_;
  std::vector<std::unique_ptr<Value>> by_id_;  // the value with the id 1 is first
  Ids free_ids_;
  std::vector<Ids> lists_;  // the values of objects with several of them
  Ids free_lists_;
  std::size_t bytes_ = 0;  // heap bytes of the values and lists
};

}  // namespace capstan::cache
