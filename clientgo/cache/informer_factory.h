// SPDX-License-Identifier: Apache-2.0
// SharedInformerFactory: one informer per ResourceType and Scope, however many ask for it; all
// started, waited for and stopped together. Mirrors client-go's informers.SharedInformerFactory and
// controller-runtime's cache. Differs: an informer asked for after Start runs at once, and one can
// be removed, in controller-runtime's way; a Lister never starts one, nor waits for one.
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "clientgo/cache/shared_informer.h"
#include "clientgo/cache/store.h"

namespace clientgo::cache {

struct FactoryOptions {
  ReflectorOptions reflector = {};  // `name` is set per informer
  Scope scope = {};                 // for every informer without a scope of its own
};

// Where an informer's objects come from. Tests return a FakeListerWatcher.
using ListerWatcherFunc =
    std::function<std::unique_ptr<ListerWatcher>(const runtime::ResourceType&, const Scope&)>;

class SharedInformerFactory {
 public:
  // `client` outlives the factory.
  SharedInformerFactory(rest::Client& client, FactoryOptions options);
  SharedInformerFactory(ListerWatcherFunc sources, FactoryOptions options);
  // Stops and awaits what still runs.
  ~SharedInformerFactory();

  // The informer for `type` within `scope` (default: the factory's), made on first use. It runs
  // once Start was called, also when it is asked for later. Logs name one of a namespace
  // "secrets/ns", one of a single object (metadata.name=<name>) "secrets/ns/name".
  // `type` outlives the factory: a temporary does not compile.
  SharedInformer& ForType(const runtime::ResourceType& type);
  SharedInformer& ForType(const runtime::ResourceType& type, const Scope& scope);
  SharedInformer& ForType(const runtime::ResourceType&& type) = delete;
  SharedInformer& ForType(const runtime::ResourceType&& type, const Scope& scope) = delete;
  template <class T>
  Lister<T> ListerFor() {
    return Lister<T>(ForType(T::Type()).store());
  }

  // Ends an informer and forgets it: its watch is closed, and no callback of it runs or comes once
  // this returned; asking for it again makes a new one. REQUIRES: nobody uses it any more, who got
  // the same one from ForType included, and no handler of its own calls this. A StoreReader or a
  // Lister of it is dead, too. After Shutdown began it does nothing.
  // Mirrors RemoveInformer of controller-runtime's cache.
  void RemoveInformer(SharedInformer& informer);

  // Starts what is not running yet; each informer runs until `stop`. Call once.
  void Start(std::stop_token stop);
  // True when every informer there is now synced or was removed, false when stopped first.
  bool WaitForCacheSync(std::stop_token stop);
  // Blocks until every informer's Run returned. Call after `stop` was requested.
  void Shutdown();
  std::vector<SharedInformer*> informers() const;
  // How each is doing, for people; in the order they were asked for. Unlike informers(), safe while
  // another thread removes some.
  struct CacheStatus {
    std::string name;  // "secrets", "secrets/ns"
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

}  // namespace clientgo::cache
