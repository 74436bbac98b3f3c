// SPDX-License-Identifier: Apache-2.0
// ConnectionPool: the connections of one transport that wait for their next request, and what all
// of its connections share. Thread-safe; responses and transport own it together.
// Mirrors the idle connections of net/http.Transport.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <utility>

#include "clientgo/transport/connection.h"
#include "clientgo/transport/tls_material.h"
#include "clientgo/util/mutex.h"

namespace clientgo::transport {

class ConnectionPool {
 public:
  ConnectionPool(Route route, const Config& config, std::chrono::milliseconds idle_timeout,
                 const DialOptions& dial = {})
      : route_(std::move(route)),
        idle_timeout_(idle_timeout),
        tls_(config),
        dialing_{.options = dial} {}

  const Route& route() const { return route_; }
  Dialing& dialing() { return dialing_; }
  // Null for http://.
  util::Expected<std::shared_ptr<const TlsMaterial>> Material();

  // One that was made with this material and is fit for use, the most recently used first; or null.
  std::unique_ptr<Connection> Take(const std::shared_ptr<const TlsMaterial>& material);
  void Put(std::unique_ptr<Connection> connection);
  // The server did not answer in time on this connection. The idle ones, which may lead to the same
  // server through a balancer, are closed, and another address is tried first next time.
  void OnUnanswered(const Connection& connection);

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point since;
  };
  const Route route_;
  const std::chrono::milliseconds idle_timeout_;
  TlsSource tls_;
  Dialing dialing_;
  util::Mutex mu_;
  std::deque<Idle> idle_ GUARDED_BY(mu_);
};

}  // namespace clientgo::transport
