// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/ip_family.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <string>

namespace controllers::readinessgate {
namespace {

constexpr std::array kFamilies = {IpFamily::kAny, IpFamily::kIpv4, IpFamily::kIpv6};

// nullopt: no address.
std::optional<IpFamily> FamilyOf(std::string_view text) {
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return {};
  const std::string terminated(text);
  in_addr v4{};
  if (inet_pton(AF_INET, terminated.c_str(), &v4) == 1) return IpFamily::kIpv4;
  in6_addr v6{};
  if (inet_pton(AF_INET6, terminated.c_str(), &v6) != 1) return {};
  return IN6_IS_ADDR_V4MAPPED(&v6) ? IpFamily::kIpv4 : IpFamily::kIpv6;
}

}  // namespace

std::optional<IpFamily> ParseIpFamily(std::string_view name) {
  for (const IpFamily family : kFamilies) {
    if (ToString(family) == name) return family;
  }
  return {};
}

std::string_view ToString(IpFamily family) {
  switch (family) {
    case IpFamily::kAny:
      return "any";
    case IpFamily::kIpv4:
      return "ipv4";
    case IpFamily::kIpv6:
      return "ipv6";
  }
  return "";
}

bool IsAddressOf(IpFamily family, std::string_view text) {
  const auto found = FamilyOf(text);
  return found && (family == IpFamily::kAny || family == *found);
}

}  // namespace controllers::readinessgate
