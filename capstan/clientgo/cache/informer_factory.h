// SPDX-License-Identifier: Apache-2.0
// SharedInformerFactory has one informer for each ResourceType and Scope, and starts, syncs and
// stops all of them together. Mirrors client-go's informers.SharedInformerFactory and
// controller-runtime's cache. Differs: an informer that is created after Start runs at once, and an
// informer can be removed, as in controller-runtime. A Lister never starts an informer and does not
// wait for one. It also watches single objects, on a few threads for all of them. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "capstan/clientgo/cache/object_watch.h"
#include "capstan/clientgo/cache/shared_informer.h"
#include "capstan/clientgo/cache/store.h"
#include "capstan/export.h"

namespace capstan::clientgo::cache {

struct CAPSTAN_EXPORT FactoryOptions {
  ReflectorOptions reflector = {};  // `name` is set per informer
  Scope scope = {};                 // the default scope
};

// Makes the ListerWatcher of an informer. Tests return a FakeListerWatcher.
using ListerWatcherFunc =
    std::function<std::unique_ptr<ListerWatcher>(const runtime::ResourceType&, const Scope&)>;

class CAPSTAN_EXPORT SharedInformerFactory {
 public:
  // `client` must outlive the factory.
  SharedInformerFactory(rest::Client& client, FactoryOptions options);
  SharedInformerFactory(ListerWatcherFunc sources, FactoryOptions options);
  // Stops all informers and waits for them.
  ~SharedInformerFactory();

  // Returns the informer for `type` in `scope` (default: the factory's scope), and creates it on
  // first use. It runs after Start, also when it is created later. Its name in logs is "secrets/ns"
  // for a namespace and "secrets/ns/name" for a single object (metadata.name=<name>). `type` must
  // outlive the factory: a temporary does not compile.
  SharedInformer& ForType(const runtime::ResourceType& type);
  SharedInformer& ForType(const runtime::ResourceType& type, const Scope& scope);
  SharedInformer& ForType(const runtime::ResourceType&& type) = delete;
  SharedInformer& ForType(const runtime::ResourceType&& type, const Scope& scope) = delete;
  template <class T>
  Lister<T> ListerFor() {
    return Lister<T>(ForType(T::Type()).store());
  }

  // Stops an informer and removes it: its watch is closed, and no callback runs after
  // RemoveInformer returns. A later ForType makes a new informer. REQUIRES: nothing uses the
  // informer any more, including all who got it from ForType, and none of its handlers calls this.
  // Its StoreReader and Listers become invalid. Does nothing after Shutdown has begun. Mirrors
  // RemoveInformer of controller-runtime's cache.
  void RemoveInformer(SharedInformer& informer);

  // Watches one object of a namespace: the REST path has metadata.name as field selector, so rights
  // on this name (resourceNames) are enough. It runs after Start, like an informer, but
  // WaitForCacheSync does not wait for it. `type` must outlive the watch, and the watch must be
  // destroyed before the factory.
  std::shared_ptr<ObjectWatch> WatchObject(const runtime::ResourceType& type,
                                           const runtime::ObjectKey& key,
                                           ObjectWatch::OnChange on_change);
  std::shared_ptr<ObjectWatch> WatchObject(const runtime::ResourceType&& type,
                                           const runtime::ObjectKey& key,
                                           ObjectWatch::OnChange on_change) = delete;

  // Starts all informers. Each one runs until `stop`. Call once.
  void Start(std::stop_token stop);
  // Returns true when every current informer has synced or was removed, and false when stopped
  // before.
  bool WaitForCacheSync(std::stop_token stop);
  // Blocks until every informer has returned from Run. Call after `stop` was requested.
  void Shutdown();
  std::vector<SharedInformer*> informers() const;
  // The state of each informer, then of each watched object, for status pages, in the order of
  // creation. Unlike informers(), this is safe while another thread removes informers.
  struct CacheStatus {
    std::string name;  // "secrets", "secrets/ns", "secrets/ns/name"
    ReflectorStatus reflector;
    bool synced = false;
    std::size_t objects = 0;
    std::size_t bytes = 0;
  };
  std::vector<CacheStatus> Statuses() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::clientgo::cache
