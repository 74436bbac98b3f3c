// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources.h"

#include <chrono>
#include <utility>

#include "clientgo/api/certificate.h"
#include "clientgo/api/config_map.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/certificate_source.h"
#include "controllers/cainjector/sources/config_map_source.h"
#include "controllers/cainjector/sources/disabled_source.h"
#include "controllers/cainjector/sources/secret_source.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::ConfigMap;
using clientgo::cache::SharedInformer;
using clientgo::runtime::Object;
using clientgo::util::Expected;

// The index of the Certificates by the Secret they are kept in.
constexpr const char* kBySecret = "spec.secretName";
// Of what tells nothing by itself. A file as small as a CA is read soon enough for a CA that is
// replaced; a watch that nobody needs any more is in nobody's way.
constexpr std::chrono::seconds kLookPeriod(10);

NamespaceScope ScopeOf(const CaInjectorOptions& options) {
  return {.namespaces = options.namespaces, .ignored = options.ignore_namespaces};
}

}  // namespace

Sources::Sources(const Collaborators& with, const CaInjectorOptions& options, Targets targets)
    : targets_(std::move(targets)),
      events_(options.clock),
      contents_(with.client, {.keep_text = !options.merge_bundles}),
      resolutions_(resolver::NewResolverCounter(with.metrics)) {
  AddSecrets(with, options);
  AddCertificates(with, options);
  AddConfigMaps(with, options);
  AddApiServer(with, options);
  events_.Poll(kLookPeriod, [this] { Look(); });
}

Source& Sources::Add(std::unique_ptr<Source> source) {
  owned_.push_back(std::move(source));
  all_.push_back(owned_.back().get());
  return *owned_.back();
}

std::unique_ptr<SecretCache> Sources::NewSecretCache(const Collaborators& with,
                                                     const CaInjectorOptions& options) {
  const auto chain = [&](std::vector<std::unique_ptr<resolver::ObjectResolver>> resolvers) {
    resolvers.push_back(resolver::NewClientResolver(with.client, SecretMetadataType()));
    return resolver::NewResolverChain(SecretMetadataType().gvr.resource, std::move(resolvers),
                                      resolutions_.get());
  };
  if (options.secret_caching == SecretCaching::kReferenced) {
    auto referenced = std::make_unique<ReferencedSecrets>(
        ReferencedSecrets::Collaborators{
            .informers = with.informers,
            .live = chain({}),
            .on_change = [this](std::string_view secret) { SecretChanged(secret); },
            .is_referenced =
                [this](std::string_view secret) { return AnyOf(targets_.is_there, secret); }},
        options.secret_watches_max);
    referenced_ = referenced.get();
    referenced_gauge_ = with.metrics.NewGauge(
        "capstan_referenced_secrets",
        "Secrets that targets and Certificates name, by how they are known: watched, waiting (for "
        "the first answer), failing, beyond_limit.",
        {"state"});
    return referenced;
  }
  const bool labelled = options.secret_caching == SecretCaching::kLabelled;
  secrets_ = std::make_unique<SourceCache>(with.informers, SecretMetadataType(),
                                           ScopeOf(options).Watches(labelled ? kCachedSecrets : ""),
                                           options.clock);
  Watch(*secrets_, [this](const Object& secret) { SecretChanged(secret.key()); });
  if (!labelled) {
    return std::make_unique<ListedSecrets>(*secrets_, [this] { return secrets_->Available(); });
  }
  std::vector<std::unique_ptr<resolver::ObjectResolver>> caches;
  for (const SharedInformer* informer : secrets_->informers()) {
    caches.push_back(resolver::NewInformerResolver(*informer, /*filtered=*/true));
  }
  return std::make_unique<LabelledSecrets>(*secrets_, chain(std::move(caches)));
}

void Sources::AddSecrets(const Collaborators& with, const CaInjectorOptions& options) {
  secret_cache_ = NewSecretCache(with, options);
  secret_source_ = &Add(std::make_unique<SecretSource>(contents_, *secret_cache_,
                                                       SourceOptions{.scope = ScopeOf(options)}));
}

void Sources::AddCertificates(const Collaborators& with, const CaInjectorOptions& options) {
  if (!options.certificates) {
    Add(std::make_unique<DisabledSource>(kInjectCaFrom, "Certificate",
                                         "--enable-certificates-data-source=false"));
    return;
  }
  const NamespaceScope scope = ScopeOf(options);
  certificates_ = std::make_unique<SourceCache>(with.informers, clientgo::api::Certificate::Type(),
                                                scope.Watches(), options.clock);
  certificates_->AddIndex(kBySecret, [](const Object& object) -> std::vector<std::string> {
    return {static_cast<const clientgo::api::Certificate&>(object).Secret().String()};
  });
  certificate_source_ = &Add(std::make_unique<CertificateSource>(
      contents_, *certificates_, *secret_cache_,
      SourceOptions{.scope = scope, .available = [this] { return certificates_->Available(); }}));
  Watch(*certificates_, [this](const Object& certificate) {
    targets_.enqueue(*certificate_source_, certificate.key());
  });
}

