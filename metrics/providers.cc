// SPDX-License-Identifier: Apache-2.0
#include "metrics/providers.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace metrics {
namespace {

constexpr std::initializer_list<std::string_view> kNoLabels = {};

// component-base's buckets of rest_client_request_duration_seconds.
std::vector<double> RequestBuckets() {
  return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
}

// component-base's buckets of rest_client_exec_plugin_certificate_rotation_age: ten minutes to four
// years.
std::vector<double> RotationBuckets() {
  return {600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000, 124416000};
}

constexpr auto kIncrement = [](prometheus::Counter& counter) { counter.Increment(); };

// controller-runtime's buckets: twelve powers of ten from 10 ns.
std::vector<double> DurationBuckets() {
  return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
}

template <class T>
T& Series(Family<T>& family, std::initializer_list<std::string_view> values) {
  T* series = nullptr;
  family.With(values, [&](T& found) { series = &found; });
  return *series;
}

}  // namespace

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

RestMetrics::RestMetrics(prometheus::Registry& registry)
    : requests_(registry, {.name = "rest_client_requests_total",
                           .help = "HTTP requests to the API server, every attempt, by status "
                                   "code, method and host.",
                           .labels = {"code", "method", "host"}}),
      retries_(registry, {.name = "rest_client_request_retries_total",
                          .help = "Requests that were sent again, by the status code that "
                                  "caused it, verb and host.",
                          .labels = {"code", "verb", "host"}}),
      durations_(registry, {.name = "rest_client_request_duration_seconds",
                            .help = "Seconds a request took, retries and waits between them "
                                    "included, watches left out, by verb and host.",
                            .labels = {"verb", "host"},
                            .buckets = RequestBuckets()}),
      reachable_(registry, {.name = "capstan_apiserver_reachable",
                            .help = "1 while the API server answers, 0 while it cannot be reached "
                                    "or has not finished starting.",
                            .labels = {}}),
      plugin_calls_(registry, {.name = "rest_client_exec_plugin_call_total",
                               .help = "Runs of a credential plugin, by exit code, which is 0 if "
                                       "and only if it ended well, and what came of it.",
                               .labels = {"code", "call_status"}}),
      certificate_ttl_(registry, {.name = "rest_client_exec_plugin_ttl_seconds",
                                  .help = "Seconds until the first client certificate of a "
                                          "credential plugin expires, negative after that; +Inf "
                                          "without one.",
                                  .labels = {}}),
      certificate_ages_(registry, {.name = "rest_client_exec_plugin_certificate_rotation_age",
                                   .help = "Seconds that a credential plugin's client certificate "
                                           "had been valid when another replaced it.",
                                   .labels = {},
                                   .buckets = RotationBuckets()}) {}

void RestMetrics::OnRequest(std::string_view code, std::string_view method, std::string_view host) {
  requests_.With({code, method, host}, kIncrement);
}

void RestMetrics::OnRetry(std::string_view code, std::string_view method, std::string_view host) {
  retries_.With({code, method, host}, kIncrement);
}

void RestMetrics::OnDuration(std::string_view method, std::string_view host,
                             std::chrono::nanoseconds duration) {
  durations_.With({method, host},
                  [&](prometheus::Histogram& series) { series.Observe(Seconds(duration)); });
}

void RestMetrics::SetServerReachable(bool reachable) { reachable_.Set({}, reachable ? 1 : 0); }

void RestMetrics::OnExecPluginCall(int code, std::string_view call_status) {
  plugin_calls_.With({std::to_string(code), call_status}, kIncrement);
}

void RestMetrics::SetClientCertificateExpiry(const void* plugin,
                                             std::optional<std::chrono::sys_seconds> expiry) {
  clientgo::util::MutexLock lock(mu_);
  has_plugin_ = true;
  if (expiry) {
    expiries_.insert_or_assign(plugin, *expiry);
  } else {
    expiries_.erase(plugin);
  }
}

