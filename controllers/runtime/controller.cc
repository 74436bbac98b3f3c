// SPDX-License-Identifier: Apache-2.0
#include "capstan/controller.h"

#include <glog/logging.h>

#include <exception>
#include <iterator>
#include <thread>
#include <unordered_set>
#include <utility>

#include "capstan/cache_sync.h"
#include "capstan/log.h"
#include "capstan/logging.h"
#include "capstan/thread.h"
#include "clientgo/util/deadlines.h"
#include "controllers/runtime/engaged_clusters.h"

namespace capstan {
namespace {

using ReconcileResult = ControllerMetrics::ReconcileResult;

// Returns the options with the default clock and rate limiter where they have none.
ControllerOptions WithDefaults(ControllerOptions options) {
  if (options.clock == nullptr) options.clock = &Clock::Real();
  if (options.rate_limiter != nullptr) return options;
  options.rate_limiter = options.use_priority_queue
                             ? workqueue::NewItemExponentialFailureRateLimiter()
                             : workqueue::DefaultControllerRateLimiter(*options.clock);
  return options;
}

// The key of a request in the queue and in logs is "ns/name", or "cluster://east/ns/name".
constexpr std::string_view kClusterPrefix = "cluster://";

std::string ItemOf(const Request& request) {
  if (request.cluster.empty()) return request.String();
  return std::string(kClusterPrefix) + request.cluster + "/" + request.String();
}

Request RequestOf(std::string_view item) {
  if (!item.starts_with(kClusterPrefix)) return Request::Parse(item);
  item.remove_prefix(kClusterPrefix.size());
  const std::size_t end = item.find('/');
  Request request = Request::Parse(item.substr(end + 1));
  request.cluster = item.substr(0, end);
  return request;
}

// Returns "ns/", "cluster://east/ns/", or "" for an object without a namespace.
std::string_view NamespaceOf(std::string_view item) { return item.substr(0, item.rfind('/') + 1); }

workqueue::QueueOptions QueueOptionsOf(const ControllerOptions& options) {
  return {.name = options.name,
          .clock = *options.clock,
          .rate_limiter = options.rate_limiter,
          .metrics = options.queue_metrics,
          .use_priority_queue = options.use_priority_queue,
          .flow_of = options.fair_namespaces ? NamespaceOf : nullptr,
          .workers = static_cast<std::size_t>(options.max_concurrent_reconciles)};
}

}  // namespace

void Channel::Send(const runtime::Object& object) const {
  for (const auto& subscriber : subscribers_) subscriber(object);
}

void Channel::Subscribe(std::function<void(const runtime::Object&)> subscriber) {
  subscribers_.push_back(std::move(subscriber));
}

struct Controller::Rep {
  struct Source {
    SharedHandler* handler = nullptr;
    SharedHandler::Subscriber* subscriber = nullptr;
    bool optional = false;
    bool acquired = false;
  };

  Rep(Reconciler& the_reconciler, ControllerOptions the_options)
      : reconciler(the_reconciler),
        options(WithDefaults(std::move(the_options))),
        queue(QueueOptionsOf(options)),
        clusters({.clock = *options.clock,
                  .cache_sync_timeout = options.cache_sync_timeout,
                  .on_timeout =
                      [this](const cache::SharedInformer& informer) {
                        static_cast<void>(OnCacheSyncTimeout(informer));
                      },
                  .add =
                      [this](std::string item, int priority) {
                        queue.AddWithOpts(std::move(item), {.priority = priority});
                      }}) {}

  cache::EventHandler HandlerFor(MapFunc map, cache::Predicate predicate);
  // `is_in_initial_list` also sets the priority.
  void EnqueueAll(const std::vector<Request>& requests, int priority, bool is_in_initial_list);
  // Adds the event handlers and waits for the caches, unless another call has done so. Returns true
  // when this call did, and so must call StopSources.
  Expected<bool> StartSources(const std::stop_token& stop);
  void StopSources();
  // Discards the state of an earlier Start.
  void Reset();
  Expected<void> AcquireHandlers();
  void ReleaseHandlers();
  std::vector<WatchedCache> Caches() const;
  Expected<void> WaitForCaches(const std::stop_token& stop);
  Error OnCacheSyncTimeout(const cache::SharedInformer& informer) const;

