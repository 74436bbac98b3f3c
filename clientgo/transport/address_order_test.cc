// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/address_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <array>
#include <string>

namespace clientgo::transport {
namespace {

using ::testing::ElementsAre;

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

TEST(AddressOrderTest, AlternatesFamiliesAndKeepsTheOrderWithinEach) {
  const auto sorted =
      InterleaveFamilies(At({"fd00::1", "fd00::2", "fd00::3", "10.0.0.1", "10.0.0.2"}));

  EXPECT_THAT(Show(sorted), ElementsAre("fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2", "fd00::3"));
}

TEST(AddressOrderTest, BeginsWithTheFamilyThatTheResolverPrefers) {
  EXPECT_THAT(Show(InterleaveFamilies(At({"10.0.0.1", "10.0.0.2", "fd00::1"}))),
              ElementsAre("10.0.0.1", "fd00::1", "10.0.0.2"));
}

TEST(AddressOrderTest, PutsTheAddressThatWorkedLastFirst) {
  AddressOrder order;
  order.OnWorked(At("10.0.0.3"));

  EXPECT_THAT(Show(order.Sort(At({"10.0.0.1", "10.0.0.2", "10.0.0.3"}))),
              ElementsAre("10.0.0.3", "10.0.0.1", "10.0.0.2"));
}

TEST(AddressOrderTest, PutsTheAddressThatDidNotAnswerLastUntilItWorks) {
  const auto found = At({"10.0.0.1", "10.0.0.2", "10.0.0.3"});
  AddressOrder order;
  order.OnWorked(At("10.0.0.1"));

  order.OnFailed(At("10.0.0.1"));
  EXPECT_THAT(Show(order.Sort(found)), ElementsAre("10.0.0.2", "10.0.0.3", "10.0.0.1"));

  order.OnWorked(At("10.0.0.1"));
  EXPECT_THAT(Show(order.Sort(found)), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"));
}

TEST(AddressOrderTest, ForgetsNothingWhenTheNameNoLongerHasTheAddress) {
  AddressOrder order;
  order.OnWorked(At("10.0.0.9"));

  EXPECT_THAT(Show(order.Sort({At("10.0.0.1")})), ElementsAre("10.0.0.1"));
}

}  // namespace
}  // namespace clientgo::transport
