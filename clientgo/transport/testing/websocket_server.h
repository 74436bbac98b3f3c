// SPDX-License-Identifier: Apache-2.0
// WebSocketServer serves one WebSocket with Boost.Beast, whose reading of RFC 6455 is not ours.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "capstan/testing/certificates.h"
#include "capstan/transport/config.h"

namespace capstan::transport {

class WebSocketServer {
 public:
  using Plain = boost::asio::ip::tcp::socket;
  using Tls = boost::asio::ssl::stream<Plain>;
  template <class Stream>
  using Socket = boost::beast::websocket::stream<Stream>;
  // One of the two is set.
  struct Peer {
    Socket<Plain>* plain = nullptr;
    Socket<Tls>* tls = nullptr;

    std::string Read() const {
      boost::beast::flat_buffer buffer;
      plain != nullptr ? plain->read(buffer) : tls->read(buffer);
      return boost::beast::buffers_to_string(buffer.data());
    }
    void Write(const std::string& message) const {
      const auto bytes = boost::asio::buffer(message);
      plain != nullptr ? plain->write(bytes) : tls->write(bytes);
    }
  };
  using Serve = std::function<void(const Peer& peer, const std::string& target)>;

  // `serve` runs on a thread for the WebSocket, which is closed when it returns. `protocol` is what
  // the server chooses; empty: it answers 403 instead.
  WebSocketServer(std::string protocol, Serve serve, bool tls = false)
      : protocol_(std::move(protocol)), serve_(std::move(serve)) {
    if (tls) {
      const auto ca = *testing::MakeCa({.common_name = "test"});
      const auto leaf = *testing::MakeLocalhostCertificate(ca);
      ca_pem_ = ca.cert_pem;
      context_.use_certificate_chain(boost::asio::buffer(leaf.cert_pem));
      context_.use_private_key(boost::asio::buffer(leaf.key_pem), boost::asio::ssl::context::pem);
    }
    thread_ = std::thread([this, tls] { Run(tls); });
  }
  ~WebSocketServer() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    thread_.join();
  }

  transport::Config ServerConfig() const {
    transport::Config config;
    config.host = (ca_pem_.empty() ? "http://127.0.0.1:" : "https://127.0.0.1:") +
                  std::to_string(acceptor_.local_endpoint().port());
    config.tls.ca_data = ca_pem_;
    return config;
  }

 private:
  void Run(bool tls) {
    try {
      Plain socket(io_);
      acceptor_.accept(socket);
      if (!tls) {
        Socket<Plain> stream(std::move(socket));
        Accept(stream, {.plain = &stream});
      } else {
        Tls secure(std::move(socket), context_);
        secure.handshake(boost::asio::ssl::stream_base::server);
        Socket<Tls> stream(std::move(secure));
        Accept(stream, {.tls = &stream});
      }
    } catch (const boost::system::system_error&) {  // the client has closed the connection
    }
  }

  template <class Stream>
  void Accept(Stream& stream, const Peer& peer) {
    namespace http = boost::beast::http;
    boost::beast::flat_buffer buffer;
    http::request<http::string_body> request;
    http::read(stream.next_layer(), buffer, request);
    if (protocol_.empty()) {
      http::response<http::string_body> refused(http::status::forbidden, request.version());
      refused.body() = R"({"kind":"Status","message":"no exec for you","reason":"Forbidden"})";
      refused.prepare_payload();
      http::write(stream.next_layer(), refused);
      return;
    }
    stream.set_option(boost::beast::websocket::stream_base::decorator(
        [&](boost::beast::websocket::response_type& response) {
          response.set("Sec-WebSocket-Protocol", protocol_);
        }));
    stream.accept(request);
    stream.binary(true);
    serve_(peer, std::string(request.target()));
    stream.close(boost::beast::websocket::close_code::normal);
  }

  const std::string protocol_;
  const Serve serve_;
  std::string ca_pem_;
  boost::asio::io_context io_;
  boost::asio::ssl::context context_{boost::asio::ssl::context::tls_server};
  boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
  std::thread thread_;
};

}  // namespace capstan::transport
