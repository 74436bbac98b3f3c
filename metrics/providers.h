// SPDX-License-Identifier: Apache-2.0
// The Prometheus side of clientgo's metric interfaces: rest_client_*, leader_election_*,
// workqueue_*, capstan_cache_* and capstan_reflector_*. Internal to this folder. Thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/cache/reflector.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/rest/metrics.h"
#include "capstan/workqueue/queue.h"
#include "metrics/family.h"

namespace capstan::metrics {

inline constexpr auto kIncrement = [](prometheus::Counter& counter) { counter.Increment(); };

inline double Seconds(std::chrono::duration<double> duration) { return duration.count(); }

class RestMetrics final : public rest::MetricsProvider {
 public:
  explicit RestMetrics(prometheus::Registry& registry) : registry_(registry) {}

  void OnRequest(std::string_view code, std::string_view method, std::string_view host) override {
    requests_.With({code, method, host}, kIncrement);
  }
  void OnRetry(std::string_view code, std::string_view method, std::string_view host) override {
    retries_.With({code, method, host}, kIncrement);
  }
  void OnDuration(std::string_view method, std::string_view host,
                  std::chrono::nanoseconds duration) override {
    durations_.With({method, host},
                    [&](prometheus::Histogram& series) { series.Observe(Seconds(duration)); });
  }
  void OnContentTypeRefused(std::string_view resource) override {
    content_type_refusals_.With({resource}, kIncrement);
  }
  void SetServerReachable(bool reachable) override { reachable_.Set({}, reachable ? 1 : 0); }
  void OnExecPluginCall(int code, std::string_view call_status) override {
    plugin_calls_.With({std::to_string(code), call_status}, kIncrement);
  }
  void SetClientCertificateExpiry(const void* plugin,
                                  std::optional<std::chrono::sys_seconds> expiry) override {
    const MutexLock lock(mu_);
    has_plugin_ = true;
    if (expiry) {
      expiries_.insert_or_assign(plugin, *expiry);
    } else {
      expiries_.erase(plugin);
    }
  }
  void OnClientCertificateRotation(std::chrono::seconds age) override {
    constexpr std::initializer_list<std::string_view> kNoLabels = {};
    certificate_ages_.With(kNoLabels,
                           [&](prometheus::Histogram& series) { series.Observe(Seconds(age)); });
  }

  // Updates the time until the plugins' certificates expire. Called before each Collect.
  void Refresh() {
    double ttl = std::numeric_limits<double>::infinity();
    {
      const MutexLock lock(mu_);
      if (!has_plugin_) return;
      // Doubles, because nanoseconds overflow in the year 2262 and certificates may be valid
      // longer.
      const double now = Seconds(std::chrono::system_clock::now().time_since_epoch());
      for (const auto& [plugin, expiry] : expiries_) {
        ttl = std::min(ttl, Seconds(expiry.time_since_epoch()) - now);
      }
    }
    certificate_ttl_.Set({}, ttl);
  }

 private:
  prometheus::Registry& registry_;
  CounterFamily requests_{
      registry_,
      {"rest_client_requests_total",
       "HTTP requests to the API server, every attempt, by status code, method and host.",
       {"code", "method", "host"}}};
  CounterFamily retries_{
      registry_,
      {"rest_client_request_retries_total",
       "Requests that were sent again, by the status code that caused it, verb and host.",
       {"code", "verb", "host"}}};
  CounterFamily content_type_refusals_{
      registry_,
      {"capstan_protobuf_fallback_total",
       "Number of resources for which the API server refuses protobuf, so that they are read as "
       "JSON, by resource.",
       {"resource"}}};
  // The buckets of this and of the certificates' ages are component-base's.
  HistogramFamily durations_{registry_,
                             {"rest_client_request_duration_seconds",
                              "Seconds a request took, retries and waits between them included, "
                              "watches left out, by verb and host.",
                              {"verb", "host"},
                              {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}}};
  GaugeFamily reachable_{
      registry_,
      {"capstan_apiserver_reachable",
       "1 while the API server answers, 0 while it cannot be reached or has not finished starting.",
       {}}};
  CounterFamily plugin_calls_{registry_,
                              {"rest_client_exec_plugin_call_total",
                               "Runs of a credential plugin, by exit code, which is 0 if and only "
                               "if it ended well, and what came of it.",
                               {"code", "call_status"}}};
  GaugeFamily certificate_ttl_{registry_,
                               {"rest_client_exec_plugin_ttl_seconds",
                                "Seconds until the first client certificate of a credential plugin "
                                "expires, negative after that; +Inf without one.",
                                {}}};
  HistogramFamily certificate_ages_{
      registry_,
      {"rest_client_exec_plugin_certificate_rotation_age",
       "Seconds that a credential plugin's client certificate had been valid when another replaced "
       "it.",
       {},
       {600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000, 124416000}}};
  Mutex mu_;
  bool has_plugin_ CAPSTAN_GUARDED_BY(mu_) = false;  // ever
  std::map<const void*, std::chrono::sys_seconds> expiries_ CAPSTAN_GUARDED_BY(mu_);
};

class LeaderElectionMetrics final : public leaderelection::MetricsProvider {
 public:
  explicit LeaderElectionMetrics(prometheus::Registry& registry) : registry_(registry) {}

