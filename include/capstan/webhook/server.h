// SPDX-License-Identifier: Apache-2.0
// Server serves webhooks over HTTPS on one port. It is a Runnable that runs in every replica, also
// in standbys. It starts before the caches and stops after them.
//
// The functions of webhooks run on a few threads. A request that finds them all busy and the queue
// full is answered with 429 at once; the API server sends it again after a second. A function that
// takes too long gets a stop request, and the server answers 504 in its place, so that the
// failurePolicy decides before the API server stops waiting. At the stop, new connections are
// refused and requests that have begun are answered. A certificate that changes on the disk is used
// for the next connection.
//
// Mirrors controller-runtime's pkg/webhook/server.go. Differs: HTTP/1.1 only, and a bound for
// everything. Call Register before Listen; the other functions are thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/controller_metrics.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/health.h"
#include "capstan/httpserver/tls_options.h"
#include "capstan/manager.h"
#include "capstan/rest/client.h"
#include "capstan/runnable.h"
#include "capstan/runtime/json_value.h"
#include "capstan/webhook/admission.h"

namespace capstan::webhook {

struct CAPSTAN_EXPORT ServerOptions {
  std::string host = {};      // an IP address of this machine; empty: all of them
  std::uint16_t port = 9443;  // 0: any free port
  // The folder of the serving certificate and its key, PEM. A Secret of cert-manager, mounted as a
  // volume, has these names.
  std::string cert_dir = "/tmp/k8s-webhook-server/serving-certs";
  std::string cert_name = "tls.crt";
  std::string key_name = "tls.key";
  // A file in `cert_dir` with one or more CAs. If it is set, clients without a certificate of one
  // of them get 401. An API server has one if its AdmissionConfiguration says so.
  std::string client_ca_name = {};
  httpserver::TlsOptions tls = {};
  int workers = 8;              // at least 1
  std::size_t queue_max = 100;  // requests that wait while all workers are busy
  // A review holds an object twice at an update, and an object has at most 3 MiB.
  std::size_t body_bytes_max = 7U << 20U;
  // Replaces body_bytes_max for /convert. The API server sends all objects of a list in one review.
  std::size_t conversion_bytes_max = 64U << 20U;
  // The time for a request that says none. The API server sends the timeoutSeconds of the webhook.
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
  // The time for requests that have begun, at the stop. AddServer limits it to three quarters of
  // the Manager's graceful_shutdown_timeout.
  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(25);
  // Not owned. Null: those of the Manager, or the real clock and no metrics.
  Clock* clock = nullptr;
  MetricsProvider* metrics = nullptr;
};

// HttpAnswer is the response of a BodyHandler.
struct CAPSTAN_EXPORT HttpAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
};
// HttpBody is the part of a request that a BodyHandler gets.
struct CAPSTAN_EXPORT HttpBody {
  std::string content_type = {};
  std::string body = {};
};
// BodyHandler answers any other webhook, such as one for a TokenReview. Several threads call it.
using BodyHandler = std::function<HttpAnswer(const rest::CallOptions& call, const HttpBody& body)>;

// Converter returns a custom resource, given as JSON, in another version, such as "example.com/v2".
// Several threads call it. ConversionFor (conversion.h) makes one.
using Converter = std::function<Expected<std::string>(const runtime::JsonValue& object,
                                                      std::string_view api_version)>;

class CAPSTAN_EXPORT Server final : public BackgroundRunnable {
 public:
  explicit Server(ServerOptions options);
  ~Server() override;

  // Serves an admission webhook at `path`, which begins with a slash. Fails if the path is in use,
  // or if the Server listens already. The same holds for the two others.
  Expected<void> Register(const std::string& path, AdmissionHandler handler);
  Expected<void> RegisterBody(const std::string& path, BodyHandler handler);
  // Serves the conversion of a kind at /convert.
  Expected<void> RegisterConverter(const std::string& group, const std::string& kind,
                                   Converter converter);

  // Binds and answers from now on. Does nothing when it already listens, or has no webhook. The
  // error names the address or the file, the cause and the fix.
  Expected<void> Listen();
  std::uint16_t port() const;  // after Listen
  // Returns a check that fails until the Server is started, for readyz.
  Check StartedChecker();

  // Listens unless Listen was called.
  Expected<void> Begin(std::stop_token stop) override;
  void End() override;
  std::string name() const override { return "webhook"; }
  bool NeedLeaderElection() const override { return false; }

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// Adds a Server to the Manager, which owns it, with the Manager's clock and metrics and the check
// "webhook" of readyz. Mirrors ManagerOptions.WebhookServer. Fails if the Manager has one, or has
// started. The Server does not listen if no webhook is registered.
CAPSTAN_EXPORT Expected<Server*> AddServer(Manager& manager, ServerOptions options);
// Returns the Server of the Manager. The first call adds one with default options. Mirrors
// Manager.GetWebhookServer. Fails like AddServer.
CAPSTAN_EXPORT Expected<Server*> ServerFor(Manager& manager);

}  // namespace capstan::webhook
