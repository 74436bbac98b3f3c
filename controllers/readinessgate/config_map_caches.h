// SPDX-License-Identifier: Apache-2.0
// ConfigMapCaches: the ConfigMaps that gates name, in memory. Each has an informer with a field
// selector, for which rights on that name alone are enough. A namespace of which gates name more
// than kNamesMax has one informer for all of its ConfigMaps; it keeps the data of those that gates
// name. Where the API server denies that, each name has its own again.
//
// An informer starts when the factory does, or at once when that runs. Thread-safe, but FallBack
// is for one thread.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/config_map.h"
#include "clientgo/cache/informer_factory.h"
#include "clientgo/util/mutex.h"
#include "controllers/resolver/resolver.h"
#include "metrics/metrics.h"

namespace controllers::readinessgate {

class ConfigMapCaches {
 public:
  // One watch each, up to here: it costs the API server less than all events of a namespace would.
  static constexpr std::size_t kNamesMax = 8;

  struct Collaborators {
    clientgo::cache::SharedInformerFactory& informers;
    metrics::Metrics::Counter* lookups = nullptr;  // see NewResolverCounter; null: not counted
    clientgo::cache::EventHandler handler = {};    // of every informer
  };
  // `keys`: "namespace/name". The factory stops its informers before this is destroyed.
  ConfigMapCaches(Collaborators with, const std::set<std::string, std::less<>>& keys);

  // Replaces each informer of a namespace that was denied by one for each name.
  void FallBack() EXCLUDES(mu_);
  // kNotFound: there is none. Any other error: nobody can tell yet. Its message says why in words
  // that stay the same while the cause does, without text of the server's.
  clientgo::util::Expected<std::shared_ptr<const clientgo::api::ConfigMap>> Find(
      const clientgo::runtime::ObjectKey& key) const EXCLUDES(mu_);

 private:
  using Resolver = resolver::NamespacedResourceResolver<clientgo::api::ConfigMap>;
  struct Cache {
    clientgo::cache::SharedInformer* informer;  // the factory's
    std::unique_ptr<Resolver> resolver;
  };
  using Names = std::set<std::string, std::less<>>;

  std::shared_ptr<Cache> MakeCache(const clientgo::runtime::ResourceType& type,
                                   const clientgo::cache::Scope& scope) const;
  void WatchName(const std::string& ns, const std::string& name) EXCLUDES(mu_);
  void WatchNamespace(const std::string& ns, const Names& names) EXCLUDES(mu_);

  const Collaborators with_;
  std::map<std::string, clientgo::runtime::ResourceType, std::less<>> types_;  // by namespace
  mutable clientgo::util::Mutex mu_;
  std::map<std::string, std::shared_ptr<Cache>, std::less<>> caches_ GUARDED_BY(mu_);  // by key
  struct Shared {
    clientgo::cache::SharedInformer* informer;
    Names names;
  };
  std::map<std::string, Shared, std::less<>> shared_;  // by namespace, of FallBack's thread
};

}  // namespace controllers::readinessgate
