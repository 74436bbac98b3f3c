// SPDX-License-Identifier: Apache-2.0
// ReceivedObjects: what a streaming list has sent so far, while the store still serves what it had.
//
// API servers send the initial events in the order of their keys, so a vector that stays sorted by
// itself does for almost all of them, without a hash or a node for each object. A key out of order
// (created meanwhile, or a server with habits of its own) moves everything into an Indexer.
// Not thread-safe. Mirrors the temporary store of client-go's Reflector.watchList.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "clientgo/cache/store.h"
#include "clientgo/runtime/object.h"

namespace clientgo::cache {

class ReceivedObjects {
 public:
  void Upsert(runtime::ObjectPtr object);
  void Delete(std::string_view key);
  // All of them, each key once. Leaves nothing here.
  std::vector<runtime::ObjectPtr> Take();

 private:
  using Position = std::vector<runtime::ObjectPtr>::iterator;
  Position Find(std::string_view key);  // the first that is not before it

  std::vector<runtime::ObjectPtr> sorted_;
  std::optional<Indexer> any_order_;
};

}  // namespace clientgo::cache
