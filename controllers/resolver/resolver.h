// SPDX-License-Identifier: Apache-2.0
// NamespacedResourceResolver<T>: one object of a namespaced kind, from wherever it is cheapest. The
// chain asks an informer's cache first and the API server second: a cache that holds only labelled
// objects still serves every object, at the price of a call for those without the label.
//
//   NewResolver<ConfigMap>({.client = client, .informers = {&labelled}, .filtered = true,
//                           .counter = counter})
//
// A resolver that has the object, or knows that there is none (NotFound), ends the chain; any other
// error passes the question on. Thread-safe. Mirrors the resolvers of cert-manager's csi-driver.
// Differs: type-erased (the typed face is this header), and counted.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/cache/shared_informer.h"
#include "clientgo/rest/client.h"
#include "clientgo/runtime/object.h"
#include "clientgo/util/error.h"
#include "metrics/metrics.h"

namespace controllers::resolver {

// The type-erased core.
class ObjectResolver {
 public:
  virtual ~ObjectResolver() = default;
  virtual std::string name() const = 0;  // "informer", for metrics
  // kNotFound: there is no such object. Any other error: this resolver cannot tell.
  virtual clientgo::util::Expected<clientgo::runtime::ObjectPtr> Get(
      std::stop_token stop, const clientgo::runtime::ObjectKey& key) = 0;
};

// From the cache of `informer`, which outlives it. What the cache does not hold does not exist,
// unless it is not synced, or `filtered`: then nobody knows.
std::unique_ptr<ObjectResolver> NewInformerResolver(const clientgo::cache::SharedInformer& informer,
                                                    bool filtered);
// One GET for each question. Both outlive it.
std::unique_ptr<ObjectResolver> NewClientResolver(clientgo::rest::Client& client,
                                                  const clientgo::runtime::ResourceType& type);
std::unique_ptr<ObjectResolver> NewClientResolver(
    clientgo::rest::Client& client, const clientgo::runtime::ResourceType&& type) = delete;
// One after the other. `counter` {resource,resolver,result} counts the answers of each: "hit",
// "miss" (there is no such object), "fallback" (the next one is asked), "error" (there is no next
// one). Null: not counted.
std::unique_ptr<ObjectResolver> NewResolverChain(
    std::string resource, std::vector<std::unique_ptr<ObjectResolver>> resolvers,
    metrics::Metrics::Counter* counter);
// capstan_resolver_requests_total.
std::unique_ptr<metrics::Metrics::Counter> NewResolverCounter(metrics::Metrics& metrics);

template <class T>
class NamespacedResourceResolver {
 public:
  explicit NamespacedResourceResolver(std::unique_ptr<ObjectResolver> resolver)
      : resolver_(std::move(resolver)) {}

  clientgo::util::Expected<std::shared_ptr<const T>> Get(std::stop_token stop,
                                                         const std::string& ns,
                                                         const std::string& name) {
    auto object = resolver_->Get(std::move(stop), {.namespace_ = ns, .name = name});
    if (!object) return tl::unexpected(std::move(object.error()));
    return std::static_pointer_cast<const T>(*std::move(object));
  }

 private:
  std::unique_ptr<ObjectResolver> resolver_;
};

struct ResolverOptions {
  clientgo::rest::Client& client;
  // Asked first, in this order; an informer for each namespace that is watched, or one for all.
  std::vector<clientgo::cache::SharedInformer*> informers;
  bool filtered = false;  // they do not hold all objects
  metrics::Metrics::Counter* counter = nullptr;
};

// T has `static const runtime::ResourceType& Type()`.
template <class T>
NamespacedResourceResolver<T> NewResolver(const ResolverOptions& options) {
  std::vector<std::unique_ptr<ObjectResolver>> chain;
  for (const clientgo::cache::SharedInformer* informer : options.informers) {
    // One of several does not hold all objects either.
    chain.push_back(
        NewInformerResolver(*informer, options.filtered || options.informers.size() > 1));
  }
  chain.push_back(NewClientResolver(options.client, T::Type()));
  return NamespacedResourceResolver<T>(
      NewResolverChain(T::Type().gvr.resource, std::move(chain), options.counter));
}

}  // namespace controllers::resolver
