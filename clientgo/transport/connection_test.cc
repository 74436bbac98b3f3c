// SPDX-License-Identifier: Apache-2.0
// From a name to a connection: the resolver, several addresses, IPv6.
#include "clientgo/transport/connection.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <array>
#include <atomic>
#include <future>

#include "clientgo/transport/dropping_listener_for_test.h"
#include "clientgo/transport/http1_fixture_for_test.h"

namespace clientgo::transport {
namespace {

using Endpoints = std::vector<Endpoint>;

// "127.0.0.1 80"
std::string Show(const Endpoint& endpoint) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size, host.data(),
              host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return std::string(host.data()) + " " + port.data();
}

TEST(ResolverTest, AddressesAreAnsweredWithoutALookup) {
  Resolver resolver([](const std::string& host, const std::string&) -> util::Expected<Endpoints> {
    ADD_FAILURE() << "looked up " << host;
    return Endpoints();
  });

  const auto ipv4 = resolver.Resolve({}, "10.0.0.1", "6443");
  const auto ipv6 = resolver.Resolve({}, "fd00::1", "443");

  ASSERT_TRUE(ipv4 && ipv6);
  ASSERT_EQ(ipv4->size(), 1U);
  EXPECT_EQ(Show(ipv4->front()), "10.0.0.1 6443");
  ASSERT_EQ(ipv6->size(), 1U);
  EXPECT_EQ(Show(ipv6->front()), "fd00::1 443");
}

TEST(ResolverTest, LooksNamesUpAndSaysWhichItDidNotFind) {
  Resolver resolver;

  const auto found = resolver.Resolve({}, "localhost", "80");
  const auto missing = resolver.Resolve({}, "no-such-host.invalid", "80");

  EXPECT_TRUE(found.has_value());
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().reason, ErrorReason::kNoSuchHost);
  EXPECT_THAT(missing.error().message, HasSubstr("lookup no-such-host.invalid: "));
}

TEST(ResolverTest, StopEndsTheWaitForASlowNameServer) {
  std::promise<void> asked;
  std::promise<void> answer;
  Resolver resolver([&](const std::string&, const std::string&) -> util::Expected<Endpoints> {
    asked.set_value();
    answer.get_future().wait();
    return Endpoints{Loopback(80)};
  });
  std::stop_source stop;
  auto stopped = std::async(std::launch::async, [&] {
    return resolver.Resolve(stop.get_token(), "slow.test", "80").error().reason;
  });
  asked.get_future().wait();

  stop.request_stop();

  EXPECT_EQ(stopped.get(), ErrorReason::kCanceled) << "while the lookup still runs";
  answer.set_value();
}

TEST(ResolverTest, WhoLeavesTakesItsQuestionAlong) {
  std::promise<void> asked;
  std::promise<void> answer;
  std::atomic<int> lookups{0};
  {
    Resolver resolver([&](const std::string&, const std::string&) -> util::Expected<Endpoints> {
      if (++lookups == 1) asked.set_value();
      answer.get_future().wait();
      return Endpoints{Loopback(80)};
    });
    std::stop_source stop;
    const auto resolve = [&](const std::string& host) {
      return std::async(std::launch::async, [&resolver, &stop, host] {
        return resolver.Resolve(stop.get_token(), host, "80").has_value();
      });
    };
    auto first = resolve("first.test");
    asked.get_future().wait();
    auto second = resolve("second.test");
    auto third = resolve("third.test");

    stop.request_stop();

    EXPECT_FALSE(first.get() || second.get() || third.get());
    answer.set_value();
  }
  EXPECT_EQ(lookups, 1) << "nobody waited for the others any more";
}

TEST(ResolverTest, ADeadlineEndsTheWaitForASlowNameServer) {
  std::promise<void> answer;
  Resolver resolver([&](const std::string&, const std::string&) -> util::Expected<Endpoints> {
    answer.get_future().wait();
    return Endpoints{Loopback(80)};
  });

  const auto late = resolver.Resolve({}, "slow.test", "80", Soon());

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_EQ(late.error().message, "lookup slow.test: i/o timeout");
  answer.set_value();
}