void Sources::AddConfigMaps(const Collaborators& with, const CaInjectorOptions& options) {
  if (!options.config_maps) {
    Add(std::make_unique<DisabledSource>(kInjectCaFromConfigMap, "ConfigMap",
                                         "feature gate ConfigMapSource"));
    return;
  }
  const NamespaceScope scope = ScopeOf(options);
  config_maps_ = std::make_unique<SourceCache>(with.informers, ConfigMap::Type(),
                                               scope.Watches(kCachedConfigMaps), options.clock);
  const Source& source = Add(std::make_unique<ConfigMapSource>(
      resolver::NewResolver<ConfigMap>({.client = with.client,
                                        .informers = config_maps_->informers(),
                                        .filtered = true,
                                        .counter = resolutions_.get()}),
      *config_maps_, SourceOptions{.scope = scope, .keep_text = !options.merge_bundles}));
  Watch(*config_maps_,
        [this, &source](const Object& config_map) { targets_.enqueue(source, config_map.key()); });
}

void Sources::AddApiServer(const Collaborators& with, const CaInjectorOptions& options) {
  auto made = std::make_unique<ApiServerSource>(with.client.config().tls, !options.merge_bundles);
  api_server_source_ = made.get();
  Add(std::move(made));
}

void Sources::Look() {
  if (api_server_source_->Reload()) {
    targets_.enqueue(*api_server_source_, *api_server_source_->Reference("true"));
  }
  if (referenced_ == nullptr) return;
  referenced_->Sweep();
  const ReferencedSecrets::Summary summary = referenced_->Summarize();
  referenced_gauge_->Set({"watched"}, static_cast<double>(summary.watched));
  referenced_gauge_->Set({"waiting"}, static_cast<double>(summary.waiting));
  referenced_gauge_->Set({"failing"}, static_cast<double>(summary.failing));
  referenced_gauge_->Set({"beyond_limit"}, static_cast<double>(summary.beyond_limit));
}

void Sources::Watch(const SourceCache& cache, const SourceEvents::OnChange& on_change) {
  for (SharedInformer* informer : cache.informers()) events_.Watch(*informer, on_change);
}

bool Sources::AnyOf(const Targets::OfSource& ask, std::string_view secret) const {
  bool any = ask(*secret_source_, secret);
  if (certificates_ == nullptr) return any;
  for (const auto& certificate : certificates_->ByIndex(kBySecret, secret)) {
    any |= ask(*certificate_source_, certificate->key());
  }
  return any;
}

// For every Secret in a cache that changes, whether anybody cares or not: index lookups only.
void Sources::SecretChanged(std::string_view secret) {
  if (!AnyOf(targets_.enqueue, secret)) contents_.Forget(secret);
}

std::vector<const SourceCache*> Sources::Caches() const {
  std::vector<const SourceCache*> caches;
  for (const auto* cache : {&secrets_, &certificates_, &config_maps_}) {
    if (*cache != nullptr) caches.push_back(cache->get());
  }
  return caches;
}

void Sources::AddTo(runtime::Controller& controller) {
  for (const SourceCache* cache : Caches()) {
    for (SharedInformer* informer : cache->informers()) {
      controller.WaitFor(*informer, {.optional = true, .handled = [this, informer] {
                                       return events_.Handled(*informer);
                                     }});
    }
  }
}

void Sources::AddTo(runtime::HealthChecks& readyz) const {
  if (referenced_ != nullptr) {
    readyz.AddNote("referenced-secrets", [this] { return referenced_->Note(); });
  }
  for (const SourceCache* cache : Caches()) {
    const std::string name = "caches-" + cache->type().gvr.resource;
    // Without the label's cache a ConfigMap costs a call; without the kind there are none.
    const bool optional = cache == config_maps_.get();
    readyz.AddNote(name, [cache, optional] {
      const auto synced = cache->CheckSynced();
      if (synced) return cache->WhyBehind();
      return optional || cache->NotServed() ? synced.error().message : std::string();
    });
    if (optional) continue;
    readyz.Add(name, [cache]() -> Expected<void> {
      if (cache->NotServed()) return {};
      return cache->CheckSynced();
    });
  }
}

}  // namespace controllers::cainjector
