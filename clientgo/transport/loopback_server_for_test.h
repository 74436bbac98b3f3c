// SPDX-License-Identifier: Apache-2.0
// LoopbackServer: a tiny blocking HTTP/1.1 server for tests of the transport, plain or with TLS, on
// 127.0.0.1 (or ::1) and a free port. One thread for each connection; a handler writes the raw
// bytes of the answer, so that a test can send halves, lies and silence. Not a server for anything
// else.
#pragma once

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "clientgo/testing/certificates.h"
#include "clientgo/util/mutex.h"

namespace clientgo::transport {

// The server's end of one connection.
class LoopbackConnection {
 public:
  LoopbackConnection(int fd, SSL* ssl) : fd_(fd), ssl_(ssl) {}
  // False: the client is gone.
  bool Write(std::string_view bytes);
  bool WriteChunk(std::string_view chunk);  // with its chunked framing
  bool WriteHead(int status, std::string_view more_headers = "Transfer-Encoding: chunked\r\n");
  // The head and body of the next request; empty when the client is gone.
  std::string ReadRequest();
  // Blocks until the client closes (true) or the server is stopped.
  bool AwaitClose();
  // No more from this side; what was written still arrives.
  void End();
  // Passes bytes on to this port of 127.0.0.1 and back, as a proxy does, until either side ends.
  void RelayTo(int port);
  // The common name in the client's certificate; empty: it showed none.
  std::string ClientName() const;

 private:
  long Read(char* data, std::size_t size);
  const int fd_;
  SSL* const ssl_;
  std::string buffered_;
};

class LoopbackServer {
 public:
  using Handler = std::function<void(LoopbackConnection&, const std::string& request)>;
  struct Tls {
    testing::KeyPair server = {};
    std::string client_ca = {};  // PEM: clients must have a certificate signed by it
  };

  // The handler answers one request; it is called again for the next on the same connection.
  explicit LoopbackServer(Handler handler, const Tls* tls = nullptr, int family = AF_INET);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  // Said to whoever connects, before any request. Call before the first connection.
  void set_greeting(std::string greeting) { greeting_ = std::move(greeting); }

  int port() const { return port_; }
  std::string url() const;
  int requests() const { return requests_; }
  int connections() const { return accepted_; }  // ever made
  // Blocks (at most 10 s; false then) until exactly so many are open.
  bool AwaitOpen(std::size_t count) const;

 private:
  void Accept();
  void Serve(int fd);

  const Handler handler_;
  std::string greeting_;
  const int family_;
  SSL_CTX* context_ = nullptr;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> requests_{0};
  std::atomic<int> accepted_{0};
  mutable util::Mutex mu_;
  mutable util::CondVar changed_;
  bool stopping_ GUARDED_BY(mu_) = false;
  std::list<int> open_ GUARDED_BY(mu_);
  std::list<std::thread> threads_ GUARDED_BY(mu_);
  std::thread acceptor_;
};

}  // namespace clientgo::transport
