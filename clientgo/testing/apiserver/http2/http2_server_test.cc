// SPDX-License-Identifier: Apache-2.0
// Tests of HTTP/2 between the embedded API server and clientgo's transport, over TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "capstan/transport/http1_transport.h"
#include "capstan/transport/http2_transport.h"
#include "clientgo/httpserver/testing/tls_client.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPath = "/api/v1/namespaces/default/configmaps";
constexpr const char* kWatchPath = "/api/v1/namespaces/default/configmaps?watch=1";

class Http2ServerTest : public ::testing::Test {
 protected:
  using Response = std::unique_ptr<transport::HttpResponse>;

  void SetUp() override { Start(); }
  void Start(Options options = {}) {
    server_ = std::make_unique<Server>(std::move(options));
    const auto started = server_->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
    config_.host = server_->url();
    config_.tls.ca_data = server_->ca_pem();
    client_ = transport::NewHttpTransport(config_).value();
  }

  Expected<Response> Send(transport::HttpRequest request) {
    request.headers = {{"Authorization", "Bearer any"},
                       {"Content-Type", "application/json"},
                       {"Accept", "application/json"}};
    return client_->RoundTrip({}, request);
  }
  // Returns the status; -1: there is no response.
  int StatusOf(transport::HttpRequest request) {
    const auto response = Send(std::move(request));
    return response ? (*response)->status() : -1;
  }
  int Create(const std::string& name, const std::string& value = "v") {
    return StatusOf(
        {.method = "POST",
         .target = kPath,
         .body = R"({"metadata":{"name":")" + name + R"("},"data":{"k":")" + value + "\"}}"});
  }
  Response Watch() {
    auto response = Send({.target = kWatchPath, .long_running = true});
    EXPECT_TRUE(response.has_value()) << response.error().message;
    return *std::move(response);
  }
  // Reads until the text is part of what was read. Returns the error before that.
  static std::string ReadUntil(transport::HttpResponse& response, const std::string& text) {
    std::string all;
    while (all.find(text) == std::string::npos) {
      const auto read = response.Read();
      if (!read) return read.error().message;
      if (read->empty()) return "the end";
      all += *read;
    }
    return {};
  }

  transport::Config config_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<transport::HttpTransport> client_;
};

TEST_F(Http2ServerTest, ServesClientsThatSelectIt) {
  const auto selected = Send({.target = kPath});
  client_ = transport::NewHttp1Transport(config_).value();
  const auto other = Send({.target = kPath});

  EXPECT_EQ((*selected)->status(), 200);
  EXPECT_TRUE((*selected)->CanSuspend()) << "HTTP/1.1";
  EXPECT_EQ((*other)->status(), 200);
  EXPECT_FALSE((*other)->CanSuspend()) << "HTTP/2";
}

// As kube-apiserver, each request is checked, not each connection.
TEST_F(Http2ServerTest, ChecksTheTimeOfACertificateAtEachRequest) {
  constexpr std::chrono::seconds kSoon(2);
  constexpr std::chrono::seconds kDay = std::chrono::hours(24);
  const auto ca = MakeCa({.common_name = "clients"});
  ASSERT_TRUE(ca.has_value());
  Start({.tokens = {{"token", "somebody"}}, .client_ca_pem = ca->cert_pem});
  const auto connect = [&](std::chrono::seconds from, std::chrono::seconds to, auto new_transport) {
    const auto pair = MakeCertificate(
        *ca, {.common_name = "jane", .not_before = from, .not_after = to, .client_auth = true});
    config_.tls.cert_data = pair.value().cert_pem;
    config_.tls.key_data = pair.value().key_pem;
    return new_transport(config_).value();
  };
  const auto new_http1 = [](const auto& config) { return transport::NewHttp1Transport(config); };
  const auto new_http2 = [](const auto& config) { return transport::NewHttpTransport(config); };
  const auto status = [](transport::HttpTransport& client) {
    const auto response = client.RoundTrip({}, {.target = kPath});
    if (!response) return -1;
    ReadUntil(**response, "the whole body, so that the connection is used again");
    return (*response)->status();
  };
  const auto early1 = connect(kSoon, kDay, new_http1);
  const auto early2 = connect(kSoon, kDay, new_http2);
  const auto late1 = connect(-kDay, kSoon, new_http1);
  const auto late2 = connect(-kDay, kSoon, new_http2);
  for (auto* const client : {early1.get(), early2.get(), late1.get(), late2.get()}) status(*client);

  EXPECT_TRUE(Eventually([&] { return status(*early1) == 200; })) << "HTTP/1.1";
  EXPECT_TRUE(Eventually([&] { return status(*early2) == 200; })) << "HTTP/2";
  EXPECT_TRUE(Eventually([&] { return status(*late1) == 401; })) << "HTTP/1.1";
  EXPECT_TRUE(Eventually([&] { return status(*late2) == 401; })) << "HTTP/2";
}

