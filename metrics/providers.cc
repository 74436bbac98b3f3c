// SPDX-License-Identifier: Apache-2.0
#include "metrics/providers.h"

#include <algorithm>
#include <limits>

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
    // As doubles: nanoseconds end in the year 2262, certificates need not.
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

}  // namespace metrics
