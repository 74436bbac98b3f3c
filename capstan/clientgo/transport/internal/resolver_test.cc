// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/transport/internal/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <array>
#include <atomic>
#include <future>
#include <string>

#include "capstan/clientgo/transport/testing/loopback_server.h"

namespace capstan::clientgo::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using util::ErrorReason;

using Endpoints = std::vector<Endpoint>;

// Formats an endpoint: "127.0.0.1 80".
std::string Show(const Endpoint& endpoint) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size, host.data(),
              host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return std::string(host.data()) + " " + port.data();
}

TEST(ResolverTest, ReturnsAddressesWithoutLookup) {
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

TEST(ResolverTest, ResolvesNamesAndReportsMissingOne) {
  Resolver resolver;

  const auto found = resolver.Resolve({}, "localhost", "80");
  const auto missing = resolver.Resolve({}, "no-such-host.invalid", "80");

  EXPECT_TRUE(found.has_value());
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().reason, ErrorReason::kNoSuchHost);
  EXPECT_THAT(missing.error().message, HasSubstr("lookup no-such-host.invalid: "));
}

TEST(ResolverTest, StopEndsWaitForSlowNameServer) {
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

TEST(ResolverTest, CanceledCallersCauseNoLookup) {
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
  EXPECT_EQ(lookups, 1) << "looked up names for which nobody waited";
}

TEST(ResolverTest, DeadlineEndsWaitForSlowNameServer) {
  std::promise<void> answer;
  Resolver resolver([&](const std::string&, const std::string&) -> util::Expected<Endpoints> {
    answer.get_future().wait();
    return Endpoints{Loopback(80)};
  });

  const auto late = resolver.Resolve({}, "slow.test", "80", ShortDeadline());

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_EQ(late.error().message, "lookup slow.test: i/o timeout");
  answer.set_value();
}

Endpoint At(const std::string& address) {
  return Resolver().Resolve({}, address, "443").value().front();
}

std::vector<Endpoint> At(const std::vector<std::string>& addresses) {
  std::vector<Endpoint> endpoints;
  for (const std::string& address : addresses) endpoints.push_back(At(address));
  return endpoints;
}

std::vector<std::string> Show(const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> shown;
  for (const Endpoint& endpoint : endpoints) {
    std::array<char, NI_MAXHOST> host{};
    getnameinfo(reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size, host.data(),
                host.size(), nullptr, 0, NI_NUMERICHOST);
    shown.emplace_back(host.data());
  }
  return shown;
}

TEST(AddressOrderTest, AlternatesFamiliesAndKeepsOrderWithinEach) {
  const auto sorted =
      InterleaveFamilies(At({"fd00::1", "fd00::2", "fd00::3", "10.0.0.1", "10.0.0.2"}));

  EXPECT_THAT(Show(sorted), ElementsAre("fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2", "fd00::3"));
}

TEST(AddressOrderTest, BeginsWithFamilyThatResolverPrefers) {
  EXPECT_THAT(Show(InterleaveFamilies(At({"10.0.0.1", "10.0.0.2", "fd00::1"}))),
              ElementsAre("10.0.0.1", "fd00::1", "10.0.0.2"));
}

TEST(AddressOrderTest, PutsAddressThatWorkedFirst) {
  AddressOrder order;
  order.OnWorked(At("10.0.0.3"));

  EXPECT_THAT(Show(order.Sort(At({"10.0.0.1", "10.0.0.2", "10.0.0.3"}))),
              ElementsAre("10.0.0.3", "10.0.0.1", "10.0.0.2"));
}

TEST(AddressOrderTest, PutsAddressThatDidNotAnswerLastUntilItWorks) {
  const auto found = At({"10.0.0.1", "10.0.0.2", "10.0.0.3"});
  AddressOrder order;
  order.OnWorked(At("10.0.0.1"));

  order.OnFailed(At("10.0.0.1"));
  EXPECT_THAT(Show(order.Sort(found)), ElementsAre("10.0.0.2", "10.0.0.3", "10.0.0.1"));

  order.OnWorked(At("10.0.0.1"));
  EXPECT_THAT(Show(order.Sort(found)), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"));
}

TEST(AddressOrderTest, TriesEachAddressInTurnWhileAllOthersFail) {
  const auto found = At({"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"});
  AddressOrder order;
  std::vector<Endpoint> tried;
  for (int i = 0; i < 6; ++i) {
    tried.push_back(order.Sort(found).front());
    order.OnFailed(tried.back());
  }

  EXPECT_THAT(Show(tried),
              ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.1", "10.0.0.2"));
}

TEST(AddressOrderTest, RemembersBoundedNumberOfFailedAddresses) {
  AddressOrder order;
  order.OnFailed(At("10.0.0.1"));
  for (std::size_t i = 0; i < AddressOrder::kFailedMax; ++i) {
    order.OnFailed(At("10.0.1." + std::to_string(i)));
  }

  EXPECT_THAT(Show(order.Sort(At({"10.0.0.1", "10.0.1.0", "10.0.0.2"}))),
              ElementsAre("10.0.0.1", "10.0.0.2", "10.0.1.0"));
}

TEST(AddressOrderTest, IgnoresAddressThatResolverNoLongerFinds) {
  AddressOrder order;
  order.OnWorked(At("10.0.0.9"));

  EXPECT_THAT(Show(order.Sort({At("10.0.0.1")})), ElementsAre("10.0.0.1"));
}

}  // namespace
}  // namespace capstan::clientgo::transport
