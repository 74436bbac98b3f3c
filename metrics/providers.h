// SPDX-License-Identifier: Apache-2.0
// The Prometheus side of clientgo's metric interfaces: rest_client_*, leader_election_*,
// workqueue_*, capstan_cache_* and capstan_reflector_*. Internal to this folder. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "clientgo/cache/reflector.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/rest/metrics.h"
#include "clientgo/workqueue/queue.h"
#include "metrics/family.h"

namespace metrics {

double Seconds(std::chrono::nanoseconds duration);

class RestMetrics final : public clientgo::rest::MetricsProvider {
 public:
  explicit RestMetrics(prometheus::Registry& registry);
  void OnRequest(std::string_view code, std::string_view method, std::string_view host) override;
  void OnRetry(std::string_view code, std::string_view method, std::string_view host) override;
  void OnDuration(std::string_view method, std::string_view host,
                  std::chrono::nanoseconds duration) override;
  void SetServerReachable(bool reachable) override;
  void OnExecPluginCall(int code, std::string_view call_status) override;
  void SetClientCertificateExpiry(const void* plugin,
                                  std::optional<std::chrono::sys_seconds> expiry) override;
  void OnClientCertificateRotation(std::chrono::seconds age) override;
  // Updates the time until the plugins' certificates expire. Called before each Collect.
  void Refresh();

 private:
  CounterFamily requests_;
  CounterFamily retries_;
  HistogramFamily durations_;
  GaugeFamily reachable_;
  CounterFamily plugin_calls_;
  GaugeFamily certificate_ttl_;
  HistogramFamily certificate_ages_;
  clientgo::util::Mutex mu_;
  bool has_plugin_ GUARDED_BY(mu_) = false;  // ever
  std::map<const void*, std::chrono::sys_seconds> expiries_ GUARDED_BY(mu_);
};

class LeaderElectionMetrics final : public clientgo::leaderelection::MetricsProvider {
 public:
  explicit LeaderElectionMetrics(prometheus::Registry& registry);
  void SetMaster(std::string_view name, bool leading) override;
  void OnSlowPath(std::string_view name) override;

 private:
  GaugeFamily master_;
  CounterFamily slow_path_;
};

class CacheMetrics final : public clientgo::cache::MetricsProvider {
 public:
  explicit CacheMetrics(prometheus::Registry& registry);
  void AddObjects(std::string_view resource, std::ptrdiff_t objects, std::ptrdiff_t bytes) override;
  void AddUndecodableObjects(std::string_view resource, std::ptrdiff_t objects) override;
  void OnWatchListFallback(std::string_view resource, std::string_view reason) override;
  void OnList(std::string_view resource, bool success) override;
  void OnWatchStarted(std::string_view resource) override;
  void OnWatchError(std::string_view resource, std::string_view reason) override;

 private:
  GaugeFamily objects_;
  GaugeFamily bytes_;
  GaugeFamily undecodable_;
  CounterFamily fallbacks_;
  CounterFamily lists_;
  CounterFamily watches_;
  CounterFamily watch_errors_;
};

// WorkqueueMetrics has controller-runtime's labels: the queue's name as `name` and `controller`.
// Depth also has an empty `priority`, as a queue without priorities has. All series of a queue
// exist from its start.
class WorkqueueMetrics final : public clientgo::workqueue::MetricsProvider {
 public:
  explicit WorkqueueMetrics(prometheus::Registry& registry);
  std::unique_ptr<clientgo::workqueue::QueueMetrics> NewQueueMetrics(
      std::string_view queue_name) override;
  // Makes every queue report its current work. Called before each scrape.
  void Refresh();

 private:
  class Queue;

  // There is one series for each queue; a program has few of them.
  using QueueGauges = Family<prometheus::Gauge>;
  QueueGauges depth_;
  CounterFamily adds_;
  CounterFamily retries_;
  HistogramFamily queue_durations_;
  HistogramFamily work_durations_;
  QueueGauges unfinished_;
  QueueGauges longest_running_;

  // Held while the callbacks run, so that the destructor of a queue waits for the scrape.
  clientgo::util::Mutex mu_;
  std::map<const Queue*, std::function<void()>> refresh_ GUARDED_BY(mu_);
};

}  // namespace metrics
