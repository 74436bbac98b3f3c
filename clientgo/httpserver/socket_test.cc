// SPDX-License-Identifier: Apache-2.0
#include "clientgo/httpserver/socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>

#include "capstan/httpserver/server.h"
#include "capstan/testing/certificates.h"
#include "clientgo/cert/openssl_ptr.h"
#include "clientgo/httpserver/testing/raw_client.h"
#include "clientgo/httpserver/testing/tls_client.h"

namespace capstan::httpserver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto ca = testing::MakeCa({.common_name = "test-ca"});
    ASSERT_TRUE(ca.has_value()) << ca.error().message;
    const auto cert = testing::MakeLocalhostCertificate(*ca);
    ASSERT_TRUE(cert.has_value()) << cert.error().message;
    ca_pem_ = ca->cert_pem;
    ServerOptions options{.name = "tls-test"};
    options.tls =
        std::make_unique<TlsFiles>(TlsFiles{.cert_pem = cert->cert_pem, .key_pem = cert->key_pem});
    server_ =
        std::make_unique<Server>(std::move(options), [](const Request& request, auto exchange) {
          exchange->Respond(200, "text/plain", "secure " + request.body);
        });
    const auto started = server_->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }

  // Returns a client that trusts the test's CA and verifies the name.
  cert::OpensslPtr<SSL> NewClient(int fd) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    BIO* bio = BIO_new_mem_buf(ca_pem_.data(), static_cast<int>(ca_pem_.size()));
    X509* ca = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), ca);
    X509_free(ca);
    BIO_free(bio);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    cert::OpensslPtr<SSL> ssl(SSL_new(context_.get()));
    SSL_set1_host(ssl.get(), "localhost");
    SSL_set_fd(ssl.get(), fd);
    return ssl;
  }

  std::string ca_pem_;
  std::unique_ptr<Server> server_;
  cert::OpensslPtr<SSL_CTX> context_;
};

TEST_F(TlsTest, RespondsToClientThatTrustsItsCa) {
  RawClient socket(server_->port());
  const auto ssl = NewClient(socket.fd());
  ASSERT_EQ(SSL_connect(ssl.get()), 1);
  const std::string body(1U << 20U, 'b');
  const std::string request =
      "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;

  ASSERT_EQ(SSL_write(ssl.get(), request.data(), static_cast<int>(request.size())),
            static_cast<int>(request.size()));
  std::string response;
  char buffer[4096];
  int size = 0;
  while ((size = SSL_read(ssl.get(), buffer, sizeof buffer)) > 0) {
    response.append(buffer, static_cast<std::size_t>(size));
  }

  EXPECT_THAT(response, HasSubstr("secure bbbb"));
  EXPECT_GT(response.size(), body.size());
  // TLS ended properly. A truncation attack would look different.
  EXPECT_EQ(SSL_get_error(ssl.get(), size), SSL_ERROR_ZERO_RETURN);
}

TEST_F(TlsTest, DrainAnswersConnectionThatBeginsItsHandshakeLater) {
  RawClient socket(server_->port());
  TlsClient later(server_->port());  // its handshake ends after the server has accepted both
  ASSERT_TRUE(later.connected());
  EXPECT_THAT(later.Get("/"), HasSubstr("200 OK"));
  std::promise<void> drained;
  std::promise<void> draining;
  server_->Drain([&] { drained.set_value(); });
  ASSERT_TRUE(server_->Post([&] { draining.set_value(); }));
  draining.get_future().wait();

  const auto ssl = NewClient(socket.fd());
  ASSERT_EQ(SSL_connect(ssl.get()), 1);
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  SSL_write(ssl.get(), request.data(), static_cast<int>(request.size()));
  std::string response;
  char buffer[4096];
  int size = 0;
  while ((size = SSL_read(ssl.get(), buffer, sizeof buffer)) > 0) {
    response.append(buffer, static_cast<std::size_t>(size));
  }

  EXPECT_THAT(response, AllOf(HasSubstr("200 OK"), HasSubstr("Connection: close\r\n")));
  SSL_shutdown(ssl.get());
  socket.Close();
  drained.get_future().wait();
}

TEST_F(TlsTest, RejectsTls11) {
  RawClient socket(server_->port());
  const auto ssl = NewClient(socket.fd());
  SSL_set_security_level(ssl.get(), 0);
  SSL_set_min_proto_version(ssl.get(), TLS1_VERSION);
  SSL_set_max_proto_version(ssl.get(), TLS1_1_VERSION);

  EXPECT_NE(SSL_connect(ssl.get()), 1);
}

TEST_F(TlsTest, ClosesWhenClientSpeaksPlainHttp) {
  RawClient socket(server_->port());

  socket.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_TRUE(socket.ClosedByServer());
}

TEST_F(TlsTest, ReportsUnusableCertificate) {
  ServerOptions options{.name = "bad"};
  options.tls = std::make_unique<TlsFiles>(TlsFiles{.cert_pem = "garbage", .key_pem = "garbage"});
  Server server(std::move(options), [](const Request&, auto) {});

  const auto started = server.Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("cannot use the TLS certificate"));
}

