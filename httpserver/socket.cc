// SPDX-License-Identifier: Apache-2.0
#include "httpserver/socket.h"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <utility>

namespace httpserver {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
namespace ssl = boost::asio::ssl;

class PlainSocket final : public Socket {
 public:
  PlainSocket(IoContext io, tcp::socket socket) : io_(std::move(io)), socket_(std::move(socket)) {}

  void Handshake(Done done) override {
    boost::asio::post(*io_, [done = std::move(done)] { done({}); });
  }
  void ReadSome(boost::asio::mutable_buffer buffer, Transferred done) override {
    socket_.async_read_some(buffer, std::move(done));
  }
  void WriteSome(boost::asio::const_buffer buffer, Transferred done) override {
    socket_.async_write_some(buffer, std::move(done));
  }
  void ShutdownSend(Done done) override {
    error_code ec;
    socket_.shutdown(tcp::socket::shutdown_send, ec);
    boost::asio::post(*io_, [done = std::move(done), ec] { done(ec); });
  }
  void Close() override {
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  const IoContext io_;  // outlives socket_
  tcp::socket socket_;
};

class TlsSocket final : public Socket {
 public:
  TlsSocket(IoContext io, tcp::socket socket, TlsContext context)
      : io_(std::move(io)), context_(std::move(context)), stream_(std::move(socket), *context_) {}

  void Handshake(Done done) override {
    stream_.async_handshake(ssl::stream_base::server, std::move(done));
  }
  void ReadSome(boost::asio::mutable_buffer buffer, Transferred done) override {
    stream_.async_read_some(buffer, std::move(done));
  }
  void WriteSome(boost::asio::const_buffer buffer, Transferred done) override {
    stream_.async_write_some(buffer, std::move(done));
  }
  void ShutdownSend(Done done) override { stream_.async_shutdown(std::move(done)); }
  void Close() override {
    error_code ignored;
    stream_.lowest_layer().close(ignored);
  }

 private:
  const IoContext io_;  // outlives stream_
  const TlsContext context_;
  ssl::stream<tcp::socket> stream_;
};

}  // namespace

Expected<TlsContext> NewTlsContext(const TlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  error_code ec;
  context->use_certificate_chain(boost::asio::buffer(files.cert_pem), ec);
  if (ec) {
    return Err(ErrorReason::kInvalidArgument, "cannot use the TLS certificate: " + ec.message());
  }
  context->use_private_key(boost::asio::buffer(files.key_pem), ssl::context::pem, ec);
  if (ec) return Err(ErrorReason::kInvalidArgument, "cannot use the TLS key: " + ec.message());
  return context;
}

std::unique_ptr<Socket> NewPlainSocket(IoContext io, tcp::socket socket) {
  return std::make_unique<PlainSocket>(std::move(io), std::move(socket));
}

std::unique_ptr<Socket> NewTlsSocket(IoContext io, tcp::socket socket, TlsContext context) {
  return std::make_unique<TlsSocket>(std::move(io), std::move(socket), std::move(context));
}

}  // namespace httpserver
