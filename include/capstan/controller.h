// SPDX-License-Identifier: Apache-2.0
// Controller watches sources, queues keys, and runs a Reconciler on them with N workers. It starts
// to work when the caches that it reads are synced, and reports until then what it waits for.
//
// Mirrors controller-runtime's pkg/controller, pkg/reconcile and pkg/source. Differs:
//  - The cache-sync timeout counts time without progress. By default it only logs an ERROR line and
//    counts a metric, and the Controller keeps waiting (docs/decisions/0007).
//  - A terminal error forgets the key's failures, so the next change starts without a delay.
//  - The caches of a standby are always warm. enable_warmup also fills its queue.
//  - The change of a priority by Result::priority does not apply to an error.
// By default a failing key is retried after 5 ms * 2^n, at most 1000 s, and there is no limit over
// all keys.
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

#include "capstan/cache/informer_view.h"
#include "capstan/cache/shared_informer.h"
#include "capstan/clock.h"
#include "capstan/controller_metrics.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/mutex.h"
#include "capstan/rest/server_availability.h"
#include "capstan/runnable.h"
#include "capstan/runtime/object.h"
#include "capstan/shared_handler.h"
#include "capstan/workqueue/queue.h"

namespace capstan {

// Request names the object to reconcile. It converts to an ObjectKey, for a client or a Lister of
// its cluster. Mirrors reconcile.Request and multicluster-runtime's mcreconcile.Request.
struct CAPSTAN_EXPORT Request {
  std::string namespace_ = {};
  std::string name = {};
  std::string cluster = {};  // Cluster::name; empty: the Manager's own Cluster

  operator runtime::ObjectKey() const {  // NOLINT(google-explicit-constructor)
    return {namespace_, name};
  }
  // Returns the key in a cache: "ns/name", or "name" for a cluster-scoped object.
  std::string String() const { return namespace_.empty() ? name : namespace_ + "/" + name; }
  // Makes a Request of a key in a cache, or of an ObjectKey.
  static Request Parse(std::string_view key) { return For(runtime::ObjectKey::Parse(key)); }
  static Request For(runtime::ObjectKey key) {
    return {.namespace_ = std::move(key.namespace_), .name = std::move(key.name)};
  }
  friend bool operator==(const Request&, const Request&) = default;
};

struct CAPSTAN_EXPORT Result {
  // When to reconcile again; nullopt: at the next change. Ignored with an error.
  std::optional<std::chrono::nanoseconds> requeue_after = {};
  // The priority with which requeue_after queues the key. nullopt: the one that it had.
  std::optional<int> priority = {};
};

// ReconcileError is retried with backoff. A terminal one is not retried until the next change.
struct CAPSTAN_EXPORT ReconcileError {
  Error error;
  bool terminal = false;
};

// Reconciler brings one object to its desired state. A function can do so without a class: see
// FunctionReconciler in builder.h.
class CAPSTAN_EXPORT Reconciler {
 public:
  virtual ~Reconciler() = default;
  // Runs on several threads, but never on two at once for the same key. `stop` is requested when
  // the Controller stops, and after ControllerOptions::reconciliation_timeout.
  virtual tl::expected<Result, ReconcileError> Reconcile(std::stop_token stop,
                                                         const Request& request) = 0;
};

// MapFunc maps the object of an event to the keys to reconcile.
using MapFunc = std::function<std::vector<Request>(const runtime::Object&)>;

// Channel carries events that come from no informer to the Controllers that watch it.
class CAPSTAN_EXPORT Channel {
 public:
  // Queues, in each Controller, the keys that its MapFunc returns for `object`. Thread-safe.
  void Send(const runtime::Object& object) const;
  // Adds a callback. Before the first Send. Controller::Watch calls it.
  void Subscribe(std::function<void(const runtime::Object&)> subscriber);

