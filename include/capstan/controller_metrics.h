// SPDX-License-Identifier: Apache-2.0
// The interfaces through which controllers, Managers and their endpoints report metrics. They are
// interfaces so that a program without a metrics library links none. metrics implements
// them with Prometheus. Mirrors controller-runtime's pkg/metrics and pkg/internal/controller/
// metrics. Implementations are thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "capstan/cache/reflector.h"
#include "capstan/export.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/rest/metrics.h"
#include "capstan/workqueue/queue.h"

namespace capstan {

// ControllerMetrics is what controllers report.
class CAPSTAN_EXPORT ControllerMetrics {
 public:
  virtual ~ControllerMetrics() = default;
  enum class ReconcileResult { kSuccess, kError, kRequeue, kRequeueAfter };
  // Creates the series of a controller.
  virtual void Register(std::string_view controller, int max_concurrent_reconciles) = 0;
  virtual void OnReconcile(std::string_view controller, ReconcileResult result,
                           std::chrono::nanoseconds duration, bool terminal) = 0;
  virtual void OnPanic(std::string_view controller) = 0;
  // A reconciliation was stopped by ControllerOptions::reconciliation_timeout.
  virtual void OnTimeout(std::string_view controller) = 0;
  virtual void AddActiveWorkers(std::string_view controller, int delta) = 0;
  virtual void OnCacheSyncTimeout(std::string_view controller, std::string_view resource) = 0;
};

// WebhookMetrics is what webhook::Server reports. `webhook` is the path.
class CAPSTAN_EXPORT WebhookMetrics {
 public:
  virtual ~WebhookMetrics() = default;
  // Creates the series of a webhook.
  virtual void Register(std::string_view webhook) = 0;
  virtual void AddInFlight(std::string_view webhook, int delta) = 0;
  // `code` is that of HTTP. A review with an error has 200.
  virtual void OnResponse(std::string_view webhook, int code, std::chrono::nanoseconds latency) = 0;
  // A handler has thrown an exception.
  virtual void OnPanic() = 0;
  virtual void OnConversionPanic() = 0;
};

// MetricsProvider is all that a program with a Manager reports, and what its /metrics shows.
class CAPSTAN_EXPORT MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  // These live as long as the MetricsProvider.
  virtual rest::MetricsProvider& rest() = 0;
  virtual workqueue::MetricsProvider& workqueue() = 0;
  virtual cache::MetricsProvider& cache() = 0;
  virtual leaderelection::MetricsProvider& leader_election() = 0;
  virtual ControllerMetrics& controllers() = 0;
  virtual WebhookMetrics* webhooks() { return nullptr; }  // null: they are not reported

  // Creates the series of serving certificates, certwatcher_*.
  virtual void RegisterServingCertificate() = 0;
  // The files of a serving certificate were read; `ok`: they could be used.
  virtual void OnServingCertificateRead(bool ok) = 0;

  // Returns the text exposition format, version 0.0.4.
  virtual std::string Serialize() = 0;
};

}  // namespace capstan
