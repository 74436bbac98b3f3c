// SPDX-License-Identifier: Apache-2.0
// Server: a small HTTP/1.1 server on Boost.Beast, one thread for all its connections. It serves
// /metrics and the health endpoints, and carries the embedded API server, so it can stream.
//
// The handler runs on the server's thread and must not block; it answers through the Exchange, now
// or later. Everything has a bound: header and body bytes, connections, idle time, bytes waiting to
// be sent on a stream. Clients that only hold connections keep nobody out (connections_max).
// No upstream; Go's net/http is the model.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/util/error.h"
#include "httpserver/tls_options.h"

namespace httpserver {

// Who a TLS client says it is, by its certificate.
struct ClientIdentity {
  bool trusted = false;  // signed by TlsFiles::client_ca_pem, and valid now
  std::string common_name = {};
  std::vector<std::string> organizations = {};
};

struct Request {
  std::string method = {};
  std::string target = {};  // as sent
  std::string path = {};    // the part before '?', percent-decoded
  std::vector<std::pair<std::string, std::string>> query = {};  // decoded, in order
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::optional<ClientIdentity> client = {};  // none: it showed no certificate
  bool from_loopback = false;  // the client is 127.0.0.1 or ::1: on this machine, or in this pod

  std::string_view Header(std::string_view name) const;  // without case; empty: none
  std::string_view Query(std::string_view name) const;   // the first; empty: none
};

// One request's answer. Use from the server's thread only, unless a method says otherwise.
// Dropping the last reference without an answer closes the connection.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // One whole answer.
  virtual void Respond(int status, std::string content_type, std::string body,
                       std::vector<std::pair<std::string, std::string>> headers = {}) = 0;
  // A chunked answer: Begin, any number of Write, End.
  virtual void Begin(int status, std::string content_type,
                     std::vector<std::pair<std::string, std::string>> headers = {}) = 0;
  virtual void Write(std::string chunk) = 0;
  virtual void End() = 0;
  // Closes the connection now, in the middle of whatever was being sent.
  virtual void Abort() = 0;
  // Closes the connection once what was written so far is sent, without ending the answer: what a
  // server that dies half-way looks like. For fault injection.
  virtual void Truncate() = 0;
  virtual std::size_t PendingBytes() const = 0;  // written but not yet taken by the socket
  // Called once, when the socket has taken all that was written: time to write more. The callback
  // is dropped when the connection closes first.
  virtual void WhenDrained(std::function<void()> callback) = 0;
  // Called once, when the client is gone, or the answer has been sent.
  virtual void OnClose(std::function<void()> callback) = 0;
};

using Handler = std::function<void(Request request, std::shared_ptr<Exchange> exchange)>;

struct TlsFiles {
  std::string cert_pem;
  std::string key_pem;  // never logged
  // Clients are asked for a certificate of this CA; they may refuse.
  std::string client_ca_pem = {};
  TlsOptions options = {};
};

struct ServerOptions {
  std::string name = {};               // of its thread and its log lines
  std::string address = "127.0.0.1";   // "" or "0.0.0.0": all; IPv6 literals work
  std::uint16_t port = 0;              // 0: any free one
  std::unique_ptr<TlsFiles> tls = {};  // null: plain HTTP
  // Instead of tls: asked for each connection, on the server's thread. An error, of the source or
  // of TLS, ends Start; later it is logged, and the last good answer stays in use.
  std::function<clientgo::util::Expected<std::shared_ptr<const TlsFiles>>()> tls_source = {};
  // Told at Start and of each change: whether it can be used.
  std::function<void(bool ok)> on_tls_changed = {};
  std::size_t header_bytes_max = 16U << 10U;
  std::size_t body_bytes_max = 3U << 20U;
  // When so many are open, a new client takes the place of the connection that has waited longest
  // for its client: to send a request, or to take an answer. The peer address with the most
  // connections loses one first. While all are being answered, as streams are, new clients wait.
  std::size_t connections_max = 512;
  // A request must arrive whole within this.
  std::chrono::milliseconds read_timeout = std::chrono::seconds(10);
  // Between two requests of a connection, and for a client that does not take what it is sent.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(120);
};

class Server {
 public:
  Server(ServerOptions options, Handler handler);
  ~Server();  // stops

  // Binds and starts serving. kInvalidArgument names the address, the cause ("address already in
  // use") and the remedy.
  clientgo::util::Expected<void> Start();
  // Blocks until every connection is closed. Not from the server's own thread.
  void Stop();
  std::uint16_t port() const;  // after Start
  // Runs `task` on the server's thread. Thread-safe; false before Start and after Stop.
  bool Post(std::function<void()> task);
  // Runs `task` on the server's thread after `delay`, or never when stopped before. Thread-safe.
  void PostAfter(std::chrono::milliseconds delay, std::function<void()> task);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace httpserver
