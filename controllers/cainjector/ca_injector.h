// SPDX-License-Identifier: Apache-2.0
// CaInjector assembles the sources, targets, caches and controllers of CA injection. A program adds
// it to its Manager, and uses nothing else of this folder.
//
// Set it up before Start, from one thread. Mirrors RegisterAllInjectors in cert-manager's
// pkg/controller/cainjector/setup.go.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/cache/informer_view.h"
#include "capstan/controller.h"
#include "capstan/manager.h"
#include "capstan/metrics/metrics.h"
#include "capstan/record/event_recorder.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/endpoints/endpoint_verifier.h"
#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/reporter.h"
#include "controllers/cainjector/source_set.h"
#include "controllers/cainjector/targets/schema_check.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cainjector {

class CaInjector {
 public:
  // All outlive the CaInjector.
  struct Collaborators {
    rest::Client& client;
    cache::SharedInformerFactory& informers;
    record::EventRecorder& events;
    metrics::Metrics& metrics;
  };
  CaInjector(const Collaborators& with, CaInjectorOptions options);

  // Checks the fields of additional targets against their schemas. The error, kInvalidArgument, is
  // one line about the configuration. What cannot be checked now, because the kind is not served or
  // the API server does not answer, is logged, and checked before the first write. Sends no request
  // without additional targets.
  Expected<void> CheckTargets(const std::stop_token& stop);
  // Adds the controllers, which run on the leader, and the readyz checks: one for each cache, and
  // one for the first injection pass, which does not apply to a standby.
  void AddTo(Manager& manager);

  struct TargetStatus {
    TargetOutcome outcome = {};
    std::string source = {};                           // "Secret ns/ca"
    CertificateTime expires = CertificateTime::max();  // of the target's bundle; max: unknown
  };
  // Returns every target that requests a bundle and was reconciled. Thread-safe.
  std::vector<TargetStatus> Targets() const;
  // Returns the last changes, the newest first. Thread-safe.
  std::vector<TargetOutcome> Recent() const { return outcomes_.Recent(); }
  // Returns the last verification of each server; empty without options.verify_endpoints.
  // Thread-safe.
  std::vector<EndpointVerifier::Status> Endpoints() const;
  // Returns the public CAs that targets use, or nullopt if none does. Thread-safe.
  std::optional<SystemSource::Summary> SystemCas() const { return sources_.SystemCas(); }
  struct QueueStatus {
    std::string name;
    std::size_t length = 0;
    bool first_pass_done = false;
  };
  // Thread-safe.
  std::vector<QueueStatus> Queues() const;

 private:
  // TargetCache is the informers of one kind of target.
  struct TargetCache {
    const Target& target;
    std::unique_ptr<cache::InformerView> view;
    std::unique_ptr<SchemaCheck> schema = nullptr;  // of an additional target
  };
  // Kind is the parts that serve one kind of target.
  struct Kind {
    const TargetCache& cache;
    Reporter reporter;
    Injector injector;
    Controller controller;
    Kind(CaInjector& owner, const TargetCache& cache);
    const Target& target() const { return cache.target; }
  };
  void WatchLoops(Kind& kind);
  SourceLoops::FindTarget FindTargets() const;
  std::vector<TargetCache> NewCaches() const;

  Collaborators with_;
  CaInjectorOptions options_;
  TargetMetrics metrics_;
  Outcomes outcomes_;
  std::unique_ptr<EndpointVerifier> verifier_;  // null without options.verify_endpoints
  const std::vector<TargetCache> caches_;
  SourceSet sources_;
  std::vector<std::unique_ptr<Kind>> kinds_;
};

}  // namespace capstan::cainjector
