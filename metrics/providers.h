// SPDX-License-Identifier: Apache-2.0
// The Prometheus side of clientgo's metric interfaces: rest_client_*, leader_election_*,
// capstan_cache_* and capstan_reflector_*. Internal to this folder. Thread-safe.
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "clientgo/cache/reflector.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/rest/metrics.h"
#include "metrics/family.h"
#include "metrics/gauge_family.h"

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
  // Before each Collect: how long the plugins' certificates have left now.
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
  bool has_plugin_ GUARDED_BY(mu_) = false;  // had one
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

}  // namespace metrics
