// SPDX-License-Identifier: Apache-2.0
#include "e2e/faults/http2_front.h"

#include <stop_token>
#include <thread>
#include <utility>

#include "capstan/text.h"
#include "capstan/transport/http1_transport.h"

namespace e2e {

using capstan::transport::HttpRequest;
using capstan::transport::LoopbackConnection;
using capstan::transport::LoopbackServer;

namespace {

constexpr std::uint32_t kInternalError = 2;  // RFC 9113, section 7

HttpRequest Parse(const std::string& text) {
  HttpRequest request;
  const std::size_t first = text.find(' ');
  const std::size_t second = text.find(' ', first + 1);
  request.method = text.substr(0, first);
  request.target = text.substr(first + 1, second - first - 1);
  const std::size_t end = text.find("\r\n\r\n");
  for (std::size_t begin = text.find("\r\n") + 2; begin < end;) {
    const std::size_t line = text.find("\r\n", begin);
    const std::size_t colon = text.find(": ", begin);
    std::string name = text.substr(begin, colon - begin);
    // The transport adds these itself.
    if (name != "Host" && name != "Content-Length" && name != "Accept-Encoding") {
      request.headers.emplace_back(std::move(name), text.substr(colon + 2, line - colon - 2));
    }
    begin = line + 2;
  }
  request.body = text.substr(end + 4);
  request.idle_timeout = std::chrono::hours(1);
  return request;
}

}  // namespace

Http2Front::Http2Front(std::uint16_t server_port)
    : ca_(capstan::testing::MakeCa({.common_name = "front"}).value()),
      server_(capstan::transport::NewHttp1Transport(
                  {.host = "http://127.0.0.1:" + std::to_string(server_port)})
                  .value()) {
  const LoopbackServer::Tls tls{.server = capstan::testing::MakeLocalhostCertificate(ca_).value(),
                                .http2 = std::make_shared<capstan::transport::Http2Script>()};
  front_ = std::make_unique<LoopbackServer>(
      [this](LoopbackConnection& connection, const std::string& text) {
        Forward(connection, text);
      },
      &tls);
}

void Http2Front::Forward(LoopbackConnection& connection, const std::string& text) {
  std::stop_source stop;
  // Ends the request to the server when the client ends its stream.
  const std::jthread watcher([&] {
    connection.AwaitClose();
    stop.request_stop();
  });
  const HttpRequest request = Parse(text);
  auto response = server_->RoundTrip(stop.get_token(), request);
  if (!response) return connection.Disconnect();
  std::string head = "HTTP/1.1 " + std::to_string((*response)->status()) + " Status\r\n";
  for (const auto& [name, value] : (*response)->headers()) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  connection.Write(head + "\r\n");
  const bool has_length =
      !capstan::transport::FindHeader((*response)->headers(), "Content-Length").empty();
  for (;;) {
    const auto bytes = (*response)->Read();
    if (!bytes) return connection.Reset(kInternalError);
    if (bytes->empty()) break;
    if (!connection.Write(*bytes)) return;
  }
  if (!has_length) connection.WriteChunk("");
}

}  // namespace e2e
