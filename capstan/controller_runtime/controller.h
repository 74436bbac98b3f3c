// SPDX-License-Identifier: Apache-2.0
// Controller watches sources, queues keys, and runs a Reconciler on them with N workers. It starts
// to work when the caches that it reads are synced, and reports until then what it waits for.
//
// Mirrors controller-runtime's pkg/controller, pkg/reconcile and pkg/source. Differs:
//  - The cache-sync timeout counts time without progress. By default it only logs an ERROR line and
//    counts a metric, and the Controller keeps waiting (docs/decisions/0007).
//  - There are no priorities: a key from an initial list is like any other.
//  - A terminal error forgets the key's failures, so the next change starts without a delay.
//  - Start adds the event handlers, so a replica that does not lead queues nothing.
// A failing key is retried after 5 ms * 2^n, at most 1000 s. There is no limit over all keys.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clientgo/cache/shared_informer.h"
#include "capstan/clientgo/rest/server_availability.h"
#include "capstan/clientgo/runtime/object.h"
#include "capstan/clientgo/util/clock.h"
#include "capstan/clientgo/util/error.h"
#include "capstan/clientgo/util/mutex.h"
#include "capstan/clientgo/workqueue/queue.h"
#include "capstan/controller_runtime/runnable.h"
#include "capstan/export.h"
#include "capstan/metrics/metrics.h"

namespace capstan::controller_runtime {

using Request = clientgo::runtime::ObjectKey;

struct CAPSTAN_EXPORT Result {
  // When to reconcile again; nullopt: at the next change. Ignored with an error.
  std::optional<std::chrono::nanoseconds> requeue_after;
};

// ReconcileError is retried with backoff. A terminal one is not retried until the next change.
struct CAPSTAN_EXPORT ReconcileError {
  clientgo::util::Error error;
  bool terminal = false;
};

// Reconciler brings one object to its desired state.
class CAPSTAN_EXPORT Reconciler {
 public:
  virtual ~Reconciler() = default;
  // Runs on several threads, but never on two at once for the same key.
  virtual tl::expected<Result, ReconcileError> Reconcile(std::stop_token stop,
                                                         const Request& request) = 0;
};

// ControllerMetrics is what controllers report. Implementations are thread-safe.
class CAPSTAN_EXPORT ControllerMetrics {
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

// Returns the Prometheus implementation: controller_runtime_* with controller-runtime's names,
// labels and buckets, and capstan_cache_sync_timeouts_total. Use one for all controllers of a
// process. `metrics` outlives it.
CAPSTAN_EXPORT std::unique_ptr<ControllerMetrics> NewControllerMetrics(metrics::Metrics& metrics);

// MapFunc maps the object of an event to the keys to reconcile.
using MapFunc = std::function<std::vector<Request>(const clientgo::runtime::Object&)>;

// SharedHandler is one event handler, and so one thread, for all Controllers that watch one
// informer. The first Controller that starts adds it; the last one that stops removes it.
class CAPSTAN_EXPORT SharedHandler {
 public:
  // `informer` outlives it. `predicate` must accept a change that any Controller maps to a key. An
  // empty one accepts all.
  explicit SharedHandler(clientgo::cache::SharedInformer& informer,
                         clientgo::cache::Predicate predicate = {})
      : informer_(informer), predicate_(std::move(predicate)) {}
  SharedHandler(const SharedHandler&) = delete;
  SharedHandler& operator=(const SharedHandler&) = delete;

  clientgo::cache::SharedInformer& informer() const { return informer_; }

 private:
  friend class Controller;

  // Adds the callbacks of one Controller. Before the first Acquire.
  void Subscribe(clientgo::cache::EventHandler handler);
  clientgo::util::Expected<void> Acquire();
  void Release();
  // True when the initial objects were delivered, and while no Controller uses the handler.
  bool HasSynced() const;
  clientgo::cache::EventHandler ForAllSubscribers();

  clientgo::cache::SharedInformer& informer_;
  const clientgo::cache::Predicate predicate_;
  std::vector<clientgo::cache::EventHandler> subscribers_;
  mutable clientgo::util::Mutex mu_;
  int users_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::shared_ptr<clientgo::cache::HandlerRegistration> registration_ CAPSTAN_GUARDED_BY(mu_);
};

// Channel carries events that come from no informer to the Controllers that watch it.
class CAPSTAN_EXPORT Channel {
 public:
  // Queues, in each Controller, the keys that its MapFunc returns for `object`. Thread-safe.
  void Send(const clientgo::runtime::Object& object) const;
  // Adds a callback. Before the first Send. Controller::Watch calls it.
  void Subscribe(std::function<void(const clientgo::runtime::Object&)> subscriber);

 private:
  std::vector<std::function<void(const clientgo::runtime::Object&)>> subscribers_;
};

struct CAPSTAN_EXPORT WatchOptions {
  // The Controller starts without this cache when the API server refuses the list (the kind is not
  // served, RBAC), or after cache_sync_timeout without progress.
  bool optional = false;
};

struct CAPSTAN_EXPORT ControllerOptions {
  std::string name = {};  // also of its queue and its metrics
  int max_concurrent_reconciles = 1;
  std::chrono::nanoseconds cache_sync_timeout = std::chrono::minutes(2);  // 0: never
  bool exit_on_cache_sync_timeout = false;
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
  clientgo::workqueue::MetricsProvider* queue_metrics = nullptr;
  ControllerMetrics* metrics = nullptr;
  // A worker whose key failed because the server cannot be reached waits here for the server. Not
  // owned. Null: the key is retried after a backoff.
  clientgo::rest::ServerAvailability* server = nullptr;
};

class CAPSTAN_EXPORT Controller final : public Runnable {
 public:
  // `reconciler` and everything that is watched outlive the controller.
  Controller(Reconciler& reconciler, ControllerOptions options);
  ~Controller() override;

  // Queues what `map` returns for every add, update (of the old and the new object) and delete.
  // Start waits until the cache is synced and its initial objects are queued. Call Watch before
  // Start, from one thread. All other methods are thread-safe.
  void Watch(clientgo::cache::SharedInformer& informer, const MapFunc& map,
             WatchOptions options = {});
  // The same through a handler that several Controllers share.
  void Watch(SharedHandler& handler, const MapFunc& map, WatchOptions options = {});
  void Watch(Channel& channel, MapFunc map);
  void Enqueue(const Request& request);

  // Blocks until `stop` and until all workers are done. Returns an error only with
  // exit_on_cache_sync_timeout, in controller-runtime's words. Keys that are still queued at `stop`
  // are not started. After it has returned, it may be called again with the caches as they are.
  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override;

  // True once every key from the initial lists has been reconciled at least once.
  bool FirstPassDone() const;
  std::size_t QueueLength() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::controller_runtime
