// SPDX-License-Identifier: Apache-2.0
// InformerView is several informers of one type, one for each namespace, as one: one store to read
// and one set of informers to watch. SharedInformerFactory::ViewOf makes it. Thread-safe. Mirrors
// the multi-namespace cache of controller-runtime's pkg/cache.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/cache/store.h"
#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::cache {

class CAPSTAN_EXPORT InformerView {
 public:
  // NamespacedInformer is an informer and the namespace that it is limited to; empty: all.
  using NamespacedInformer = std::pair<std::string, SharedInformer*>;
  // REQUIRES: at least one informer, all of one type, no namespace twice, and none beside that of
  // all namespaces. They outlive the view.
  explicit InformerView(const std::vector<NamespacedInformer>& informers);
  ~InformerView();

  const runtime::ResourceType& type() const { return informers_.front()->type(); }
  const std::vector<SharedInformer*>& informers() const { return informers_; }
  // Returns the informer that has the objects of this namespace, or nullptr.
  const SharedInformer* InformerFor(std::string_view ns) const;
  // Reads the objects of all namespaces. Each object is read from the store of its namespace; a
  // list is as of one point in time within a namespace only.
  const StoreReader& store() const { return *store_; }
  // True when all informers have synced.
  bool HasSynced() const;
  // Blocks until all have synced (true) or one has stopped (false).
  bool WaitForSync(const std::stop_token& stop) const;
  // Adds the index to every informer. Fails if the name is in use.
  Expected<void> AddIndex(const std::string& name, const IndexFunc& func) const;

 private:
  class Stores;

  std::vector<SharedInformer*> informers_;
  std::vector<std::string> namespaces_;  // of each informer; empty: all
  std::unique_ptr<StoreReader> stores_;  // null for a single informer
  const StoreReader* store_;
};

}  // namespace capstan::cache
