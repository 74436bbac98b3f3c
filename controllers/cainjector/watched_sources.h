// SPDX-License-Identifier: Apache-2.0
// WatchedSources is the caches that the manager reads sources from, and the events of their
// changes.
//
// Each informer of a source has one handler for all Controllers. As a Runnable of the leader it
// polls for changes without an event: of files with CAs, and of Secrets that no target refers to
// any more. Set it up before anything starts. Then it is thread-safe.
//
// Mirrors the watches in cert-manager's pkg/controller/cainjector/setup.go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/controller.h"
#include "capstan/health.h"
#include "capstan/metrics/metrics.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/source_registry.h"
#include "controllers/cainjector/sources/api_server_source.h"
#include "controllers/cainjector/sources/object_reader.h"
#include "controllers/cainjector/sources/referenced_secrets.h"
#include "controllers/cainjector/sources/system_source.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {

// Returns the keys of the targets that have one of these references.
std::vector<Request> Referring(const cache::StoreReader& targets,
                               const std::vector<Reference>& references);

class WatchedSources final : public Runnable {
 public:
  // All outlive the WatchedSources.
  struct Collaborators {
    rest::Client& client;
    cache::SharedInformerFactory& informers;
    metrics::Metrics& metrics;
  };
  // Each of `targets` is the cache of one kind of target. It outlives this, and has an index with
  // the name of each of InjectAnnotations(), by ReferencedObjects.
  WatchedSources(const Collaborators& with, const CaInjectorOptions& options,
                 std::vector<const cache::StoreReader*> targets);

  // Returns the readers of the caches. Call it once. They outlive Start.
  SourceReaders NewReaders();
  // Makes `controller` reconcile the objects of `targets` that refer to a source that has changed.
  // It starts when the caches are synced, or cannot be.
  void Watch(Controller& controller, const cache::StoreReader& targets);
  // Adds a check for each cache, or a note for a cache that is optional.
  void AddTo(HealthChecks& readyz) const;
  // Thread-safe. Returns nullopt if no target uses them.
  std::optional<SystemSource::Summary> SystemCas() const { return system_->Summarize(); }

  Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "source-events"; }

 private:
  using References = std::vector<Reference>;
  // Kind is one kind of source object that is watched.
  struct Kind {
    const InformerSet& cache;
    bool optional;  // the injector is ready without the cache
    // Returns what the annotations of targets contain when they refer to the object.
    std::function<References(const runtime::Object& object)> references;
    const InformerSet* other_version = nullptr;  // one of the two is enough
    std::vector<std::unique_ptr<SharedHandler>> handlers = {};
  };
  void AddKind(Kind kind);
  std::unique_ptr<ObjectReader> NewSecretReader();
  // Returns a reader that reads an object from `caches`, or else from the API server.
  std::unique_ptr<ObjectReader> NewCachedOrLiveReader(const InformerSet& caches) const;
  // Returns the references to a Secret, also those by its Certificates.
  References ReferencesToSecret(std::string_view key) const;
  // Reports whether a target has one of these references.
  bool AnyTargetHas(const References& references) const;
  bool IsReferenced(std::string_view secret) const;
  void Poll();

  const Collaborators with_;
  const CaInjectorOptions options_;
  const std::vector<const cache::StoreReader*> targets_;
  const std::unique_ptr<metrics::Metrics::Counter> resolutions_;
  // Without informers when the kind is disabled, and Secrets also when they are watched one by one.
  InformerSet secrets_;
  InformerSet certificates_;
  InformerSet config_maps_;
  InformerSet trust_bundles_v1_;  // an API server serves one of the two versions
  InformerSet trust_bundles_v1beta1_;
  std::vector<Kind> kinds_;
  Channel secret_changes_;
  Channel api_server_changes_;
  Channel system_changes_;
  // Owned by the readers.
  ApiServerSource* api_server_ = nullptr;
  SystemSource* system_ = nullptr;
  CaCertLoader* secret_loader_ = nullptr;
  CaCertLoader* config_map_loader_ = nullptr;
  ReferencedSecrets* referenced_ = nullptr;  // null unless SecretCaching::kReferenced
  std::unique_ptr<metrics::Metrics::Gauge> referenced_gauge_;
};

}  // namespace capstan::cainjector
