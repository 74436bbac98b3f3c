// SPDX-License-Identifier: Apache-2.0
// What the REST client reports, as an interface: clientgo knows no metrics library.
// With what credential plugins report. Mirrors k8s.io/client-go/tools/metrics. Implementations are
// thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "clientgo/auth/credentials.h"

namespace clientgo::rest {

class MetricsProvider : public auth::MetricsProvider {
 public:
  // Every attempt; `code` is "200", or "<error>" when there was no response.
  virtual void OnRequest(std::string_view code, std::string_view method, std::string_view host) = 0;
  virtual void OnRetry(std::string_view code, std::string_view method, std::string_view host) = 0;
  // Unary requests only: a watch is not a latency.
  virtual void OnDuration(std::string_view method, std::string_view host,
                          std::chrono::nanoseconds duration) = 0;
  // From the first request on, when an outage begins, and when it ends.
  virtual void SetServerReachable(bool reachable) = 0;
};

}  // namespace clientgo::rest
