// SPDX-License-Identifier: Apache-2.0
// Tests of the whole client during the replacement of its certificate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "capstan/cache/informer_factory.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/transport/http2_transport.h"
#include "e2e/faults/world.h"

namespace e2e {
namespace {

using capstan::rest::Client;
using capstan::testing::KeyPair;

std::string NoteJson(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"notes","name":")" +
         name + "\"}}";
}

// Waits up to 10 s of real time until the server has received `count` watch requests.
bool AwaitWatchRequests(const capstan::testing::apiserver::Server& server, std::uint64_t count) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (server.CountRequests({.verb = "watch"}) < count) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(RotationTest, ANewClientCertificateResumesTheWatchWithoutAList) {
  const KeyPair ca = capstan::testing::MakeCa({.common_name = "clients"}).value();
  const capstan::testing::TempDir dir;
  const auto write = [&] {
    const KeyPair pair =
        capstan::testing::MakeCertificate(ca, {.common_name = "me", .client_auth = true}).value();
    dir.Write("tls.key", pair.key_pem);
    dir.Write("tls.crt", pair.cert_pem);
  };
  write();
  capstan::testing::apiserver::Server server;
  ASSERT_TRUE(server.Start());
  ASSERT_TRUE(server.CreateObjects({NoteJson("a"), NoteJson("b")}));
  capstan::rest::Config config{.host = server.url(),
                               .tls = {.ca_data = server.ca_pem(),
                                       .cert_file = dir.Path("tls.crt"),
                                       .key_file = dir.Path("tls.key")}};
  auto transport = capstan::transport::NewHttpTransport(
      {.host = config.host, .tls = config.tls},
      {.certificate_check_period = std::chrono::milliseconds(10)});
  ASSERT_TRUE(transport.has_value()) << transport.error().message;
  ScaledClock clock;
  Client client(config, std::move(*transport), {.clock = clock});
  capstan::cache::SharedInformerFactory factory(client, {.reflector = {.clock = clock}});
  auto& informer = factory.ForType(Note::Type());
  NoteHandler handler;
  ASSERT_TRUE(informer.AddEventHandler(handler.Handler()));
  std::stop_source stop;
  factory.Start(stop.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync({}));
  ASSERT_TRUE(AwaitWatchRequests(server, 1));

  for (std::uint64_t i = 0; i < 3; ++i) {
    server.ResetRequests();
    write();
    ASSERT_TRUE(AwaitWatchRequests(server, 1)) << "the watch was not resumed";
    ASSERT_TRUE(server.CreateObjects({NoteJson("c" + std::to_string(i))}));
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (informer.store().Size() < i + 3 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
    }
    EXPECT_EQ(informer.store().Size(), i + 3);
    EXPECT_EQ(server.CountRequests({.verb = "list"}), 0U);
    EXPECT_EQ(server.CountRequests({.verb = "watch"}), 1U);
  }

  stop.request_stop();
  factory.Shutdown();
  EXPECT_THAT(handler.errors(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace e2e
