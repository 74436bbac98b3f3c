// SPDX-License-Identifier: Apache-2.0
// What credential plugins report, as an interface: clientgo knows no metrics library.
// Mirrors the exec plugin's part of k8s.io/client-go/tools/metrics. Implementations are
// thread-safe; nothing is called while a lock is held.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace clientgo::auth {

class MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  // A plugin was run. `code`: 0 if and only if it ended well; its exit code, -1 when a signal ended
  // it, 1 when it could not be run. `call_status` is client-go's: no_error, plugin_execution_error,
  // plugin_not_found_error (it is missing or no executable) or client_internal_error.
  virtual void OnExecPluginCall(int code, std::string_view call_status) = 0;
  // When the client certificate of `plugin`, which only tells plugins apart, expires. None: it has
  // no certificate, or is gone.
  virtual void SetClientCertificateExpiry(const void* plugin,
                                          std::optional<std::chrono::sys_seconds> expiry) = 0;
  // A plugin's client certificate was replaced; `age` is the time since the old one's start.
  virtual void OnClientCertificateRotation(std::chrono::seconds age) = 0;
};

}  // namespace clientgo::auth
