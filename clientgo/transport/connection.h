// SPDX-License-Identifier: Apache-2.0
// A connection to one server: TCP, optionally through a proxy and with TLS.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/transport/config.h"
#include "clientgo/transport/proxy.h"
#include "clientgo/transport/resolver.h"
#include "clientgo/transport/server_address.h"
#include "clientgo/transport/socket.h"
#include "clientgo/transport/tls_material.h"
#include "clientgo/transport/tls_stream.h"

namespace capstan::transport {

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

// The size of a TLS record, and the most that one Read returns.
inline constexpr std::size_t kTlsRecordBytes = std::size_t{16} * 1024;

// Connection carries bytes to and from one server over TCP, optionally through a proxy and with
// TLS.
//
// One thread uses it; any thread may call Cancel. The deadline applies to every call. Messages
// begin with the server's "host:port". Errors are Resolver's, Socket's and TlsStream's, and kProxy
// when the proxy is unreachable or refuses. Mirrors net/http's persistConn and its dialer.
class Connection {
 public:
  // `route` must outlive the connection. `material` is null for http://. With Http2::kAuto a server
  // with TLS may choose HTTP/2.
  Connection(const Route& route, std::shared_ptr<const TlsMaterial> material,
             Http2 http2 = Http2::kOff);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // OnStep is called when a step of Open begins, such as "TLS handshake". `endpoint` is the address
  // of the server or the proxy, once connected.
  using OnStep =
      std::function<void(std::string_view step, const std::optional<Endpoint>& endpoint)>;

  // Connects to the first address that accepts (Dialer). The proxy's CONNECT and the TLS handshake
  // follow.
  Expected<void> Open(const std::stop_token& stop, Dialing& dialing, const OnStep& on_step = {});

  // Reports whether the server has chosen HTTP/2.
  bool http2() const { return tls_ && tls_->http2(); }

  void set_deadline(Clock::TimePoint deadline) { socket_.set_deadline(deadline); }
  void set_idle_timeout(std::chrono::milliseconds timeout) { socket_.set_idle_timeout(timeout); }
  // Waits for the first byte, reads what has arrived, at most `size` bytes, and returns their
  // number. 0 is the end of the stream.
  Expected<std::size_t> Read(char* out, std::size_t size);
  Expected<void> Write(std::string_view bytes);
  // Returns true once Read would not wait; false after `timeout`.
  Expected<bool> AwaitInput(std::chrono::milliseconds timeout);
  // Returns true if the server has sent neither bytes nor its end since the last Read. Reads the
  // session tickets that TLS 1.3 sends after the handshake.
  bool IsQuiet();
  void Cancel() { socket_.Cancel(); }

  // For HTTP/2, where one thread waits for many streams, and for UpgradedStream. None of these
  // waits; TlsStream describes them.
  Expected<std::ptrdiff_t> TryRead(char* out, std::size_t size);
  Expected<void> TryWrite(std::string_view bytes);
  Expected<void> Flush();
  bool has_unsent() const { return tls_ ? tls_->has_unsent() : !unsent_.empty(); }
  int fd() const { return socket_.fd(); }

  // The last step of Open, for messages: "connecting".
  std::string_view step() const { return step_; }
  // The address of the server or the proxy, once connected.
  const std::optional<Endpoint>& endpoint() const { return endpoint_; }
  const std::shared_ptr<const TlsMaterial>& material() const { return material_; }

 private:
  Expected<void> ConnectTo(const std::stop_token& stop, Dialing& dialing,
                           const ServerAddress& address, const OnStep& on_step);
  Expected<void> Prepare(const OnStep& on_step);
  void Begin(std::string_view step, const OnStep& on_step);
  Expected<void> OpenTunnel();
  Error Wrap(Error error) const;
  Error BlameProxy(Error error) const;

  const Route& route_;
  const std::shared_ptr<const TlsMaterial> material_;
  const Http2 http2_;
  Socket socket_;
  std::optional<TlsStream> tls_;
  std::string unsent_;  // without TLS
  std::string_view step_;
  std::optional<Endpoint> endpoint_;
};

}  // namespace capstan::transport
