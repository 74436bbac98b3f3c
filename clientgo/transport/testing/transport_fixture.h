// SPDX-License-Identifier: Apache-2.0
// Fixture of the transport's tests: transports, requests, and certificates for both sides.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/certificates.h"
#include "capstan/transport/http1_transport.h"
#include "capstan/transport/http2_transport.h"
#include "clientgo/transport/testing/loopback_server.h"

namespace capstan::transport {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

inline std::unique_ptr<HttpTransport> Connect(const Config& config,
                                              const TransportOptions& options = {}) {
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

// Replies to each request with these bytes. HTTP/1.1 closes the connection after "/close".
inline LoopbackServer::Handler Replying(const std::string& bytes) {
  return [bytes](LoopbackConnection& connection, const std::string&) { connection.Write(bytes); };
}

inline std::string HostPort(const std::string& url) { return url.substr(url.find("//") + 2); }

// Matches the text of a request with this header. cpprestsdk writes no space after the colon.
inline auto HasHeader(const std::string& name, const std::string& value) {
  return ::testing::AnyOf(HasSubstr("\r\n" + name + ": " + value + "\r\n"),
                          HasSubstr("\r\n" + name + ":" + value + "\r\n"));
}

inline constexpr std::chrono::milliseconds kShort{30};

inline testing::KeyPair NewCa(const std::string& name = "test-ca") {
  return testing::MakeCa({.common_name = name}).value();
}

inline testing::KeyPair NewClientCertificate(const testing::KeyPair& ca,
                                             const std::string& name = "client") {
  return testing::MakeCertificate(ca, {.common_name = name, .client_auth = true}).value();
}

class TlsTest : public ::testing::Test {
 protected:
  const testing::KeyPair ca_ = NewCa();
  const LoopbackServer::Tls tls_{.server = testing::MakeLocalhostCertificate(ca_).value()};
};

// Tested names a transport that must pass the tests of HttpTransport's contract.
enum class Tested { kHttp1, kHttp2, kCpprest, kCpprestTls };

inline std::string NameOf(const ::testing::TestParamInfo<Tested>& info) {
  switch (info.param) {
    case Tested::kHttp1:
      return "Http1";
    case Tested::kHttp2:
      return "Http2";
    case Tested::kCpprest:
      return "Cpprest";
    case Tested::kCpprestTls:
      return "CpprestTls";
  }
  return "";
}

// Returns those of `wanted` that this build has.
inline auto Built(std::vector<Tested> wanted) {
  if (!Has(Implementation::kCpprestsdk)) {
    std::erase_if(wanted, [](Tested tested) { return tested >= Tested::kCpprest; });
  }
  return ::testing::ValuesIn(wanted);
}
inline auto EachTransport() { return Built({Tested::kHttp1, Tested::kHttp2, Tested::kCpprest}); }

// EachTransportTest runs its tests with each transport over TLS.
class EachTransportTest : public ::testing::TestWithParam<Tested> {
 protected:
  // Where cpprestsdk differs, the tests assert its limits (decision 23).
  static bool IsCpprest() { return GetParam() >= Tested::kCpprest; }

  static Expected<std::unique_ptr<HttpTransport>> New(Config config,
                                                      const TransportOptions& options = {}) {
    config.http2 = GetParam() == Tested::kHttp1 ? Http2::kOff : Http2::kAuto;
    if (IsCpprest()) config.implementation = Implementation::kCpprestsdk;
    return NewHttpTransport(config, options);
  }
  static std::unique_ptr<HttpTransport> Connect(const Config& config,
                                                const TransportOptions& options = {}) {
    auto transport = New(config, options);
    EXPECT_TRUE(transport.has_value()) << transport.error().message;
    return std::move(*transport);
  }
  // Returns the first bytes of the body, or the error's message.
  static std::string Get(const Config& config) {
    auto transport = New(config);
    return transport ? Get(**transport) : transport.error().message;
  }
  static std::string Get(HttpTransport& transport, const HttpRequest& request = {.target = "/"}) {
    return transport::Get(transport, request);
  }

  // Clients must send a certificate of the same CA.
  LoopbackServer::Tls Mutual() const {
    return {.server = tls_.server, .client_ca = ca_.cert_pem, .http2 = tls_.http2};
  }

  const testing::KeyPair ca_ = NewCa();
  const LoopbackServer::Tls tls_{.server = testing::MakeLocalhostCertificate(ca_).value(),
                                 .http2 = std::make_shared<Http2Script>()};
};

// HttpTransportTest runs the tests of HttpTransport's contract: HTTP/1.1 without TLS, HTTP/2, and
// cpprestsdk without and with TLS.
class HttpTransportTest : public EachTransportTest {
 protected:
  HttpTransportTest() {
    // cpprestsdk parses the system's CAs for each connection, on one thread for all of them.
    if (IsCpprest()) setenv("SSL_CERT_FILE", "/dev/null", 0);
  }
  static bool HasTls() { return GetParam() == Tested::kHttp2 || GetParam() == Tested::kCpprestTls; }
  LoopbackServer Serve(LoopbackServer::Handler handler) const {
    return LoopbackServer(std::move(handler), HasTls() ? &tls_ : nullptr);
  }
  std::unique_ptr<HttpTransport> Connect(const std::string& url,
                                         const TransportOptions& options = {}) const {
    Config config{.host = url};
    if (HasTls()) config.tls.ca_data = ca_.cert_pem;
    return EachTransportTest::Connect(config, options);
  }
  static std::string scheme() { return HasTls() ? "https://" : "http://"; }
};

inline auto EachTransportAndCpprestTls() {
  return Built({Tested::kHttp1, Tested::kHttp2, Tested::kCpprest, Tested::kCpprestTls});
}

}  // namespace capstan::transport
