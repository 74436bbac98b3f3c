// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/config_map_caches.h"

#include <utility>

#include "clientgo/util/logging.h"
#include "controllers/readinessgate/why_unknown.h"

namespace controllers::readinessgate {

using clientgo::api::ConfigMap;
using clientgo::cache::SharedInformer;
using clientgo::runtime::ObjectKey;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;
using clientgo::util::MutexLock;

ConfigMapCaches::ConfigMapCaches(Collaborators with, const std::set<std::string, std::less<>>& keys)
    : with_(std::move(with)) {
  std::map<std::string, Names> namespaces;
  for (const std::string& text : keys) {
    ObjectKey key = ObjectKey::Parse(text);
    namespaces[std::move(key.namespace_)].insert(std::move(key.name));
  }
  for (const auto& [ns, names] : namespaces) {
    if (names.size() > kNamesMax) {
      WatchNamespace(ns, names);
    } else {
      for (const std::string& name : names) WatchName(ns, name);
    }
  }
}

std::shared_ptr<ConfigMapCaches::Cache> ConfigMapCaches::MakeCache(
    const clientgo::runtime::ResourceType& type, const clientgo::cache::Scope& scope) const {
  SharedInformer& informer = with_.informers.ForType(type, scope);
  const auto added = informer.AddEventHandler(with_.handler);
  CHECK(added) << added.error().message;
  // The chain ends with the cache: an evaluation never sends a request.
  std::vector<std::unique_ptr<resolver::ObjectResolver>> chain;
  chain.push_back(resolver::NewInformerResolver(informer, false));
  return std::make_shared<Cache>(
      Cache{.informer = &informer,
            .resolver = std::make_unique<Resolver>(
                resolver::NewResolverChain("configmaps", std::move(chain), with_.lookups))});
}

void ConfigMapCaches::WatchName(const std::string& ns, const std::string& name) {
  auto cache =
      MakeCache(ConfigMap::Type(), {.namespace_ = ns, .field_selector = "metadata.name=" + name});
  const MutexLock lock(mu_);
  caches_.insert_or_assign(ns + "/" + name, std::move(cache));
}

void ConfigMapCaches::WatchNamespace(const std::string& ns, const Names& names) {
  const auto& type = types_.emplace(ns, clientgo::api::MakeConfigMapType(names)).first->second;
  auto cache = MakeCache(type, {.namespace_ = ns});
  shared_.emplace(ns, Shared{.informer = cache->informer, .names = names});
  const MutexLock lock(mu_);
  for (const std::string& name : names) {
    std::string key = ns;
    caches_.insert_or_assign(std::move(key.append("/").append(name)), cache);
  }
}

void ConfigMapCaches::FallBack() {
  for (auto it = shared_.begin(); it != shared_.end();) {
    const auto& [ns, shared] = *it;
    const auto error = shared.informer->Status().last_error;
    if (shared.informer->HasSynced() || !error || !IsForbidden(*error)) {
      ++it;
      continue;
    }
    LOG(INFO) << Kv("The ConfigMaps of a namespace may not be listed, watching each by its name",
                    "namespace", ns, "configMaps", shared.names.size());
    for (const std::string& name : shared.names) WatchName(ns, name);
    with_.informers.RemoveInformer(*shared.informer);
    it = shared_.erase(it);
  }
}

Expected<std::shared_ptr<const ConfigMap>> ConfigMapCaches::Find(const ObjectKey& key) const {
  const MutexLock lock(mu_);
  const auto found = caches_.find(key.String());
  if (found == caches_.end()) {
    return Err(ErrorReason::kUnknown, "ConfigMap " + key.String() + " is not watched");
  }
  const Cache& cache = *found->second;
  auto answer = cache.resolver->Get({}, key.namespace_, key.name);
  if (answer || IsNotFound(answer.error())) return answer;
  return Err(ErrorReason::kServiceUnavailable, WhyUnknown(*cache.informer, key.namespace_));
}

}  // namespace controllers::readinessgate
