// SPDX-License-Identifier: Apache-2.0
// Plain and TLS sockets of a server, and the certificates that they use. Internal to httpserver.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "capstan/error.h"
#include "capstan/httpserver/server.h"

namespace capstan::httpserver {

// Socket is the byte stream of a Connection, plain or TLS.
//
// At most one read and one write are outstanding. Completions run on the server's thread, also
// after Close (with an error), and never inside the call that started the operation. A socket keeps
// its io_context alive, so that an Exchange may outlive the Server.
class Socket {
 public:
  using Done = std::function<void(boost::system::error_code)>;
  using Transferred = std::function<void(boost::system::error_code, std::size_t)>;

  virtual ~Socket() = default;
  virtual void Handshake(Done done) = 0;
  virtual void ReadSome(boost::asio::mutable_buffer buffer, Transferred done) = 0;
  virtual void WriteSome(boost::asio::const_buffer buffer, Transferred done) = 0;
  // Ends sending. Reading continues.
  virtual void ShutdownSend(Done done) = 0;
  virtual void Close() = 0;
  // Reports whether the client has selected HTTP/2 in the handshake.
  virtual bool SelectedHttp2() const { return false; }
  // Returns the client's certificate after the handshake.
  virtual std::optional<ClientIdentity> Client() const { return std::nullopt; }
};

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;
using IoContext = std::shared_ptr<boost::asio::io_context>;

// Returns a plain socket when `context` is null.
std::unique_ptr<Socket> NewSocket(IoContext io, boost::asio::ip::tcp::socket socket,
                                  TlsContext context);

// TlsContexts provides the TLS context for each new connection of a Server. It is made once from
// ServerOptions::tls, or from ServerOptions::tls_source, which is called for each connection: the
// next connection uses a replaced certificate. A certificate that cannot be used is logged once,
// and the last good one stays. Only the server's thread uses it. Mirrors controller-runtime's
// pkg/certwatcher, which polls.
class TlsContexts {
 public:
  explicit TlsContexts(const ServerOptions& options) : options_(options) {}

  // Call it before the first connection. Its error ends the start.
  Expected<void> Load();
  TlsContext Current();  // null: plain HTTP

 private:
  const ServerOptions& options_;
  std::shared_ptr<const TlsFiles> files_;  // the source's last
  TlsContext context_;                     // the last good one
};

}  // namespace capstan::httpserver
