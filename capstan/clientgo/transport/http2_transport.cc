// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/transport/http2_transport.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "capstan/clientgo/transport/http1_transport.h"
#include "capstan/clientgo/transport/internal/connection_pool.h"
#ifdef CAPSTAN_TRANSPORT_CPPREST
#include "capstan/clientgo/transport/internal/cpprest_transport.h"
#endif
#include "capstan/clientgo/transport/internal/http1_response.h"
#include "capstan/clientgo/transport/internal/http2_connection.h"
#include "capstan/clientgo/transport/internal/http2_response.h"
#include "capstan/clientgo/util/mutex.h"

namespace capstan::clientgo::transport {
namespace {

using util::Err;
using util::Error;
using util::ErrorReason;
using Material = std::shared_ptr<const TlsMaterial>;

// A request that the server refuses, or whose connection breaks, is sent at most this often.
constexpr int kAttemptsMax = 5;

// Channel is the connection of one request, with HTTP/2 or HTTP/1.1.
struct Channel {
  std::shared_ptr<Http2Connection> http2 = {};
  std::unique_ptr<Connection> http1 = {};
  bool reused = false;  // it has carried a request before, so the server may have closed it
};

// Channels finds or opens the connection for each request. Thread-safe.
class Channels {
 public:
  explicit Channels(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}

  util::Expected<Channel> Get(const std::stop_token& stop, const ExchangeLimits& limits);

 private:
  // Dial is a connection that one caller opens while others wait for it.
  struct Dial {
    bool done = false;
    std::optional<Error> error = {};
  };

  std::shared_ptr<Http2Connection> Find(const Material& material) CAPSTAN_EXCLUDES(mu_);
  // Begins a Dial, or waits for the one in progress and returns null. With HTTP/1.1 a Dial is the
  // caller's own.
  util::Expected<std::shared_ptr<Dial>> BeginDial(const std::stop_token& stop,
                                                  const ExchangeLimits& limits)
      CAPSTAN_EXCLUDES(mu_);
  util::Expected<Channel> Connect(const std::stop_token& stop, const ExchangeLimits& limits,
                                  const Material& material) CAPSTAN_EXCLUDES(mu_);
  util::Expected<Channel> Open(const std::stop_token& stop, const ExchangeLimits& limits,
                               const Material& material, Dial& dial) CAPSTAN_EXCLUDES(mu_);

