// SPDX-License-Identifier: Apache-2.0
// UndecodableObjects: the objects of a Reflector whose newest version cannot be decoded. The store
// keeps the last version of each that could be. An object stays here until it is decoded or
// deleted.
//
// An object without a readable name may be any of those that a list does not name. It is counted
// until the next list, and that list removes nothing from the store.
// Not thread-safe. client-go has nothing like it: there, one such object fails the whole list.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cache/reflector.h"
#include "clientgo/runtime/decoder.h"

namespace clientgo::cache {

class UndecodableObjects {
 public:
  void Add(runtime::UndecodableObject object);
  // The object was decoded or deleted. False: it was not here.
  bool Remove(std::string_view key);
  // Takes over what an event says about an object. False: nothing changed here.
  bool Update(const runtime::WatchEvent& event);

  std::size_t Size() const { return by_key_.size() + unnamed_; }
  UndecodableStatus Status() const;

  // Adds to `items`, which are all objects of a list that could be decoded, the objects of `store`
  // that these ones are newer versions of. An object of another uid is not an older version.
  void KeepKnown(const ReflectorStore& store, std::vector<runtime::ObjectPtr>& items) const;

 private:
  std::map<std::string, runtime::UndecodableObject, std::less<>> by_key_;
  std::size_t unnamed_ = 0;
  util::Error unnamed_error_ = {};  // of the last one
};

}  // namespace clientgo::cache