Resolver::Lookup Finds(Endpoints endpoints) {
  return [endpoints = std::move(endpoints)](const std::string&,
                                            const std::string&) -> util::Expected<Endpoints> {
    return endpoints;
  };
}

TEST(ConnectionTest, TriesEachAddress) {
  LoopbackServer server(Answer);
  const Endpoint dead = Loopback(PortOfNobody());
  Dialing dialing{.resolver = Resolver(Finds({dead, Loopback(server.port())}))};
  const Route route{.server = ParseServerAddress("http://api.test:80").value()};
  Connection connection(route, nullptr);

  const auto opened = connection.Open({}, dialing);

  EXPECT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_TRUE(server.AwaitOpen(1));
}

TEST(ConnectionTest, IsRefusedWhenEveryAddressRefuses) {
  const Endpoint dead = Loopback(PortOfNobody());
  Dialing dialing{.resolver = Resolver(Finds({dead, dead}))};
  const Route route{.server = ParseServerAddress("http://api.test:80").value()};
  Connection connection(route, nullptr);

  const auto opened = connection.Open({}, dialing);

  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().reason, ErrorReason::kConnectionRefused);
  EXPECT_EQ(opened.error().message, "api.test:80: connect: connection refused");
}

TEST(ConnectionTest, TriesTheAddressThatWorkedFirstNextTime) {
  LoopbackServer server(Answer);
  const DroppingListener dropping;
  Dialing dialing{.resolver = Resolver(Finds({dropping.endpoint(), Loopback(server.port())})),
                  .options = {.attempt_delay = std::chrono::milliseconds(1)}};
  const Route route{.server = ParseServerAddress("http://api.test:80").value()};
  Connection first(route, nullptr);
  ASSERT_TRUE(first.Open({}, dialing).has_value());
  dialing.options.attempt_delay = std::chrono::hours(1);
  Connection second(route, nullptr);

  const auto opened = second.Open({}, dialing);

  EXPECT_TRUE(opened.has_value()) << "the dropping address was first again";
  EXPECT_TRUE(server.AwaitOpen(2));
}

TEST_F(Http1TransportTlsTest, TriesAnAddressThatAcceptedWithoutAnsweringLast) {
  LoopbackServer mute([](LoopbackConnection&, const std::string&) {});  // no TLS, no answer
  LoopbackServer server(Answer, &tls_);
  Dialing dialing{.resolver = Resolver(Finds({Loopback(mute.port()), Loopback(server.port())}))};
  const Route route{.server = ParseServerAddress("https://api.test:80").value(),
                    .name_to_verify = "localhost"};
  const auto material = TlsMaterial::Parse({ca_.cert_pem, "ca"}, {}, {}).value();
  Connection first(route, material);
  first.set_deadline(Soon());
  ASSERT_FALSE(first.Open({}, dialing).has_value());
  Connection second(route, material);

  const auto opened = second.Open({}, dialing);

  EXPECT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_TRUE(server.AwaitOpen(1));
}

TEST(ConnectionTest, StopBeforeItStartsOpensNothing) {
  LoopbackServer server(Answer);
  auto transport = Connect(server.url());
  std::stop_source stop;
  stop.request_stop();

  const auto response = transport->RoundTrip(stop.get_token(), {.target = "/"});

  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().reason, ErrorReason::kCanceled);
  EXPECT_EQ(server.connections(), 0);
}

bool MachineHasIpv6() {
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool has = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  if (fd >= 0) close(fd);
  return has;
}

TEST_F(Http1TransportTlsTest, TakesAnIpv6Address) {
  if (!MachineHasIpv6()) GTEST_SKIP() << "this machine has no ::1";
  std::promise<std::string> seen;
  LoopbackServer server(
      [&](LoopbackConnection& connection, const std::string& request) {
        seen.set_value(request);
        Answer(connection, request);
      },
      &tls_, AF_INET6);

  EXPECT_EQ(Ask({.host = server.url(), .tls = {.ca_data = ca_.cert_pem}}), "ok");

  EXPECT_THAT(seen.get_future().get(),
              HasSubstr("\r\nHost: [::1]:" + std::to_string(server.port()) + "\r\n"));
}

}  // namespace
}  // namespace clientgo::transport
