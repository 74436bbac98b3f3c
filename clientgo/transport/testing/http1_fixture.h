// SPDX-License-Identifier: Apache-2.0
// Fixture of the transport's tests: transports, requests, and certificates for both sides.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "clientgo/testing/certificates.h"
#include "clientgo/transport/http1_transport.h"
#include "clientgo/transport/testing/loopback_server.h"

namespace clientgo::transport {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::KeyPair;
using util::ErrorReason;

inline std::unique_ptr<HttpTransport> Connect(const Config& config,
                                              const Http1Options& options = {}) {
  auto transport = NewHttp1Transport(config, options);
  EXPECT_TRUE(transport.has_value()) << transport.error().message;
  return std::move(*transport);
}
inline std::unique_ptr<HttpTransport> Connect(const std::string& url) {
  return Connect(Config{.host = url});
}

// Returns the whole body. After an error: the bytes before it and the reason in angle brackets.
inline std::string ReadAll(HttpResponse& response) {
  std::string body;
  for (;;) {
    auto bytes = response.Read();
    if (!bytes) return body + "<" + std::string(ToString(bytes.error().reason)) + ">";
    if (bytes->empty()) return body;
    body.append(*bytes);
  }
}

inline std::string Fetch(HttpTransport& transport, const HttpRequest& request) {
  auto response = transport.RoundTrip({}, request);
  if (!response) return "<" + std::string(ToString(response.error().reason)) + ">";
  return ReadAll(**response);
}

// Returns the first bytes of the body, or the error's message.
inline std::string Get(HttpTransport& transport, const HttpRequest& request = {.target = "/"}) {
  auto response = transport.RoundTrip({}, request);
  if (!response) return response.error().message;
  auto bytes = (*response)->Read();
  return bytes ? std::string(*bytes) : bytes.error().message;
}

inline std::string Get(const Config& config) {
  auto transport = NewHttp1Transport(config);
  return transport ? Get(**transport) : transport.error().message;
}

// A handler that replies 200 to every request.
inline void ReplyOk(LoopbackConnection& connection, const std::string&) {
  connection.WriteHead(200, "Content-Length: 2\r\n");
  connection.Write("ok");
}

inline KeyPair NewCa(const std::string& name = "test-ca") {
  return testing::MakeCa({.common_name = name}).value();
}

inline KeyPair NewClientCertificate(const KeyPair& ca, const std::string& name = "client") {
  return testing::MakeCertificate(ca, {.common_name = name, .client_auth = true}).value();
}

class TlsTest : public ::testing::Test {
 protected:
  // Clients must send a certificate of the same CA.
  LoopbackServer::Tls Mutual() const { return {.server = tls_.server, .client_ca = ca_.cert_pem}; }

  const KeyPair ca_ = NewCa();
  const LoopbackServer::Tls tls_{.server = testing::MakeLocalhostCertificate(ca_).value()};
};

}  // namespace clientgo::transport