TEST_F(Http2ServerTest, SelectsProtocolThatClientOffers) {
  const auto connect = [&](const std::string& protocols) {
    return httpserver::TlsClient(server_->port(), [&](SSL* ssl) {
      SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned>(protocols.size()));
    });
  };
  auto http1 = connect("\x08http/1.1");
  auto other = connect("\x05other");

  EXPECT_EQ(connect("\x08http/1.1\x02h2").Protocol(), "h2");
  EXPECT_EQ(http1.Protocol(), "http/1.1");
  EXPECT_THAT(http1.Get("/readyz"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(other.Protocol(), "");
  EXPECT_THAT(other.Get("/readyz"), StartsWith("HTTP/1.1 200"));
}

TEST_F(Http2ServerTest, ServesMoreWatchesThanOneConnectionHas) {
  std::vector<Response> watches;
  for (int i = 0; i < 120; ++i) watches.push_back(Watch());

  EXPECT_EQ(Create("a"), 201);

  EXPECT_EQ(server_->WatcherCount(), 120U);
  for (const Response& watch : watches) EXPECT_EQ(ReadUntil(*watch, R"("name":"a")"), "");
  watches.clear();
  EXPECT_TRUE(Eventually([&] { return server_->WatcherCount() == 0; }));
}

TEST_F(Http2ServerTest, CutsWatchesAndNothingElse) {
  const Response watch = Watch();
  const auto slow = [&] {
    server_->InjectFault({.match = {.verb = "list"},
                          .action = FaultAction::kDelay,
                          .delay = std::chrono::milliseconds(200)});
    return StatusOf({.target = kPath});
  };

  server_->CutWatches();

  EXPECT_THAT(ReadUntil(*watch, "x"), HasSubstr("reset the stream"));
  EXPECT_EQ(slow(), 200);
}

TEST_F(Http2ServerTest, InjectsFaults) {
  const auto inject = [&](FaultAction action) {
    server_->InjectFault({.match = {.verb = "list"}, .action = action, .bytes = 10});
  };
  inject(FaultAction::kClose);
  EXPECT_EQ(StatusOf({.target = kPath}), -1);
  inject(FaultAction::kCut);
  const auto cut = Send({.target = kPath});
  ASSERT_TRUE(cut.has_value());
  EXPECT_THAT(ReadUntil(**cut, "}"), HasSubstr("reset the stream"));
  inject(FaultAction::kHang);
  EXPECT_EQ(StatusOf({.target = kPath, .timeout = std::chrono::milliseconds(100)}), -1);
  EXPECT_EQ(StatusOf({.target = kPath}), 200);
}

TEST_F(Http2ServerTest, EndsWatchesWhenItStops) {
  const Response watch = Watch();

  server_->Stop();

  EXPECT_NE(ReadUntil(*watch, "x"), "");
  ASSERT_TRUE(server_->Start());
  EXPECT_EQ(StatusOf({.target = kPath}), 200);
}

// The queue of the watch has a limit. When its reader goes on, it gets what was sent, and the end.
TEST_F(Http2ServerTest, EndsTheWatchOfASlowReader) {
  Start({.watcher_bytes_max = 100'000});
  const Response watch = Watch();
  const std::string large(50'000, 'x');
  for (int i = 0; i < 40; ++i) ASSERT_EQ(Create("c" + std::to_string(i), large), 201);

  std::string all;
  while (true) {
    const auto read = watch->Read();
    ASSERT_TRUE(read) << read.error().message;
    if (read->empty()) break;
    all += *read;
  }

  EXPECT_THAT(all, HasSubstr(R"("name":"c0")"));
  EXPECT_LT(all.size(), 40 * large.size());
}

TEST_F(Http2ServerTest, AcceptsAndReturnsLargeObjects) {
  const std::string large(900'000, 'x');
  ASSERT_EQ(Create("a", large), 201);

  const auto read = Send({.target = std::string(kPath) + "/a"});

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(ReadUntil(**read, large), "");
  EXPECT_EQ(Create("b", std::string(4'000'000, 'x')), 413);
}

}  // namespace
}  // namespace capstan::testing::apiserver