TEST(TlsFilesTest, OfferNoProtocolWithoutHttp2) {
  const auto pair =
      testing::MakeLocalhostCertificate(testing::MakeCa({.common_name = "ca"}).value()).value();
  ServerOptions options{.name = "socket-test"};
  options.tls =
      std::make_unique<TlsFiles>(TlsFiles{.cert_pem = pair.cert_pem, .key_pem = pair.key_pem});
  Server server(std::move(options), [](const Request& /*request*/, const auto& exchange) {
    exchange->Respond(200, "text/plain", "ok");
  });
  ASSERT_TRUE(server.Start().has_value());

  TlsClient client(server.port(), [](SSL* ssl) {
    constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(ssl, kProtocols, sizeof kProtocols - 1);
  });

  EXPECT_EQ(client.Protocol(), "");
  EXPECT_THAT(client.Get("/"), ::testing::StartsWith("HTTP/1.1 200"));
}

// Go serves with such files, and a template or an editor makes them.
TEST(TlsFilesTest, MayHaveBlankLinesInsideABlock) {
  const auto with_blank_line = [](std::string pem) {
    return pem.insert(pem.find("-----END"), "\n");
  };
  const auto ca = testing::MakeCa({.common_name = "ca"}).value();
  const auto pair = testing::MakeLocalhostCertificate(ca).value();
  ServerOptions options{.name = "blank"};
  options.tls = std::make_unique<TlsFiles>(TlsFiles{.cert_pem = with_blank_line(pair.cert_pem),
                                                    .key_pem = with_blank_line(pair.key_pem),
                                                    .client_ca_pem = with_blank_line(ca.cert_pem)});
  Server server(std::move(options), [](const Request&, auto) {});

  const auto started = server.Start();

  EXPECT_TRUE(started.has_value()) << started.error().message;
}

class TlsNegotiationTest : public ::testing::Test {
 protected:
  Expected<void> Start(TlsOptions tls) {
    const auto ca = testing::MakeCa({.common_name = "ca"}).value();
    const auto pair = testing::MakeLocalhostCertificate(ca).value();
    ServerOptions options{.name = "negotiation"};
    options.tls = std::make_unique<TlsFiles>(
        TlsFiles{.cert_pem = pair.cert_pem, .key_pem = pair.key_pem, .options = std::move(tls)});
    server_ = std::make_unique<Server>(std::move(options), [](const Request&, auto) {});
    return server_->Start();
  }
  // Returns the version negotiated with a client whose newest version is `version`.
  std::string AtMost(int version) const {
    return TlsClient(server_->port(), [&](SSL* ssl) { SSL_set_max_proto_version(ssl, version); })
        .Version();
  }
  // Returns the suite negotiated in TLS 1.2 with a client that offers only `cipher`.
  std::string Offering(const char* cipher) const {
    return TlsClient(server_->port(),
                     [&](SSL* ssl) {
                       SSL_set_max_proto_version(ssl, TLS1_2_VERSION);
                       SSL_set_cipher_list(ssl, cipher);
                     })
        .Cipher();
  }

  std::unique_ptr<Server> server_;
};

TEST_F(TlsNegotiationTest, MinimumIsTls12ByDefault) {
  ASSERT_TRUE(Start({}));

  EXPECT_EQ(AtMost(TLS1_1_VERSION), "none");
  EXPECT_EQ(AtMost(TLS1_2_VERSION), "TLSv1.2");
  EXPECT_EQ(AtMost(TLS1_3_VERSION), "TLSv1.3");
}

TEST_F(TlsNegotiationTest, RaisesMinimumVersion) {
  ASSERT_TRUE(Start({.min_version = TlsVersion::k13}));

  EXPECT_EQ(AtMost(TLS1_2_VERSION), "none");
  EXPECT_EQ(AtMost(TLS1_3_VERSION), "TLSv1.3");
}

TEST_F(TlsNegotiationTest, LowersMinimumVersion) {
  ASSERT_TRUE(Start({.min_version = TlsVersion::k11}));

  EXPECT_EQ(AtMost(TLS1_VERSION), "none");
  EXPECT_EQ(AtMost(TLS1_1_VERSION), "TLSv1.1");
}

TEST_F(TlsNegotiationTest, AcceptsOnlyListedSuites) {
  ASSERT_TRUE(Start(
      {.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_RC4_128_SHA"}}));

  EXPECT_EQ(Offering("ECDHE-ECDSA-AES256-GCM-SHA384"), "ECDHE-ECDSA-AES256-GCM-SHA384");
  EXPECT_EQ(Offering("ECDHE-ECDSA-AES128-GCM-SHA256"), "none");
  EXPECT_EQ(AtMost(TLS1_3_VERSION), "TLSv1.3");  // not restricted by suites of older versions
}

TEST_F(TlsNegotiationTest, OnlyTls13SuitesDisableOlderVersions) {
  ASSERT_TRUE(Start({.cipher_suites = {"TLS_CHACHA20_POLY1305_SHA256"}}));

  EXPECT_EQ(AtMost(TLS1_2_VERSION), "none");
  EXPECT_EQ(TlsClient(server_->port()).Cipher(), "TLS_CHACHA20_POLY1305_SHA256");
}

TEST_F(TlsNegotiationTest, StartFailsWithoutAnyKnownSuite) {
  const auto started = Start({.cipher_suites = {"TLS_RSA_WITH_RC4_128_SHA"}});

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("has none of the requested cipher suites"));
}

}  // namespace
}  // namespace capstan::httpserver
