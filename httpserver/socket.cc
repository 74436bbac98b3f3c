// SPDX-License-Identifier: Apache-2.0
#include "httpserver/socket.h"

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace httpserver {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
namespace ssl = boost::asio::ssl;

struct FreeX509 {
  void operator()(X509* cert) const { X509_free(cert); }
};

// All values of one field of a certificate's subject.
std::vector<std::string> SubjectFields(X509_NAME* subject, int nid) {
  std::vector<std::string> values;
  for (int at = X509_NAME_get_index_by_NID(subject, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, nid, at)) {
    unsigned char* text = nullptr;
    const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    const int size = ASN1_STRING_to_UTF8(&text, value);
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

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
  std::optional<ClientIdentity> Client() const override {
    // Not const in Asio; nothing is changed.
    SSL* ssl = const_cast<ssl::stream<tcp::socket>&>(stream_).native_handle();
    const std::unique_ptr<X509, FreeX509> cert(SSL_get1_peer_certificate(ssl));
    if (!cert) return std::nullopt;
    X509_NAME* subject = X509_get_subject_name(cert.get());
    ClientIdentity identity{.trusted = SSL_get_verify_result(ssl) == X509_V_OK,
                            .organizations = SubjectFields(subject, NID_organizationName)};
    auto names = SubjectFields(subject, NID_commonName);
    if (!names.empty()) identity.common_name = std::move(names.back());
    return identity;
  }

 private:
  const IoContext io_;  // outlives stream_
  const TlsContext context_;
  ssl::stream<tcp::socket> stream_;
};

}  // namespace

std::unique_ptr<Socket> NewPlainSocket(IoContext io, tcp::socket socket) {
  return std::make_unique<PlainSocket>(std::move(io), std::move(socket));
}

std::unique_ptr<Socket> NewTlsSocket(IoContext io, tcp::socket socket, TlsContext context) {
  return std::make_unique<TlsSocket>(std::move(io), std::move(socket), std::move(context));
}

}  // namespace httpserver
