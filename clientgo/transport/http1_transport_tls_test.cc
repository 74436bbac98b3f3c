// SPDX-License-Identifier: Apache-2.0
// Whom the transport trusts, whom it shows itself to, and how it says no.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "clientgo/testing/temp_dir.h"
#include "clientgo/transport/http1_fixture_for_test.h"

namespace clientgo::transport {
namespace {

TEST_F(Http1TransportTlsTest, TrustsTheGivenCa) {
  LoopbackServer server(Answer, &tls_);

  EXPECT_EQ(Ask({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}), "ok");
}

TEST_F(Http1TransportTlsTest, SaysThatTheCaIsUnknownAndSendsNothing) {
  LoopbackServer server(Answer, &tls_);

  // Another key under the same name, and another name: OpenSSL reports them differently.
  for (const KeyPair& other : {NewCa(), NewCa("other-ca")}) {
    EXPECT_THAT(Ask({.host = server.url(), .tls = {.ca_data = other.cert_pem}}),
                HasSubstr("127.0.0.1:" + std::to_string(server.port()) +
                          ": tls: failed to verify certificate: "
                          "certificate signed by unknown authority"));
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(Http1TransportTlsTest, GivenCaReplacesTheSystems) {
  // The server's own CA is made the system's: OpenSSL reads this variable for each new context.
  const testing::TempDir dir;
  setenv("SSL_CERT_FILE", dir.Write("system.pem", ca_.cert_pem).c_str(), 1);
  LoopbackServer server(Answer, &tls_);

  const std::string system = Ask({.host = server.url()});
  const std::string custom =
      Ask({.host = server.url(), .tls = {.ca_data = NewCa("other-ca").cert_pem}});
  unsetenv("SSL_CERT_FILE");

  EXPECT_EQ(system, "ok");
  EXPECT_THAT(custom, HasSubstr("certificate signed by unknown authority"));
}

TEST_F(Http1TransportTlsTest, ChecksTheNameAndSaysWhichItFound) {
  const LoopbackServer::Tls tls{
      .server =
          testing::MakeCertificate(ca_, {.common_name = "127.0.0.1",
                                         .dns_names = {"kubernetes.default.svc", "kubernetes"}})
              .value()};
  LoopbackServer server(Answer, &tls);

  EXPECT_THAT(Ask({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("certificate is valid for kubernetes.default.svc, kubernetes, "
                        "not 127.0.0.1"));
  EXPECT_EQ(Ask({.host = server.url(),
                 .tls = {.ca_data = ca_.cert_pem, .server_name = "kubernetes.default.svc"}}),
            "ok");
  EXPECT_THAT(Ask({.host = server.url(), .tls = {.ca_data = ca_.cert_pem, .server_name = "other"}}),
              HasSubstr("not other"));
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(Http1TransportTlsTest, ARefusedCertificateHasAReasonOfItsOwnAndARefusedClientHasNot) {
  LoopbackServer server(Answer, &tls_);
  const LoopbackServer::Tls mutual = Mutual();
  LoopbackServer strict(Answer, &mutual);
  const auto reason = [&](const Config& config) {
    auto response = Connect(config)->RoundTrip({}, {.target = "/"});
    return response ? ErrorReason::kUnknown : response.error().reason;
  };

  EXPECT_EQ(reason({.host = server.url(), .tls = {.ca_data = NewCa("other").cert_pem}}),
            ErrorReason::kCertificate);
  EXPECT_EQ(
      reason({.host = server.url(), .tls = {.ca_data = ca_.cert_pem, .server_name = "other"}}),
      ErrorReason::kCertificate);
  EXPECT_EQ(reason({.host = strict.url(), .tls = {.ca_data = ca_.cert_pem}}),
            ErrorReason::kTransport);
}

TEST_F(Http1TransportTlsTest, RefusesAnExpiredCertificate) {
  const LoopbackServer::Tls tls{
      .server = testing::MakeCertificate(ca_, {.common_name = "old",
                                               .not_before = std::chrono::hours(-2),
                                               .not_after = std::chrono::hours(-1),
                                               .ip_addresses = {"127.0.0.1"}})
                    .value()};
  LoopbackServer server(Answer, &tls);

  EXPECT_THAT(Ask({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("certificate has expired or is not yet valid"));
}

TEST_F(Http1TransportTlsTest, InsecureSkipsVerificationAndRefusesACa) {
  LoopbackServer server(Answer, &tls_);

  EXPECT_EQ(Ask({.host = server.url(), .tls = {.insecure_skip_verify = true}}), "ok");
  EXPECT_THAT(
      Ask({.host = server.url(), .tls = {.ca_data = ca_.cert_pem, .insecure_skip_verify = true}}),
      HasSubstr("insecure"));
}

TEST_F(Http1TransportTlsTest, ShowsItsClientCertificate) {
  LoopbackServer::Tls tls = tls_;
  tls.client_ca = ca_.cert_pem;
  LoopbackServer server(Answer, &tls);
  const KeyPair client = NewClientCertificate(ca_);

  EXPECT_EQ(Ask({.host = server.url(),
                 .tls = {.ca_data = ca_.cert_pem,
                         .cert_data = client.cert_pem,
                         .key_data = client.key_pem}}),
            "ok");
  EXPECT_THAT(Ask({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}),
              HasSubstr("certificate required"));
}

TEST_F(Http1TransportTlsTest, ReadsChangedFilesForNewConnections) {
  const testing::TempDir dir;
  LoopbackServer::Tls tls = tls_;
  const KeyPair new_ca = NewCa("new-ca");
  tls.client_ca = new_ca.cert_pem;
  LoopbackServer server(Answer, &tls);
  const KeyPair old_client = NewClientCertificate(ca_);
  const Config config{.host = server.url(),
                      .tls = {.ca_file = dir.Write("ca.crt", ca_.cert_pem),
                              .cert_file = dir.Write("tls.crt", old_client.cert_pem),
                              .key_file = dir.Write("tls.key", old_client.key_pem)}};
  auto transport = NewHttp1Transport(config);
  ASSERT_TRUE(transport.has_value()) << transport.error().message;
  EXPECT_NE(Ask(**transport), "ok");

  const KeyPair new_client = NewClientCertificate(new_ca);
  dir.Write("tls.crt", new_client.cert_pem);
  EXPECT_NE(Ask(**transport), "ok") << "a certificate without its key is not taken";
  dir.Write("tls.key", new_client.key_pem);

  EXPECT_EQ(Ask(**transport), "ok");
}

TEST_F(Http1TransportTlsTest, BadMaterialIsNamedWhenTheTransportIsMade) {
  const testing::TempDir dir;
  const KeyPair client = NewClientCertificate(ca_);
  const auto why = [&](const TlsConfig& tls) {
    auto transport =
        NewHttp1Transport({.host = "https://127.0.0.1:1", .tls = tls, .source = "/kube/config"});
    return transport ? "accepted" : transport.error().message;
  };

  EXPECT_THAT(why({.ca_data = "no pem"}),
              HasSubstr("/kube/config: certificate-authority-data: no PEM-encoded certificate"));
  EXPECT_THAT(why({.ca_file = "/nonexistent/ca.crt"}),
              HasSubstr("certificate-authority: open /nonexistent/ca.crt: No such file"));
  EXPECT_THAT(why({.ca_file = dir.Write("ca.crt", "")}), HasSubstr("ca.crt is empty"));
  std::string damaged = ca_.cert_pem;
  damaged.replace(100, 8, "AAAAAAAA");
  EXPECT_THAT(why({.ca_data = damaged}), HasSubstr("certificate-authority-data"));
  EXPECT_THAT(why({.cert_data = client.cert_pem}), HasSubstr("needs both"));
  EXPECT_THAT(why({.cert_data = client.cert_pem, .key_data = "x"}),
              HasSubstr("client-key-data: no usable PEM-encoded private key"));
  EXPECT_THAT(why({.cert_data = client.cert_pem, .key_data = ca_.key_pem}),
              HasSubstr("does not belong to the client certificate"));
}

TEST_F(Http1TransportTlsTest, StreamsAndCancelsOverTls) {
  LoopbackServer server(
      [](LoopbackConnection& connection, const std::string&) {
        connection.WriteHead(200);
        connection.WriteChunk("event");
        connection.AwaitClose();
      },
      &tls_);
  auto transport =
      NewHttp1Transport({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}).value();
  std::stop_source stop;
  auto response = transport->RoundTrip(stop.get_token(), {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->Read().value(), "event");

  stop.request_stop();

  auto bytes = (*response)->Read();
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().reason, ErrorReason::kCanceled);
}

}  // namespace
}  // namespace clientgo::transport
