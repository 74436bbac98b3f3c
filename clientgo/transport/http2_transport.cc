// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/http2_transport.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "clientgo/transport/channels.h"
#include "clientgo/transport/connection_pool.h"
#ifdef CAPSTAN_TRANSPORT_CPPREST
#include "clientgo/transport/cpprest/cpprest_transport.h"
#endif
#include "capstan/clock.h"
#include "clientgo/transport/http1_response.h"
#include "clientgo/transport/http2_connection.h"
#include "clientgo/transport/http2_response.h"

namespace capstan::transport {
namespace {

// A request that the server refuses, or whose connection breaks, is sent at most this often.
constexpr int kAttemptsMax = 5;
// The delay before the third attempt. It doubles each time.
constexpr std::chrono::milliseconds kResendDelay{100};
constexpr std::int32_t kFirstStreamId = 1;

class NegotiatingTransport final : public HttpTransport {
 public:
  explicit NegotiatingTransport(std::shared_ptr<ConnectionPool> pool)
      : pool_(std::move(pool)), channels_(pool_) {}

  Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                    const HttpRequest& request) override {
    if (auto sound = CheckRequest(request); !sound) return Err(std::move(sound.error()));
    const ExchangeLimits limits(request);
    for (int attempts = 1;; ++attempts) {
      auto attempt = Try(stop, request, limits);
      if (!attempt.send_again || attempts == kAttemptsMax) return std::move(attempt.result);
      if (AwaitNext(stop, limits, attempts)) continue;
      if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
      return std::move(attempt.result);
    }
  }

 private:
  using Attempt = Http1Response::Attempt;

  // Waits before the next attempt: the second one follows at once, as in Go, because the server may
  // only close an old connection. Returns false if the limits do not allow another attempt.
  static bool AwaitNext(const std::stop_token& stop, const ExchangeLimits& limits, int attempts) {
    if (attempts == 1) return true;
    auto& clock = Clock::Real();
    const auto delay = kResendDelay * (1 << (attempts - 2));
    return clock.Now() + delay < limits.answer && clock.SleepFor(stop, delay);
  }

  Attempt Try(const std::stop_token& stop, const HttpRequest& request,
              const ExchangeLimits& limits) {
    if (!request.upgrade.empty()) {
      auto connection = pool_->OpenHttp1(stop);
      if (!connection) return {.result = Err(std::move(connection.error()))};
      return Http1Response::Exchange(pool_, *std::move(connection), /*reused=*/false, stop, request,
                                     limits);
    }
    auto channel = channels_.Get(stop, limits);
    if (!channel) return {.result = Err(std::move(channel.error()))};
    if (channel->http1) {
      return Http1Response::Exchange(pool_, std::move(channel->http1), channel->reused, stop,
                                     request, limits);
    }
    auto stream = channel->http2->Start(request);
    if (!stream) return {.result = Err(std::move(stream.error()))};
    if (*stream) return Exchange(channel->http2, std::move(*stream), stop, request, limits);
    return {.result = Err(ErrorReason::kUnexpectedEof,
                          pool_->route().server.HostPort() + ": the server closes its connections"),
            .send_again = true};
  }

  Attempt Exchange(const std::shared_ptr<Http2Connection>& connection,
                   std::shared_ptr<Http2Stream> stream, const std::stop_token& stop,
                   const HttpRequest& request, const ExchangeLimits& limits) {
    // The server may have closed a connection that was idle.
    const bool reused = stream->id != kFirstStreamId;
    auto response = std::make_unique<Http2Response>(pool_, connection, std::move(stream), stop,
                                                    request, limits);
    auto started = response->Start();
    if (started) return {.result = std::move(response)};
    const auto failure = response->failure();
    const bool lost = failure.disconnected && reused && request.method == "GET" &&
                      started.error().reason == ErrorReason::kUnexpectedEof;
    return {.result = Err(std::move(started.error())), .send_again = failure.refused || lost};
  }

  const std::shared_ptr<ConnectionPool> pool_;
  Channels channels_;
};

}  // namespace

bool Has(Implementation implementation) {
#ifdef CAPSTAN_TRANSPORT_CPPREST
  return implementation == Implementation::kCapstan ||
         implementation == Implementation::kCpprestsdk;
#else
  return implementation == Implementation::kCapstan;
#endif
}

Expected<std::unique_ptr<HttpTransport>> NewHttpTransport(const Config& config,
                                                          const TransportOptions& options) {
  if (!Has(config.implementation)) {
    return Err(ErrorReason::kInvalidArgument,
               "this build has no HTTP transport cpprestsdk; configure it with "
               "-DCAPSTAN_TRANSPORT_CPPREST=ON");
  }
#ifdef CAPSTAN_TRANSPORT_CPPREST
  if (config.implementation == Implementation::kCpprestsdk) {
    return NewCpprestTransport(config, options);
  }
#endif
  auto pool = ConnectionPool::New(config, options);
  if (!pool) return Err(std::move(pool.error()));
  return std::make_unique<NegotiatingTransport>(std::move(*pool));
}

}  // namespace capstan::transport
