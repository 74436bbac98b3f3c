// SPDX-License-Identifier: Apache-2.0
// CaInjector: the sources, targets, caches and controllers of CA injection put together. What a
// program has to add to its Manager; everything else in this folder is reached through it.
//
// Before Start, from one thread; Ready is thread-safe. Mirrors RegisterAllInjectors in
// cert-manager's pkg/controller/cainjector/setup.go.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/clock.h"
#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/reporter.h"
#include "controllers/cainjector/secret_source.h"
#include "controllers/cainjector/target.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/manager.h"
#include "metrics/metrics.h"

namespace controllers::cainjector {

struct CaInjectorOptions {
  std::string namespace_ = {};  // of the sources; empty: all
  bool merge_bundles = true;
  // Writes of one kind in flight at once: a rotation is bound by round trips, not by work.
  int workers_per_kind = 2;
  std::chrono::nanoseconds cache_sync_timeout = std::chrono::minutes(2);
  bool exit_on_cache_sync_timeout = false;
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
  runtime::ControllerMetrics* controller_metrics = nullptr;
};

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
  bool Referenced(std::string_view secret_key) const;

  Collaborators with_;
  CaInjectorOptions options_;
  std::unique_ptr<metrics::Metrics::Counter> injections_;
  clientgo::cache::SharedInformer& secret_informer_;
  SecretSource secrets_;
  std::vector<std::unique_ptr<Kind>> kinds_;
};

}  // namespace controllers::cainjector
