// SPDX-License-Identifier: Apache-2.0
#include "httpserver/tls_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace httpserver {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

TEST(TlsOptionsTest, VersionsHaveGosNames) {
  EXPECT_EQ(ParseTlsVersion("VersionTLS10"), TlsVersion::k10);
  EXPECT_EQ(ParseTlsVersion("VersionTLS13"), TlsVersion::k13);

  const auto unknown = ParseTlsVersion("TLS1.2");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().message,
            "TLS version \"TLS1.2\" is not known; use VersionTLS10 VersionTLS11 VersionTLS12 "
            "VersionTLS13");
}

TEST(TlsOptionsTest, AnUnknownSuiteIsNamedWithAllThereAre) {
  EXPECT_TRUE(CheckCipherSuites({}).has_value());
  EXPECT_TRUE(CheckCipherSuites({"TLS_AES_128_GCM_SHA256", "TLS_RSA_WITH_3DES_EDE_CBC_SHA"}));

  const auto unknown = CheckCipherSuites({"TLS_AES_128_GCM_SHA256", "AES128-SHA"});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message,
              AllOf(HasSubstr("cipher suite \"AES128-SHA\" is not known; use "),
                    HasSubstr(" TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305 "),
                    EndsWith(" TLS_RSA_WITH_RC4_128_SHA")));
}

TEST(TlsOptionsTest, SuitesOfTls13AreAListOfTheirOwn) {
  const OpensslCiphers ciphers =
      ToOpenssl({"TLS_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
                 "TLS_RSA_WITH_AES_256_CBC_SHA", "TLS_CHACHA20_POLY1305_SHA256",
                 "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"});

  EXPECT_EQ(ciphers.tls13, "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  EXPECT_EQ(ciphers.tls12, "ECDHE-RSA-AES128-SHA256:AES256-SHA:ECDHE-ECDSA-CHACHA20-POLY1305");
}

}  // namespace
}  // namespace httpserver
