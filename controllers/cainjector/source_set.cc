// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/source_set.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/api/trust_bundle.h"
#include "controllers/cainjector/rules/source_list.h"
#include "controllers/cainjector/sources/api_server_source.h"
#include "controllers/cainjector/sources/config_map_source.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/sources/union_source.h"

namespace capstan::cainjector {
namespace {

// cert-manager gives this label to the Secrets that it creates or is configured to watch.
constexpr const char* kCachedSecrets = "controller.cert-manager.io/fao=true";
// The index of Certificates by the name of their Secret.
constexpr const char* kBySecret = "spec.secretName";
constexpr std::chrono::seconds kPollPeriod(10);
constexpr CaCertLoaderOptions kConfigMaps = {.kind = CaCertLoaderOptions::Kind::kConfigMap};

std::vector<cache::Scope> SecretScopes(const CaInjectorOptions& options) {
  if (options.secret_caching == SecretCaching::kReferenced) return {};
  const bool labelled = options.secret_caching == SecretCaching::kLabelled;
  return options.scope().Watches(labelled ? kCachedSecrets : "");
}

std::vector<cache::Scope> If(bool enabled, std::vector<cache::Scope> scopes) {
  return enabled ? std::move(scopes) : std::vector<cache::Scope>();
}

std::vector<cache::SharedInformer*> InformersOf(const cache::InformerView* view) {
  return view == nullptr ? std::vector<cache::SharedInformer*>() : view->informers();
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

// LiveCertificates distinguishes a missing Certificate from a cluster without the kind.
class LiveCertificates final : public resolver::Resolver {
 public:
  explicit LiveCertificates(rest::Client& client) : client_(client) {}

  resolver::Resolution Get(std::stop_token stop, const runtime::ObjectKey& key) override {
    auto found = client_.Get(stop, CertManagerCertificate::Type(), key);
    if (found) return {.object = *std::move(found)};
    Error error = std::move(found.error());
    if (IsNotFound(error)) {
      const auto listed = client_.List(stop, CertManagerCertificate::Type(),
                                       {.namespace_ = key.namespace_, .limit = 1},
                                       [](const runtime::ObjectPtr&) {});
      if (listed) return {.object = Err(std::move(error))};
      error = listed.error();
      if (IsNotFound(error)) error.reason = ErrorReason::kNoMatch;  // the kind is not served
    }
    return {.object = Err(error.Wrap("Certificates cannot be read"))};
  }

 private:
  rest::Client& client_;
};

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

SourceSet::SourceSet(rest::Client& client, const CaInjectorOptions& options)
    : options_(options),
      secret_resolver_(resolver::NewResolver(SecretMetadataType(), {.client = &client})),
      certificate_resolver_(std::make_unique<LiveCertificates>(client)),
      config_map_resolver_(resolver::NewResolver(ConfigMapMetadataType(), {.client = &client})),
      secret_loader_(client, *secret_resolver_),
      config_map_loader_(client, *config_map_resolver_, kConfigMaps),
      api_server_(std::make_unique<ClusterApiServerSource>(client)),
      system_(options.system_ca_file) {
  AddSources(LiveTrustBundles(client));
}

SourceSet::SourceSet(const Collaborators& with, const CaInjectorOptions& options)
    : options_(options),
      secrets_(NewView(with.informers, SecretMetadataType(), SecretScopes(options))),
      certificates_(NewView(with.informers, CertManagerCertificate::Type(),
                            If(options.certificates, options.scope().Watches()))),
      config_maps_(NewView(with.informers, ConfigMapMetadataType(),
                           If(options.config_maps, options.scope().Watches(kCachedConfigMaps)))),
      trust_bundles_v1_(NewView(with.informers, ClusterTrustBundle::TypeV1(),
                                If(options.cluster_trust_bundles, {{}}))),
      trust_bundles_v1beta1_(NewView(with.informers, ClusterTrustBundle::TypeV1Beta1(),
                                     If(options.cluster_trust_bundles, {{}}))),
      resolutions_(resolver::NewResolverCounter(with.metrics)),
      secret_resolver_(NewSecretResolver(with)),
      certificate_resolver_(resolver::NewResolver(CertManagerCertificate::Type(),
                                                  {.informers = InformersOf(certificates_.get())})),
      config_map_resolver_(resolver::NewResolver(ConfigMapMetadataType(),
                                                 {.client = &with.client,
                                                  .informers = InformersOf(config_maps_.get()),
                                                  .filtered = true,
                                                  .counter = resolutions_.get()})),
      secret_loader_(with.client, *secret_resolver_),
      config_map_loader_(with.client, *config_map_resolver_, kConfigMaps),
      api_server_(std::make_unique<ApiServerSource>(with.client.config().tls)),
      system_(options.system_ca_file) {
  AddWatches();
  AddSources(options.cluster_trust_bundles
                 ? CachedTrustBundles(*trust_bundles_v1_, *trust_bundles_v1beta1_)
                 : FindTrustBundles());
}

std::unique_ptr<resolver::Resolver> SourceSet::NewSecretResolver(const Collaborators& with) {
  const bool all = options_.secret_caching == SecretCaching::kAll;
  auto secrets =
      resolver::NewResolver(SecretMetadataType(), {.client = all ? nullptr : &with.client,
                                                   .informers = InformersOf(secrets_.get()),
                                                   .filtered = !all,
                                                   .counter = all ? nullptr : resolutions_.get()});
  if (options_.secret_caching != SecretCaching::kReferenced) return secrets;
  auto referenced = std::make_unique<ReferencedSecrets>(
      ReferencedSecrets::Collaborators{
          .informers = with.informers,
          .live = std::move(secrets),  // there are no informers
          .changes = secret_changes_,
          .is_referenced = [this](std::string_view secret) { return IsReferenced(secret); }},
      options_.secret_watches_max);
  referenced_ = referenced.get();
  referenced_gauge_ = with.metrics.NewGauge(
      "capstan_referenced_secrets",
      "Secrets that targets and Certificates name, by the state of their watch: watched, waiting "
      "(for the first answer), failing, beyond_limit.",
      {"state"});
  return referenced;
}

// A disabled source keeps its place in the order.
void SourceSet::AddSources(FindTrustBundles trust_bundles) {
  const SourceOptions common = {.scope = options_.scope(),
                                .shared_namespaces = options_.shared_source_namespaces};
  Add(std::make_unique<SecretSource>(secret_loader_, common));
  if (options_.certificates) {
    Add(std::make_unique<CertificateSource>(*certificate_resolver_, secret_loader_, common));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFrom, "Certificate",
                                         "--enable-certificates-data-source=false"));
  }
  if (options_.config_maps) {
    Add(std::make_unique<ConfigMapSource>(config_map_loader_, common));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFromConfigMap, "ConfigMap",
                                         "feature gate ConfigMapSource"));
  }
  all_.push_back(api_server_.get());
  if (options_.cluster_trust_bundles) {
    Add(std::make_unique<TrustBundleSource>(std::move(trust_bundles)));
  } else {
    Add(std::make_unique<DisabledSource>(kInjectCaFromTrustBundle, "ClusterTrustBundle",
                                         "feature gate ClusterTrustBundleSource"));
  }
  std::vector<Source*> listed = all_;
  listed.push_back(&system_);
  Add(std::make_unique<UnionSource>(std::move(listed),
                                    UnionOptions{.keep_expired = !options_.merge_bundles,
                                                 .distrust = options_.distrust,
                                                 .clock = options_.clock}));
}

