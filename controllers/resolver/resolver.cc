// SPDX-License-Identifier: Apache-2.0
#include "controllers/resolver/resolver.h"

#include <string>
#include <utility>

namespace capstan::resolver {
namespace {

class InformersThenClient final : public Resolver {
 public:
  InformersThenClient(const runtime::ResourceType& type, ResolverOptions options)
      : type_(type), options_(std::move(options)) {}

  Resolution Get(std::stop_token stop, const runtime::ObjectKey& key) override {
    if (options_.informers.empty()) return FromClient(std::move(stop), key);
    Resolution cached{.object = FromInformers(key)};
    if (cached.object || IsNotFound(cached.object.error())) {
      Count("informer", cached.object ? "hit" : "miss");
      return cached;
    }
    Count("informer", options_.client == nullptr ? "error" : "fallback");
    return options_.client == nullptr ? cached : FromClient(std::move(stop), key);
  }

 private:
  Expected<runtime::ObjectPtr> FromInformers(const runtime::ObjectKey& key) const {
    // Checked before the stores, so that an object that is listed in between is not missed.
    const Expected<void> listed = CheckListed(options_.informers);
    if (!listed && options_.client == nullptr) return Err(listed.error());
    for (const cache::SharedInformer* informer : options_.informers) {
      if (auto object = informer->store().GetByKey(key.String())) return object;
      if (informer != options_.informers.back()) Count("informer", "fallback");
    }
    if (!listed) return Err(listed.error());
    return options_.filtered ? Err(ErrorReason::kUnknown, Name(key) + " is not cached")
                             : Err(ErrorReason::kNotFound, Name(key) + " does not exist");
  }

  Resolution FromClient(std::stop_token stop, const runtime::ObjectKey& key) const {
    auto object = options_.client->Get(std::move(stop), type_, key);
    if (object) {
      Count("client", "hit");
      return {.object = *std::move(object), .watched = false};
    }
    Count("client", IsNotFound(object.error()) ? "miss" : "error");
    return {.object = Err(object.error().Wrap("failed to get " + Name(key))), .watched = false};
  }

  std::string Name(const runtime::ObjectKey& key) const { return type_.kind + " " + key.String(); }
  void Count(const char* resolver, const char* result) const {
    if (options_.counter != nullptr) options_.counter->Add({type_.gvr.resource, resolver, result});
  }

  const runtime::ResourceType& type_;
  const ResolverOptions options_;
};

}  // namespace

std::unique_ptr<Resolver> NewResolver(const runtime::ResourceType& type, ResolverOptions options) {
  return std::make_unique<InformersThenClient>(type, std::move(options));
}

Expected<void> CheckListed(const std::vector<cache::SharedInformer*>& informers) {
  for (const cache::SharedInformer* informer : informers) {
    if (informer->HasSynced()) continue;
    std::string why = informer->type().kind + "s cannot be listed";
    if (const auto error = informer->Status().last_error) why += ": " + error->message;
    return Err(ErrorReason::kUnknown, std::move(why));
  }
  return {};
}

std::unique_ptr<metrics::Metrics::Counter> NewResolverCounter(metrics::Metrics& metrics) {
  return metrics.NewCounter("capstan_resolver_requests_total",
                            "Lookups of one object by resource, resolver (informer, client) and "
                            "result (hit, miss, fallback, error).",
                            {"resource", "resolver", "result"});
}

}  // namespace capstan::resolver
