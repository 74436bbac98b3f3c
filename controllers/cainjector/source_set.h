// SPDX-License-Identifier: Apache-2.0
// SourceSet is the sources of CA certificates in order of precedence, and the events of their
// changes.
//
// In the manager each kind of source object has an InformerView, which holds metadata only. Its
// handler is shared by all Controllers: it finds the targets that refer to a changed object and
// queues them. The Injector of such a target calls a Source. The Source's CaCertLoader reads the
// metadata through a Resolver (the informers, or else a request), and loads the certificates once
// for each version. In `capstan` there are no informers, and every read is a request.
//
// As a Runnable of the leader it polls for changes without an event: of files with CAs, and of
// Secrets that no target refers to any more. Set it up before anything starts. Then it is
// thread-safe, with informers. Mirrors the sources and watches in cert-manager's
// pkg/controller/cainjector/setup.go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/cache/informer_view.h"
#include "capstan/controller.h"
#include "capstan/health.h"
#include "capstan/metrics/metrics.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/sources/informers.h"
#include "controllers/cainjector/sources/referenced_secrets.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/sources/system_source.h"
#include "controllers/cainjector/sources/trust_bundle_source.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {

// Returns the keys of the targets that have one of these references.
std::vector<Request> Referring(const cache::StoreReader& targets,
                               const std::vector<Reference>& references);

class SourceSet final : public Runnable {
 public:
  // Reads every object by a request, for a program that runs once. For one thread. It does not know
  // the limits of the process that injects: its RBAC and its flags. An object that the user may not
  // read is Forbidden. The CA of the API server is that of pods, as in a manager in the cluster.
  // `client` outlives it.
  SourceSet(rest::Client& client, const CaInjectorOptions& options);

  // All outlive the SourceSet.
  struct Collaborators {
    rest::Client& client;
    cache::SharedInformerFactory& informers;
    metrics::Metrics& metrics;
  };
  // Reads and watches informers.
  SourceSet(const Collaborators& with, const CaInjectorOptions& options);

  // In order of precedence.
  const std::vector<Source*>& all() const { return all_; }

  // Makes `controller` reconcile the objects of `targets` that refer to a source that has changed.
  // It starts when the caches are synced, or cannot be. `targets` is the cache of one kind of
  // target. It outlives this, and has an index with the name of each of InjectAnnotations(), by
  // ReferencedObjects.
  void Watch(Controller& controller, const cache::StoreReader& targets);
  // Adds a check for each cache, or a note for a cache that is optional.
  void AddTo(HealthChecks& readyz) const;
  // Returns nullopt if no target uses them.
  std::optional<SystemSource::Summary> SystemCas() const { return system_.Summarize(); }

  Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "source-events"; }

 private:
  using References = std::vector<Reference>;
  using View = std::unique_ptr<cache::InformerView>;
  // WatchedKind is one kind of source object that is watched.
  struct WatchedKind {
    const cache::InformerView& view;
    CacheCheck::Needed needed;
    // Returns what the annotations of targets contain when they refer to the object.
    std::function<References(const runtime::Object& object)> references;
    const cache::InformerView* other_version = nullptr;  // one of the two is enough
    std::vector<std::unique_ptr<SharedHandler>> handlers = {};
  };
  void AddSources(FindTrustBundles trust_bundles);
  void Add(std::unique_ptr<Source> source);
  void AddWatches();
  void AddWatch(WatchedKind kind);
  std::unique_ptr<resolver::Resolver> NewSecretResolver(const Collaborators& with);
  // Returns the references to a Secret, also those by its Certificates.
  References ReferencesToSecret(std::string_view key) const;
  // Reports whether a target has one of these references.
  bool AnyTargetHas(const References& references) const;
  bool IsReferenced(std::string_view secret) const;
  void Poll();

  const CaInjectorOptions options_;
  std::vector<const cache::StoreReader*> targets_;
  // Null without informers, when the kind is disabled, and for Secrets that are watched one by one.
  const View secrets_;
  const View certificates_;
  const View config_maps_;
  const View trust_bundles_v1_;  // an API server serves one of the two versions
  const View trust_bundles_v1beta1_;
  std::vector<WatchedKind> watched_;
  Channel secret_changes_;
  Channel api_server_changes_;
  Channel system_changes_;

  const std::unique_ptr<metrics::Metrics::Counter> resolutions_;
  std::unique_ptr<metrics::Metrics::Gauge> referenced_gauge_;
  ReferencedSecrets* referenced_ = nullptr;  // is secret_resolver_; null unless kReferenced
  const std::unique_ptr<resolver::Resolver> secret_resolver_;
  const std::unique_ptr<resolver::Resolver> certificate_resolver_;
  const std::unique_ptr<resolver::Resolver> config_map_resolver_;
  CaCertLoader secret_loader_;
  CaCertLoader config_map_loader_;
  const std::unique_ptr<Source> api_server_;
  SystemSource system_;
  std::vector<std::unique_ptr<Source>> owned_;
  std::vector<Source*> all_;
};

}  // namespace capstan::cainjector
