// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "clientgo/testing/certificates.h"
#include "httpserver/raw_client.h"
#include "httpserver/server.h"

namespace httpserver {
namespace {

using testing::HasSubstr;

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto ca = clientgo::testing::MakeCa({.common_name = "test-ca"});
    ASSERT_TRUE(ca.has_value()) << ca.error().message;
    const auto cert = clientgo::testing::MakeLocalhostCertificate(*ca);
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

  // Trusts the test's CA and checks the name.
  std::unique_ptr<SSL, FreeSsl> NewClient(int fd) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    BIO* bio = BIO_new_mem_buf(ca_pem_.data(), static_cast<int>(ca_pem_.size()));
    X509* ca = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), ca);
    X509_free(ca);
    BIO_free(bio);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(context_.get()));
    SSL_set1_host(ssl.get(), "localhost");
    SSL_set_fd(ssl.get(), fd);
    return ssl;
  }

  std::string ca_pem_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<SSL_CTX, FreeSsl> context_;
};

TEST_F(TlsTest, AnswersAClientThatTrustsItsCa) {
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
  std::string answer;
  char buffer[4096];
  int size = 0;
  while ((size = SSL_read(ssl.get(), buffer, sizeof buffer)) > 0) {
    answer.append(buffer, static_cast<std::size_t>(size));
  }

  EXPECT_THAT(answer, HasSubstr("secure bbbb"));
  EXPECT_GT(answer.size(), body.size());
  // A proper TLS end: a truncation attack would look different.
  EXPECT_EQ(SSL_get_error(ssl.get(), size), SSL_ERROR_ZERO_RETURN);
}

TEST_F(TlsTest, RefusesTls11) {
  RawClient socket(server_->port());
  const auto ssl = NewClient(socket.fd());
  SSL_set_security_level(ssl.get(), 0);
  SSL_set_min_proto_version(ssl.get(), TLS1_VERSION);
  SSL_set_max_proto_version(ssl.get(), TLS1_1_VERSION);

  EXPECT_NE(SSL_connect(ssl.get()), 1);
}

TEST_F(TlsTest, ClosesOnAClientThatSpeaksPlainHttp) {
  RawClient socket(server_->port());

  socket.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_TRUE(socket.ClosedByServer());
}

TEST_F(TlsTest, SaysThatACertificateCannotBeUsed) {
  ServerOptions options{.name = "bad"};
  options.tls = std::make_unique<TlsFiles>(TlsFiles{.cert_pem = "garbage", .key_pem = "garbage"});
  Server server(std::move(options), [](const Request&, auto) {});

  const auto started = server.Start();

  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("cannot use the TLS certificate"));
}

}  // namespace
}  // namespace httpserver
