// SPDX-License-Identifier: Apache-2.0
#include "httpserver/tls_file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/testing/certificates.h"
#include "clientgo/testing/temp_dir.h"
#include "httpserver/tls_client_for_test.h"

namespace httpserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class TlsFileSourceTest : public testing::Test {
 protected:
  clientgo::testing::KeyPair Pair(const std::string& name) const {
    return clientgo::testing::MakeCertificate(*ca_, {.common_name = name}).value();
  }
  void Write(const clientgo::testing::KeyPair& pair) const {
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

  const clientgo::util::Expected<clientgo::testing::KeyPair> ca_ =
      clientgo::testing::MakeCa({.common_name = "ca"});
  const clientgo::testing::TempDir dir_;
  TlsFileSource source_{dir_.Path("tls.crt"), dir_.Path("tls.key"), {}};
};

TEST_F(TlsFileSourceTest, AReplacedCertificateIsServedFromTheNextConnectionOn) {
  Write(Pair("first"));
  const auto server = NewServer();
  ASSERT_TRUE(server->Start().has_value());
  TlsClient early(server->port());
  EXPECT_EQ(early.ServerName(), "first");

  Write(Pair("second"));

  EXPECT_EQ(TlsClient(server->port()).ServerName(), "second");
  EXPECT_THAT(early.Get("/"), HasSubstr("200 OK"));  // a connection lives on with what it has
}

TEST_F(TlsFileSourceTest, WhatCannotBeServedLeavesTheLastGoodOne) {
  Write(Pair("good"));
  const auto server = NewServer();
  ASSERT_TRUE(server->Start().has_value());

  dir_.Write("tls.crt", "garbage");
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "good");

  const auto next = Pair("next");
  dir_.Write("tls.crt", next.cert_pem);  // the key is still the old one's
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "good");
  dir_.Write("tls.key", next.key_pem);
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "next");

  dir_.Remove("tls.key");
  EXPECT_EQ(TlsClient(server->port()).ServerName(), "next");
}

TEST_F(TlsFileSourceTest, TheSameFilesAreReadOnce) {
  Write(Pair("x"));

  const auto first = source_.Current();

  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(*source_.Current(), *first);
}

TEST_F(TlsFileSourceTest, AMissingFileEndsTheStartAndIsNamed) {
  const auto pair = Pair("x");
  dir_.Write("tls.crt", pair.cert_pem);
  const auto server = NewServer();

  const auto started = server->Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, AllOf(HasSubstr("TLS key: open "), HasSubstr("tls.key")));
}

}  // namespace
}  // namespace httpserver