void SourceSet::Add(std::unique_ptr<Source> source) {
  all_.push_back(source.get());
  owned_.push_back(std::move(source));
}

void SourceSet::AddWatches() {
  using Needed = CacheCheck::Needed;
  if (secrets_) {
    AddWatch({.view = *secrets_,
              .needed = Needed::kIfServed,
              .references = [this](const runtime::Object& secret) {
                return ReferencesToSecret(secret.key());
              }});
  }
  if (certificates_) {
    MustAddIndex(*certificates_, kBySecret,
                 [](const runtime::Object& object) -> std::vector<std::string> {
                   return {static_cast<const CertManagerCertificate&>(object).Secret().String()};
                 });
    AddWatch({.view = *certificates_,
              .needed = Needed::kIfServed,
              .references = [](const runtime::Object& object) {
                return ReferencesTo(kInjectCaFrom, object.key());
              }});
  }
  if (config_maps_) {
    // A ConfigMap that is in no cache is read by a request.
    AddWatch({.view = *config_maps_,
              .needed = Needed::kNever,
              .references = [](const runtime::Object& object) {
                return ReferencesTo(kInjectCaFromConfigMap, object.key());
              }});
  }
  if (!trust_bundles_v1_) return;
  for (const auto& [view, other] :
       {std::pair(trust_bundles_v1_.get(), trust_bundles_v1beta1_.get()),
        std::pair(trust_bundles_v1beta1_.get(), trust_bundles_v1_.get())}) {
    AddSignerIndex(*view);
    AddWatch({.view = *view,
              .needed = Needed::kIfServed,
              .references = ReferencesToTrustBundle,
              .other_version = other});
  }
}

