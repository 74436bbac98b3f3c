// SPDX-License-Identifier: Apache-2.0
// EndpointServer: /metrics, /healthz, /livez, /readyz and a program's own pages on one address, as
// a Runnable of the Manager's server group. What it was not given answers 404. No authentication:
// bind it to an address that only those who may read it can reach; the pages are for clients on
// this machine (or in this pod, as kubectl port-forward is) unless the options say otherwise.
//
// Answers are made on the server's thread. Listen may be called before anything else starts, so
// that a port in use is told before the first API request. Mirrors controller-runtime's
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

#include "clientgo/util/error.h"
#include "controllers/runtime/health.h"
#include "controllers/runtime/runnable.h"
#include "httpserver/server.h"
#include "metrics/metrics.h"

namespace controllers::runtime {

struct BindAddress {
  std::string host;  // empty: all interfaces
  std::uint16_t port = 0;
  friend bool operator==(const BindAddress&, const BindAddress&) = default;
};
// "host:port", ":port", "[::1]:port". "0" and "" mean off: nullopt.
clientgo::util::Expected<std::optional<BindAddress>> ParseBindAddress(std::string_view text);

// The certificate to serve with: read again for a new connection when a file has changed.
struct ServingTls {
  std::string cert_file;
  std::string key_file;
  httpserver::TlsOptions options = {};
};

// A page of the program's own. Called on the server's thread; it must not block.
struct EndpointPage {
  std::string path;  // "/statusz"
  struct Answer {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body = {};
  };
  std::function<Answer(const httpserver::Request& request)> answer;
  bool takes_put = false;  // with a body of at most kPutBytesMax
};
inline constexpr std::size_t kPutBytesMax = 64;

struct EndpointServerOptions {
  std::string name;  // "metrics": of its thread and its error
  BindAddress address;
  std::optional<ServingTls> tls = {};  // none: plain HTTP
  // Not owned; each outlives the server. Null: 404.
  metrics::Metrics* metrics = nullptr;
  const HealthChecks* healthz = nullptr;
  const HealthChecks* livez = nullptr;
  const HealthChecks* readyz = nullptr;
  std::vector<EndpointPage> pages = {};
  bool pages_for_everybody = false;
  // Run on the server's thread from Listen on, again and again: what costs no thread of its own.
  std::function<void()> periodic = {};
  std::chrono::milliseconds period = std::chrono::seconds(30);
};

class EndpointServer final : public Runnable {
 public:
  explicit EndpointServer(EndpointServerOptions options);
  ~EndpointServer() override;

  // Binds and answers from now on; nothing when it already does. The error names the address, the
  // cause and the remedy.
  clientgo::util::Expected<void> Listen();
  std::uint16_t port() const;  // after Listen

  // Listens, if Listen was not called, and serves until `stop`.
  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override;

 private:
  void Answer(const httpserver::Request& request, httpserver::Exchange& exchange) const;
  bool AnswerHealth(const httpserver::Request& request, httpserver::Exchange& exchange) const;
  void AnswerPage(const EndpointPage& page, const httpserver::Request& request,
                  httpserver::Exchange& exchange) const;
  void RunPeriodic();

  httpserver::ServerOptions ServerOptions();

  const EndpointServerOptions options_;
  // Of the certificate's files, when there are any: read, and could not be used.
  std::unique_ptr<metrics::Metrics::Counter> certificate_reads_;
  std::unique_ptr<metrics::Metrics::Counter> certificate_errors_;
  std::unique_ptr<httpserver::Server> server_;
  bool listening_ = false;
};

}  // namespace controllers::runtime
