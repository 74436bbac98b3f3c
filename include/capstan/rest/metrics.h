// SPDX-License-Identifier: Apache-2.0
// MetricsProvider receives the metrics of the REST client and of credential plugins. It is an
// interface because clientgo does not depend on a metrics library. Mirrors
// k8s.io/client-go/tools/metrics. Implementations are thread-safe.
#pragma once

#include <chrono>
#include <string_view>

#include "capstan/auth/credentials.h"
#include "capstan/export.h"

namespace capstan::rest {

class CAPSTAN_EXPORT MetricsProvider : public auth::MetricsProvider {
 public:
  // Called for every attempt. `code` is "200", for example, or "<error>" without a response.
  virtual void OnRequest(std::string_view code, std::string_view method, std::string_view host) = 0;
  virtual void OnRetry(std::string_view code, std::string_view method, std::string_view host) = 0;
  // Called for unary requests only, because a watch has no latency.
  virtual void OnDuration(std::string_view method, std::string_view host,
                          std::chrono::nanoseconds duration) = 0;
  // Called once for each resource for which the server refuses protobuf (406, 415).
  virtual void OnContentTypeRefused(std::string_view /*resource*/) {}
  // Called after the first request, and at the start and end of an outage.
  virtual void SetServerReachable(bool reachable) = 0;
};

}  // namespace capstan::rest