void RestMetrics::OnClientCertificateRotation(std::chrono::seconds age) {
  certificate_ages_.With(kNoLabels, [&](prometheus::Histogram& series) {
    series.Observe(static_cast<double>(age.count()));
  });
}

void RestMetrics::Refresh() {
  double ttl = std::numeric_limits<double>::infinity();
  {
    clientgo::util::MutexLock lock(mu_);
    if (!has_plugin_) return;
    // Doubles, because nanoseconds overflow in the year 2262 and certificates may be valid longer.
    using Float = std::chrono::duration<double>;
    const Float now = std::chrono::system_clock::now().time_since_epoch();
    for (const auto& [plugin, expiry] : expiries_) {
      ttl = std::min(ttl, (Float(expiry.time_since_epoch()) - now).count());
    }
  }
  certificate_ttl_.Set({}, ttl);
}

LeaderElectionMetrics::LeaderElectionMetrics(prometheus::Registry& registry)
    : master_(registry, {.name = "leader_election_master_status",
                         .help = "1 while this process holds the Lease, else 0.",
                         .labels = {"name"}}),
      slow_path_(registry, {.name = "leader_election_slowpath_total",
                            .help = "Renewals of the Lease that had to read it first.",
                            .labels = {"name"}}) {}

void LeaderElectionMetrics::SetMaster(std::string_view name, bool leading) {
  master_.Set({name}, leading ? 1 : 0);
}

void LeaderElectionMetrics::OnSlowPath(std::string_view name) {
  slow_path_.With({name}, kIncrement);
}

CacheMetrics::CacheMetrics(prometheus::Registry& registry)
    : objects_(registry, {.name = "capstan_cache_objects",
                          .help = "Objects that the caches of a resource hold.",
                          .labels = {"resource"}}),
      bytes_(registry, {.name = "capstan_cache_bytes",
                        .help = "Heap bytes that the objects of a cache keep alive.",
                        .labels = {"resource"}}),
      undecodable_(registry, {.name = "capstan_undecodable_objects",
                              .help = "Objects whose newest version could not be decoded. The "
                                      "caches of a resource hold an older one, or none.",
                              .labels = {"resource"}}),
      fallbacks_(registry, {.name = "capstan_watchlist_fallback_total",
                            .help = "Times a cache gave up streaming lists for paged ones.",
                            .labels = {"resource", "reason"}}),
      lists_(registry, {.name = "capstan_reflector_lists_total",
                        .help = "Lists of a cache that ended, by result: success or error.",
                        .labels = {"resource", "result"}}),
      watches_(registry, {.name = "capstan_reflector_watches_total",
                          .help = "Watches of a cache that the API server accepted.",
                          .labels = {"resource"}}),
      watch_errors_(registry, {.name = "capstan_reflector_watch_errors_total",
                               .help = "Watches of a cache that were refused or broke, by reason.",
                               .labels = {"resource", "reason"}}) {}

void CacheMetrics::AddObjects(std::string_view resource, std::ptrdiff_t objects,
                              std::ptrdiff_t bytes) {
  objects_.Add({resource}, static_cast<double>(objects));
  bytes_.Add({resource}, static_cast<double>(bytes));
}

void CacheMetrics::AddUndecodableObjects(std::string_view resource, std::ptrdiff_t objects) {
  undecodable_.Add({resource}, static_cast<double>(objects));
}

void CacheMetrics::OnWatchListFallback(std::string_view resource, std::string_view reason) {
  fallbacks_.With({resource, reason}, kIncrement);
}

void CacheMetrics::OnList(std::string_view resource, bool success) {
  lists_.With({resource, success ? "success" : "error"}, kIncrement);
}

void CacheMetrics::OnWatchStarted(std::string_view resource) {
  watches_.With({resource}, kIncrement);
}

void CacheMetrics::OnWatchError(std::string_view resource, std::string_view reason) {
  watch_errors_.With({resource, reason}, kIncrement);
}

