// SPDX-License-Identifier: Apache-2.0
// Resolver returns one object from the cheapest place: the cache of an informer first, and the API
// server second. A cache that holds only labelled objects thus serves every object, at the cost of
// a request for each one without the label.
//
//   NewResolver(ConfigMapType(), {.client = &client, .informers = {&labelled}, .filtered = true,
//                                 .counter = counter})
//
// The lookup ends at the first place that has the object, or reports that it does not exist. After
// any other error the next place is tried. Implementations are thread-safe. Mirrors the resolvers
// of cert-manager's csi-driver. Differs: it says whether the object is watched, and the results are
// counted.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/error.h"
#include "capstan/metrics/metrics.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"

namespace capstan::resolver {

// Resolution is the result of one lookup.
struct Resolution {
  // kNotFound: the object does not exist. Any other error: it is unknown.
  Expected<runtime::ObjectPtr> object;
  // True when a cache decided. Then a change of `object` is an event. False after a request.
  bool watched = true;
};

class Resolver {
 public:
  virtual ~Resolver() = default;
  // May block for a request, until `stop`.
  virtual Resolution Get(std::stop_token stop, const runtime::ObjectKey& key) = 0;
};

struct ResolverOptions {
  rest::Client* client = nullptr;  // null: only the informers are tried
  // Tried first. There is one for each namespace that is watched, or one for all.
  std::vector<cache::SharedInformer*> informers = {};
  bool filtered = false;  // the informers do not hold all objects
  // {resource,resolver,result}: counts for each informer and the client the results "hit", "miss"
  // (the object does not exist), "fallback" (the next one is tried) and "error" (there is no next
  // one). Null: nothing is counted.
  metrics::Metrics::Counter* counter = nullptr;
};
// An object that is not in a cache does not exist, unless an informer is not synced or the
// informers are filtered: then the client is tried. `type` and everything in `options` outlive the
// Resolver. A call of Get REQUIRES an informer or a client.
std::unique_ptr<Resolver> NewResolver(const runtime::ResourceType& type, ResolverOptions options);
std::unique_ptr<Resolver> NewResolver(const runtime::ResourceType&& type,
                                      ResolverOptions options) = delete;

// Returns an error when an informer is not synced: "Secrets cannot be listed: <cause>". The text is
// for Events: it stays the same as long as the cause does.
Expected<void> CheckListed(const std::vector<cache::SharedInformer*>& informers);

// Returns capstan_resolver_requests_total.
std::unique_ptr<metrics::Metrics::Counter> NewResolverCounter(metrics::Metrics& metrics);

}  // namespace capstan::resolver