 private:
  std::vector<std::function<void(const runtime::Object&)>> subscribers_;
};

struct CAPSTAN_EXPORT WatchOptions {
  // The Controller starts without this cache when the API server refuses the list (the kind is not
  // served, RBAC), or after cache_sync_timeout without progress.
  bool optional = false;
  // An event for which this returns false queues nothing. It runs on the handler's thread, for the
  // objects and changes of lists, too. Empty: all events are needed.
  cache::Predicate predicate = {};
};

// ClusterWatch is a source of a Controller in a Cluster that comes and goes.
struct CAPSTAN_EXPORT ClusterWatch {
  const cache::InformerView* view = nullptr;
  MapFunc map = {};
  cache::Predicate predicate = {};
};

// ControllerOptions mirrors controller-runtime's controller.Options: the same names and defaults.
struct CAPSTAN_EXPORT ControllerOptions {
  std::string name = {};  // also of its queue and its metrics
  int max_concurrent_reconciles = 1;
  // Namespaces take turns, and one in which a Reconcile takes longer than a second holds at most a
  // third of the workers, at least one: see QueueOptions::flow_of. Use three workers or more.
  bool fair_namespaces = false;
  // The delay of keys that fail. Null: NewItemExponentialFailureRateLimiter, or without
  // use_priority_queue DefaultControllerRateLimiter. Not for two Controllers.
  std::shared_ptr<workqueue::RateLimiter> rate_limiter = {};
  // Keys of initial lists and resyncs wait behind news (kLowPriority). False: first come, first
  // served.
  bool use_priority_queue = true;
  // After this time the stop token of a Reconcile is stopped. 0: never. Reconcile must then return;
  // its error is retried like any other.
  std::chrono::nanoseconds reconciliation_timeout{0};
  // An exception of Reconcile is an error of its key. False: it ends the process.
  bool recover_panic = true;
  // True: a Manager starts the Controller when it leads. False: also in a standby.
  bool need_leader_election = true;
  // A standby adds the event handlers and fills the queue before it leads, so that its workers
  // start without a wait. Without an effect unless need_leader_election is true.
  bool enable_warmup = false;
  std::chrono::nanoseconds cache_sync_timeout = std::chrono::minutes(2);  // 0: never
  bool exit_on_cache_sync_timeout = false;
  Clock* clock = nullptr;  // not owned; outlives the Controller. Null: the real one
  workqueue::MetricsProvider* queue_metrics = nullptr;
  ControllerMetrics* metrics = nullptr;
  // A worker whose key failed because the server cannot be reached waits here for the server. Not
  // owned. Null: the key is retried after a backoff.
  rest::ServerAvailability* server = nullptr;
};

class CAPSTAN_EXPORT Controller final : public Runnable {
 public:
  // `reconciler` and everything that is watched outlive the controller.
  Controller(Reconciler& reconciler, ControllerOptions options);
  // The same with a Reconciler that lives as long as the controller.
  Controller(std::unique_ptr<Reconciler> reconciler, ControllerOptions options);
  ~Controller() override;

  // Queues what `map` returns for every add, update (of the old and the new object) and delete.
  // Start waits until the cache is synced and its initial objects are queued. Call Watch before
  // Start, from one thread. All other methods are thread-safe.
  void Watch(cache::SharedInformer& informer, const MapFunc& map, WatchOptions options = {});
  // The same for every informer of a view, such as one for each namespace.
  void Watch(const cache::InformerView& view, const MapFunc& map, const WatchOptions& options = {});
  // The same through a handler that several Controllers share.
  void Watch(SharedHandler& handler, const MapFunc& map, WatchOptions options = {});
  void Watch(Channel& channel, MapFunc map);
  void Enqueue(const Request& request, int priority = 0);

  // Watches another Cluster, also while the Controller runs. Its keys wait until its own caches are
  // synced; the keys of other Clusters do not. A request of a `map` without a cluster gets `name`.
  // cache_sync_timeout is only logged and counted for it. ControllerBuilder::EngageClusters calls
  // these two for the Clusters of a Manager.
  void Engage(const std::string& name, const std::vector<ClusterWatch>& watches);
  // Stops watching it, requests a stop of the reconciliations that run for it, and waits for them.
  // Keys of a Cluster that is not engaged are dropped. Must not be called by a reconciliation of
  // that Cluster.
  void Disengage(const std::string& name);

  // Blocks until `stop` and until all workers are done. Returns an error only with
  // exit_on_cache_sync_timeout, in controller-runtime's words. After it has returned, it may be
  // called again. Keys that are queued at `stop` or later wait for the next Start, which also
  // queues every object of the caches again.
  Expected<void> Start(std::stop_token stop) override;
  // With enable_warmup, adds the event handlers and fills the queue until `stop`, while Start may
  // begin and end on other threads. Errors are those of Start.
  Expected<void> Warmup(std::stop_token stop) override;
  bool NeedLeaderElection() const override;
  bool EnableWarmup() const override;
  std::string name() const override;

  // True once every key from the initial lists has been reconciled at least once. Engaged Clusters
  // do not count.
  bool FirstPassDone() const;
  std::size_t QueueLength() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan
