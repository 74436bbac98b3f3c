// SPDX-License-Identifier: Apache-2.0
// Sources: every source of CA certificates in order of precedence, the caches they read, and the
// news of their changes. Put together once, before anything starts; then thread-safe.
// Mirrors the second half of setup.go in cert-manager's pkg/controller/cainjector.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/rest/client.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/sources/api_server_source.h"
#include "controllers/cainjector/sources/referenced_secrets.h"
#include "controllers/cainjector/sources/secret_cache.h"
#include "controllers/cainjector/sources/secret_contents.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/sources/source_cache.h"
#include "controllers/cainjector/sources/source_events.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/health.h"
#include "metrics/metrics.h"

namespace controllers::cainjector {

class Sources {
 public:
  // All outlive the Sources.
  struct Collaborators {
    clientgo::rest::Client& client;
    clientgo::cache::SharedInformerFactory& informers;
    metrics::Metrics& metrics;
  };
  // The targets that refer to a source's object, named by its Reference. True: there are some.
  struct Targets {
    using OfSource = std::function<bool(const Source& source, std::string_view reference)>;
    OfSource enqueue;   // the object has changed
    OfSource is_there;  // only asked
  };
  Sources(const Collaborators& with, const CaInjectorOptions& options, Targets targets);

  const std::vector<Source*>& all() const { return all_; }
  // The controller's reconciler reads the caches: it starts when they are there, or cannot be.
  void AddTo(runtime::Controller& controller);
  // Whether each cache is there: a failed check, or a note where nothing is wrong without it.
  void AddTo(runtime::HealthChecks& readyz) const;
  runtime::Runnable& events() { return events_; }

 private:
  Source& Add(std::unique_ptr<Source> source);
  std::vector<const SourceCache*> Caches() const;
  std::unique_ptr<SecretCache> NewSecretCache(const Collaborators& with,
                                              const CaInjectorOptions& options);
  void AddSecrets(const Collaborators& with, const CaInjectorOptions& options);
  void AddCertificates(const Collaborators& with, const CaInjectorOptions& options);
  void AddConfigMaps(const Collaborators& with, const CaInjectorOptions& options);
  void AddApiServer(const Collaborators& with, const CaInjectorOptions& options);
  void Watch(const SourceCache& cache, const SourceEvents::OnChange& on_change);
  // `ask` of all that refers to the Secret "namespace/name", by itself or by its Certificate.
  bool AnyOf(const Targets::OfSource& ask, std::string_view secret) const;
  void SecretChanged(std::string_view secret);
  void Look();

  const Targets targets_;
  SourceEvents events_;
  SecretContents contents_;
  std::unique_ptr<metrics::Metrics::Counter> resolutions_;
  // Null when disabled, or watched one by one.
  std::unique_ptr<SourceCache> secrets_;
  std::unique_ptr<SourceCache> certificates_;
  std::unique_ptr<SourceCache> config_maps_;
  std::unique_ptr<SecretCache> secret_cache_;  // all that is known of Secrets
  ReferencedSecrets* referenced_ = nullptr;    // it, if it is one
  std::unique_ptr<metrics::Metrics::Gauge> referenced_gauge_;
  ApiServerSource* api_server_source_ = nullptr;
  std::vector<std::unique_ptr<Source>> owned_;
  std::vector<Source*> all_;
  const Source* secret_source_ = nullptr;
  const Source* certificate_source_ = nullptr;
};

}  // namespace controllers::cainjector
