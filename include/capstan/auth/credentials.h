// SPDX-License-Identifier: Apache-2.0
// Credentials is what rest::Client knows about tokens, token files, passwords and plugins: what the
// next request sends to the server, and what happens when the server refuses it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/transport/config.h"

namespace capstan::auth {

// Credential is immutable; every change creates a new one.
struct CAPSTAN_EXPORT Credential {
  std::string authorization = {};  // the header's value; empty: the header is not sent
  std::shared_ptr<const transport::ClientCertificate> certificate = {};
};
using CredentialPtr = std::shared_ptr<const Credential>;

// Thread-safe. Secrets appear in no message: Describe() names their source instead. Mirrors the
// round trippers of client-go's transport package. Differs: one interface that is called before
// each request instead of a chain of wrappers.
class CAPSTAN_EXPORT Credentials {
 public:
  virtual ~Credentials() = default;
  // Returns what to send now; never null. A plugin may have to run first: `stop` (kCanceled) and
  // `deadline` (kDeadlineExceeded) end the wait.
  virtual Expected<CredentialPtr> Current(std::stop_token stop, Clock::TimePoint deadline) = 0;
  Expected<CredentialPtr> Current(std::stop_token stop) {
    return Current(std::move(stop), Clock::TimePoint::max());
  }
  // Records that the server returned 401 to a request with `refused`. Nothing happens when
  // `refused` is no longer current, because concurrent requests report the same refusal.
  virtual void OnUnauthorized(const CredentialPtr& refused) = 0;
  // Returns an error that would make every request fail and is known at start: an unreadable file,
  // a command that is not installed. Runs no plugin.
  virtual Expected<void> Check() = 0;
  // Returns the known certificate without waiting; see transport::Config::get_client_certificate.
  virtual std::shared_ptr<const transport::ClientCertificate> Certificate() { return nullptr; }
  // Names the source: "the token in /var/run/...", "exec plugin aws".
  virtual std::string Describe() const = 0;
};

// Returns credentials that never change: a token, a password, none. `authorization` is the header's
// value.
CAPSTAN_EXPORT std::unique_ptr<Credentials> NewStaticCredentials(std::string authorization,
                                                                 std::string describe);
CAPSTAN_EXPORT std::string BearerAuthorization(std::string_view token);
CAPSTAN_EXPORT std::string BasicAuthorization(std::string_view username, std::string_view password);

// Reports whether `value` is a valid header value: nothing in it ends the line.
CAPSTAN_EXPORT bool IsHeaderValue(std::string_view value);

// Returns credentials for the bearer token in a file that is rotated, for example by the kubelet.
// The file is read again 50 s after the last read, and at once after the server refused the token.
// When it cannot be read, the previous token is kept. Current fails only while no token was ever
// read. `first` is a token to use until then. Mirrors client-go's
// transport.NewBearerAuthWithRefreshRoundTripper.
CAPSTAN_EXPORT std::unique_ptr<Credentials> NewTokenFile(std::string path, Clock& clock,
                                                         const std::string& first = {});

// MetricsProvider receives the metrics of credential plugins, so that clientgo needs no metrics
// library. Mirrors the exec plugin's part of k8s.io/client-go/tools/metrics. Implementations are
// thread-safe; they are called without a lock.
class CAPSTAN_EXPORT MetricsProvider {
 public:
  virtual ~MetricsProvider() = default;
  // Counts a run of a plugin. `code` is 0 only for success; otherwise the exit code, -1 when a
  // signal ended it, or 1 when it could not run. `call_status` is client-go's: no_error,
  // plugin_execution_error, plugin_not_found_error (missing or not executable) or
  // client_internal_error.
  virtual void OnExecPluginCall(int code, std::string_view call_status) = 0;
  // Sets the time at which the client certificate of `plugin` expires. Nullopt: it has none, or the
  // plugin was destroyed. `plugin` is only an identity.
  virtual void SetClientCertificateExpiry(const void* plugin,
                                          std::optional<std::chrono::sys_seconds> expiry) = 0;
  // Records that a plugin's client certificate was replaced, `age` after the old one's start.
  virtual void OnClientCertificateRotation(std::chrono::seconds age) = 0;
};

}  // namespace capstan::auth