// Most sources concern no target. Their changes are not queued. A target that gets its reference
// later reads the changed source: the predicate runs after the source's store has changed, and the
// target's own event comes after the target's store has.
void SourceSet::AddWatch(WatchedKind kind) {
  const auto concerns_target = [this, references = kind.references](const cache::Change& change) {
    const auto& object = change.new_object ? change.new_object : change.old_object;
    return AnyTargetHas(references(*object));
  };
  for (cache::SharedInformer* informer : kind.view.informers()) {
    kind.handlers.push_back(std::make_unique<SharedHandler>(*informer, concerns_target));
  }
  watched_.push_back(std::move(kind));
}

void SourceSet::Watch(Controller& controller, const cache::StoreReader& targets) {
  targets_.push_back(&targets);
  for (const WatchedKind& kind : watched_) {
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

SourceSet::References SourceSet::ReferencesToSecret(std::string_view key) const {
  References references = ReferencesTo(kInjectCaFromSecret, key);
  if (!certificates_) return references;
  for (const auto& certificate : certificates_->store().ByIndex(kBySecret, key)) {
    for (Reference& reference : ReferencesTo(kInjectCaFrom, certificate->key())) {
      references.push_back(std::move(reference));
    }
  }
  return references;
}

bool SourceSet::AnyTargetHas(const References& references) const {
  return std::any_of(references.begin(), references.end(), [&](const Reference& reference) {
    return std::any_of(targets_.begin(), targets_.end(), [&](const cache::StoreReader* targets) {
      return !targets->ByIndex(reference.annotation, reference.object).empty();
    });
  });
}

bool SourceSet::IsReferenced(std::string_view secret) const {
  return AnyTargetHas(ReferencesToSecret(secret));
}

Expected<void> SourceSet::Start(std::stop_token stop) {
  while (options_.clock.SleepFor(stop, kPollPeriod)) Poll();
  return {};
}

void SourceSet::Poll() {
  if (api_server_->Reload()) api_server_changes_.Send(*runtime::MakeObject<runtime::Object>({}));
  if (!AnyTargetHas(ReferencesTo(kSystemItem, "true"))) {
    system_.Forget();
  } else if (system_.Reload()) {
    system_changes_.Send(*runtime::MakeObject<runtime::Object>({}));
  }
  secret_loader_.DropUnreferenced([this](std::string_view key) { return IsReferenced(key); });
  config_map_loader_.DropUnreferenced([this](std::string_view key) {
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

void SourceSet::AddTo(HealthChecks& readyz) const {
  if (referenced_ != nullptr) {
    readyz.AddNote("referenced-secrets", [this] { return referenced_->Note(); });
  }
  for (const WatchedKind& kind : watched_) {
    const auto& gvr = kind.view.type().gvr;
    AddCacheCheck(
        readyz, kind.view,
        {.name = "caches-" + gvr.resource + (gvr.version == "v1" ? "" : "-" + gvr.version),
         .needed = kind.needed,
         .other_version = kind.other_version},
        options_.clock);
  }
}

}  // namespace capstan::cainjector