  // Runs the workers until `stop`, and until every Reconcile that was running then has returned.
  // Keys that are still in the queue are not started. Each worker takes a key, runs the Reconciler
  // on it, and decides when the key comes again. Mirrors reconcileHandler in controller-runtime's
  // pkg/internal/controller.
  void RunWorkers(const std::stop_token& stop);
  void Work(const std::stop_token& stop);
  // Processes a key unless its Cluster is gone, or new and not synced.
  void ProcessInCluster(const std::stop_token& stop, const workqueue::PrioritizedItem& next);
  void Process(const std::stop_token& stop, const workqueue::PrioritizedItem& next,
               const Request& request, const EngagedClusters::Ptr& cluster);
  // Stops the Reconcile after reconciliation_timeout.
  tl::expected<Result, ReconcileError> ReconcileInTime(const std::stop_token& stop,
                                                       const Request& request);
  tl::expected<Result, ReconcileError> Reconcile(std::stop_token stop,
                                                 const Request& request) const;
  ReconcileError Panicked(const std::string& what) const;
  // Blocks while the server that a key failed for cannot be reached, so that the outage does not
  // use up the key's backoff.
  void AwaitServer(const std::stop_token& stop, const Error& error) const;
  // `cluster` is null for a key whose Cluster stays.
  ReconcileResult Requeue(const std::stop_token& stop, const workqueue::PrioritizedItem& next,
                          const EngagedClusters::Ptr& cluster,
                          const tl::expected<Result, ReconcileError>& result);
  void Reconciled(const std::string& item);

  std::unique_ptr<Reconciler> own_reconciler;  // null: `reconciler` belongs to somebody else
  Reconciler& reconciler;
  const ControllerOptions options;
  workqueue::RateLimitingQueue queue;

  std::vector<Source> sources;                        // fixed before Start
  std::vector<std::unique_ptr<SharedHandler>> owned;  // handlers that this Controller uses alone
  std::optional<Deadlines> deadlines;                 // while workers run

  enum class SourcesState { kStopped, kStarting, kStarted };
  mutable Mutex mu;
  CondVar sources_changed;
  SourcesState sources_state CAPSTAN_GUARDED_BY(mu) = SourcesState::kStopped;
  // Keys of the initial lists that no worker has reconciled. Grows until `synced`.
  std::unordered_set<std::string> first_pass CAPSTAN_GUARDED_BY(mu);
  bool synced CAPSTAN_GUARDED_BY(mu) = false;
  EngagedClusters clusters;  // last: its threads use the others
};

cache::EventHandler Controller::Rep::HandlerFor(MapFunc map, cache::Predicate predicate) {
  const auto queue_change = [this, map = std::move(map),
                             predicate = std::move(predicate)](const cache::Change& change) {
    if (predicate && !predicate(change)) return;
    const bool is_update = change.type == cache::Change::Type::kUpdated;
    std::vector<Request> requests;
    if (change.new_object) requests = map(*change.new_object);
    if (change.old_object && change.old_object != change.new_object) {
      std::vector<Request> before = map(*change.old_object);
      std::move(before.begin(), before.end(), std::back_inserter(requests));
    }
    const bool unchanged = is_update && (change.old_object == change.new_object ||
                                         change.old_object->HasSameVersion(*change.new_object));
    EnqueueAll(requests, change.is_in_initial_list || unchanged ? workqueue::kLowPriority : 0,
               change.is_in_initial_list);
  };
  return {.on_add =
              [queue_change](const runtime::ObjectPtr& object, bool is_in_initial_list) {
                queue_change({.type = cache::Change::Type::kAdded,
                              .new_object = object,
                              .is_in_initial_list = is_in_initial_list});
              },
          .on_update =
              [queue_change](const runtime::ObjectPtr& old_object,
                             const runtime::ObjectPtr& new_object) {
                queue_change({.type = cache::Change::Type::kUpdated,
                              .old_object = old_object,
                              .new_object = new_object});
              },
          .on_delete =
              [queue_change](const runtime::ObjectPtr& object, bool final_state_unknown) {
                queue_change({.type = cache::Change::Type::kDeleted,
                              .old_object = object,
                              .final_state_unknown = final_state_unknown});
              }};
}

// Queues a key once even if several objects map to it. Otherwise a worker could reconcile it before
// it is added again, and the second run would be useless.
void Controller::Rep::EnqueueAll(const std::vector<Request>& requests, int priority,
                                 bool is_in_initial_list) {
  std::unordered_set<std::string> seen;
  for (const Request& request : requests) {
    std::string item = ItemOf(request);
    if (requests.size() > 1 && !seen.insert(item).second) continue;
    if (clusters.Hold(request.cluster, item, priority)) continue;
    if (is_in_initial_list) {
      MutexLock lock(mu);
      if (!synced) first_pass.insert(item);
    }
    queue.AddWithOpts(std::move(item), {.priority = priority});
  }
}

Expected<bool> Controller::Rep::StartSources(const std::stop_token& stop) {
  {
    MutexLock lock(mu);
    sources_changed.Wait(mu, stop, [this]() CAPSTAN_REQUIRES(mu) {
      return sources_state != SourcesState::kStarting;
    });
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "stopped");
    if (sources_state == SourcesState::kStarted) return false;
    sources_state = SourcesState::kStarting;
  }
  Reset();
  Expected<void> started = AcquireHandlers();
  if (started) started = WaitForCaches(stop);
  if (!started) {
    StopSources();
    return Err(std::move(started.error()));
  }
  MutexLock lock(mu);
  sources_state = SourcesState::kStarted;
  sources_changed.NotifyAll();
  return true;
}

