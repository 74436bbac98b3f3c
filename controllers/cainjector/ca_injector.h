// SPDX-License-Identifier: Apache-2.0
// CaInjector: the sources, targets, caches and controllers of CA injection put together. What a
// program has to add to its Manager; everything else in this folder is reached through it.
//
// Before Start, from one thread; Ready is thread-safe. Mirrors RegisterAllInjectors in
// cert-manager's pkg/controller/cainjector/setup.go.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/outcomes.h"
#include "controllers/cainjector/reporter.h"
#include "controllers/cainjector/sources.h"
#include "controllers/cainjector/target_metrics.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/manager.h"
#include "metrics/metrics.h"

namespace controllers::cainjector {

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

  // The controllers, to run on the leader, and the readyz checks: one for each cache, and one for
  // the first injection pass, which a standby does not wait for.
  void AddTo(runtime::Manager& manager);

  // Of every target that asks for a bundle and was looked at. Thread-safe.
  struct TargetStatus {
    TargetOutcome outcome = {};
    std::string source = {};                           // "Secret ns/ca"
    CertificateTime expires = CertificateTime::max();  // of what it holds; max: unknown
  };
  std::vector<TargetStatus> Targets() const;
  // What changed of late, the latest first. Thread-safe.
  std::vector<TargetOutcome> Recent() const { return outcomes_.Recent(); }
  struct QueueStatus {
    std::string name;
    std::size_t length = 0;
    bool first_pass_done = false;
  };
  std::vector<QueueStatus> Queues() const;

 private:
  // All that serves one kind of target.
  struct Kind {
    const Target& target;
    clientgo::cache::SharedInformer& informer;
    Reporter reporter;
    Injector injector;
    runtime::Controller controller;
    Kind(CaInjector& owner, const Target& target);
  };

  void IndexAndWatch(Kind& kind);
  // Queues the targets that refer to it; false: there are none.
  bool SourceChanged(const Source& source, std::string_view reference);
  bool HasTargets(const Source& source, std::string_view reference) const;

  Collaborators with_;
  CaInjectorOptions options_;
  TargetMetrics metrics_;
  Outcomes outcomes_;
  Sources sources_;
  std::vector<std::unique_ptr<Kind>> kinds_;
};

}  // namespace controllers::cainjector
