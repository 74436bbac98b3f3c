// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/transport_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <cerrno>

#include "clientgo/rest/server_address.h"

namespace clientgo::rest {
namespace {

using ::testing::HasSubstr;
using util::ErrorReason;

constexpr int kWrongVersion = ERR_PACK(ERR_LIB_SSL, 0, SSL_R_WRONG_VERSION_NUMBER);
constexpr int kBadCertificate = ERR_PACK(ERR_LIB_SSL, 0, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE);

TEST(DescribeFailureTest, GivesTheReasonAndTheWords) {
  const struct {
    TransportFailure failure;
    ErrorReason reason;
    std::string message;
  } cases[] = {
      {{.step = "Failed to connect to any resolved endpoint", .code = EHOSTUNREACH},
       ErrorReason::kConnectionRefused,
       "connect: connection refused"},
      {{.step = "Failed to connect to any resolved endpoint", .code = ENETUNREACH},
       ErrorReason::kTransport,
       "connect: Network is unreachable"},
      {{.step = "Failed to connect to any resolved endpoint", .code = ETIMEDOUT},
       ErrorReason::kUnexpectedEof,
       "i/o timeout"},
      {{.step = "Error resolving address", .code = 1}, ErrorReason::kTransport, "lookup"},
      {{.step = "Error in SSL handshake", .code = kWrongVersion},
       ErrorReason::kTransport,
       "tls: wrong version number"},
      {{.step = "Error in SSL handshake", .code = 1, .verification = "certificate has expired"},
       ErrorReason::kTransport,
       "tls: failed to verify certificate: certificate has expired"},
      {{.step = "Error in SSL handshake", .code = ECONNRESET},
       ErrorReason::kUnexpectedEof,
       "during the handshake"},
      // An old reason must not colour a later, unrelated failure.
      {{.step = "Failed to read HTTP status line", .code = 2, .verification = "old"},
       ErrorReason::kUnexpectedEof,
       "unexpected EOF"},
      {{.step = "Failed to read HTTP status line", .code = kBadCertificate},
       ErrorReason::kTransport,
       "alert bad certificate"},
      {{.step = "Failed to write request headers", .code = EHOSTUNREACH},
       ErrorReason::kUnexpectedEof,
       "connection reset by peer"},
      {{.step = "Retrieving message chunk header", .code = 2},
       ErrorReason::kUnexpectedEof,
       "unexpected EOF"},
      {{.step = "Invalid HTTP status line"}, ErrorReason::kTransport, "Invalid HTTP status line"},
  };
  for (auto [failure, reason, message] : cases) {
    failure.peer = "10.0.0.1:6443";
    const util::Error error = DescribeFailure(failure);
    EXPECT_EQ(error.reason, reason) << error.message;
    EXPECT_THAT(error.message, HasSubstr("10.0.0.1:6443: "));
    EXPECT_THAT(error.message, HasSubstr(message));
  }
}

TEST(ServerAddressTest, TakesUrlsApart) {
  const auto prefixed = ParseServerAddress("https://api.example.com/k8s/clusters/c-1/").value();
  EXPECT_TRUE(prefixed.tls);
  EXPECT_EQ(prefixed.HostPort(), "api.example.com:443");
  EXPECT_EQ(prefixed.path_prefix, "/k8s/clusters/c-1");

  const auto plain = ParseServerAddress("http://127.0.0.1").value();
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(plain.HostPort(), "127.0.0.1:80");
  EXPECT_TRUE(plain.IsIpv4Literal());

  const auto ipv6 = ParseServerAddress("https://[fd00::1]:6443").value();
  EXPECT_TRUE(ipv6.IsIpv6Literal());
  EXPECT_EQ(ipv6.HostPort(), "[fd00::1]:6443");
}

TEST(ServerAddressTest, RefusesWhatIsNoServer) {
  for (const char* url : {"", "10.0.0.1:6443", "ftp://x", "https://", "https://:6443",
                          "https://[::1", "https://a b", "https://h:0", "https://h:65536",
                          "https://h:x", "https://h?x=1", "https://h/#f", "https://[nonsense]:1"}) {
    auto address = ParseServerAddress(url);
    ASSERT_FALSE(address.has_value()) << url;
    EXPECT_EQ(address.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_THAT(address.error().message, HasSubstr("invalid server \"" + std::string(url) + "\""));
  }
}

TEST(ServerAddressTest, DoesNotRepeatAPassword) {
  auto address = ParseServerAddress("https://admin:hunter2@10.0.0.1:6443");

  ASSERT_FALSE(address.has_value());
  EXPECT_THAT(address.error().message, ::testing::Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace clientgo::rest