void Controller::Rep::StopSources() {
  ReleaseHandlers();
  MutexLock lock(mu);
  sources_state = SourcesState::kStopped;
  sources_changed.NotifyAll();
}

void Controller::Rep::Reset() {
  MutexLock lock(mu);
  first_pass.clear();
  synced = false;
}

Expected<void> Controller::Rep::AcquireHandlers() {
  for (Source& source : sources) {
    source.acquired = true;
    if (auto acquired = source.handler->Acquire(*source.subscriber); !acquired) return acquired;
  }
  clusters.Start();
  return {};
}

void Controller::Rep::ReleaseHandlers() {
  clusters.Stop();
  for (Source& source : sources) {
    if (std::exchange(source.acquired, false)) source.handler->Release(*source.subscriber);
  }
}

std::vector<WatchedCache> Controller::Rep::Caches() const {
  std::vector<WatchedCache> caches;
  caches.reserve(sources.size());
  for (const Source& source : sources) {
    caches.push_back({.informer = &source.handler->informer(),
                      .optional = source.optional,
                      .handled = [handler = source.handler] { return handler->HasSynced(); }});
  }
  return caches;
}

// Logs and counts the timeout. Returns the error in controller-runtime's words.
Error Controller::Rep::OnCacheSyncTimeout(const cache::SharedInformer& informer) const {
  const std::string kind = "*" + informer.type().gvr.version + "." + informer.type().kind;
  Error error = {.reason = ErrorReason::kTimeout,
                 .message = "failed to wait for " + options.name + " caches to sync kind source: " +
                            kind + ": timed out waiting for cache to be synced for Kind " + kind};
  ErrorS(error, "Cache makes no progress", "controller", options.name, "resource",
         informer.type().gvr.resource, "status", WhyNotSynced(informer, options.clock->Now()),
         "keepsTrying", !options.exit_on_cache_sync_timeout);
  if (options.metrics != nullptr) {
    options.metrics->OnCacheSyncTimeout(options.name, informer.type().gvr.resource);
  }
  return error;
}

Expected<void> Controller::Rep::WaitForCaches(const std::stop_token& stop) {
  std::optional<Error> fatal;
  const auto on_timeout = [&](const cache::SharedInformer& informer) {
    Error error = OnCacheSyncTimeout(informer);
    if (options.exit_on_cache_sync_timeout) fatal = std::move(error);
    return !fatal;
  };
  if (!WaitForSync(stop, Caches(), {*options.clock, options.cache_sync_timeout, on_timeout})) {
    if (fatal) return Err(*fatal);
    return Err(ErrorReason::kCanceled, "stopped");
  }
  MutexLock lock(mu);
  synced = true;
  return {};
}

void Controller::Rep::RunWorkers(const std::stop_token& stop) {
  InfoS("Starting workers", "controller", options.name, "workers",
        options.max_concurrent_reconciles);
  if (options.reconciliation_timeout.count() > 0) deadlines.emplace(*options.clock);
  {
    std::vector<std::jthread> workers;
    workers.reserve(static_cast<std::size_t>(options.max_concurrent_reconciles));
    for (int i = 1; i < options.max_concurrent_reconciles; ++i) {  // the caller is the first one
      // The number comes first because a thread's name is cut to 15 characters.
      workers.push_back(StartThread(std::to_string(i) + "/" + options.name,
                                    [this, stop](const std::stop_token&) { Work(stop); }));
    }
    Work(stop);
  }
  deadlines.reset();
}

void Controller::Rep::Work(const std::stop_token& stop) {
  while (const auto next = queue.GetWithPriority(stop)) {
    ProcessInCluster(stop, *next);
    queue.Done(next->item);
  }
}

