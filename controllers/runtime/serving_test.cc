// SPDX-License-Identifier: Apache-2.0
#include "capstan/serving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>

#include "capstan/metrics/metrics.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/thread.h"
#include "clientgo/httpserver/testing/raw_client.h"
#include "clientgo/httpserver/testing/tls_client.h"

namespace capstan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ParseBindAddressTest, ReadsHostAndPort) {
  EXPECT_EQ(**ParseBindAddress("0.0.0.0:9402"), (BindAddress{"0.0.0.0", 9402}));
  EXPECT_EQ(**ParseBindAddress(":8080"), (BindAddress{"", 8080}));
  EXPECT_EQ(**ParseBindAddress("[::1]:0"), (BindAddress{"::1", 0}));
  EXPECT_EQ(**ParseBindAddress("localhost:65535"), (BindAddress{"localhost", 65535}));
}

TEST(ParseBindAddressTest, ReturnsNulloptForZeroAndEmptyText) {
  EXPECT_EQ(*ParseBindAddress("0"), std::nullopt);
  EXPECT_EQ(*ParseBindAddress(""), std::nullopt);
}

TEST(ParseBindAddressTest, RejectsInvalidAddresses) {
  const struct {
    std::string text;
    std::string cause;
  } cases[] = {{"9402", "missing port"},
               {"localhost", "missing port"},
               {"[::1]", "missing port"},
               {"::1:80", "an IPv6 address needs [brackets]"},
               {"[::1:80", "missing ']'"},
               {"a:", "the port is not a number from 0 to 65535"},
               {"a:65536", "the port is not a number from 0 to 65535"},
               {"a:-1", "the port is not a number from 0 to 65535"},
               {"a:80x", "the port is not a number from 0 to 65535"},
               {"a: 80", "the port is not a number from 0 to 65535"}};
  for (const auto& test_case : cases) {
    const auto parsed = ParseBindAddress(test_case.text);
    ASSERT_FALSE(parsed.has_value()) << test_case.text;
    EXPECT_EQ(parsed.error().message,
              "listen address \"" + test_case.text + "\": " + test_case.cause +
                  "; use host:port, :port for all interfaces, or 0 for off");
  }
}

class EndpointServerTest : public ::testing::Test {
 protected:
  EndpointServerTest() {
    readyz_.Add("caches", []() -> Expected<void> {
      return Err(ErrorReason::kServiceUnavailable, "secrets: 403");
    });
    EXPECT_TRUE(server_.Listen().has_value());
  }
  std::string Ask(const std::string& request_line) {
    return httpserver::Ask(server_.port(), request_line);
  }

  metrics::Metrics metrics_{{.version = "v0.1.0", .commit = "abc"}};
  HealthChecks healthz_{"healthz"};
  HealthChecks readyz_{"readyz"};
  std::counting_semaphore<> ticks_{0};
  EndpointServer server_{{.name = "metrics",
                          .address = {"127.0.0.1", 0},
                          .metrics = &metrics_,
                          .healthz = &healthz_,
                          .readyz = &readyz_,
                          .pages = {{.path = "/statusz",
                                     .answer =
                                         [](const auto& /*request*/) {
                                           return EndpointPage::Answer{.body = "all is well"};
                                         }},
                                    {.path = "/debug/loglevel",
                                     .answer =
                                         [](const httpserver::Request& request) {
                                           return EndpointPage::Answer{
                                               .status = 400,
                                               .body = request.method + request.body};
                                         },
                                     .takes_put = true}},
                          .periodic = [this] { ticks_.release(); },
                          .period = std::chrono::milliseconds(1)}};
};

TEST_F(EndpointServerTest, ServesMetricsInTheExpositionFormat) {
  const std::string answer = Ask("GET /metrics");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; version=0.0.4"));
  EXPECT_THAT(answer, HasSubstr("\nprocess_resident_memory_bytes "));
}

