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
  // What a source's object, named by its Reference, changes; false: nobody refers to it.
  using OnChange = std::function<bool(const Source& source, std::string_view reference)>;
  Sources(const Collaborators& with, const CaInjectorOptions& options, OnChange on_change);

  const std::vector<Source*>& all() const { return all_; }
  // The controller's reconciler reads the caches: it starts when they are there, or cannot be.
  void AddTo(runtime::Controller& controller);
  // Whether each cache is there: a failed check, or a note where nothing is wrong without it.
  void AddTo(runtime::HealthChecks& readyz) const;
  runtime::Runnable& events() { return events_; }

 private:
  Source& Add(std::unique_ptr<Source> source);
  std::vector<const SourceCache*> Caches() const;
  void AddSecrets(const Collaborators& with, const CaInjectorOptions& options);
  void AddCertificates(const Collaborators& with, const CaInjectorOptions& options);
  void AddConfigMaps(const Collaborators& with, const CaInjectorOptions& options);
  void AddApiServer(const Collaborators& with, const CaInjectorOptions& options);
  void Watch(const SourceCache& cache, const SourceEvents::OnChange& on_change);
  void SecretChanged(const clientgo::runtime::Object& secret);

  const OnChange on_change_;
  SourceEvents events_;
  SecretContents contents_;
  std::unique_ptr<metrics::Metrics::Counter> resolutions_;
  // Null when disabled, except for the Secrets.
  std::unique_ptr<SourceCache> secrets_;
  std::unique_ptr<SourceCache> certificates_;
  std::unique_ptr<SourceCache> config_maps_;
  std::vector<std::unique_ptr<Source>> owned_;
  std::vector<Source*> all_;
  const Source* secret_source_ = nullptr;
  const Source* certificate_source_ = nullptr;
};

}  // namespace controllers::cainjector
