// SPDX-License-Identifier: Apache-2.0
#include "capstan/controller_runtime/controller.h"

#include <glog/logging.h>

#include <array>
#include <exception>
#include <iterator>
#include <thread>
#include <unordered_set>
#include <utility>

#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/thread.h"
#include "capstan/controller_runtime/cache_sync.h"

namespace capstan::controller_runtime {
namespace {

using clientgo::cache::SharedInformer;
using clientgo::runtime::Object;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;
using clientgo::util::MutexLock;
using Labels = std::vector<std::string>;
using metrics::Metrics;
using ReconcileResult = ControllerMetrics::ReconcileResult;

// controller-runtime's buckets.
std::vector<double> ReconcileBuckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
          0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
          6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

// Labels, in the order of ReconcileResult.
constexpr std::array kResults = {"success", "error", "requeue", "requeue_after"};

class PrometheusControllerMetrics final : public ControllerMetrics {
 public:
  explicit PrometheusControllerMetrics(Metrics& metrics) : metrics_(metrics) {}

  void Register(std::string_view controller, int max_concurrent_reconciles) override {
    const Labels labels = {std::string(controller)};
    for (const char* result : kResults) reconciles_->Add({std::string(controller), result}, 0);
    errors_->Add(labels, 0);
    terminal_errors_->Add(labels, 0);
    panics_->Add(labels, 0);
    timeouts_->Add(labels, 0);
    durations_->Touch(labels);
    max_concurrent_->Set(labels, max_concurrent_reconciles);
    active_workers_->Set(labels, 0);
  }

  void OnReconcile(std::string_view controller, ReconcileResult result,
                   std::chrono::nanoseconds duration, bool terminal) override {
    const Labels labels = {std::string(controller)};
    reconciles_->Add({std::string(controller), kResults.at(static_cast<std::size_t>(result))});
    durations_->Observe(labels, std::chrono::duration<double>(duration).count());
    if (result == ReconcileResult::kError) errors_->Add(labels);
    if (terminal) terminal_errors_->Add(labels);
  }

  void OnPanic(std::string_view controller) override { panics_->Add({std::string(controller)}); }

  void AddActiveWorkers(std::string_view controller, int delta) override {
    active_workers_->Add({std::string(controller)}, delta);
  }

  void OnCacheSyncTimeout(std::string_view controller, std::string_view resource) override {
    sync_timeouts_->Add({std::string(controller), std::string(resource)});
  }