// Queue looks its series up once, because a queue reports every key while it holds its lock.
class WorkqueueMetrics::Queue final : public clientgo::workqueue::QueueMetrics {
 public:
  Queue(WorkqueueMetrics& owner, std::string_view name)
      : owner_(owner),
        depth_(Series(owner.depth_, {name, name, ""})),
        adds_(Series(owner.adds_, {name, name})),
        retries_(Series(owner.retries_, {name, name})),
        queue_durations_(Series(owner.queue_durations_, {name, name})),
        work_durations_(Series(owner.work_durations_, {name, name})),
        unfinished_(Series(owner.unfinished_, {name, name})),
        longest_running_(Series(owner.longest_running_, {name, name})) {}

  ~Queue() override {
    clientgo::util::MutexLock lock(owner_.mu_);
    owner_.refresh_.erase(this);
  }

  void SetDepth(std::size_t depth) override { depth_.Set(static_cast<double>(depth)); }
  void OnAdd() override { adds_.Increment(); }
  void OnRetry() override { retries_.Increment(); }
  void ObserveQueueDuration(std::chrono::nanoseconds waited) override {
    queue_durations_.Observe(Seconds(waited));
  }
  void ObserveWorkDuration(std::chrono::nanoseconds worked) override {
    work_durations_.Observe(Seconds(worked));
  }
  void SetUnfinished(std::chrono::nanoseconds sum, std::chrono::nanoseconds longest) override {
    unfinished_.Set(Seconds(sum));
    longest_running_.Set(Seconds(longest));
  }
  void SetRefresh(std::function<void()> refresh) override {
    clientgo::util::MutexLock lock(owner_.mu_);
    owner_.refresh_[this] = std::move(refresh);
  }

 private:
  WorkqueueMetrics& owner_;
  prometheus::Gauge& depth_;
  prometheus::Counter& adds_;
  prometheus::Counter& retries_;
  prometheus::Histogram& queue_durations_;
  prometheus::Histogram& work_durations_;
  prometheus::Gauge& unfinished_;
  prometheus::Gauge& longest_running_;
};

WorkqueueMetrics::WorkqueueMetrics(prometheus::Registry& registry)
    : depth_(registry, {.name = "workqueue_depth",
                        .help = "Keys that wait for a worker.",
                        .labels = {"name", "controller", "priority"}}),
      adds_(registry, {.name = "workqueue_adds_total",
                       .help = "Keys added to the queue.",
                       .labels = {"name", "controller"}}),
      retries_(registry, {.name = "workqueue_retries_total",
                          .help = "Keys added to the queue again with a delay.",
                          .labels = {"name", "controller"}}),
      queue_durations_(registry, {.name = "workqueue_queue_duration_seconds",
                                  .help = "Seconds a key waited for a worker.",
                                  .labels = {"name", "controller"},
                                  .buckets = DurationBuckets()}),
      work_durations_(registry, {.name = "workqueue_work_duration_seconds",
                                 .help = "Seconds a worker needed for a key.",
                                 .labels = {"name", "controller"},
                                 .buckets = DurationBuckets()}),
      unfinished_(registry, {.name = "workqueue_unfinished_work_seconds",
                             .help = "Seconds spent so far on keys in work, summed up. Growing "
                                     "without end: a worker is stuck.",
                             .labels = {"name", "controller"}}),
      longest_running_(registry, {.name = "workqueue_longest_running_processor_seconds",
                                  .help = "Seconds that the longest running worker has been at "
                                          "its key.",
                                  .labels = {"name", "controller"}}) {}

std::unique_ptr<clientgo::workqueue::QueueMetrics> WorkqueueMetrics::NewQueueMetrics(
    std::string_view queue_name) {
  return std::make_unique<Queue>(*this, queue_name);
}

void WorkqueueMetrics::Refresh() {
  clientgo::util::MutexLock lock(mu_);
  for (const auto& [queue, refresh] : refresh_) refresh();
}

}  // namespace metrics
