// SPDX-License-Identifier: Apache-2.0
// Connections to one server, and the pool that keeps them between requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/transport/proxy.h"
#include "clientgo/transport/resolver.h"
#include "clientgo/transport/server_address.h"
#include "clientgo/transport/socket.h"
#include "clientgo/transport/tls.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::transport {

// Route is where a transport's connections go.
struct Route {
  ServerAddress server = {};
  std::optional<Proxy> proxy = {};
  std::string name_to_verify = {};  // the server's: a DNS name or an address
  bool insecure_skip_verify = false;
};

// Dialing is what the connections of one transport share to find their server.
struct Dialing {
  Resolver resolver = Resolver();
  AddressOrder order = {};
  DialOptions options = {};
};

// Connection carries bytes to and from one server over TCP, optionally through a proxy and with
// TLS.
//
// One thread uses it; any thread may call Cancel. The deadline applies to every call. Messages
// begin with the server's "host:port". Errors are Resolver's, Socket's and TlsStream's, and kProxy
// when the proxy is unreachable or refuses. Mirrors net/http's persistConn and its dialer.
class Connection {
 public:
  // `route` must outlive the connection. `material` is null for http://.
  Connection(const Route& route, std::shared_ptr<const TlsMaterial> material);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Connects to the first address that accepts (Dialer). The proxy's CONNECT and the TLS handshake
  // follow.
  util::Expected<void> Open(const std::stop_token& stop, Dialing& dialing);

  void set_deadline(util::Clock::TimePoint deadline) { socket_.set_deadline(deadline); }
  void set_idle_timeout(std::chrono::milliseconds timeout) { socket_.set_idle_timeout(timeout); }
  // Waits for the first byte and returns the bytes that have arrived; 0: the server has ended.
  util::Expected<std::size_t> Read(char* out, std::size_t size);
  util::Expected<void> Write(std::string_view bytes);
  // Returns true once Read would not wait; false after `timeout`.
  util::Expected<bool> AwaitInput(std::chrono::milliseconds timeout);
  bool IsQuiet() const { return socket_.IsQuiet() && (!tls_ || tls_->IsQuiet()); }
  void Cancel() { socket_.Cancel(); }

  // The last step of Open, for messages: "connecting".
  std::string_view step() const { return step_; }
  // The address of the server or the proxy, once connected.
  const std::optional<Endpoint>& endpoint() const { return endpoint_; }
  const std::shared_ptr<const TlsMaterial>& material() const { return material_; }

 private:
  util::Expected<void> ConnectTo(const std::stop_token& stop, Dialing& dialing,
                                 const ServerAddress& address);
  util::Expected<void> Prepare();
  util::Expected<void> OpenTunnel();
  util::Error Wrap(util::Error error) const;
  util::Error BlameProxy(util::Error error) const;

  const Route& route_;
  const std::shared_ptr<const TlsMaterial> material_;
  Socket socket_;
  std::optional<TlsStream> tls_;
  std::string_view step_;
  std::optional<Endpoint> endpoint_;
};

// ConnectionPool holds the idle connections of one transport, and what all of its connections
// share. Thread-safe; responses and the transport own it together. Mirrors the idle connections of
// net/http.Transport.
class ConnectionPool {
 public:
  ConnectionPool(Route route, const Config& config, std::chrono::milliseconds idle_timeout,
                 const DialOptions& dial)
      : route_(std::move(route)),
        idle_timeout_(idle_timeout),
        tls_(config),
        dialing_{.options = dial} {}

  const Route& route() const { return route_; }
  Dialing& dialing() { return dialing_; }
  // Null for http://.
  util::Expected<std::shared_ptr<const TlsMaterial>> Material();

  // Returns the most recently used idle connection with this material that is still usable, or
  // null.
  std::unique_ptr<Connection> Take(const std::shared_ptr<const TlsMaterial>& material);
  void Put(std::unique_ptr<Connection> connection);
  // Records that the server did not answer in time on this connection. Another address is tried
  // first next time. The idle connections, which a balancer may lead to the same server, are
  // closed.
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