 private:
  Metrics& metrics_;
  const std::unique_ptr<Metrics::Counter> reconciles_ =
      metrics_.NewCounter("controller_runtime_reconcile_total",
                          "Reconciliations that ended, by result.", {"controller", "result"});
  const std::unique_ptr<Metrics::Counter> errors_ =
      metrics_.NewCounter("controller_runtime_reconcile_errors_total",
                          "Reconciliations that ended with an error.", {"controller"});
  const std::unique_ptr<Metrics::Counter> terminal_errors_ = metrics_.NewCounter(
      "controller_runtime_terminal_reconcile_errors_total",
      "Reconciliations that ended with an error that retrying cannot help.", {"controller"});
  const std::unique_ptr<Metrics::Counter> panics_ =
      metrics_.NewCounter("controller_runtime_reconcile_panics_total",
                          "Reconciliations that ended with an exception.", {"controller"});
  const std::unique_ptr<Metrics::Counter> timeouts_ = metrics_.NewCounter(
      "controller_runtime_reconcile_timeouts_total",
      "Reconciliations that took too long; 0 here, where each request has a deadline instead.",
      {"controller"});
  const std::unique_ptr<Metrics::Histogram> durations_ =
      metrics_.NewHistogram("controller_runtime_reconcile_time_seconds",
                            "Seconds a reconciliation took.", {"controller"}, ReconcileBuckets());
  const std::unique_ptr<Metrics::Gauge> max_concurrent_ = metrics_.NewGauge(
      "controller_runtime_max_concurrent_reconciles", "Workers a controller has.", {"controller"});
  const std::unique_ptr<Metrics::Gauge> active_workers_ = metrics_.NewGauge(
      "controller_runtime_active_workers", "Workers that are at a key now.", {"controller"});
  const std::unique_ptr<Metrics::Counter> sync_timeouts_ = metrics_.NewCounter(
      "capstan_cache_sync_timeouts_total",
      "Times a cache that a controller waits for made no progress for --cache-sync-timeout.",
      {"controller", "resource"});
};

}  // namespace

std::unique_ptr<ControllerMetrics> NewControllerMetrics(Metrics& metrics) {
  return std::make_unique<PrometheusControllerMetrics>(metrics);
}

void SharedHandler::Subscribe(clientgo::cache::EventHandler handler) {
  subscribers_.push_back(std::move(handler));
}

clientgo::cache::EventHandler SharedHandler::ForAllSubscribers() {
  return {.on_add =
              [this](const ObjectPtr& object, bool is_in_initial_list) {
                for (const auto& each : subscribers_) each.on_add(object, is_in_initial_list);
              },
          .on_update =
              [this](const ObjectPtr& old_object, const ObjectPtr& new_object) {
                for (const auto& each : subscribers_) each.on_update(old_object, new_object);
              },
          .on_delete =
              [this](const ObjectPtr& object, bool is_final_state_unknown) {
                for (const auto& each : subscribers_)
                  each.on_delete(object, is_final_state_unknown);
              },
          .predicate = predicate_};
}

Expected<void> SharedHandler::Acquire() {
  {
    const MutexLock lock(mu_);
    if (users_++ > 0) return {};
  }
  // Called without the lock: the informer may call the handler at once, on the handler's thread.
  auto registration = informer_.AddEventHandler(ForAllSubscribers());
  if (!registration) return tl::unexpected(std::move(registration.error()));
  const MutexLock lock(mu_);
  registration_ = *std::move(registration);
  return {};
}

void SharedHandler::Release() {
  std::shared_ptr<clientgo::cache::HandlerRegistration> unused;
  {
    const MutexLock lock(mu_);
    if (--users_ == 0) unused = std::exchange(registration_, nullptr);
  }
  if (unused != nullptr) informer_.RemoveEventHandler(unused);
}

bool SharedHandler::HasSynced() const {
  std::shared_ptr<clientgo::cache::HandlerRegistration> registration;
  {
    const MutexLock lock(mu_);
    if (users_ == 0) return true;
    registration = registration_;
  }
  return registration != nullptr && registration->HasSynced();
}

void Channel::Send(const Object& object) const {
  for (const auto& subscriber : subscribers_) subscriber(object);
}

void Channel::Subscribe(std::function<void(const Object&)> subscriber) {
  subscribers_.push_back(std::move(subscriber));
}

struct Controller::Rep {
  struct Source {
    SharedHandler* handler = nullptr;
    bool optional = false;
    bool acquired = false;
  };

  Rep(Reconciler& the_reconciler, ControllerOptions the_options)
      : reconciler(the_reconciler),
        options(std::move(the_options)),
        queue({.name = options.name,
               .clock = options.clock,
               .rate_limiter = clientgo::workqueue::NewItemExponentialFailureRateLimiter(),
               .metrics = options.queue_metrics}) {}

  clientgo::cache::EventHandler HandlerFor(const MapFunc& map);
  void EnqueueAll(const std::vector<Request>& requests, bool is_in_initial_list);
  // Discards the state of an earlier Start.
  void Reset();
  Expected<void> AcquireHandlers();
  void ReleaseHandlers();
  std::vector<WatchedCache> Caches() const;
  Expected<void> WaitForCaches(const std::stop_token& stop);
  Error OnCacheSyncTimeout(const SharedInformer& informer) const;

  // Runs the workers until `stop`, and until every Reconcile that was running then has returned.
  // Shuts the queue down; keys that are still in it are not started. Each worker takes a key, runs
  // the Reconciler on it, and decides when the key comes again. Mirrors reconcileHandler in
  // controller-runtime's pkg/internal/controller.
  void RunWorkers(const std::stop_token& stop);
  void Work(const std::stop_token& stop);
  void Process(const std::stop_token& stop, const std::string& item);
  tl::expected<Result, ReconcileError> Reconcile(const std::stop_token& stop,
                                                 const std::string& item) const;
  ReconcileError Panicked(const std::string& what) const;
  // Blocks while the server that a key failed for cannot be reached, so that the outage does not
  // use up the key's backoff. Returns false when stopped.
  bool AwaitServer(const std::stop_token& stop, const Error& error) const;
  ReconcileResult Requeue(const std::stop_token& stop, const std::string& item,
                          const tl::expected<Result, ReconcileError>& result);
  void Reconciled(const std::string& item);

  Reconciler& reconciler;
  const ControllerOptions options;
  clientgo::workqueue::RateLimitingQueue queue;

