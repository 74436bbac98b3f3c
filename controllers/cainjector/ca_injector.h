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
#include <string>
#include <vector>

#include "capstan/clientgo/cache/informer_factory.h"
#include "capstan/clientgo/record/event_recorder.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/controller_runtime/controller.h"
#include "capstan/controller_runtime/manager.h"
#include "capstan/metrics/metrics.h"
#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/reporter.h"
#include "controllers/cainjector/source_registry.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/watched_sources.h"

namespace capstan::controllers::cainjector {

class CaInjector {
 public:
  // All outlive the CaInjector.
  struct Collaborators {
    clientgo::rest::Client& client;
    clientgo::cache::SharedInformerFactory& informers;
    clientgo::record::EventRecorder& events;
    metrics::Metrics& metrics;
  };
  CaInjector(const Collaborators& with, CaInjectorOptions options);

  // Adds the controllers, which run on the leader, and the readyz checks: one for each cache, and
  // one for the first injection pass, which does not apply to a standby.
  void AddTo(controller_runtime::Manager& manager);

  struct TargetStatus {
    TargetOutcome outcome = {};
    std::string source = {};                           // "Secret ns/ca"
    CertificateTime expires = CertificateTime::max();  // of the target's bundle; max: unknown
  };
  // Returns every target that requests a bundle and was reconciled. Thread-safe.
  std::vector<TargetStatus> Targets() const;
  // Returns the last changes, the newest first. Thread-safe.
  std::vector<TargetOutcome> Recent() const { return outcomes_.Recent(); }
  // Returns the public CAs that targets use; nullopt: none does. Thread-safe.
  std::optional<SystemSource::Summary> SystemCas() const { return watched_.SystemCas(); }
  struct QueueStatus {
    std::string name;
    std::size_t length = 0;
    bool first_pass_done = false;
  };
  // Thread-safe.
  std::vector<QueueStatus> Queues() const;

 private:
  // Kind is the parts that serve one kind of target.
  struct Kind {
    const Target& target;
    clientgo::cache::SharedInformer& informer;
    Reporter reporter;
    Injector injector;
    controller_runtime::Controller controller;
    Kind(CaInjector& owner, const Target& target);
  };

  Collaborators with_;
  CaInjectorOptions options_;
  TargetMetrics metrics_;
  Outcomes outcomes_;
  WatchedSources watched_;
  SourceRegistry sources_;
  std::vector<std::unique_ptr<Kind>> kinds_;
};

}  // namespace capstan::controllers::cainjector
