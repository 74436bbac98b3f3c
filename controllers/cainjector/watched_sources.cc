// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/watched_sources.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/api/trust_bundle.h"
#include "controllers/cainjector/rules/source_list.h"
#include "controllers/cainjector/sources/config_map_source.h"

namespace capstan::cainjector {
namespace {

// cert-manager gives this label to the Secrets that it creates or is configured to watch.
constexpr const char* kCachedSecrets = "controller.cert-manager.io/fao=true";
// The index of Certificates by the name of their Secret.
constexpr const char* kBySecret = "spec.secretName";
constexpr std::chrono::seconds kPollPeriod(10);

std::vector<cache::Scope> SecretScopes(const CaInjectorOptions& options) {
  if (options.secret_caching == SecretCaching::kReferenced) return {};
  const bool labelled = options.secret_caching == SecretCaching::kLabelled;
  return options.scope().Watches(labelled ? kCachedSecrets : "");
}

std::vector<cache::Scope> If(bool enabled, std::vector<cache::Scope> scopes) {
  return enabled ? std::move(scopes) : std::vector<cache::Scope>();
}

// Returns the references by its name and by its signer.
std::vector<Reference> ReferencesToTrustBundle(const runtime::Object& object) {
  std::vector<Reference> references = ReferencesTo(kInjectCaFromTrustBundle, object.key());
  const auto& bundle = static_cast<const ClusterTrustBundle&>(object);
  for (Reference& reference : ReferencesTo(kInjectCaFromTrustBundle, bundle.signer_name())) {
    references.push_back(std::move(reference));
  }
  return references;
}

}  // namespace

std::vector<Request> Referring(const cache::StoreReader& targets,
                               const std::vector<Reference>& references) {
  std::vector<Request> requests;
  for (const auto& [annotation, object] : references) {
    for (const auto& target : targets.ByIndex(annotation, object)) {
      requests.push_back(Request::Parse(target->key()));
    }
  }
  return requests;
}

WatchedSources::WatchedSources(const Collaborators& with, const CaInjectorOptions& options,
                               std::vector<const cache::StoreReader*> targets)
    : with_(with),
      options_(options),
      targets_(std::move(targets)),
      resolutions_(resolver::NewResolverCounter(with.metrics)),
      secrets_(with.informers, SecretMetadataType(), SecretScopes(options), options.clock),
      certificates_(with.informers, CertManagerCertificate::Type(),
                    If(options.certificates, options.scope().Watches()), options.clock),
      config_maps_(with.informers, ConfigMapMetadataType(),
                   If(options.config_maps, options.scope().Watches(kCachedConfigMaps)),
                   options.clock),
      trust_bundles_v1_(with.informers, ClusterTrustBundle::TypeV1(),
                        If(options.cluster_trust_bundles, {{}}), options.clock),
      trust_bundles_v1beta1_(with.informers, ClusterTrustBundle::TypeV1Beta1(),
                             If(options.cluster_trust_bundles, {{}}), options.clock) {
  certificates_.AddIndex(kBySecret, [](const runtime::Object& object) -> std::vector<std::string> {
    return {static_cast<const CertManagerCertificate&>(object).Secret().String()};
  });
  AddKind(
      {.cache = secrets_, .optional = false, .references = [this](const runtime::Object& secret) {
         return ReferencesToSecret(secret.key());
       }});
  AddKind(
      {.cache = certificates_, .optional = false, .references = [](const runtime::Object& object) {
         return ReferencesTo(kInjectCaFrom, object.key());
       }});
  // A ConfigMap that is in no cache is read by a request.
  AddKind(
      {.cache = config_maps_, .optional = true, .references = [](const runtime::Object& object) {
         return ReferencesTo(kInjectCaFromConfigMap, object.key());
       }});
  StoreTrustBundles::AddIndex(trust_bundles_v1_);
  StoreTrustBundles::AddIndex(trust_bundles_v1beta1_);
  AddKind({.cache = trust_bundles_v1_,
           .optional = false,
           .references = ReferencesToTrustBundle,
           .other_version = &trust_bundles_v1beta1_});
  AddKind({.cache = trust_bundles_v1beta1_,
           .optional = false,
           .references = ReferencesToTrustBundle,
           .other_version = &trust_bundles_v1_});
}

// Most sources concern no target. Their changes are not queued. A target that gets its reference
// later reads the changed source: the predicate runs after the source's store has changed, and the
// target's own event comes after the target's store has.
void WatchedSources::AddKind(Kind kind) {
  const auto concerns_target = [this, references = kind.references](const cache::Change& change) {
    const auto& object = change.new_object ? change.new_object : change.old_object;
    return AnyTargetHas(references(*object));
  };
  for (cache::SharedInformer* informer : kind.cache.informers()) {
    kind.handlers.push_back(std::make_unique<SharedHandler>(*informer, concerns_target));
  }
  if (!kind.handlers.empty()) kinds_.push_back(std::move(kind));
}

SourceReaders WatchedSources::NewReaders() {
  auto api_server = std::make_unique<ApiServerSource>(with_.client.config().tls);
  auto secret_loader = std::make_unique<CaCertLoader>(with_.client, CaCertLoaderOptions{});
  auto config_map_loader = std::make_unique<CaCertLoader>(
      with_.client, CaCertLoaderOptions{.kind = CaCertLoaderOptions::Kind::kConfigMap});
  auto system = std::make_unique<SystemSource>(options_.system_ca_file);
  api_server_ = api_server.get();
  system_ = system.get();
  secret_loader_ = secret_loader.get();
  config_map_loader_ = config_map_loader.get();
  return {.secret_loader = std::move(secret_loader),
          .config_map_loader = std::move(config_map_loader),
          .secrets = NewSecretReader(),
          .certificates = std::make_unique<StoreObjectReader>(certificates_),
          .config_maps = NewCachedOrLiveReader(config_maps_),
          .api_server = std::move(api_server),
          .trust_bundles =
              std::make_unique<StoreTrustBundles>(trust_bundles_v1_, trust_bundles_v1beta1_),
          .system = std::move(system)};
}

std::unique_ptr<ObjectReader> WatchedSources::NewCachedOrLiveReader(
    const InformerSet& caches) const {
  auto chain = resolver::NewResolverChain(caches.type(), {.client = &with_.client,
                                                          .informers = caches.informers(),
                                                          .filtered = true,
                                                          .counter = resolutions_.get()});
  return std::make_unique<ResolverObjectReader>(
      caches.type().kind, std::move(chain),
      [&caches](std::string_view key) { return caches.GetByKey(key) != nullptr; });
}

std::unique_ptr<ObjectReader> WatchedSources::NewSecretReader() {
  if (options_.secret_caching == SecretCaching::kAll) {
    return std::make_unique<StoreObjectReader>(secrets_);
  }
  if (options_.secret_caching == SecretCaching::kLabelled) return NewCachedOrLiveReader(secrets_);
  auto referenced = std::make_unique<ReferencedSecrets>(
      ReferencedSecrets::Collaborators{
          .informers = with_.informers,
          .live = NewCachedOrLiveReader(secrets_),  // of which none is cached
          .changes = secret_changes_,
          .is_referenced = [this](std::string_view secret) { return IsReferenced(secret); }},
      options_.secret_watches_max);
  referenced_ = referenced.get();
  referenced_gauge_ = with_.metrics.NewGauge(
      "capstan_referenced_secrets",
      "Secrets that targets and Certificates name, by the state of their watch: watched, waiting "
      "(for the first answer), failing, beyond_limit.",
      {"state"});
  return referenced;
}

void WatchedSources::Watch(Controller& controller, const cache::StoreReader& targets) {
  for (const Kind& kind : kinds_) {
    for (const auto& handler : kind.handlers) {
      controller.Watch(*handler,
                       [&targets, references = kind.references](const runtime::Object& object) {
                         return Referring(targets, references(object));
                       },
                       {.optional = true});
    }
  }
  controller.Watch(secret_changes_, [this, &targets](const runtime::Object& secret) {
    return Referring(targets, ReferencesToSecret(secret.key()));
  });
  controller.Watch(api_server_changes_, [&targets](const runtime::Object& /*event*/) {
    return Referring(targets, ReferencesTo(kInjectApiServerCa, "true"));
  });
  controller.Watch(system_changes_, [&targets](const runtime::Object& /*event*/) {
    return Referring(targets, ReferencesTo(kSystemItem, "true"));
  });
}

WatchedSources::References WatchedSources::ReferencesToSecret(std::string_view key) const {
  References references = ReferencesTo(kInjectCaFromSecret, key);
  for (const auto& certificate : certificates_.ByIndex(kBySecret, key)) {
    for (Reference& reference : ReferencesTo(kInjectCaFrom, certificate->key())) {
      references.push_back(std::move(reference));
    }
  }
  return references;
}

bool WatchedSources::AnyTargetHas(const References& references) const {
  return std::any_of(references.begin(), references.end(), [&](const Reference& reference) {
    return std::any_of(targets_.begin(), targets_.end(), [&](const cache::StoreReader* targets) {
      return !targets->ByIndex(reference.annotation, reference.object).empty();
    });
  });
}

bool WatchedSources::IsReferenced(std::string_view secret) const {
  return AnyTargetHas(ReferencesToSecret(secret));
}

Expected<void> WatchedSources::Start(std::stop_token stop) {
  while (options_.clock.SleepFor(stop, kPollPeriod)) Poll();
  return {};
}

void WatchedSources::Poll() {
  if (api_server_->Reload()) api_server_changes_.Send(*runtime::MakeObject<runtime::Object>({}));
  if (!AnyTargetHas(ReferencesTo(kSystemItem, "true"))) {
    system_->Forget();
  } else if (system_->Reload()) {
    system_changes_.Send(*runtime::MakeObject<runtime::Object>({}));
  }
  secret_loader_->DropUnreferenced([this](std::string_view key) { return IsReferenced(key); });
  config_map_loader_->DropUnreferenced([this](std::string_view key) {
    return AnyTargetHas(ReferencesTo(kInjectCaFromConfigMap, key));
  });
  if (referenced_ == nullptr) return;
  referenced_->Sweep();
  const ReferencedSecrets::Summary summary = referenced_->Summarize();
  referenced_gauge_->Set({"watched"}, static_cast<double>(summary.watched));
  referenced_gauge_->Set({"waiting"}, static_cast<double>(summary.waiting));
  referenced_gauge_->Set({"failing"}, static_cast<double>(summary.failing));
  referenced_gauge_->Set({"beyond_limit"}, static_cast<double>(summary.beyond_limit));
}

void WatchedSources::AddTo(HealthChecks& readyz) const {
  if (referenced_ != nullptr) {
    readyz.AddNote("referenced-secrets", [this] { return referenced_->Note(); });
  }
  for (const Kind& kind : kinds_) {
    const auto& gvr = kind.cache.type().gvr;
    const std::string name =
        "caches-" + gvr.resource + (gvr.version == "v1" ? "" : "-" + gvr.version);
    const auto is_replaced = [&kind] {
      return kind.other_version != nullptr && kind.other_version->Available();
    };
    readyz.AddNote(name, [&kind, is_replaced] {
      if (is_replaced()) return std::string();
      const auto synced = kind.cache.CheckSynced();
      if (synced) return kind.cache.WhyBehind();
      return kind.optional || kind.cache.NotServed() ? synced.error().message : std::string();
    });
    if (kind.optional) continue;
    readyz.Add(name, [&kind, is_replaced]() -> Expected<void> {
      // Without the kind there are no such sources.
      if (kind.cache.NotServed() || is_replaced()) return {};
      return kind.cache.CheckSynced();
    });
  }
}

}  // namespace capstan::cainjector
