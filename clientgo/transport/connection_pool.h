// SPDX-License-Identifier: Apache-2.0
// What all connections of one transport share: where they go, how they are opened, and the idle
// HTTP/1.1 connections.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/mutex.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http_transport.h"
#include "capstan/transport/transport_options.h"
#include "clientgo/transport/connection.h"
#include "clientgo/transport/tls_source.h"

namespace capstan::transport {

// ExchangeLimits is when an exchange began and when its parts must be finished.
struct ExchangeLimits {
  explicit ExchangeLimits(const HttpRequest& request);

  // Returns the message for an exchange that took too long: "no response from 10.0.0.1:6443 within
  // 5s (connecting)".
  std::string Overrun(const std::string& server, bool answered, std::string_view step) const;

  Clock::TimePoint begin;
  Clock::TimePoint answer;  // the head
  Clock::TimePoint end;     // the body
};

// Returns where the connections of a Config go. kInvalidArgument names what cannot be used.
Expected<Route> RouteOf(const Config& config);

// ConnectionPool holds the idle HTTP/1.1 connections of one transport, and what all of its
// connections share. Thread-safe; responses and the transport own it together. Mirrors the idle
// connections of net/http.Transport.
class ConnectionPool {
 public:
  ConnectionPool(Route route, const Config& config, const TransportOptions& options)
      : route_(std::move(route)),
        options_(options),
        http2_(config.http2),
        tls_(config),
        dialing_{.options = options.dial} {}

  // Reads and checks the server's address, the proxy, certificates and keys. kInvalidArgument names
  // the unusable file or field.
  static Expected<std::shared_ptr<ConnectionPool>> New(const Config& config,
                                                       const TransportOptions& options);

  const Route& route() const { return route_; }
  const TransportOptions& options() const { return options_; }
  // Null for http://.
  Expected<std::shared_ptr<const TlsMaterial>> Material();

  // Reports whether the server may choose HTTP/2.
  bool offers_http2() const { return route_.server.tls && http2_ == Http2::kAuto; }

  // Opens a connection. The limits of a request do not apply, because others may use it.
  Expected<std::unique_ptr<Connection>> Open(const std::stop_token& stop,
                                             const std::shared_ptr<const TlsMaterial>& material,
                                             const Connection::OnStep& on_step) {
    return Open(stop, material, on_step, http2_);
  }
  // Opens a connection with HTTP/1.1, which nothing else uses.
  Expected<std::unique_ptr<Connection>> OpenHttp1(const std::stop_token& stop);

  // Returns the most recently used idle connection with this material that is still usable, or
  // null.
  std::unique_ptr<Connection> Take(const std::shared_ptr<const TlsMaterial>& material);
  void Put(std::unique_ptr<Connection> connection);
  // Records that the server did not answer in time at this address. Another address is tried first
  // next time. The idle connections, which a balancer may lead to the same server, are closed.
  void OnUnanswered(const std::optional<Endpoint>& endpoint);
  // The same for a request over HTTP/1.1 that began at `since`. Does nothing if the address has
  // answered another request meanwhile, so that one slow answer does not end other connections.
  void OnUnanswered(const std::optional<Endpoint>& endpoint, Clock::TimePoint since);
  // Records an answer over HTTP/1.1.
  void OnAnswered(const std::optional<Endpoint>& endpoint);

 private:
  Expected<std::unique_ptr<Connection>> Open(const std::stop_token& stop,
                                             const std::shared_ptr<const TlsMaterial>& material,
                                             const Connection::OnStep& on_step, Http2 http2);

  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point since;
  };
  const Route route_;
  const TransportOptions options_;
  const Http2 http2_;
  TlsSource tls_;
  Dialing dialing_;
  Mutex mu_;
  std::deque<Idle> idle_ CAPSTAN_GUARDED_BY(mu_);
  std::optional<Endpoint> answered_ CAPSTAN_GUARDED_BY(mu_);  // the last one that has answered
  Clock::TimePoint answered_at_ CAPSTAN_GUARDED_BY(mu_) = {};
};

}  // namespace capstan::transport
