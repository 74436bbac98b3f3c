// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/controller.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/mutex.h"
#include "controllers/runtime/cache_sync.h"
#include "controllers/runtime/workers.h"

namespace controllers::runtime {
namespace {

using clientgo::cache::SharedInformer;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;
using clientgo::util::MutexLock;

}  // namespace

struct Controller::Rep {
  struct Source {
    WatchedCache cache;
    MapFunc map;  // empty: waited for, queues nothing
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
  // Forgets what an earlier Start left.
  void Reset();
  Expected<void> AddHandlers();
  void RemoveHandlers();
  std::vector<WatchedCache> Caches() const;
  Expected<void> WaitForCaches(const std::stop_token& stop);
  Error OnCacheSyncTimeout(const SharedInformer& informer) const;

  void Reconciled(const std::string& item);

  Reconciler& reconciler;
  const ControllerOptions options;
  clientgo::workqueue::RateLimitingQueue queue;

  mutable clientgo::util::Mutex mu;
  std::vector<Source> sources GUARDED_BY(mu);
  // Keys of the initial lists that no worker has been through. Grows until `synced`.
  std::unordered_set<std::string> first_pass GUARDED_BY(mu);
  bool synced GUARDED_BY(mu) = false;
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

// A key once, however often the objects map to it: a worker could be through with it before it
// comes again, and the second run would be for nothing.
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
  for (Source& source : sources) source.cache.registration = nullptr;
}

Expected<void> Controller::Rep::AddHandlers() {
  std::vector<Source> unhandled;
  {
    MutexLock lock(mu);
    unhandled = sources;
  }
  for (std::size_t i = 0; i < unhandled.size(); ++i) {
    if (!unhandled[i].map) continue;
    // Without the lock: the handler is called at once, on its thread, and wants it.
    auto registration = unhandled[i].cache.informer->AddEventHandler(HandlerFor(unhandled[i].map));
    if (!registration) return tl::unexpected(std::move(registration.error()));
    MutexLock lock(mu);
    sources[i].cache.registration = std::move(*registration);
  }
  return {};
}

void Controller::Rep::RemoveHandlers() {
  for (const WatchedCache& cache : Caches()) {
    if (cache.registration != nullptr) cache.informer->RemoveEventHandler(cache.registration);
  }
}

std::vector<WatchedCache> Controller::Rep::Caches() const {
  MutexLock lock(mu);
  std::vector<WatchedCache> caches;
  caches.reserve(sources.size());
  for (const Source& source : sources) caches.push_back(source.cache);
  return caches;
}

// Says and counts it; returns the error in controller-runtime's words.
Error Controller::Rep::OnCacheSyncTimeout(const SharedInformer& informer) const {
  const std::string kind = KindOf(informer.type());
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
  CacheSync sync(options.clock, options.cache_sync_timeout, [&](const SharedInformer& informer) {
    Error error = OnCacheSyncTimeout(informer);
    if (options.exit_on_cache_sync_timeout) fatal = std::move(error);
    return !fatal;
  });
  if (!sync.Wait(stop, Caches())) {
    if (fatal) return Err(*fatal);
    return Err(ErrorReason::kCanceled, "stopped");
  }
  MutexLock lock(mu);
  synced = true;
  return {};
}

void Controller::Rep::Reconciled(const std::string& item) {
  MutexLock lock(mu);
  first_pass.erase(item);
  if (first_pass.empty()) std::unordered_set<std::string>().swap(first_pass);  // its buckets, too
}

Controller::Controller(Reconciler& reconciler, ControllerOptions options)
    : rep_(std::make_unique<Rep>(reconciler, std::move(options))) {
  const ControllerOptions& o = rep_->options;
  CHECK(!o.name.empty()) << "a controller needs a name";
  CHECK_GT(o.max_concurrent_reconciles, 0) << o.name;
  if (o.metrics != nullptr) o.metrics->Register(o.name, o.max_concurrent_reconciles);
}

Controller::~Controller() = default;

void Controller::Watch(SharedInformer& informer, MapFunc map) {
  MutexLock lock(rep_->mu);
  rep_->sources.push_back({.cache = {&informer}, .map = std::move(map)});
}

void Controller::WaitFor(SharedInformer& informer, WaitOptions options) {
  MutexLock lock(rep_->mu);
  rep_->sources.push_back({.cache = {.informer = &informer,
                                     .optional = options.optional,
                                     .handled = std::move(options.handled)},
                           .map = {}});
}

void Controller::Enqueue(const Request& request) { rep_->queue.Add(request.String()); }

Expected<void> Controller::Start(std::stop_token stop) {
  LOG(INFO) << Kv("Starting controller", "controller", rep_->options.name);
  rep_->Reset();
  Expected<void> ended = rep_->AddHandlers();
  if (ended) ended = rep_->WaitForCaches(stop);
  if (ended) {
    LOG(INFO) << Kv("Starting workers", "controller", rep_->options.name, "workers",
                    rep_->options.max_concurrent_reconciles);
    Workers(rep_->reconciler, rep_->options, rep_->queue, [this](const std::string& item) {
      rep_->Reconciled(item);
    }).Run(stop);
  }
  rep_->queue.ShutDown();
  rep_->RemoveHandlers();
  if (stop.stop_requested()) return {};
  return ended;
}

std::string Controller::name() const { return rep_->options.name; }

Expected<void> Controller::CachesSynced() const {
  std::string waiting;
  for (const WatchedCache& cache : rep_->Caches()) {
    if (IsSynced(cache)) continue;
    if (!waiting.empty()) waiting += "; ";
    waiting += WhyNotSynced(*cache.informer, rep_->options.clock.Now());
  }
  if (waiting.empty()) return {};
  return Err(ErrorReason::kServiceUnavailable, "controller " + rep_->options.name + ": " + waiting);
}

bool Controller::FirstPassDone() const {
  MutexLock lock(rep_->mu);
  return rep_->synced && rep_->first_pass.empty();
}

std::size_t Controller::QueueLength() const { return rep_->queue.Len(); }

}  // namespace controllers::runtime
