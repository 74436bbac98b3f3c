// SPDX-License-Identifier: Apache-2.0
// Socket: a byte stream, plain or TLS, as a Connection uses it. Internal to httpserver; the only
// place that knows which of the two it is.
//
// One read and one write may be outstanding at a time. Completions run on the server's thread, also
// after Close (with an error), and never inside the call that started the operation. A socket keeps
// its io_context alive, so that an Exchange may outlive the Server.
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

#include "httpserver/server.h"

namespace httpserver {

class Socket {
 public:
  using Done = std::function<void(boost::system::error_code)>;
  using Transferred = std::function<void(boost::system::error_code, std::size_t)>;

  virtual ~Socket() = default;
  virtual void Handshake(Done done) = 0;
  virtual void ReadSome(boost::asio::mutable_buffer buffer, Transferred done) = 0;
  virtual void WriteSome(boost::asio::const_buffer buffer, Transferred done) = 0;
  // Tells the peer that nothing more will be sent; reading goes on.
  virtual void ShutdownSend(Done done) = 0;
  virtual void Close() = 0;
  // After the handshake.
  virtual std::optional<ClientIdentity> Client() const { return std::nullopt; }
};

using TlsContext = std::shared_ptr<boost::asio::ssl::context>;
using IoContext = std::shared_ptr<boost::asio::io_context>;

std::unique_ptr<Socket> NewPlainSocket(IoContext io, boost::asio::ip::tcp::socket socket);
std::unique_ptr<Socket> NewTlsSocket(IoContext io, boost::asio::ip::tcp::socket socket,
                                     TlsContext context);

}  // namespace httpserver
