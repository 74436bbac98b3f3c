// SPDX-License-Identifier: Apache-2.0
// NamespacedResourceResolver<T> returns one object of a declared kind from the cheapest place.
// Its chain tries the cache of an informer first and the API server second. A cache that holds only
// labelled objects thus serves every object, at the cost of a request for each one without the
// label.
//
//   NewResolver<ConfigMap>({.client = &client, .informers = {&labelled}, .filtered = true,
//                           .counter = counter})
//
// The chain ends at the resolver that has the object or knows that it does not exist (NotFound).
// After any other error the next resolver is tried. Thread-safe. Mirrors the resolvers of
// cert-manager's csi-driver. Differs: the core is type-erased, and the results are counted.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/error.h"
#include "capstan/metrics/metrics.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"
#include "capstan/typed_object.h"

namespace capstan::resolver {

// ObjectResolver is the type-erased core.
class ObjectResolver {
 public:
  virtual ~ObjectResolver() = default;
  virtual std::string name() const = 0;  // "informer", for metrics
  // kNotFound: the object does not exist. Any other error: this resolver does not know.
  virtual Expected<runtime::ObjectPtr> Get(std::stop_token stop, const runtime::ObjectKey& key) = 0;
};

// Sends one GET for each object. Both arguments outlive it.
std::unique_ptr<ObjectResolver> NewClientResolver(rest::Client& client,
                                                  const runtime::ResourceType& type);
std::unique_ptr<ObjectResolver> NewClientResolver(rest::Client& client,
                                                  const runtime::ResourceType&& type) = delete;

struct ResolverOptions {
  rest::Client* client = nullptr;  // null: only the informers are tried
  // Tried first, in this order. There is one for each namespace that is watched, or one for all.
  std::vector<cache::SharedInformer*> informers;
  bool filtered = false;  // the informers do not hold all objects
  // {resource,resolver,result}: counts the results "hit", "miss" (the object does not exist),
  // "fallback" (the next resolver is tried) and "error" (there is no next one). Null: nothing is
  // counted.
  metrics::Metrics::Counter* counter = nullptr;
};
// Tries the caches of the informers, then the client. An object that is not in a cache does not
// exist, unless the cache is not synced or is filtered: then the next resolver is tried. `type` and
// everything in `options` outlive it.
std::unique_ptr<ObjectResolver> NewResolverChain(const runtime::ResourceType& type,
                                                 const ResolverOptions& options);

// Returns capstan_resolver_requests_total.
std::unique_ptr<metrics::Metrics::Counter> NewResolverCounter(metrics::Metrics& metrics);

template <class T>
class NamespacedResourceResolver {
 public:
  explicit NamespacedResourceResolver(std::unique_ptr<ObjectResolver> resolver)
      : resolver_(std::move(resolver)) {}

  Expected<Ptr<T>> Get(std::stop_token stop, const std::string& ns, const std::string& name) {
    auto object = resolver_->Get(std::move(stop), {.namespace_ = ns, .name = name});
    if (!object) return tl::unexpected(std::move(object.error()));
    return runtime::StaticObjectCast<TypedObject<T>>(*std::move(object));
  }

 private:
  std::unique_ptr<ObjectResolver> resolver_;
};

template <class T>
NamespacedResourceResolver<T> NewResolver(const ResolverOptions& options) {
  return NamespacedResourceResolver<T>(NewResolverChain(TypeOf<T>(), options));
}

}  // namespace capstan::resolver