  std::vector<Source> sources;                        // fixed before Start
  std::vector<std::unique_ptr<SharedHandler>> owned;  // handlers that this Controller uses alone

  mutable clientgo::util::Mutex mu;
  // Keys of the initial lists that no worker has reconciled. Grows until `synced`.
  std::unordered_set<std::string> first_pass CAPSTAN_GUARDED_BY(mu);
  bool synced CAPSTAN_GUARDED_BY(mu) = false;
};

clientgo::cache::EventHandler Controller::Rep::HandlerFor(const MapFunc& map) {
  return {
      .on_add = [this, map](
                    const ObjectPtr& object,
                    bool is_in_initial_list) { EnqueueAll(map(*object), is_in_initial_list); },
      .on_update =
          [this, map](const ObjectPtr& old_object, const ObjectPtr& new_object) {
            std::vector<Request> requests = map(*new_object);
            if (old_object != new_object) {
              std::vector<Request> before = map(*old_object);
              std::move(before.begin(), before.end(), std::back_inserter(requests));
            }
            EnqueueAll(requests, false);
          },
      .on_delete = [this, map](const ObjectPtr& object, bool) { EnqueueAll(map(*object), false); }};
}

// Queues a key once even if several objects map to it. Otherwise a worker could reconcile it before
// it is added again, and the second run would be useless.
void Controller::Rep::EnqueueAll(const std::vector<Request>& requests, bool is_in_initial_list) {
  std::unordered_set<std::string> seen;
  for (const Request& request : requests) {
    std::string item = request.String();
    if (requests.size() > 1 && !seen.insert(item).second) continue;
    if (is_in_initial_list) {
      MutexLock lock(mu);
      if (!synced) first_pass.insert(item);
    }
    queue.Add(std::move(item));
  }
}

void Controller::Rep::Reset() {
  if (queue.ShuttingDown()) queue.Reopen();
  MutexLock lock(mu);
  first_pass.clear();
  synced = false;
}

Expected<void> Controller::Rep::AcquireHandlers() {
  for (Source& source : sources) {
    source.acquired = true;
    if (auto acquired = source.handler->Acquire(); !acquired) return acquired;
  }
  return {};
}

void Controller::Rep::ReleaseHandlers() {
  for (Source& source : sources) {
    if (std::exchange(source.acquired, false)) source.handler->Release();
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
Error Controller::Rep::OnCacheSyncTimeout(const SharedInformer& informer) const {
  const std::string kind = "*" + informer.type().gvr.version + "." + informer.type().kind;
  Error error = {.reason = ErrorReason::kTimeout,
                 .message = "failed to wait for " + options.name + " caches to sync kind source: " +
                            kind + ": timed out waiting for cache to be synced for Kind " + kind};
  LOG(ERROR) << Kv("Cache makes no progress", "controller", options.name, "resource",
                   informer.type().gvr.resource, "status",
                   WhyNotSynced(informer, options.clock.Now()), "keepsTrying",
                   !options.exit_on_cache_sync_timeout, "err", error);
  if (options.metrics != nullptr) {
    options.metrics->OnCacheSyncTimeout(options.name, informer.type().gvr.resource);
  }
  return error;
}

Expected<void> Controller::Rep::WaitForCaches(const std::stop_token& stop) {
  std::optional<Error> fatal;
  const auto on_timeout = [&](const SharedInformer& informer) {
    Error error = OnCacheSyncTimeout(informer);
    if (options.exit_on_cache_sync_timeout) fatal = std::move(error);
    return !fatal;
  };
  if (!WaitForSync(stop, Caches(), {options.clock, options.cache_sync_timeout, on_timeout})) {
    if (fatal) return Err(*fatal);
    return Err(ErrorReason::kCanceled, "stopped");
  }
  MutexLock lock(mu);
  synced = true;
  return {};
}

void Controller::Rep::RunWorkers(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { queue.ShutDown(); });
  std::vector<std::jthread> workers;
  workers.reserve(static_cast<std::size_t>(options.max_concurrent_reconciles));
  for (int i = 1; i < options.max_concurrent_reconciles; ++i) {  // the caller is the first one
    // The number comes first because a thread's name is cut to 15 characters.
    workers.push_back(
        clientgo::util::StartThread(std::to_string(i) + "/" + options.name,
                                    [this, stop](const std::stop_token&) { Work(stop); }));
  }
  Work(stop);
}

void Controller::Rep::Work(const std::stop_token& stop) {
  while (const auto item = queue.Get()) {
    if (!stop.stop_requested()) Process(stop, *item);
    queue.Done(*item);
  }
}

void Controller::Rep::Process(const std::stop_token& stop, const std::string& item) {
  ControllerMetrics* const metrics = options.metrics;
  if (metrics != nullptr) metrics->AddActiveWorkers(options.name, 1);
  const auto start = options.clock.Now();
  const auto result = Reconcile(stop, item);
  const auto duration = options.clock.Now() - start;
  const ReconcileResult outcome = Requeue(stop, item, result);
  Reconciled(item);
  if (metrics != nullptr) {
    metrics->OnReconcile(options.name, outcome, duration, !result && result.error().terminal);
    metrics->AddActiveWorkers(options.name, -1);
  }
}

// One of the three places that catch exceptions: a bug that one object triggers must not stop the
// work on all others.
tl::expected<Result, ReconcileError> Controller::Rep::Reconcile(const std::stop_token& stop,
                                                                const std::string& item) const {
  try {
    return reconciler.Reconcile(stop, Request::Parse(item));
  } catch (const std::exception& e) {
    return tl::unexpected(Panicked(e.what()));
  } catch (...) {
    return tl::unexpected(Panicked("an exception of unknown type"));
  }
}

ReconcileError Controller::Rep::Panicked(const std::string& what) const {
  if (options.metrics != nullptr) options.metrics->OnPanic(options.name);
  return {.error = {.reason = ErrorReason::kInternalError,
                    .message = "panic: " + what + " [recovered]"}};
}

bool Controller::Rep::AwaitServer(const std::stop_token& stop, const Error& error) const {
  if (options.server == nullptr || !clientgo::rest::IsUnreachable(error)) return true;
  return options.server->WaitUntilReachable(stop);
}

ReconcileResult Controller::Rep::Requeue(const std::stop_token& stop, const std::string& item,
                                         const tl::expected<Result, ReconcileError>& result) {
  if (!result) {
    const ReconcileError& failure = result.error();
    const bool only_stopped = stop.stop_requested() && IsCanceled(failure.error);
    LOG_IF(ERROR, !only_stopped) << Kv("Reconciler error", "controller", options.name, "object",
                                       item, "err", failure.error, "terminal", failure.terminal);
    if (failure.terminal) {
      queue.Forget(item);
    } else if (AwaitServer(stop, failure.error)) {
      queue.AddRateLimited(item);
    }
    return ReconcileResult::kError;
  }
  VLOG(4) << Kv("Reconcile successful", "controller", options.name, "object", item);
  queue.Forget(item);
  if (!result->requeue_after) return ReconcileResult::kSuccess;
  queue.AddAfter(item, *result->requeue_after);
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

Controller::~Controller() = default;

void Controller::Watch(SharedInformer& informer, const MapFunc& map, WatchOptions options) {
  rep_->owned.push_back(std::make_unique<SharedHandler>(informer));
  Watch(*rep_->owned.back(), map, options);
}

void Controller::Watch(SharedHandler& handler, const MapFunc& map, WatchOptions options) {
  handler.Subscribe(rep_->HandlerFor(map));
  rep_->sources.push_back({.handler = &handler, .optional = options.optional});
}

void Controller::Watch(Channel& channel, MapFunc map) {
  channel.Subscribe([rep = rep_.get(), map = std::move(map)](const Object& object) {
    rep->EnqueueAll(map(object), false);
  });
}

void Controller::Enqueue(const Request& request) { rep_->queue.Add(request.String()); }

Expected<void> Controller::Start(std::stop_token stop) {
  LOG(INFO) << Kv("Starting controller", "controller", rep_->options.name);
  rep_->Reset();
  Expected<void> ended = rep_->AcquireHandlers();
  if (ended) ended = rep_->WaitForCaches(stop);
  if (ended) {
    LOG(INFO) << Kv("Starting workers", "controller", rep_->options.name, "workers",
                    rep_->options.max_concurrent_reconciles);
    rep_->RunWorkers(stop);
  }
  rep_->queue.ShutDown();
  rep_->ReleaseHandlers();
  if (stop.stop_requested()) return {};
  return ended;
}

std::string Controller::name() const { return rep_->options.name; }

bool Controller::FirstPassDone() const {
  MutexLock lock(rep_->mu);
  return rep_->synced && rep_->first_pass.empty();
}

std::size_t Controller::QueueLength() const { return rep_->queue.Len(); }

}  // namespace capstan::controller_runtime
