// SPDX-License-Identifier: Apache-2.0
// Controller: watches sources, queues keys, runs a Reconciler on them with N workers. It starts
// working when the caches it reads are synced; until then it says what it waits for.
//
// Mirrors controller-runtime's pkg/controller. Differs:
//  - the cache-sync timeout counts time without progress and by default ends nothing: one ERROR
//  line
//    and a metric each time it expires, and it goes on waiting (docs/decisions: the timeout never
//    kills progress).
//  - no priorities: a key from an initial list is as good as any other.
//  - a terminal error forgets the key's failures: the next change starts afresh.
//  - handlers are added by Start, so a replica that does not lead queues nothing.
// A failing key is retried after 5 ms * 2^n, at most 1000 s; there is no limit over all keys. All
// methods are thread-safe, except for Watch and WaitFor, which are for before Start.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/cache/shared_informer.h"
#include "clientgo/rest/server_availability.h"
#include "clientgo/util/clock.h"
#include "clientgo/workqueue/queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/runnable.h"

namespace controllers::runtime {

// What controllers report; NewControllerMetrics (controller_metrics.h) makes the Prometheus one.
// Thread-safe.
class ControllerMetrics {
 public:
  virtual ~ControllerMetrics() = default;
  enum class ReconcileResult { kSuccess, kError, kRequeue, kRequeueAfter };
  virtual void Register(std::string_view controller, int max_concurrent_reconciles) = 0;
  virtual void OnReconcile(std::string_view controller, ReconcileResult result,
                           std::chrono::nanoseconds duration, bool terminal) = 0;
  virtual void OnPanic(std::string_view controller) = 0;
  virtual void AddActiveWorkers(std::string_view controller, int delta) = 0;
  virtual void OnCacheSyncTimeout(std::string_view controller, std::string_view resource) = 0;
};

// Maps an event's object to the keys to reconcile.
using MapFunc = std::function<std::vector<Request>(const clientgo::runtime::Object&)>;

struct WaitOptions {
  // Not as long as the API server refuses the list (the kind is not served, RBAC), nor any longer
  // than cache_sync_timeout without progress: the reconciler does without.
  bool optional = false;
  // Who calls Enqueue for the cache's events has done so for the initial ones. Empty: nobody does.
  std::function<bool()> handled = {};
};

struct ControllerOptions {
  std::string name = {};  // of its queue and metrics, too
  int max_concurrent_reconciles = 1;
  std::chrono::nanoseconds cache_sync_timeout = std::chrono::minutes(2);  // 0: never
  bool exit_on_cache_sync_timeout = false;
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
  clientgo::workqueue::MetricsProvider* queue_metrics = nullptr;
  ControllerMetrics* metrics = nullptr;
  // Workers whose key failed because the server cannot be reached wait for it here; not owned.
  // Null: such a key is retried after a backoff.
  clientgo::rest::ServerAvailability* server = nullptr;
};

class Controller final : public Runnable {
 public:
  // `reconciler` and the informers outlive the controller.
  Controller(Reconciler& reconciler, ControllerOptions options);
  ~Controller() override;

  // Queue what `map` says for every add, update (old and new) and delete of `informer`. Before
  // Start.
  void Watch(clientgo::cache::SharedInformer& informer, MapFunc map);
  // Wait for this cache too, though its events queue nothing here.
  void WaitFor(clientgo::cache::SharedInformer& informer, WaitOptions options = {});
  void Enqueue(const Request& request);

  // Runnable: blocks until `stop` and all workers are done; an error only with
  // exit_on_cache_sync_timeout, in controller-runtime's words. What is still queued at `stop` is
  // not started any more. May be called again after it has returned: it then starts afresh, with
  // the caches as they are.
  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override;

  // For /readyz: an error says which cache is not synced, how many objects it has, and why. Before
  // Start (a replica that does not lead) the caches alone count.
  clientgo::util::Expected<void> CachesSynced() const;
  // True once everything queued by the initial lists has been reconciled at least once.
  bool FirstPassDone() const;
  std::size_t QueueLength() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace controllers::runtime
