// SPDX-License-Identifier: Apache-2.0
// IP addresses by family, as Go's net package sees them: ::ffff:192.0.2.1 is IPv4, and a zone or a
// leading zero makes it no address. Internal to this folder. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string_view>

namespace controllers::readinessgate {

enum class IpFamily { kAny, kIpv4, kIpv6 };

// "any", "ipv4", "ipv6"; nullopt: none of them.
std::optional<IpFamily> ParseIpFamily(std::string_view name);
std::string_view ToString(IpFamily family);
// Is `text` an address of that family?
bool IsAddressOf(IpFamily family, std::string_view text);

}  // namespace controllers::readinessgate