TEST_F(EndpointServerTest, ServesHealthByEndpointAndByCheck) {
  EXPECT_THAT(Ask("GET /healthz"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("\r\n\r\nok")));
  EXPECT_THAT(Ask("GET /healthz?verbose"), HasSubstr("[+]ping ok\nhealthz check passed\n"));
  EXPECT_THAT(Ask("GET /readyz"),
              AllOf(StartsWith("HTTP/1.1 500 "), HasSubstr("[-]caches failed: secrets: 403\n")));
  EXPECT_THAT(Ask("GET /readyz/caches"), HasSubstr("internal server error: secrets: 403"));
  EXPECT_THAT(Ask("GET /readyz?exclude=caches"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(EndpointServerTest, AnswersNotFoundForUnknownPaths) {
  for (const char* path : {"/", "/livez", "/healthzz", "/metrics/", "/readyz/none", "/statusz/"}) {
    EXPECT_THAT(Ask(std::string("GET ") + path), StartsWith("HTTP/1.1 404 ")) << path;
  }
}

TEST_F(EndpointServerTest, RejectsMethodsThatWrite) {
  const std::string head = Ask("HEAD /metrics");

  EXPECT_THAT(head, AllOf(StartsWith("HTTP/1.1 200 "), Not(HasSubstr("process_"))));
  EXPECT_THAT(Ask("DELETE /healthz"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD")));
}

TEST_F(EndpointServerTest, ServesAProgramsOwnPages) {
  EXPECT_THAT(Ask("GET /statusz?format=json"),
              AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("Cache-Control: no-store"),
                    HasSubstr("\r\n\r\nall is well")));
  EXPECT_THAT(Ask("PUT /statusz"), StartsWith("HTTP/1.1 405 "));
  httpserver::RawClient client(server_.port());
  client.Send(
      "PUT /debug/loglevel HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\n4");
  EXPECT_THAT(client.ReadAll(), AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("\r\n\r\nPUT4")));
}

// A service mesh's proxy forwards remote requests from 127.0.0.6.
TEST_F(EndpointServerTest, ServesPagesOnlyToThisMachineByDefault) {
  const auto ask_from_elsewhere = [](std::uint16_t port, const std::string& path) {
    httpserver::RawClient client(port, 0, (127U << 24U) + 6);
    client.Send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.ReadAll();
  };
  EXPECT_THAT(ask_from_elsewhere(server_.port(), "/statusz"),
              AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("use kubectl port-forward, or start"),
                    Not(HasSubstr("all is well"))));
  EXPECT_THAT(ask_from_elsewhere(server_.port(), "/healthz"), StartsWith("HTTP/1.1 200 "));

  for (const char* address : {"127.0.0.1", ""}) {  // "" is IPv6 with mapped IPv4
    for (const bool everybody : {false, true}) {
      EndpointServer other({.name = "other",
                            .address = {address, 0},
                            .pages = {{.path = "/statusz",
                                       .answer =
                                           [](const auto& /*request*/) {
                                             return EndpointPage::Answer{.body = "all is well"};
                                           }}},
                            .pages_for_everybody = everybody});
      ASSERT_TRUE(other.Listen().has_value());
      EXPECT_THAT(ask_from_elsewhere(other.port(), "/statusz"),
                  StartsWith(everybody ? "HTTP/1.1 200 " : "HTTP/1.1 403 "));
      httpserver::RawClient near(other.port());
      near.Send("GET /statusz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      EXPECT_THAT(near.ReadAll(), StartsWith("HTTP/1.1 200 ")) << address;
    }
  }
}

TEST_F(EndpointServerTest, RunsPeriodicWork) {
  ticks_.acquire();
  ticks_.acquire();
  EXPECT_THAT(Ask("GET /healthz"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(EndpointServerTest, ReportsAPortInUseInOneLine) {
  EndpointServer second({.name = "health", .address = {"127.0.0.1", server_.port()}});

  const auto ended = second.Start(std::stop_token());

  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message,
              AllOf(StartsWith("health server: "), HasSubstr(std::to_string(server_.port())),
                    HasSubstr("ddress already in use"), Not(HasSubstr("\n"))));
}

TEST_F(EndpointServerTest, FreesThePortAfterStop) {
  std::stop_source stop;
  stop.request_stop();

  EXPECT_TRUE(server_.Start(stop.get_token()).has_value());

  EXPECT_FALSE(httpserver::RawClient(server_.port()).connected());
}

class ServingTlsTest : public ::testing::Test {
 protected:
  void Write(const std::string& name) const {
    const auto ca = testing::MakeCa({.common_name = "ca"}).value();
    const auto pair = testing::MakeCertificate(ca, {.common_name = name}).value();
    dir_.Write("tls.crt", pair.cert_pem);
    dir_.Write("tls.key", pair.key_pem);
  }
  EndpointServerOptions Options() {
    return {.name = "metrics",
            .address = {"127.0.0.1", 0},
            .tls = ServingTls{dir_.Path("tls.crt"), dir_.Path("tls.key"), {}},
            .metrics = &metrics_};
  }

  const testing::TempDir dir_;
  metrics::Metrics metrics_{{.version = "v0.1.0", .commit = "abc"}};
};

TEST_F(ServingTlsTest, ServesTheCurrentCertificateAfterARotation) {
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

TEST_F(ServingTlsTest, CountsCertificateReadsAndErrors) {
  Write("good");
  EndpointServer server(Options());
  ASSERT_TRUE(server.Listen().has_value());
  dir_.Write("tls.crt", "garbage");
  EXPECT_EQ(httpserver::TlsClient(server.port()).ServerName(), "good");
  dir_.Remove("tls.key");

  // This connection also uses the good certificate, and reads both errors.
  const std::string metrics = httpserver::TlsClient(server.port()).Get("/metrics");

  EXPECT_THAT(metrics, AllOf(HasSubstr("\ncertwatcher_read_certificate_total 3\n"),
                             HasSubstr("\ncertwatcher_read_certificate_errors_total 2\n")));
  EXPECT_EQ(httpserver::TlsClient(server.port()).ServerName(), "good");
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("\ncertwatcher_read_certificate_total 3\n"));
}

TEST_F(ServingTlsTest, ReportsAnUnreadableFileInOneLine) {
  EndpointServer server(Options());

  const auto listening = server.Listen();

  ASSERT_FALSE(listening.has_value());
  EXPECT_THAT(listening.error().message,
              AllOf(StartsWith("metrics server: TLS certificate: open "), HasSubstr("tls.crt")));
}

}  // namespace
}  // namespace capstan
