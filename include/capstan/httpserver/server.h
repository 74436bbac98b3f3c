// SPDX-License-Identifier: Apache-2.0
// Server is a small HTTP/1.1 server on Boost.Beast with one thread for all its connections. An
// option adds HTTP/2. It serves /metrics, the health endpoints and the embedded API server, so it
// can stream.
//
// The handler runs on the server's thread and must not block. It responds through the Exchange, now
// or later. Everything has a bound: header and body bytes, connections, idle time, bytes to send.
// Clients that are idle, slow or silent cannot block new ones: the next client is always accepted
// at once. There is no upstream; Go's net/http is the model, which has no limit and grows instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/httpserver/request.h"
#include "capstan/httpserver/tls_options.h"

namespace capstan::httpserver {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Exchange sends the response to one request. Only the server's thread may use it. Destroying it
// without a response closes the connection.
class CAPSTAN_EXPORT Exchange {
 public:
  virtual ~Exchange() = default;
  // Sends a whole response.
  virtual void Respond(int status, std::string content_type, std::string body,
                       Headers headers = {}) = 0;
  // Send a chunked response: Begin, any number of Write, End.
  virtual void Begin(int status, std::string content_type, Headers headers = {}) = 0;
  virtual void Write(std::string chunk) = 0;
  virtual void End() = 0;
  // Closes the connection at once, even in the middle of a write.
  virtual void Abort() = 0;
  // Closes the connection after everything written so far is sent, without ending the response.
  // This is fault injection: it looks like a server that dies half-way.
  virtual void Truncate() = 0;
  virtual std::size_t PendingBytes() const = 0;  // written here, but not yet to the socket
  // Calls `callback` once when everything is written to the socket, so that it can write more.
  // Drops it when the connection closes first.
  virtual void WhenDrained(std::function<void()> callback) = 0;
  // Calls `callback` once when the client has left or the response was sent.
  virtual void OnClose(std::function<void()> callback) = 0;
};

class Protocol;
struct ProtocolContext;

using Handler = std::function<void(Request request, std::shared_ptr<Exchange> exchange)>;

struct CAPSTAN_EXPORT ServerOptions {
  std::string name = {};  // for its thread and its log lines
  // An IP address. As in Go, "", "0.0.0.0" and "::" are all addresses, of IPv4 and IPv6.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;              // 0: any free port
  std::unique_ptr<TlsFiles> tls = {};  // null: plain HTTP
  // Replaces `tls`. It is called for each connection, on the server's thread. An error of the
  // source or of TLS ends Start. Later it is logged, and the last good result stays in use.
  std::function<Expected<std::shared_ptr<const TlsFiles>>()> tls_source = {};
  // Called at Start and for each change with whether it can be used.
  std::function<void(bool ok)> on_tls_changed = {};
  std::size_t header_bytes_max = 16U << 10U;
  std::size_t body_bytes_max = 3U << 20U;
  // Limits of single paths, which replace body_bytes_max for their requests.
  std::map<std::string, std::size_t> body_bytes_max_by_path = {};
  // Limits the connections whose client has sent at least one byte. At this limit, the next one
  // replaces the connection that has waited longest for its client to send a request or read a
  // response. The peer with the most connections loses one first. Clients wait while all
  // connections have a handler at work, as streams do. At most half of the process's file
  // descriptors are used.
  std::size_t connections_max = 512;
  // Limits the connections whose client has sent nothing yet. They cost a file descriptor each. At
  // this limit, the oldest one of the peer with the most is closed. At most an eighth of the
  // process's file descriptors is used.
  std::size_t silent_connections_max = 512;
  // A connection is not replaced before it has waited this long, so that its client has time to
  // send its request, unless its peer has more connections than the others.
  std::chrono::milliseconds replace_after{100};
  // Limits the bytes of finished responses that wait for several slow clients. Above it, the
  // connection that has waited longest is closed. 0: no limit.
  std::size_t unsent_bytes_max = 0;
  // The size of each socket's send buffer in the kernel. 0: the kernel decides.
  int send_buffer_bytes = 0;
  // Limits the time in which a whole request must arrive.
  std::chrono::milliseconds read_timeout = std::chrono::seconds(10);
  // Limits the time between two requests, and the time in which a client reads nothing.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(120);
  // Serves the TLS clients that select HTTP/2 with ALPN. Null: there is only HTTP/1.1. Internal:
  // the embedded API server has the only one.
  std::shared_ptr<Protocol> (*http2)(ProtocolContext context) = nullptr;
};

class CAPSTAN_EXPORT Server {
 public:
  Server(ServerOptions options, Handler handler);
  ~Server();  // stops

  // Binds and starts serving. kInvalidArgument names the address, the cause ("address already in
  // use") and the fix.
  Expected<void> Start();
  // Refuses new connections and closes those that wait for their next request. Each other one is
  // closed after its response; one that has not had a request yet has 5 seconds for it. Then calls
  // `done` once, on the server's thread, unless Stop comes first. Between Start and Stop. Mirrors
  // net/http's Server.Shutdown, which waits. Thread-safe.
  void Drain(std::function<void()> done);
  // Blocks until every connection is closed. The server's own thread must not call it.
  void Stop();
  std::uint16_t port() const;  // after Start
  // Runs `task` on the server's thread. Returns false before Start and after Stop. Thread-safe.
  bool Post(std::function<void()> task);
  // Runs `task` on the server's thread after `delay`, unless Drain or Stop comes first.
  // Thread-safe.
  void PostAfter(std::chrono::milliseconds delay, std::function<void()> task);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::httpserver