  void SetMaster(std::string_view name, bool leading) override {
    master_.Set({name}, leading ? 1 : 0);
  }
  void OnSlowPath(std::string_view name) override { slow_path_.With({name}, kIncrement); }

 private:
  prometheus::Registry& registry_;
  GaugeFamily master_{
      registry_,
      {"leader_election_master_status", "1 while this process holds the Lease, else 0.", {"name"}}};
  CounterFamily slow_path_{registry_,
                           {"leader_election_slowpath_total",
                            "Renewals of the Lease that had to read it first.",
                            {"name"}}};
};

class CacheMetrics final : public cache::MetricsProvider {
 public:
  explicit CacheMetrics(prometheus::Registry& registry) : registry_(registry) {}

  void AddObjects(std::string_view resource, std::ptrdiff_t objects,
                  std::ptrdiff_t bytes) override {
    objects_.Add({resource}, static_cast<double>(objects));
    bytes_.Add({resource}, static_cast<double>(bytes));
  }
  void AddUndecodableObjects(std::string_view resource, std::ptrdiff_t objects) override {
    undecodable_.Add({resource}, static_cast<double>(objects));
  }
  void OnWatchListFallback(std::string_view resource, std::string_view reason) override {
    fallbacks_.With({resource, reason}, kIncrement);
  }
  void OnList(std::string_view resource, bool success) override {
    lists_.With({resource, success ? "success" : "error"}, kIncrement);
  }
  void OnWatchStarted(std::string_view resource) override { watches_.With({resource}, kIncrement); }
  void OnWatchError(std::string_view resource, std::string_view reason) override {
    watch_errors_.With({resource, reason}, kIncrement);
  }
  void AddPrefix(std::string_view prefix) override {
    const MutexLock lock(mu_);
    ++prefixes_[std::string(prefix)];
  }
  void RemovePrefix(std::string_view prefix) override {
    const MutexLock lock(mu_);
    const auto at = prefixes_.find(prefix);
    if (at == prefixes_.end() || --at->second > 0) return;
    prefixes_.erase(at);
    objects_.RemovePrefix(prefix);
    bytes_.RemovePrefix(prefix);
    undecodable_.RemovePrefix(prefix);
    fallbacks_.RemovePrefix(prefix);
    lists_.RemovePrefix(prefix);
    watches_.RemovePrefix(prefix);
    watch_errors_.RemovePrefix(prefix);
  }

 private:
  prometheus::Registry& registry_;
  GaugeFamily objects_{
      registry_,
      {"capstan_cache_objects", "Objects that the caches of a resource hold.", {"resource"}}};
  GaugeFamily bytes_{
      registry_,
      {"capstan_cache_bytes", "Heap bytes that the objects of a cache keep alive.", {"resource"}}};
  GaugeFamily undecodable_{registry_,
                           {"capstan_undecodable_objects",
                            "Objects whose newest version could not be decoded. The caches of a "
                            "resource hold an older one, or none.",
                            {"resource"}}};
  CounterFamily fallbacks_{registry_,
                           {"capstan_watchlist_fallback_total",
                            "Times a cache gave up streaming lists for paged ones.",
                            {"resource", "reason"}}};
  CounterFamily lists_{registry_,
                       {"capstan_reflector_lists_total",
                        "Lists of a cache that ended, by result: success or error.",
                        {"resource", "result"}}};
  CounterFamily watches_{registry_,
                         {"capstan_reflector_watches_total",
                          "Watches of a cache that the API server accepted.",
                          {"resource"}}};
  CounterFamily watch_errors_{registry_,
                              {"capstan_reflector_watch_errors_total",
                               "Watches of a cache that were refused or broke, by reason.",
                               {"resource", "reason"}}};
  Mutex mu_;
  std::map<std::string, int, std::less<>> prefixes_ CAPSTAN_GUARDED_BY(mu_);  // to their users
};

// WorkqueueMetrics has controller-runtime's labels: the queue's name as `name` and `controller`.
// Depth also has `priority`, which is empty for a queue without priorities. As in
// controller-runtime, a queue has at most kPrioritiesMax of them; the keys of all others count
// under kExceeded. The other series of a queue exist from its start.
class WorkqueueMetrics final : public workqueue::MetricsProvider {
 public:
  explicit WorkqueueMetrics(prometheus::Registry& registry) : registry_(registry) {}

