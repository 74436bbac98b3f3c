// SPDX-License-Identifier: Apache-2.0
// Connection: bytes to and from one server: TCP, perhaps through a proxy, perhaps with TLS.
//
// One thread uses it; Cancel may come from any other, at any time. The deadline holds for every
// call. Messages begin with the server's "host:port". Returns the errors of Resolver, Socket and
// TlsStream, and kProxy if the proxy cannot be reached or refuses the connection. Mirrors
// net/http's persistConn and its dialer.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/transport/address_order.h"
#include "clientgo/transport/dialer.h"
#include "clientgo/transport/proxy.h"
#include "clientgo/transport/resolver.h"
#include "clientgo/transport/server_address.h"
#include "clientgo/transport/socket.h"
#include "clientgo/transport/tls_stream.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

// Where a transport's connections go.
struct Route {
  ServerAddress server = {};
  std::optional<Proxy> proxy = {};
  std::string name_to_verify = {};  // of the server: a DNS name or an address
  bool insecure_skip_verify = false;
};

// What the connections of one transport share to find their server.
struct Dialing {
  Resolver resolver = Resolver();
  AddressOrder order = {};
  DialOptions options = {};
};

class Connection {
 public:
  // `route` outlives the connection. `material` is null for http://.
  Connection(const Route& route, std::shared_ptr<const TlsMaterial> material);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The first address that accepts (Dialer); then the proxy's CONNECT and the TLS handshake.
  util::Expected<void> Open(const std::stop_token& stop, Dialing& dialing);

  void set_deadline(util::Clock::TimePoint deadline) { socket_.set_deadline(deadline); }
  void set_idle_timeout(std::chrono::milliseconds timeout) { socket_.set_idle_timeout(timeout); }
  // What has arrived, waiting for the first byte; 0: the server has nothing more to say.
  util::Expected<std::size_t> Read(char* out, std::size_t size);
  util::Expected<void> Write(std::string_view bytes);
  // True once Read has something to do; false: not within `timeout`.
  util::Expected<bool> AwaitInput(std::chrono::milliseconds timeout);
  bool IsQuiet() const { return socket_.IsQuiet() && (!tls_ || tls_->IsQuiet()); }
  void Cancel() { socket_.Cancel(); }

  const Route& route() const { return route_; }
  // What Open did last, for messages: "connecting".
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

}  // namespace clientgo::transport
