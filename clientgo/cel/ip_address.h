// SPDX-License-Identifier: Apache-2.0
// IP addresses and networks as Go's package net/netip reads and writes them. Zones and IPv4-mapped
// IPv6 addresses are errors, as in Kubernetes' CEL.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::cel {

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  // of IPv4: the first four
  bool v4 = false;

  int bits() const { return v4 ? 32 : 128; }
  // Returns the canonical text.
  std::string ToString() const;
  bool operator==(const IpAddress&) const = default;
};

struct IpNetwork {
  IpAddress address;
  int prefix = 0;

  IpAddress Masked() const;
  bool Contains(const IpAddress& other) const;
  bool operator==(const IpNetwork&) const = default;
};

// Reports whether the text is an address of IPv6, which may have a zone behind a %.
bool IsIpv6WithZone(std::string_view text);

// Return nullopt and set `error` if the text is not allowed.
std::optional<IpAddress> ParseIp(std::string_view text, std::string& error);
std::optional<IpNetwork> ParseNetwork(std::string_view text, std::string& error);

}  // namespace capstan::cel
