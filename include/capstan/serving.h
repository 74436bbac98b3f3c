// SPDX-License-Identifier: Apache-2.0
// EndpointServer serves /metrics, /healthz, /livez, /readyz and a program's own pages on one
// address. It is a Runnable of the Manager's server group. An endpoint without options answers 404.
// There is no authentication: bind it to an address that only its readers can reach. By default the
// pages answer only clients on this machine, or in this pod, as kubectl port-forward is.
//
// Requests are answered on the server's thread. Listen may be called before anything else starts,
// so that a port in use is reported before the first API request. Mirrors controller-runtime's
// pkg/metrics/server and its health probe server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/controller_metrics.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/health.h"
#include "capstan/httpserver/server.h"
#include "capstan/runnable.h"

namespace capstan {

struct CAPSTAN_EXPORT BindAddress {
  std::string host;  // empty: all interfaces
  std::uint16_t port = 0;
  friend bool operator==(const BindAddress&, const BindAddress&) = default;
};
// Parses "host:port", ":port" and "[::1]:port". Returns nullopt, which means off, for "0" and "".
CAPSTAN_EXPORT Expected<std::optional<BindAddress>> ParseBindAddress(std::string_view text);

// ServingTls is the serving certificate. A new connection reads it again when a file has changed.
struct CAPSTAN_EXPORT ServingTls {
  std::string cert_file;
  std::string key_file;
  httpserver::TlsOptions options = {};
  // Certificates of this CA are requested from clients. Only webhook::Server requires one.
  std::string client_ca_file = {};
};
// Makes `server` use the certificate, and report each read of its files to `metrics`, unless that
// is null.
CAPSTAN_EXPORT void UseServingTls(const ServingTls& tls, MetricsProvider* metrics,
                                  httpserver::ServerOptions& server);

// EndpointPage is one of the program's own pages. `answer` runs on the server's thread and must not
// block.
struct CAPSTAN_EXPORT EndpointPage {
  std::string path;  // "/statusz"
  struct Answer {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body = {};
  };
  std::function<Answer(const httpserver::Request& request)> answer;
  bool takes_put = false;  // also answers PUT, with a body of at most kPutBytesMax
};
inline constexpr std::size_t kPutBytesMax = 64;

struct CAPSTAN_EXPORT EndpointServerOptions {
  std::string name = {};  // such as "metrics"; in the thread's name and in errors
  BindAddress address = {};
  std::optional<ServingTls> tls = {};  // nullopt: plain HTTP
  // Not owned; each outlives the server. A null one answers 404.
  MetricsProvider* metrics = nullptr;
  const HealthChecks* healthz = nullptr;
  const HealthChecks* livez = nullptr;
  const HealthChecks* readyz = nullptr;
  std::vector<EndpointPage> pages = {};
  bool pages_for_everybody = false;
  // Called on the server's thread every `period` from Listen on.
  std::function<void()> periodic = {};
  std::chrono::milliseconds period = std::chrono::seconds(30);
};

class CAPSTAN_EXPORT EndpointServer final : public BackgroundRunnable {
 public:
  explicit EndpointServer(EndpointServerOptions options);

  // Binds and answers from now on. Does nothing when it already listens. The error names the
  // address, the cause and the fix.
  Expected<void> Listen();
  std::uint16_t port() const { return server_->port(); }  // after Listen

  // Listens unless Listen was called.
  Expected<void> Begin(std::stop_token stop) override;
  void End() override;
  std::string name() const override { return options_.name; }

 private:
  void Answer(const httpserver::Request& request, httpserver::Exchange& exchange) const;
  bool AnswerHealth(const httpserver::Request& request, httpserver::Exchange& exchange) const;
  void AnswerPage(const EndpointPage& page, const httpserver::Request& request,
                  httpserver::Exchange& exchange) const;
  void RunPeriodic();

  httpserver::ServerOptions ServerOptions();

  const EndpointServerOptions options_;
  std::unique_ptr<httpserver::Server> server_;
  bool listening_ = false;
};

}  // namespace capstan