void Controller::Rep::ProcessInCluster(const std::stop_token& stop,
                                       const workqueue::PrioritizedItem& next) {
  const Request request = RequestOf(next.item);
  if (!clusters.MayBeGone(request.cluster)) return Process(stop, next, request, nullptr);
  const EngagedClusters::Ptr cluster = clusters.Enter(request.cluster, next.item, next.priority);
  if (cluster == nullptr) {
    queue.Forget(next.item);
    return Reconciled(next.item);
  }
  {
    LinkedStopSource both(stop);
    const std::stop_callback on_removal(EngagedClusters::StopOf(cluster),
                                        [&both] { both.RequestStop(); });
    Process(both.token(), next, request, cluster);
  }
  clusters.Leave(cluster);
}

void Controller::Rep::Process(const std::stop_token& stop, const workqueue::PrioritizedItem& next,
                              const Request& request, const EngagedClusters::Ptr& cluster) {
  ControllerMetrics* const metrics = options.metrics;
  if (metrics != nullptr) metrics->AddActiveWorkers(options.name, 1);
  const auto start = options.clock->Now();
  const auto result = ReconcileInTime(stop, request);
  const auto duration = options.clock->Now() - start;
  const ReconcileResult outcome = Requeue(stop, next, cluster, result);
  Reconciled(next.item);
  if (metrics != nullptr) {
    metrics->OnReconcile(options.name, outcome, duration, !result && result.error().terminal);
    metrics->AddActiveWorkers(options.name, -1);
  }
}

tl::expected<Result, ReconcileError> Controller::Rep::ReconcileInTime(const std::stop_token& stop,
                                                                      const Request& request) {
  if (!deadlines) return Reconcile(stop, request);
  std::stop_source own;
  const std::stop_callback on_stop(stop, [own]() mutable { own.request_stop(); });
  const Deadlines::Id deadline = deadlines->Add(options.reconciliation_timeout, own);
  auto result = Reconcile(own.get_token(), request);
  const bool timed_out = !deadlines->Remove(deadline);
  if (timed_out && options.metrics != nullptr) options.metrics->OnTimeout(options.name);
  return result;
}

// One of the three places that catch exceptions: a bug that one object triggers must not stop the
// work on all others.
tl::expected<Result, ReconcileError> Controller::Rep::Reconcile(std::stop_token stop,
                                                                const Request& request) const {
  try {
    return reconciler.Reconcile(std::move(stop), request);
  } catch (const std::exception& e) {
    return tl::unexpected(Panicked(e.what()));
  } catch (...) {
    return tl::unexpected(Panicked("an exception of unknown type"));
  }
}

ReconcileError Controller::Rep::Panicked(const std::string& what) const {
  if (options.metrics != nullptr) options.metrics->OnPanic(options.name);
  LOG_IF(FATAL, !options.recover_panic)
      << Kv("Observed a panic in reconciler", "controller", options.name, "panic", what);
  return {.error = {.reason = ErrorReason::kInternalError,
                    .message = "panic: " + what + " [recovered]"}};
}

void Controller::Rep::AwaitServer(const std::stop_token& stop, const Error& error) const {
  if (options.server == nullptr || !rest::IsUnreachable(error)) return;
  options.server->WaitUntilReachable(stop);
}

// A key that failed is also queued after `stop`: the next Start uses the queue again.
ReconcileResult Controller::Rep::Requeue(const std::stop_token& stop,
                                         const workqueue::PrioritizedItem& next,
                                         const EngagedClusters::Ptr& cluster,
                                         const tl::expected<Result, ReconcileError>& result) {
  const auto& [item, priority] = next;
  if (cluster != nullptr && EngagedClusters::StopOf(cluster).stop_requested()) {
    queue.Forget(item);
    return result ? ReconcileResult::kSuccess : ReconcileResult::kError;
  }
  if (!result) {
    const ReconcileError& failure = result.error();
    const bool only_stopped = stop.stop_requested() && IsCanceled(failure.error);
    if (!only_stopped) {
      ErrorS(failure.error, "Reconciler error", "controller", options.name, "object", item,
             "terminal", failure.terminal);
    }
    if (failure.terminal) {
      queue.Forget(item);
    } else {
      // The outage of one Cluster of many must not hold the workers.
      if (cluster == nullptr) AwaitServer(stop, failure.error);
      queue.AddWithOpts(item, {.rate_limited = true, .priority = priority});
    }
    return ReconcileResult::kError;
  }
  V(4).InfoS("Reconcile successful", "controller", options.name, "object", item);
  queue.Forget(item);
  if (!result->requeue_after) return ReconcileResult::kSuccess;
  queue.AddWithOpts(
      item, {.after = *result->requeue_after, .priority = result->priority.value_or(priority)});
  return ReconcileResult::kRequeueAfter;
}

