// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources.h"

#include <chrono>
#include <utility>

#include "clientgo/api/certificate.h"
#include "clientgo/api/config_map.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/api_server_source.h"
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
// Of a file as small as a CA: cheap, and soon enough for a CA that is replaced.
constexpr std::chrono::seconds kReloadPeriod(10);

NamespaceScope ScopeOf(const CaInjectorOptions& options) {
  return {.namespaces = options.namespaces, .ignored = options.ignore_namespaces};
}

}  // namespace

Sources::Sources(const Collaborators& with, const CaInjectorOptions& options, OnChange on_change)
    : on_change_(std::move(on_change)),
      events_(options.clock),
      contents_(with.client, {.keep_text = !options.merge_bundles}),
      resolutions_(resolver::NewResolverCounter(with.metrics)) {
  AddSecrets(with, options);
  AddCertificates(with, options);
  AddConfigMaps(with, options);
  AddApiServer(with, options);
}

Source& Sources::Add(std::unique_ptr<Source> source) {
  owned_.push_back(std::move(source));
  all_.push_back(owned_.back().get());
  return *owned_.back();
}

void Sources::AddSecrets(const Collaborators& with, const CaInjectorOptions& options) {
  const NamespaceScope scope = ScopeOf(options);
  secrets_ = std::make_unique<SourceCache>(with.informers, SecretMetadataType(), scope.Watches(),
                                           options.clock);
  secret_source_ = &Add(std::make_unique<SecretSource>(
      contents_, *secrets_,
      SourceOptions{.scope = scope, .available = [this] { return secrets_->Available(); }}));
  Watch(*secrets_, [this](const Object& secret) { SecretChanged(secret); });
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
  const auto available = [this]() -> Expected<void> {
    if (auto there = certificates_->Available(); !there) return there;
    return secrets_->Available();
  };
  certificate_source_ = &Add(std::make_unique<CertificateSource>(
      contents_, *certificates_, *secrets_, SourceOptions{.scope = scope, .available = available}));
  Watch(*certificates_,
        [this](const Object& certificate) { on_change_(*certificate_source_, certificate.key()); });
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
        [this, &source](const Object& config_map) { on_change_(source, config_map.key()); });
}

void Sources::AddApiServer(const Collaborators& with, const CaInjectorOptions& options) {
  auto made = std::make_unique<ApiServerSource>(with.client.config().tls, !options.merge_bundles);
  ApiServerSource& source = *made;
  Add(std::move(made));
  events_.Poll(kReloadPeriod, [this, &source] {
    if (source.Reload()) on_change_(source, *source.Reference("true"));
  });
}

void Sources::Watch(const SourceCache& cache, const SourceEvents::OnChange& on_change) {
  for (SharedInformer* informer : cache.informers()) events_.Watch(*informer, on_change);
}

// For every Secret of the cluster that changes, whether anybody cares or not: index lookups only.
void Sources::SecretChanged(const Object& secret) {
  bool wanted = on_change_(*secret_source_, secret.key());
  if (certificates_ != nullptr) {
    for (const auto& certificate : certificates_->ByIndex(kBySecret, secret.key())) {
      wanted |= on_change_(*certificate_source_, certificate->key());
    }
  }
  if (!wanted) contents_.Forget(secret.key());
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
