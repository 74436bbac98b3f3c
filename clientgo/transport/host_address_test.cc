// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/host_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>

#include <cstring>
#include <string>

namespace capstan::transport {
namespace {

Endpoint Address(int family, const std::string& text) {
  Endpoint endpoint;
  endpoint.address.ss_family = static_cast<sa_family_t>(family);
  const bool ipv4 = family == AF_INET;
  endpoint.size = ipv4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  void* bytes = ipv4
                    ? static_cast<void*>(&reinterpret_cast<sockaddr_in&>(endpoint.address).sin_addr)
                    : &reinterpret_cast<sockaddr_in6&>(endpoint.address).sin6_addr;
  EXPECT_EQ(inet_pton(family, text.c_str(), bytes), 1) << text;
  return endpoint;
}

TEST(IsOnThisHostTest, KnowsLoopbackAddresses) {
  EXPECT_TRUE(IsOnThisHost(Address(AF_INET, "127.0.0.1")));
  EXPECT_TRUE(IsOnThisHost(Address(AF_INET, "127.9.8.7")));
  EXPECT_TRUE(IsOnThisHost(Address(AF_INET6, "::1")));
}

TEST(IsOnThisHostTest, KnowsAddressesOfInterfacesThatAreUp) {
  ifaddrs* list = nullptr;
  ASSERT_EQ(getifaddrs(&list), 0);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const sockaddr* address = entry->ifa_addr;
    if (address == nullptr) continue;
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6) continue;
    Endpoint endpoint;
    endpoint.size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::memcpy(&endpoint.address, address, endpoint.size);
    EXPECT_EQ(IsOnThisHost(endpoint), (entry->ifa_flags & IFF_UP) != 0) << entry->ifa_name;
  }
  freeifaddrs(list);
}

TEST(IsOnThisHostTest, TakesOtherAddressesForOtherHosts) {
  // From the ranges for documentation.
  EXPECT_FALSE(IsOnThisHost(Address(AF_INET, "192.0.2.1")));
  EXPECT_FALSE(IsOnThisHost(Address(AF_INET, "0.0.0.0")));
  EXPECT_FALSE(IsOnThisHost(Address(AF_INET6, "2001:db8::1")));
  EXPECT_FALSE(IsOnThisHost(Endpoint()));
}

}  // namespace
}  // namespace capstan::transport
