// SPDX-License-Identifier: Apache-2.0
// SharedInformerFactory has one informer for each ResourceType and Scope, and starts, syncs and
// stops all of them together. Mirrors client-go's informers.SharedInformerFactory and
// controller-runtime's cache. Differs: an informer that is created after Start runs at once, and an
// informer can be removed, as in controller-runtime. A Lister never starts an informer and does not
// wait for one. It also watches single objects, on a few threads for all of them. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/cache/informer_view.h"
#include "capstan/cache/object_watch.h"
#include "capstan/cache/shared_informer.h"
#include "capstan/cache/store.h"
#include "capstan/export.h"

namespace capstan::cache {

// ByObject is what ViewOf caches of one type. Mirrors controller-runtime's cache.ByObject.
struct CAPSTAN_EXPORT ByObject {
  // Replaces FactoryOptions::namespaces for this type.
  std::optional<std::vector<std::string>> namespaces = {};
  std::string label_selector = {};
  std::string field_selector = {};
};

struct CAPSTAN_EXPORT FactoryOptions {
  // A `name` comes before that of each informer: "east" makes "east/secrets".
  ReflectorOptions reflector = {};
  Scope scope = {};  // the default scope
  // The namespaces of ViewOf. Empty, or with "" among them: all. Cluster-scoped types are cached
  // whole. Mirrors cache.Options.DefaultNamespaces of controller-runtime.
  std::vector<std::string> namespaces = {};
  std::map<const runtime::ResourceType*, ByObject> by_object = {};
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
  // Returns all informers for `type` in the namespaces and with the selectors of the options, and
  // creates them on first use. The view lives until RemoveInformer removes one of its informers,
  // else as long as the factory. Without namespaces and a ByObject it has only the informer of
  // ForType(type).
  const InformerView& ViewOf(const runtime::ResourceType& type);
  const InformerView& ViewOf(const runtime::ResourceType&& type) = delete;
  // Returns ViewOf(type).store(). After Start, a view without its first list is reported in the
  // log, once for each type, because reads of it find nothing.
  const StoreReader& StoreFor(const runtime::ResourceType& type);
  const StoreReader& StoreFor(const runtime::ResourceType&& type) = delete;

  // Stops an informer and removes it: its watch is closed, and no callback runs after
  // RemoveInformer returns. A later ForType makes a new informer, and a later ViewOf a new view.
  // REQUIRES: nothing uses the informer or a view with it any more, including all who got it from
  // ForType or ViewOf, and none of its handlers calls this. Their StoreReaders and Listers become
  // invalid. Does nothing after Shutdown has begun. Mirrors
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

  // Keeps the owner of a type that was made at run time as long as the factory.
  void KeepAlive(std::shared_ptr<const void> owner);

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

}  // namespace capstan::cache
