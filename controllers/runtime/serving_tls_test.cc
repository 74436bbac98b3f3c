// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/testing/certificates.h"
#include "clientgo/testing/temp_dir.h"
#include "controllers/runtime/serving.h"
#include "httpserver/testing/tls_client.h"

namespace controllers::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ServingTlsTest : public testing::Test {
 protected:
  void Write(const std::string& name) const {
    const auto ca = clientgo::testing::MakeCa({.common_name = "ca"}).value();
    const auto pair = clientgo::testing::MakeCertificate(ca, {.common_name = name}).value();
    dir_.Write("tls.crt", pair.cert_pem);
    dir_.Write("tls.key", pair.key_pem);
  }
  EndpointServerOptions Options() {
    return {.name = "metrics",
            .address = {"127.0.0.1", 0},
            .tls = ServingTls{dir_.Path("tls.crt"), dir_.Path("tls.key"), {}},
            .metrics = &metrics_};
  }

  const clientgo::testing::TempDir dir_;
  metrics::Metrics metrics_{{.version = "v0.1.0", .commit = "abc"}};
};

TEST_F(ServingTlsTest, ServesMetricsOverTlsWithTheCertificateOfToday) {
  Write("today");
  EndpointServer server(Options());
  ASSERT_TRUE(server.Listen().has_value());

  httpserver::TlsClient client(server.port());
  EXPECT_EQ(client.ServerName(), "today");
  EXPECT_THAT(client.Get("/metrics"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("process_resident_memory_bytes")));

  Write("tomorrow");
  EXPECT_EQ(httpserver::TlsClient(server.port()).ServerName(), "tomorrow");
}

TEST_F(ServingTlsTest, CountsWhatItReadAndWhatItCouldNotUse) {
  Write("good");
  EndpointServer server(Options());
  ASSERT_TRUE(server.Listen().has_value());
  dir_.Write("tls.crt", "garbage");
  EXPECT_EQ(httpserver::TlsClient(server.port()).ServerName(), "good");
  dir_.Remove("tls.key");

  // This connection too is served with the good one, and is told of both mistakes.
  const std::string metrics = httpserver::TlsClient(server.port()).Get("/metrics");

  EXPECT_THAT(metrics, AllOf(HasSubstr("\ncertwatcher_read_certificate_total 3\n"),
                             HasSubstr("\ncertwatcher_read_certificate_errors_total 2\n")));
  EXPECT_EQ(httpserver::TlsClient(server.port()).ServerName(), "good");
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("\ncertwatcher_read_certificate_total 3\n"));
}

TEST_F(ServingTlsTest, AFileThatCannotBeReadIsOneClearLine) {
  EndpointServer server(Options());

  const auto listening = server.Listen();

  ASSERT_FALSE(listening.has_value());
  EXPECT_THAT(listening.error().message,
              AllOf(StartsWith("metrics server: TLS certificate: open "), HasSubstr("tls.crt")));
}

}  // namespace
}  // namespace controllers::runtime
