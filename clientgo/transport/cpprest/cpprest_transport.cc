// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/cpprest/cpprest_transport.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/log.h"
#include "capstan/mutex.h"
#include "clientgo/transport/compression.h"
#include "clientgo/transport/connection_pool.h"
#include "clientgo/transport/cpprest/cpprest_client.h"
#include "clientgo/transport/tls_source.h"

namespace capstan::transport {
namespace {

// The maximum number of connections that a request tries. A kept one may already be closed.
constexpr int kAttemptsMax = 5;

tl::unexpected<Error> Canceled() { return Err(ErrorReason::kCanceled, "the request was canceled"); }

// Clients has the client for the next request. The transport and its responses share it.
// Thread-safe.
class Clients {
 public:
  Clients(Route route, const Config& config, const TransportOptions& options)
      : route_(std::move(route)), options_(options), tls_(config) {}

  const Route& route() const { return route_; }
  const TransportOptions& options() const { return options_; }
  // Null for http://.
  Expected<std::shared_ptr<const TlsMaterial>> Material() {
    if (!route_.server.tls) return nullptr;
    return tls_.Current();
  }
  // Returns the client with the current certificates.
  Expected<std::shared_ptr<CpprestClient>> Current() {
    auto material = Material();
    if (!material) return Err(std::move(material.error()));
    MutexLock lock(mu_);
    if (client_ && client_->material() == *material) return client_;
    auto client = CpprestClient::New(route_, std::move(*material));
    if (client) client_ = *client;
    return client;
  }
  // Closes the idle connections. The next request opens a new one.
  void Drop() {
    MutexLock lock(mu_);
    client_.reset();
  }

 private:
  const Route route_;
  const TransportOptions options_;
  TlsSource tls_;
  Mutex mu_;
  std::shared_ptr<CpprestClient> client_ CAPSTAN_GUARDED_BY(mu_);
};

class CpprestResponse final : public HttpResponse {
 public:
  CpprestResponse(std::shared_ptr<Clients> clients, std::stop_token stop,
                  const HttpRequest& request, const ExchangeLimits& limits)
      : clients_(std::move(clients)),
        stop_(std::move(stop)),
        limits_(limits),
        idle_timeout_(request.idle_timeout),
        compression_(request.compression),
        long_running_(request.long_running),
        checked_(Clock::Real().Now()) {}
  ~CpprestResponse() override {
    on_stop_.reset();
    if (exchange_) exchange_->Abandon();
  }

  // Sends the request and waits for the head.
  Expected<void> Start(const HttpRequest& request);
  // After an error of Start: the request can be sent again.
  bool unsent() const { return answered_ && exchange_->unsent(); }

  int status() const override { return exchange_->status(); }
  const Headers& headers() const override { return exchange_->headers(); }
  using HttpResponse::Read;
  Expected<std::string_view> Read(Clock::Duration max_silence) override;

 private:
  Expected<void> AwaitHead();
  Expected<void> CheckHead();
  // Call it after a wait without a result. Returns the error if the request was stopped, `deadline`
  // has passed, or the client certificate has changed.
  Expected<void> CheckLimits(Clock::TimePoint deadline, std::string_view step);
  Clock::TimePoint next_check() const {
    const auto period = clients_->options().certificate_check_period;
    return long_running_ && material_ && period.count() > 0 ? checked_ + period
                                                            : Clock::TimePoint::max();
  }
  Error MakeError(ErrorReason reason, std::string_view what) const {
    return {.reason = reason,
            .message = clients_->route().server.HostPort() + ": " + std::string(what)};
  }

