// SPDX-License-Identifier: Apache-2.0
#include "capstan/httpserver/tls_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "capstan/httpserver/server.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/temp_dir.h"
#include "clientgo/httpserver/testing/tls_client.h"

namespace capstan::httpserver {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(TlsOptionsTest, ParsesGoNamesOfVersions) {
  EXPECT_EQ(ParseTlsVersion("VersionTLS10"), TlsVersion::k10);
  EXPECT_EQ(ParseTlsVersion("VersionTLS13"), TlsVersion::k13);

  const auto unknown = ParseTlsVersion("TLS1.2");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().message,
            "TLS version \"TLS1.2\" is not known; use VersionTLS10 VersionTLS11 VersionTLS12 "
            "VersionTLS13");
}

TEST(TlsOptionsTest, NamesUnknownSuiteAndListsValidOnes) {
  EXPECT_TRUE(CheckCipherSuites({}).has_value());
  EXPECT_TRUE(CheckCipherSuites({"TLS_AES_128_GCM_SHA256", "TLS_RSA_WITH_3DES_EDE_CBC_SHA"}));

  const auto unknown = CheckCipherSuites({"TLS_AES_128_GCM_SHA256", "AES128-SHA"});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message,
              AllOf(HasSubstr("cipher suite \"AES128-SHA\" is not known; use "),
                    HasSubstr(" TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305 "),
                    EndsWith(" TLS_RSA_WITH_RC4_128_SHA")));
}

TEST(TlsOptionsTest, SeparatesTls13Suites) {
  const OpensslCiphers ciphers =
      ToOpenssl({"TLS_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
                 "TLS_RSA_WITH_AES_256_CBC_SHA", "TLS_CHACHA20_POLY1305_SHA256",
                 "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"});

  EXPECT_EQ(ciphers.tls13, "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  EXPECT_EQ(ciphers.tls12, "ECDHE-RSA-AES128-SHA256:AES256-SHA:ECDHE-ECDSA-CHACHA20-POLY1305");
}

class TlsFileSourceTest : public ::testing::Test {
 protected:
  testing::KeyPair Pair(const std::string& name) const {
    return testing::MakeCertificate(*ca_, {.common_name = name}).value();
  }
  void Write(const testing::KeyPair& pair) const {
    dir_.Write("tls.crt", pair.cert_pem);
    dir_.Write("tls.key", pair.key_pem);
  }
  std::unique_ptr<Server> NewServer() {
    ServerOptions options{.name = "tls-files"};
    options.tls_source = [this] { return source_.Current(); };
    return std::make_unique<Server>(std::move(options), [](const Request&, auto exchange) {
      exchange->Respond(200, "text/plain", "ok");
    });
  }

  const Expected<testing::KeyPair> ca_ = testing::MakeCa({.common_name = "ca"});
  const testing::TempDir dir_;
  TlsFileSource source_{dir_.Path("tls.crt"), dir_.Path("tls.key"), {}};
};

TEST_F(TlsFileSourceTest, NextConnectionUsesReplacedCertificate) {
  Write(Pair("first"));
  const auto server = NewServer();
  ASSERT_TRUE(server->Start().has_value());
  TlsClient early(server->port());
  EXPECT_EQ(early.ServerName(), "first");

  Write(Pair("second"));

  EXPECT_EQ(TlsClient(server->port()).ServerName(), "second");
  EXPECT_THAT(early.Get("/"), HasSubstr("200 OK"));  // an open connection keeps its certificate
}

TEST_F(TlsFileSourceTest, KeepsLastGoodCertificateWhenNewOneIsUnusable) {
  Write(Pair("good"));
  const auto server = NewServer();
  ASSERT_TRUE(server->Start().has_value());

  dir_.Write("tls.crt", "garbage");
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "good");

  const auto next = Pair("next");
  dir_.Write("tls.crt", next.cert_pem);  // the key is still the old one
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "good");
  dir_.Write("tls.key", next.key_pem);
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "next");

  dir_.Remove("tls.key");
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "next");
}

TEST_F(TlsFileSourceTest, ReadsUnchangedFilesOnce) {
  Write(Pair("x"));

  const auto first = source_.Current();

  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(*source_.Current(), *first);
}

TEST_F(TlsFileSourceTest, ReadsFilesAgainThatCouldNotBeReadOnce) {
  Write(Pair("first"));
  const auto first = source_.Current();
  ASSERT_TRUE(first.has_value()) << first.error().message;
  const auto second = Pair("second");
  Write(second);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};

  setrlimit(RLIMIT_NOFILE, &none);  // so no file can be opened
  const auto failed = source_.Current();
  const auto failed_again = source_.Current();
  setrlimit(RLIMIT_NOFILE, &limit);
  const auto read = source_.Current();

  EXPECT_FALSE(failed.has_value());
  ASSERT_TRUE(failed_again.has_value()) << "the same error is returned once";
  EXPECT_EQ(*failed_again, *first);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ((*read)->cert_pem, second.cert_pem);
}

TEST_F(TlsFileSourceTest, StartFailsAndNamesMissingFile) {
  const auto pair = Pair("x");
  dir_.Write("tls.crt", pair.cert_pem);
  const auto server = NewServer();

  const auto started = server->Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, AllOf(HasSubstr("TLS key: open "), HasSubstr("tls.key")));
}

}  // namespace
}  // namespace capstan::httpserver
