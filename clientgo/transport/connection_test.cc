// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/connection.h"

#include "clientgo/transport/testing/loopback_server.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

using Endpoints = std::vector<Endpoint>;

Resolver::Lookup Finds(Endpoints endpoints) {
  return [endpoints = std::move(endpoints)](
             const std::string&, const std::string&) -> Expected<Endpoints> { return endpoints; };
}

TEST(ConnectionTest, TriesEachAddress) {
  LoopbackServer server(ReplyOk);
  const Endpoint dead = Loopback(ClosedPort());
  Dialing dialing{.resolver = Resolver(Finds({dead, Loopback(server.port())}))};
  const Route route{.server = ParseServerAddress("http://api.test:80").value()};
  Connection connection(route, nullptr);

  const auto opened = connection.Open({}, dialing);

  EXPECT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_TRUE(server.AwaitOpen(1));
}

TEST(ConnectionTest, FailsWhenEveryAddressRefuses) {
  const Endpoint dead = Loopback(ClosedPort());
  Dialing dialing{.resolver = Resolver(Finds({dead, dead}))};
  const Route route{.server = ParseServerAddress("http://api.test:80").value()};
  Connection connection(route, nullptr);

  const auto opened = connection.Open({}, dialing);

  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().reason, ErrorReason::kConnectionRefused);
  EXPECT_EQ(opened.error().message, "api.test:80: connect: connection refused");
}

TEST(ConnectionTest, TriesTheAddressThatWorkedFirstNextTime) {
  LoopbackServer server(ReplyOk);
  const DroppingListener dropping;
  Dialing dialing{.resolver = Resolver(Finds({dropping.endpoint(), Loopback(server.port())})),
                  .options = {.attempt_delay = std::chrono::milliseconds(1)}};
  const Route route{.server = ParseServerAddress("http://api.test:80").value()};
  Connection first(route, nullptr);
  ASSERT_TRUE(first.Open({}, dialing).has_value());
  dialing.options.attempt_delay = std::chrono::hours(1);
  Connection second(route, nullptr);

  const auto opened = second.Open({}, dialing);

  EXPECT_TRUE(opened.has_value()) << "tried the dropping address first";
  EXPECT_TRUE(server.AwaitOpen(2));
}

TEST_F(TlsTest, TriesAddressThatDidNotAnswerLast) {
  LoopbackServer mute([](LoopbackConnection&, const std::string&) {});  // no TLS, no answer
  LoopbackServer server(ReplyOk, &tls_);
  Dialing dialing{.resolver = Resolver(Finds({Loopback(mute.port()), Loopback(server.port())}))};
  const Route route{.server = ParseServerAddress("https://api.test:80").value(),
                    .name_to_verify = "localhost"};
  const auto material = TlsMaterial::Parse({ca_.cert_pem, "ca"}, {}, {}).value();
  Connection first(route, material);
  first.set_deadline(ShortDeadline());
  ASSERT_FALSE(first.Open({}, dialing).has_value());
  Connection second(route, material);

  const auto opened = second.Open({}, dialing);

  EXPECT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_TRUE(server.AwaitOpen(1));
}

TEST_F(TlsTest, ReachesThirdAddressWhenTwoDoNotAnswer) {
  const auto hang = [](LoopbackConnection&, const std::string&) {};  // no TLS, no answer
  LoopbackServer first(hang);
  LoopbackServer second(hang);
  LoopbackServer third(ReplyOk, &tls_);
  Dialing dialing{.resolver = Resolver(Finds(
                      {Loopback(first.port()), Loopback(second.port()), Loopback(third.port())}))};
  const Route route{.server = ParseServerAddress("https://api.test:80").value(),
                    .name_to_verify = "localhost"};
  const auto material = TlsMaterial::Parse({ca_.cert_pem, "ca"}, {}, {}).value();
  const auto open = [&](Clock::TimePoint deadline) {
    Connection connection(route, material);
    connection.set_deadline(deadline);
    return connection.Open({}, dialing).has_value();
  };

  EXPECT_FALSE(open(ShortDeadline()));
  EXPECT_FALSE(open(ShortDeadline()));

  EXPECT_TRUE(open(Clock::TimePoint::max()));
  EXPECT_EQ(third.connections(), 1);
}

// Returns an open connection on which something has arrived.
std::unique_ptr<Connection> OpenAndAwaitInput(const LoopbackServer& server,
                                              std::shared_ptr<const TlsMaterial> material) {
  Dialing dialing{.resolver = Resolver(Finds({Loopback(server.port())}))};
  static const Route route{.server = ParseServerAddress("https://api.test:80").value(),
                           .name_to_verify = "localhost"};  // outlives the connection
  auto connection = std::make_unique<Connection>(route, std::move(material));
  const auto opened = connection->Open({}, dialing);
  EXPECT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_TRUE(connection->AwaitInput(std::chrono::seconds(10)).value());
  return connection;
}

TEST_F(TlsTest, IsQuietWhenOnlySessionTicketsHaveArrived) {
  LoopbackServer server(ReplyOk, &tls_);
  const auto material = TlsMaterial::Parse({ca_.cert_pem, "ca"}, {}, {}).value();

  EXPECT_TRUE(OpenAndAwaitInput(server, material)->IsQuiet());
}

TEST_F(TlsTest, WritesAllOfALargeRequestAfterSessionTickets) {
  LoopbackServer server(ReplyOk, &tls_);
  const auto material = TlsMaterial::Parse({ca_.cert_pem, "ca"}, {}, {}).value();
  const auto connection = OpenAndAwaitInput(server, material);
  ASSERT_TRUE(connection->IsQuiet());
  connection->set_deadline(Clock::Real().After(std::chrono::seconds(10)));
  const std::string body(std::size_t{16} << 20U, 'x');  // more than a socket holds

  ASSERT_TRUE(connection->Write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body));

  char answer[16] = {};
  const auto size = connection->Read(answer, sizeof answer);
  ASSERT_TRUE(size.has_value()) << size.error().message;
  EXPECT_EQ(std::string_view(answer, *size).substr(0, 12), "HTTP/1.1 200");
}

TEST_F(TlsTest, IsNotQuietWhenTheServerHasEnded) {
  auto server = std::make_unique<LoopbackServer>(ReplyOk, &tls_);
  const auto material = TlsMaterial::Parse({ca_.cert_pem, "ca"}, {}, {}).value();
  const auto connection = OpenAndAwaitInput(*server, material);
  ASSERT_TRUE(connection->IsQuiet());

  server.reset();

  ASSERT_TRUE(connection->AwaitInput(std::chrono::seconds(10)).has_value());
  EXPECT_FALSE(connection->IsQuiet());
}

TEST(ConnectionTest, OpensNothingWhenStoppedBeforeStart) {
  LoopbackServer server(ReplyOk);
  auto transport = Connect(server.url());
  std::stop_source stop;
  stop.request_stop();

  const auto response = transport->RoundTrip(stop.get_token(), {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kCanceled);
  EXPECT_EQ(server.connections(), 0);
}

}  // namespace
}  // namespace capstan::transport
