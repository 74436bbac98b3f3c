// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/host_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cstdint>
#include <cstring>
#include <memory>

namespace capstan::transport {
namespace {

constexpr std::uint32_t kLoopbackNetwork = 127;

// Compares the addresses without their ports. REQUIRES: the family of `b` is AF_INET or AF_INET6.
bool SameIp(const sockaddr& a, const sockaddr_storage& b) {
  if (a.sa_family != b.ss_family) return false;
  if (a.sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b).sin_addr.s_addr;
  }
  return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(a).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(b).sin6_addr, sizeof(in6_addr)) == 0;
}

bool IsLoopback(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto ip = ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr);
    return ip >> 24U == kLoopbackNetwork;
  }
  const auto& ip = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&ip);
}

}  // namespace

bool IsOnThisHost(const Endpoint& endpoint) {
  const int family = endpoint.address.ss_family;
  if (family != AF_INET && family != AF_INET6) return false;
  if (IsLoopback(endpoint.address)) return true;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const bool up = (entry->ifa_flags & IFF_UP) != 0;
    if (up && entry->ifa_addr != nullptr && SameIp(*entry->ifa_addr, endpoint.address)) return true;
  }
  return false;
}

}  // namespace capstan::transport
