// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/tls_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TlsProbeTest : public ::testing::Test {
 protected:
  auto Probe(int port, milliseconds timeout = seconds(30), std::stop_token stop = {}) {
    return probe_.PeerCertificates(
        std::move(stop),
        {.host = "127.0.0.1", .port = std::to_string(port), .name = "orders.shop.svc"}, timeout);
  }
  TlsProbe probe_;
};

TEST_F(TlsProbeTest, ReturnsTheCertificateOfAnyServerAndSendsNoRequest) {
  const testing::KeyPair ca = *testing::MakeCa({.common_name = "unknown"});
  const LoopbackServer::Tls tls{.server = *testing::MakeLocalhostCertificate(ca)};
  LoopbackServer server(ReplyOk, &tls);

  const auto certificates = Probe(server.port());

  ASSERT_TRUE(certificates.has_value()) << certificates.error().message;
  EXPECT_THAT(*certificates, SizeIs(1));
  EXPECT_EQ(server.requests(), 0);
  EXPECT_TRUE(server.AwaitOpen(0)) << "the connection is closed";
}

TEST_F(TlsProbeTest, ReturnsTheCertificateOfAServerThatRequiresOneOfTheClient) {
  const testing::KeyPair ca = *testing::MakeCa({.common_name = "clients"});
  for (const bool tls12 : {false, true}) {
    const LoopbackServer::Tls tls{
        .server = *testing::MakeLocalhostCertificate(ca), .client_ca = ca.cert_pem, .tls12 = tls12};
    LoopbackServer server(ReplyOk, &tls);

    const auto certificates = Probe(server.port());

    ASSERT_TRUE(certificates.has_value()) << certificates.error().message;
    EXPECT_FALSE(certificates->empty());
  }
}

TEST_F(TlsProbeTest, ReturnsTheAddressesOfAHost) {
  EXPECT_THAT(*probe_.Addresses({}, "127.0.0.1", seconds(30)), ElementsAre("127.0.0.1"));
  EXPECT_THAT(*probe_.Addresses({}, "fd00::1", seconds(30)), ElementsAre("fd00::1"));
  EXPECT_THAT(*probe_.Addresses({}, "localhost", seconds(30)), Contains("127.0.0.1"));
}

TEST_F(TlsProbeTest, ReportsAServerWithoutTls) {
  LoopbackServer server(ReplyOk);
  server.set_greeting("220 mail.example.com\r\n");

  const auto certificates = Probe(server.port());

  ASSERT_FALSE(certificates.has_value());
  EXPECT_THAT(certificates.error().message, HasSubstr("the server's response is not TLS"));
}

TEST_F(TlsProbeTest, ReportsARefusedConnection) {
  EXPECT_EQ(Probe(ClosedPort()).error().reason, ErrorReason::kConnectionRefused);
}

TEST_F(TlsProbeTest, EndsAtTheTimeoutWithASilentServer) {
  LoopbackServer server(ReplyOk);  // waits for a request in plain text

  EXPECT_EQ(Probe(server.port(), milliseconds(50)).error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(TlsProbeTest, EndsWhenItIsStopped) {
  LoopbackServer server(ReplyOk);
  std::stop_source stop;
  const std::jthread stopper([&] {
    EXPECT_TRUE(server.AwaitOpen(1));
    stop.request_stop();
  });

  EXPECT_EQ(Probe(server.port(), seconds(30), stop.get_token()).error().reason,
            ErrorReason::kCanceled);
}

}  // namespace
}  // namespace capstan::transport