  const std::shared_ptr<Clients> clients_;
  const std::stop_token stop_;
  const ExchangeLimits limits_;
  const std::chrono::milliseconds idle_timeout_;
  const Compression compression_;
  const bool long_running_;
  Clock::TimePoint checked_;
  std::shared_ptr<const TlsMaterial> material_;
  std::shared_ptr<CpprestExchange> exchange_;
  bool answered_ = false;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

Expected<void> CpprestResponse::Start(const HttpRequest& request) {
  const auto client = clients_->Current();
  if (!client) return Err(client.error());
  material_ = (*client)->material();
  auto exchange = (*client)->Send(request);
  if (!exchange) return Err(std::move(exchange.error()));
  exchange_ = std::move(*exchange);
  on_stop_.emplace(stop_, [exchange = exchange_.get()] { exchange->Cancel(); });
  if (auto awaited = AwaitHead(); !awaited) return Err(std::move(awaited.error()));
  answered_ = true;
  return CheckHead();
}

Expected<void> CpprestResponse::AwaitHead() {
  const auto begin = Clock::Real().Now();
  for (;;) {
    const auto progress = exchange_->progress();
    if (stop_.stop_requested()) return Canceled();
    if (progress.answered) return {};
    const bool connected = progress.steps > 0;
    auto silent = Clock::TimePoint::max();  // a server may take long to respond
    if (!connected) silent = begin + clients_->options().dial.timeout;
    if (connected && !progress.sent) silent = Clock::Real().After(idle_timeout_);
    const auto until = std::min({limits_.answer, silent, next_check()});
    if (exchange_->AwaitProgress(stop_, until, progress.steps)) continue;
    auto within = CheckLimits(limits_.answer, !connected      ? "connecting"
                                              : progress.sent ? "waiting for the response"
                                                              : "sending the request");
    if (!within) return within;
    if (Clock::Real().Now() < silent) continue;
    if (connected) return Err(MakeError(ErrorReason::kUnexpectedEof, kIdleTooLong));
    return Err(MakeError(ErrorReason::kTransport, "connect: connection timed out"));
  }
}

Expected<void> CpprestResponse::CheckHead() {
  if (status() == 0) {
    const auto error = exchange_->Take();
    return Err(error.error());
  }
  if (status() < 200) {
    // cpprestsdk takes the final response for that of the next request on this connection.
    clients_->Drop();
    return Err(
        MakeError(ErrorReason::kTransport,
                  "cpprestsdk does not support the interim response " + std::to_string(status())));
  }
  return CheckEncoding(headers(), compression_, clients_->route().server.HostPort());
}

Expected<void> CpprestResponse::CheckLimits(Clock::TimePoint deadline, std::string_view step) {
  if (stop_.stop_requested()) return Canceled();
  const auto now = Clock::Real().Now();
  if (now >= deadline) {
    clients_->Drop();  // a balancer may lead the idle connections to the same server
    return Err(ErrorReason::kDeadlineExceeded,
               limits_.Overrun(clients_->route().server.HostPort(), answered_, step));
  }
  if (now < next_check()) return {};
  checked_ = now;
  const auto current = clients_->Material();
  if (!current || (*current)->SameClient(*material_)) return {};
  return Err(
      MakeError(ErrorReason::kUnexpectedEof, "closed because the client certificate changed"));
}

Expected<std::string_view> CpprestResponse::Read(Clock::Duration max_silence) {
  exchange_->Resume();
  const auto deadline = std::min(limits_.end, Clock::Real().After(max_silence));
  const auto silent = Clock::Real().After(idle_timeout_);
  while (!exchange_->AwaitBytes(stop_, std::min({deadline, silent, next_check()}))) {
    auto within = CheckLimits(deadline, "reading the body");
    if (within && Clock::Real().Now() >= silent) {
      within = Err(MakeError(ErrorReason::kUnexpectedEof, kIdleTooLong));
    }
    if (within) continue;
    exchange_->Abandon();
    return Err(std::move(within.error()));
  }
  if (stop_.stop_requested()) return Canceled();
  return exchange_->Take();
}

void WarnOnce() {
  static std::once_flag warned;
  std::call_once(warned, [] {
    WarningS(
        "The HTTP transport is the archived library cpprestsdk, which gets no security fixes",
        "limits",
        "HTTP/1.1 only: a connection and a thread for each watch; a whole chunk of a response in "
        "memory; no IPv6 addresses; one impersonated group; no reason of a refused connection",
        "see", "docs/decisions/0023-cpprestsdk-as-an-option.md");
  });
}

class CpprestTransport final : public HttpTransport {
 public:
  explicit CpprestTransport(std::shared_ptr<Clients> clients) : clients_(std::move(clients)) {}

  Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                    const HttpRequest& request) override {
    const ExchangeLimits limits(request);
    for (int attempt = 1;; ++attempt) {
      if (stop.stop_requested()) return Canceled();
      auto response = std::make_unique<CpprestResponse>(clients_, stop, request, limits);
      auto started = response->Start(request);
      if (started) return response;
      if (!response->unsent() || attempt == kAttemptsMax) return Err(std::move(started.error()));
      clients_->Drop();  // the others are probably closed, too
    }
  }

 private:
  const std::shared_ptr<Clients> clients_;
};

}  // namespace

Expected<std::unique_ptr<HttpTransport>> NewCpprestTransport(const Config& config,
                                                             const TransportOptions& options) {
  auto route = RouteOf(config);
  if (!route) return Err(std::move(route.error()));
  for (const auto* const address :
       {&route->server, route->proxy ? &route->proxy->address : nullptr}) {
    if (address == nullptr || !address->IsIpv6Literal()) continue;
    return Err(ErrorReason::kInvalidArgument, "cpprestsdk cannot connect to the IPv6 address " +
                                                  address->HostPort() + "; use a host name");
  }
  auto clients = std::make_shared<Clients>(std::move(*route), config, options);
  // Now, so that unusable certificates fail here.
  if (auto client = clients->Current(); !client) return Err(std::move(client.error()));
  WarnOnce();
  return std::make_unique<CpprestTransport>(std::move(clients));
}

}  // namespace capstan::transport