  const std::shared_ptr<ConnectionPool> pool_;
  util::Mutex mu_;
  util::CondVar changed_;
  std::vector<std::shared_ptr<Http2Connection>> connections_ CAPSTAN_GUARDED_BY(mu_);
  std::shared_ptr<Dial> dial_ CAPSTAN_GUARDED_BY(mu_);
  // The last opened connection has HTTP/1.1, so each request needs its own.
  bool speaks_http1_ CAPSTAN_GUARDED_BY(mu_) = false;
};

std::shared_ptr<Http2Connection> Channels::Find(const Material& material) {
  std::vector<std::shared_ptr<Http2Connection>> useless;  // destroyed after the lock is released
  util::MutexLock lock(mu_);
  std::shared_ptr<Http2Connection> found;
  for (auto& connection : connections_) {
    // A server checks certificates only on new connections. Streams of the old one continue.
    if (connection->material() != material) connection->Retire();
    if (!found && connection->IsUsable()) found = connection;
    if (connection->IsClosed()) useless.push_back(std::move(connection));
  }
  std::erase(connections_, nullptr);
  return found;
}

util::Expected<std::shared_ptr<Channels::Dial>> Channels::BeginDial(const std::stop_token& stop,
                                                                    const ExchangeLimits& limits) {
  util::MutexLock lock(mu_);
  if (speaks_http1_) return std::make_shared<Dial>();
  if (!dial_) {
    dial_ = std::make_shared<Dial>();
    return dial_;
  }
  const auto dial = dial_;
  const bool done = util::Clock::Real().WaitUntil(
      mu_, changed_, stop, limits.answer, [&]() CAPSTAN_REQUIRES(mu_) { return dial->done; });
  if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
  if (!done) {
    return Err(ErrorReason::kDeadlineExceeded,
               limits.Overrun(pool_->route().server.HostPort(), /*answered=*/false, "connecting"));
  }
  if (dial->error) return Err(*dial->error);
  return nullptr;
}

util::Expected<Channel> Channels::Open(const std::stop_token& stop, const ExchangeLimits& limits,
                                       const Material& material, Dial& dial) {
  auto channel = Connect(stop, limits, material);
  util::MutexLock lock(mu_);
  dial.done = true;
  if (dial_.get() == &dial) dial_.reset();
  changed_.NotifyAll();
  if (!channel) {
    const Error& error = channel.error();
    // The limits of one caller are not those of the others. One of them tries again.
    const bool own = util::IsCanceled(error) || error.reason == ErrorReason::kDeadlineExceeded;
    if (!own) dial.error = error;
    return channel;
  }
  speaks_http1_ = channel->http2 == nullptr;
  if (channel->http2) connections_.push_back(channel->http2);
  return channel;
}

util::Expected<Channel> Channels::Connect(const std::stop_token& stop, const ExchangeLimits& limits,
                                          const Material& material) {
  auto opened = pool_->Open(stop, limits, material);
  if (!opened) return Err(std::move(opened.error()));
  if (!(*opened)->http2()) return Channel{.http1 = std::move(*opened)};
  Channel channel{.http2 = std::make_shared<Http2Connection>(pool_, std::move(*opened))};
  const auto ready = channel.http2->AwaitSettings(stop, limits.answer);
  if (!ready) return Err(ready.error());
  if (*ready) return channel;
  if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
  pool_->OnUnanswered(channel.http2->endpoint());
  return Err(ErrorReason::kDeadlineExceeded,
             limits.Overrun(pool_->route().server.HostPort(), /*answered=*/false,
                            "waiting for the HTTP/2 settings"));
}

util::Expected<Channel> Channels::Get(const std::stop_token& stop, const ExchangeLimits& limits) {
  for (;;) {
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
    auto material = pool_->Material();
    if (!material) return Err(std::move(material.error()));
    if (auto found = Find(*material)) return Channel{.http2 = std::move(found), .reused = true};
    if (auto idle = pool_->Take(*material)) {
      return Channel{.http1 = std::move(idle), .reused = true};
    }
    const auto dial = BeginDial(stop, limits);
    if (!dial) return Err(dial.error());
    if (*dial) return Open(stop, limits, *material, **dial);
  }
}

class NegotiatingTransport final : public HttpTransport {
 public:
  explicit NegotiatingTransport(std::shared_ptr<ConnectionPool> pool)
      : pool_(std::move(pool)), channels_(pool_) {}

  util::Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                          const HttpRequest& request) override {
    if (auto sound = CheckRequest(request); !sound) return Err(std::move(sound.error()));
    const ExchangeLimits limits(request);
    for (int attempts = 1;;) {
      auto channel = channels_.Get(stop, limits);
      if (!channel) return Err(std::move(channel.error()));
      std::shared_ptr<Http2Stream> stream;
      if (channel->http2) {
        auto started = channel->http2->Start(request);
        if (!started) return Err(std::move(started.error()));
        if (!*started) continue;  // another request has taken its last stream
        stream = std::move(*started);
      }
      auto attempt = stream ? Exchange(*channel, std::move(stream), stop, request, limits)
                            : Http1Response::Exchange(pool_, std::move(channel->http1),
                                                      channel->reused, stop, request, limits);
      if (!attempt.send_again || ++attempts > kAttemptsMax) return std::move(attempt.result);
    }
  }

 private:
  using Attempt = Http1Response::Attempt;

  Attempt Exchange(const Channel& channel, std::shared_ptr<Http2Stream> stream,
                   const std::stop_token& stop, const HttpRequest& request,
                   const ExchangeLimits& limits) {
    auto response = std::make_unique<Http2Response>(pool_, channel.http2, std::move(stream), stop,
                                                    request, limits);
    auto started = response->Start();
    if (started) return {.result = std::move(response)};
    const auto failure = response->failure();
    const bool lost = failure.disconnected && channel.reused && request.method == "GET" &&
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

util::Expected<std::unique_ptr<HttpTransport>> NewHttpTransport(const Config& config,
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
  if (config.http2 == Http2::kOff || !config.host.starts_with("https://")) {
    return NewHttp1Transport(config, options);
  }
  auto pool = ConnectionPool::New(config, options);
  if (!pool) return Err(std::move(pool.error()));
  return std::make_unique<NegotiatingTransport>(std::move(*pool));
}

}  // namespace capstan::clientgo::transport
