// SPDX-License-Identifier: Apache-2.0
// Peers on the loopback interface for tests of the transport.
#pragma once

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "capstan/clock.h"
#include "capstan/file.h"
#include "capstan/mutex.h"
#include "capstan/testing/certificates.h"
#include "clientgo/transport/resolver.h"

namespace capstan::transport {

// LoopbackConnection is the server's end of one HTTP/1.1 connection, or of one HTTP/2 stream
// (http2_server.h), which translates a response in HTTP/1.1 text into frames.
class LoopbackConnection {
 public:
  LoopbackConnection(int fd, SSL* ssl) : fd_(fd), ssl_(ssl) {}
  virtual ~LoopbackConnection() = default;
  // Returns false when the client is gone.
  virtual bool Write(std::string_view bytes);
  virtual bool WriteChunk(std::string_view chunk);  // with its chunked framing
  bool WriteHead(int status, std::string_view more_headers = "Transfer-Encoding: chunked\r\n");
  // Returns the head and body of the next request; empty when the client is gone.
  std::string ReadRequest();
  // Blocks until the client closes (true) or the server is stopped.
  virtual bool AwaitClose();
  // Closes this side. Bytes that were already written still arrive.
  virtual void End();
  // The end of the whole connection will be a reset (RST).
  void ResetWhenClosed() const;
  // Breaks the whole connection.
  void Disconnect() const;
  // HTTP/2 only: sends RST_STREAM with this code.
  virtual void Reset(std::uint32_t /*code*/) {}
  // HTTP/2 only: sends GOAWAY. The server still answers streams up to `last_stream_id`; negative:
  // all that it has received.
  virtual void GoAway(std::int32_t /*last_stream_id*/ = -1) {}
  // HTTP/2 only: the whole connection stays open, and nothing more is read or written.
  virtual void Hang() {}
  // Relays bytes to this port of 127.0.0.1 and back, like a proxy, until either side ends.
  void RelayTo(int port);
  // Returns the common name in the client's certificate; empty when it sent none.
  std::string ClientName() const;
  // Returns the name that the client has sent (SNI); empty when it sent none.
  std::string ServerName() const;

 private:
  long Read(char* data, std::size_t size);
  const int fd_;
  SSL* const ssl_;
  std::string buffered_;
};

// Http2Script is what the HTTP/2 connections of a server do. Tests change it at any time.
struct Http2Script {
  std::uint32_t max_streams = 100;
  bool goes_away = false;          // sends GOAWAY right after its SETTINGS
  std::atomic<bool> hangs{false};  // the connections stay open, and nothing is read or written
  std::atomic<int> pings{0};       // received
};

// LoopbackServer is a small blocking HTTP/1.1 server on 127.0.0.1 (or ::1) and a free port, plain
// or with TLS. Each connection has a thread. A handler writes the raw bytes of the response, so
// that a test can send incomplete, wrong or no data. With TLS it also speaks HTTP/2 if the client
// offers it and there is an Http2Script; then each request has a thread.
class LoopbackServer {
 public:
  using Handler = std::function<void(LoopbackConnection&, const std::string& request)>;
  struct Tls {
    testing::KeyPair server = {};
    std::string client_ca = {};  // PEM: clients must have a certificate signed by it
    std::shared_ptr<Http2Script> http2 = {};
    bool tls12 = false;  // no newer version
  };

  // The handler answers one request; it is called again for the next on the same connection.
  explicit LoopbackServer(Handler handler, const Tls* tls = nullptr, int family = AF_INET);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  // Sets the bytes that each client receives before its first request. Call before the first
  // connection.
  void set_greeting(std::string greeting) { greeting_ = std::move(greeting); }

  int port() const { return port_; }
  std::string url() const;
  int requests() const { return requests_; }
  int http2_connections() const { return http2_accepted_; }  // ever made
  int connections() const { return accepted_; }              // ever made
  // Blocks until exactly `count` connections are open. Returns false after 10 s.
  bool AwaitOpen(std::size_t count) const;

 private:
  void Accept();
  void Serve(int fd);

  const Handler handler_;
  const std::shared_ptr<Http2Script> http2_;
  std::string greeting_;
  const int family_;
  SSL_CTX* context_ = nullptr;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::atomic<int> accepted_{0};
  std::atomic<int> http2_accepted_{0};
  mutable Mutex mu_;
  mutable CondVar changed_;
  bool stopping_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::list<int> open_ CAPSTAN_GUARDED_BY(mu_);
  std::list<std::thread> threads_ CAPSTAN_GUARDED_BY(mu_);
  std::thread acceptor_;
};

Endpoint Loopback(int port);
// Returns a port on which nobody listens any more.
int ClosedPort();
// Returns a deadline for calls that would otherwise never end.
Clock::TimePoint ShortDeadline();

// DroppingListener is an address of 127.0.0.1 that drops SYN packets, as a firewall does. Its queue
// for one connection is full, so the kernel ignores every further SYN.
class DroppingListener {
 public:
  DroppingListener();
  Endpoint endpoint() const { return Loopback(port_); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  const FileDescriptor listener_;
  const FileDescriptor filler_;  // the one connection in the queue
  int port_ = 0;
};

}  // namespace capstan::transport
