// SPDX-License-Identifier: Apache-2.0
#include "controllers/resolver/resolver.h"

namespace capstan::resolver {
namespace {

std::string Describe(const runtime::ResourceType& type, const runtime::ObjectKey& key) {
  return type.kind + " " + key.String();
}

class InformerResolver final : public ObjectResolver {
 public:
  InformerResolver(const cache::SharedInformer& informer, bool filtered)
      : informer_(informer), filtered_(filtered) {}

  std::string name() const override { return "informer"; }
  Expected<runtime::ObjectPtr> Get(std::stop_token /*stop*/,
                                   const runtime::ObjectKey& key) override {
    // Checked before the store, so that an object that is listed in between is not missed.
    const bool synced = informer_.HasSynced();
    if (runtime::ObjectPtr object = informer_.store().GetByKey(key.String())) return object;
    const std::string what = Describe(informer_.type(), key);
    if (synced && !filtered_) return Err(ErrorReason::kNotFound, what + " does not exist");
    return Err(ErrorReason::kServiceUnavailable,
               what + (synced ? " is not in the filtered cache" : ": the cache is not synced"));
  }

 private:
  const cache::SharedInformer& informer_;
  const bool filtered_;
};

class ClientResolver final : public ObjectResolver {
 public:
  ClientResolver(rest::Client& client, const runtime::ResourceType& type)
      : client_(client), type_(type) {}

  std::string name() const override { return "client"; }
  Expected<runtime::ObjectPtr> Get(std::stop_token stop, const runtime::ObjectKey& key) override {
    auto object = client_.Get(std::move(stop), type_, key);
    if (!object) return Err(object.error().Wrap("failed to get " + Describe(type_, key)));
    return object;
  }

 private:
  rest::Client& client_;
  const runtime::ResourceType& type_;
};

class ResolverChain final : public ObjectResolver {
 public:
  ResolverChain(std::string resource, std::vector<std::unique_ptr<ObjectResolver>> resolvers,
                metrics::Metrics::Counter* counter)
      : resource_(std::move(resource)), resolvers_(std::move(resolvers)), counter_(counter) {}

  std::string name() const override { return "chain"; }
  Expected<runtime::ObjectPtr> Get(std::stop_token stop, const runtime::ObjectKey& key) override {
    Expected<runtime::ObjectPtr> answer = Err(ErrorReason::kUnknown, "no resolver is configured");
    for (const auto& resolver : resolvers_) {
      answer = resolver->Get(stop, key);
      if (answer) {
        Count(*resolver, "hit");
        return answer;
      }
      if (IsNotFound(answer.error())) {
        Count(*resolver, "miss");
        return answer;
      }
      Count(*resolver, resolver == resolvers_.back() ? "error" : "fallback");
    }
    return answer;
  }

 private:
  void Count(const ObjectResolver& resolver, const char* result) {
    if (counter_ != nullptr) counter_->Add({resource_, resolver.name(), result});
  }

  const std::string resource_;
  const std::vector<std::unique_ptr<ObjectResolver>> resolvers_;
  metrics::Metrics::Counter* const counter_;
};

}  // namespace

std::unique_ptr<ObjectResolver> NewClientResolver(rest::Client& client,
                                                  const runtime::ResourceType& type) {
  return std::make_unique<ClientResolver>(client, type);
}

std::unique_ptr<ObjectResolver> NewResolverChain(const runtime::ResourceType& type,
                                                 const ResolverOptions& options) {
  std::vector<std::unique_ptr<ObjectResolver>> chain;
  for (const cache::SharedInformer* informer : options.informers) {
    // One of several informers does not hold all objects either.
    chain.push_back(std::make_unique<InformerResolver>(
        *informer, options.filtered || options.informers.size() > 1));
  }
  if (options.client != nullptr) chain.push_back(NewClientResolver(*options.client, type));
  return std::make_unique<ResolverChain>(type.gvr.resource, std::move(chain), options.counter);
}

std::unique_ptr<metrics::Metrics::Counter> NewResolverCounter(metrics::Metrics& metrics) {
  return metrics.NewCounter("capstan_resolver_requests_total",
                            "Lookups of one object by resource, resolver (informer, client) and "
                            "result (hit, miss, fallback, error).",
                            {"resource", "resolver", "result"});
}

}  // namespace capstan::resolver