  std::unique_ptr<workqueue::QueueMetrics> NewQueueMetrics(std::string_view queue_name) override {
    return std::make_unique<Queue>(*this, queue_name);
  }
  // Makes every queue report its current work. Called before each scrape.
  void Refresh() {
    const MutexLock lock(mu_);
    for (const auto& [queue, refresh] : refresh_) refresh();
  }

 private:
  // Queue looks its series up once, because a queue reports every key while it holds its lock.
  class Queue final : public workqueue::QueueMetrics {
   public:
    Queue(WorkqueueMetrics& owner, std::string_view name)
        : owner_(owner),
          name_(name),
          adds_(Series(owner.adds_, {name, name})),
          retries_(Series(owner.retries_, {name, name})),
          queue_durations_(Series(owner.queue_durations_, {name, name})),
          work_durations_(Series(owner.work_durations_, {name, name})),
          unfinished_(Series(owner.unfinished_, {name, name})),
          longest_running_(Series(owner.longest_running_, {name, name})) {}
    ~Queue() override {
      const MutexLock lock(owner_.mu_);
      owner_.refresh_.erase(this);
    }

    void SetDepth(std::optional<int> priority, std::size_t depth) override {
      const auto value = static_cast<double>(depth);
      if (const auto known = depths_.find(priority); known != depths_.end()) {
        known->second->Set(value);
      } else if (depths_.size() < kPrioritiesMax) {
        const std::string label = priority ? std::to_string(*priority) : "";
        prometheus::Gauge& series = Series(owner_.depth_, {name_, name_, label});
        depths_.emplace(priority, &series);
        series.Set(value);
      } else {
        double& counted = exceeding_[priority];
        exceeding_sum_ += value - std::exchange(counted, value);
        if (depth == 0) exceeding_.erase(priority);
        Series(owner_.depth_, {name_, name_, kExceeded}).Set(exceeding_sum_);
      }
    }
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
      const MutexLock lock(owner_.mu_);
      owner_.refresh_[this] = std::move(refresh);
    }

   private:
    template <class T>
    static T& Series(Family<T>& family, std::initializer_list<std::string_view> values) {
      T* series = nullptr;
      family.With(values, [&](T& found) { series = &found; });
      return *series;
    }

    WorkqueueMetrics& owner_;
    const std::string name_;
    // Used with the queue's lock held.
    std::map<std::optional<int>, prometheus::Gauge*> depths_;
    std::map<std::optional<int>, double> exceeding_;  // the keys of the other priorities
    double exceeding_sum_ = 0;
    prometheus::Counter& adds_;
    prometheus::Counter& retries_;
    prometheus::Histogram& queue_durations_;
    prometheus::Histogram& work_durations_;
    prometheus::Gauge& unfinished_;
    prometheus::Gauge& longest_running_;
  };

  static constexpr std::size_t kPrioritiesMax = 25;

  // controller-runtime's buckets: twelve powers of ten from 10 ns.
  static std::vector<double> DurationBuckets() {
    return {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
  }

  // There is one series for each queue; a program has few of them.
  using QueueGauges = Family<prometheus::Gauge>;
  prometheus::Registry& registry_;
  QueueGauges depth_{
      registry_,
      {"workqueue_depth", "Keys that wait for a worker.", {"name", "controller", "priority"}}};
  CounterFamily adds_{registry_,
                      {"workqueue_adds_total", "Keys added to the queue.", {"name", "controller"}}};
  CounterFamily retries_{registry_,
                         {"workqueue_retries_total",
                          "Keys added to the queue again with a delay.",
                          {"name", "controller"}}};
  HistogramFamily queue_durations_{registry_,
                                   {"workqueue_queue_duration_seconds",
                                    "Seconds a key waited for a worker.",
                                    {"name", "controller"},
                                    DurationBuckets()}};
  HistogramFamily work_durations_{registry_,
                                  {"workqueue_work_duration_seconds",
                                   "Seconds a worker needed for a key.",
                                   {"name", "controller"},
                                   DurationBuckets()}};
  QueueGauges unfinished_{
      registry_,
      {"workqueue_unfinished_work_seconds",
       "Seconds spent so far on keys in work, summed up. Growing without end: a worker is stuck.",
       {"name", "controller"}}};
  QueueGauges longest_running_{registry_,
                               {"workqueue_longest_running_processor_seconds",
                                "Seconds that the longest running worker has been at its key.",
                                {"name", "controller"}}};

  // Held while the callbacks run, so that the destructor of a queue waits for the scrape.
  Mutex mu_;
  std::map<const Queue*, std::function<void()>> refresh_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::metrics