void Controller::Rep::Reconciled(const std::string& item) {
  MutexLock lock(mu);
  first_pass.erase(item);
  if (first_pass.empty())
    std::unordered_set<std::string>().swap(first_pass);  // frees its buckets, too
}

Controller::Controller(Reconciler& reconciler, ControllerOptions options)
    : rep_(std::make_unique<Rep>(reconciler, std::move(options))) {
  const ControllerOptions& o = rep_->options;
  CHECK(!o.name.empty()) << "a controller needs a name";
  CHECK_GT(o.max_concurrent_reconciles, 0) << o.name;
  if (o.metrics != nullptr) o.metrics->Register(o.name, o.max_concurrent_reconciles);
}

Controller::Controller(std::unique_ptr<Reconciler> reconciler, ControllerOptions options)
    : Controller(*reconciler, std::move(options)) {
  rep_->own_reconciler = std::move(reconciler);
}

Controller::~Controller() = default;

void Controller::Watch(cache::SharedInformer& informer, const MapFunc& map, WatchOptions options) {
  rep_->owned.push_back(std::make_unique<SharedHandler>(informer));
  Watch(*rep_->owned.back(), map, std::move(options));
}

void Controller::Watch(const cache::InformerView& view, const MapFunc& map,
                       const WatchOptions& options) {
  for (cache::SharedInformer* informer : view.informers()) Watch(*informer, map, options);
}

void Controller::Watch(SharedHandler& handler, const MapFunc& map, WatchOptions options) {
  rep_->sources.push_back(
      {.handler = &handler,
       .subscriber = &handler.Subscribe(rep_->HandlerFor(map, std::move(options.predicate))),
       .optional = options.optional});
}

void Controller::Watch(Channel& channel, MapFunc map) {
  channel.Subscribe([rep = rep_.get(), map = std::move(map)](const runtime::Object& object) {
    rep->EnqueueAll(map(object), /*priority=*/0, /*is_in_initial_list=*/false);
  });
}

void Controller::Enqueue(const Request& request, int priority) {
  std::string item = ItemOf(request);
  if (rep_->clusters.Hold(request.cluster, item, priority)) return;
  rep_->queue.AddWithOpts(std::move(item), {.priority = priority});
}

void Controller::Engage(const std::string& name, const std::vector<ClusterWatch>& watches) {
  std::vector<EngagedClusters::Source> sources;
  for (const ClusterWatch& watch : watches) {
    for (cache::SharedInformer* informer : watch.view->informers()) {
      auto handler = std::make_unique<SharedHandler>(*informer);
      auto& subscriber =
          handler->Subscribe(rep_->HandlerFor(InCluster(name, watch.map), watch.predicate));
      sources.push_back({.handler = std::move(handler), .subscriber = &subscriber});
    }
  }
  rep_->clusters.Engage(name, std::move(sources));
}

void Controller::Disengage(const std::string& name) {
  rep_->clusters.Disengage(name);
  rep_->queue.DropDelayed([prefix = std::string(kClusterPrefix) + name + "/"](
                              std::string_view item) { return item.starts_with(prefix); });
}

Expected<void> Controller::Start(std::stop_token stop) {
  InfoS("Starting controller", "controller", rep_->options.name);
  const auto owns_sources = rep_->StartSources(stop);
  if (owns_sources) rep_->RunWorkers(stop);
  if (owns_sources && *owns_sources) rep_->StopSources();
  if (owns_sources || stop.stop_requested()) return {};
  return Err(owns_sources.error());
}

Expected<void> Controller::Warmup(std::stop_token stop) {
  if (!EnableWarmup()) {
    WaitForStop(std::move(stop));
    return {};
  }
  const auto owns_sources = rep_->StartSources(stop);
  if (!owns_sources && !stop.stop_requested()) return Err(owns_sources.error());
  if (owns_sources && *owns_sources) {
    InfoS("Sources are ready before the election", "controller", rep_->options.name);
  }
  WaitForStop(std::move(stop));
  if (owns_sources && *owns_sources) rep_->StopSources();
  return {};
}

bool Controller::NeedLeaderElection() const { return rep_->options.need_leader_election; }

bool Controller::EnableWarmup() const {
  return rep_->options.enable_warmup && rep_->options.need_leader_election;
}

std::string Controller::name() const { return rep_->options.name; }

bool Controller::FirstPassDone() const {
  MutexLock lock(rep_->mu);
  return rep_->synced && rep_->first_pass.empty();
}

std::size_t Controller::QueueLength() const { return rep_->queue.Len(); }

}  // namespace capstan
