// SPDX-License-Identifier: Apache-2.0
// Workers: the threads of a Controller. Each takes a key, runs the Reconciler on it, and says to
// the queue what comes next. Internal to Controller. Mirrors the second half of
// controller-runtime's pkg/internal/controller (reconcileHandler).
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "clientgo/workqueue/queue.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/reconciler.h"

namespace controllers::runtime {

class Workers {
 public:
  // References outlive the workers. `on_reconciled` runs on a worker's thread, after each key.
  Workers(Reconciler& reconciler, const ControllerOptions& options,
          clientgo::workqueue::RateLimitingQueue& queue,
          std::function<void(const std::string& item)> on_reconciled)
      : reconciler_(reconciler),
        options_(options),
        queue_(queue),
        on_reconciled_(std::move(on_reconciled)) {}

  // Blocks until `stop`, and until every Reconcile that was running then has returned. Shuts the
  // queue down; what is still in it is not started.
  void Run(const std::stop_token& stop);

 private:
  void Work(const std::stop_token& stop);
  void Process(const std::stop_token& stop, const std::string& item);
  tl::expected<Result, ReconcileError> Reconcile(const std::stop_token& stop,
                                                 const std::string& item);
  ReconcileError Panicked(const std::string& what);
  // Blocks while the server that a key failed for cannot be reached, so that the key's backoff is
  // not spent on the outage. False: stopped.
  bool AwaitServer(const std::stop_token& stop, const clientgo::util::Error& error);
  ControllerMetrics::ReconcileResult Requeue(const std::stop_token& stop, const std::string& item,
                                             const tl::expected<Result, ReconcileError>& result);

  Reconciler& reconciler_;
  const ControllerOptions& options_;
  clientgo::workqueue::RateLimitingQueue& queue_;
  const std::function<void(const std::string& item)> on_reconciled_;
};

}  // namespace controllers::runtime
