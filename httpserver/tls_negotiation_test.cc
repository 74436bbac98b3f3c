// SPDX-License-Identifier: Apache-2.0
// What a server agrees to with its TlsOptions, as clients see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/testing/certificates.h"
#include "httpserver/server.h"
#include "httpserver/tls_client_for_test.h"

namespace httpserver {
namespace {

using testing::HasSubstr;

class TlsNegotiationTest : public testing::Test {
 protected:
  clientgo::util::Expected<void> Start(TlsOptions tls) {
    const auto ca = clientgo::testing::MakeCa({.common_name = "ca"}).value();
    const auto pair = clientgo::testing::MakeLocalhostCertificate(ca).value();
    ServerOptions options{.name = "negotiation"};
    options.tls = std::make_unique<TlsFiles>(
        TlsFiles{.cert_pem = pair.cert_pem, .key_pem = pair.key_pem, .options = std::move(tls)});
    server_ = std::make_unique<Server>(std::move(options), [](const Request&, auto) {});
    return server_->Start();
  }
  // The version agreed on with a client that knows nothing newer.
  std::string AtMost(int version) const {
    return TlsClient(server_->port(), [&](SSL* ssl) { SSL_set_max_proto_version(ssl, version); })
        .Version();
  }
  // The suite agreed on in TLS 1.2 with a client that offers one.
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

TEST_F(TlsNegotiationTest, Tls12IsTheLeastUnlessTold) {
  ASSERT_TRUE(Start({}));

  EXPECT_EQ(AtMost(TLS1_1_VERSION), "none");
  EXPECT_EQ(AtMost(TLS1_2_VERSION), "TLSv1.2");
  EXPECT_EQ(AtMost(TLS1_3_VERSION), "TLSv1.3");
}

TEST_F(TlsNegotiationTest, TheLeastVersionCanBeRaised) {
  ASSERT_TRUE(Start({.min_version = TlsVersion::k13}));

  EXPECT_EQ(AtMost(TLS1_2_VERSION), "none");
  EXPECT_EQ(AtMost(TLS1_3_VERSION), "TLSv1.3");
}

TEST_F(TlsNegotiationTest, TheLeastVersionCanBeLowered) {
  ASSERT_TRUE(Start({.min_version = TlsVersion::k11}));

  EXPECT_EQ(AtMost(TLS1_VERSION), "none");
  EXPECT_EQ(AtMost(TLS1_1_VERSION), "TLSv1.1");
}

TEST_F(TlsNegotiationTest, OnlyTheListedSuitesAreSpoken) {
  ASSERT_TRUE(Start(
      {.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_RC4_128_SHA"}}));

  EXPECT_EQ(Offering("ECDHE-ECDSA-AES256-GCM-SHA384"), "ECDHE-ECDSA-AES256-GCM-SHA384");
  EXPECT_EQ(Offering("ECDHE-ECDSA-AES128-GCM-SHA256"), "none");
  EXPECT_EQ(AtMost(TLS1_3_VERSION), "TLSv1.3");  // not restricted by suites of older versions
}

TEST_F(TlsNegotiationTest, SuitesOfTls13AloneMeanNothingOlder) {
  ASSERT_TRUE(Start({.cipher_suites = {"TLS_CHACHA20_POLY1305_SHA256"}}));

  EXPECT_EQ(AtMost(TLS1_2_VERSION), "none");
  EXPECT_EQ(TlsClient(server_->port()).Cipher(), "TLS_CHACHA20_POLY1305_SHA256");
}

TEST_F(TlsNegotiationTest, ASuiteThatOpensslDoesNotHaveEndsTheStart) {
  const auto started = Start({.cipher_suites = {"TLS_RSA_WITH_RC4_128_SHA"}});

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("has none of the cipher suites"));
}

}  // namespace
}  // namespace httpserver
