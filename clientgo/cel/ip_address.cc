// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

// Four decimal numbers without leading zeros.
bool ParseV4(std::string_view text, IpAddress& address) {
  const auto parts = Split(text, '.');  // which leaves out empty parts
  if (parts.size() != 4 || std::count(text.begin(), text.end(), '.') != 3) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const auto [end, error] =
        std::from_chars(part.data(), part.data() + part.size(), address.bytes.at(i));
    const bool zero = part.size() > 1 && part[0] == '0';
    if (error != std::errc() || end != part.data() + part.size() || zero) return false;
  }
  address.v4 = true;
  return true;
}

bool ParseV6(std::string_view text, IpAddress& address) {
  return inet_pton(AF_INET6, std::string(text).c_str(), address.bytes.data()) == 1;
}

bool IsMapped(const IpAddress& address) {
  return !address.v4 &&
         std::all_of(address.bytes.begin(), address.bytes.begin() + 10,
                     [](std::uint8_t byte) { return byte == 0; }) &&
         address.bytes[10] == 0xff && address.bytes[11] == 0xff;
}

std::string InQuotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

bool ParseAny(std::string_view text, IpAddress& address) {
  return text.find(':') == std::string_view::npos ? ParseV4(text, address) : ParseV6(text, address);
}

}  // namespace

bool IsIpv6WithZone(std::string_view text) {
  IpAddress address;
  const std::size_t zone = std::min(text.find('%'), text.size());
  return zone + 1 != text.size() && ParseV6(text.substr(0, zone), address);
}

std::string IpAddress::ToString() const {
  if (v4) {
    return std::to_string(bytes[0]) + "." + std::to_string(bytes[1]) + "." +
           std::to_string(bytes[2]) + "." + std::to_string(bytes[3]);
  }
  // The longest run of at least two zeros becomes "::".
  std::array<int, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups.at(i) = bytes.at(2 * i) << 8 | bytes.at(2 * i + 1);
  std::size_t begin = groups.size();
  std::size_t length = 1;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t end = i;
    while (end < groups.size() && groups.at(end) == 0) ++end;
    if (end - i <= length) continue;
    begin = i;
    length = end - i;
  }
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == begin) {
      text += "::";
      i += length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    std::array<char, 8> group{};
    std::snprintf(group.data(), group.size(), "%x", static_cast<unsigned>(groups.at(i)));
    text += group.data();
  }
  return text;
}

IpAddress IpNetwork::Masked() const {
  IpAddress masked = address;
  for (int bit = prefix; bit < address.bits(); ++bit) {
    auto& byte = masked.bytes.at(static_cast<std::size_t>(bit / 8));
    byte = static_cast<std::uint8_t>(byte & ~(0x80U >> static_cast<unsigned>(bit % 8)));
  }
  return masked;
}

bool IpNetwork::Contains(const IpAddress& other) const {
  if (other.v4 != address.v4) return false;
  return IpNetwork{.address = other, .prefix = prefix}.Masked() == Masked();
}

std::optional<IpAddress> ParseIp(std::string_view text, std::string& error) {
  IpAddress address;
  const std::string_view without_zone = text.substr(0, text.find('%'));
  if (!ParseAny(without_zone, address)) {
    error = "IP Address " + InQuotes(text) +
            " parse error during conversion from string: ParseAddr(" + InQuotes(text) +
            "): unable to parse IP";
    return std::nullopt;
  }
  if (without_zone.size() < text.size()) {
    error = "IP address " + InQuotes(text) + " with zone value is not allowed";
    return std::nullopt;
  }
  if (IsMapped(address)) {
    error = "IPv4-mapped IPv6 address " + InQuotes(text) + " is not allowed";
    return std::nullopt;
  }
  return address;
}

std::optional<IpNetwork> ParseNetwork(std::string_view text, std::string& error) {
  const std::size_t slash = text.rfind('/');
  IpNetwork network;
  const std::string prefix =
      "network address parse error during conversion from string: netip.ParsePrefix(" +
      InQuotes(text) + "): ";
  if (slash == std::string_view::npos) {
    error = prefix + "no '/'";
    return std::nullopt;
  }
  if (!ParseAny(text.substr(0, slash), network.address)) {
    error = prefix + "unable to parse IP";
    return std::nullopt;
  }
  const std::string_view bits = text.substr(slash + 1);
  const auto [end, code] = std::from_chars(bits.data(), bits.data() + bits.size(), network.prefix);
  const bool number = code == std::errc() && end == bits.data() + bits.size() &&
                      IsAsciiDigit(bits[0]) && (bits.size() == 1 || bits[0] != '0');
  if (!number) {
    error = prefix + "bad bits after slash: " + InQuotes(bits);
    return std::nullopt;
  }
  if (network.prefix > network.address.bits()) {
    error = prefix + "prefix length out of range";
    return std::nullopt;
  }
  if (IsMapped(network.address)) {
    error = "IPv4-mapped IPv6 address " + InQuotes(text) + " is not allowed";
    return std::nullopt;
  }
  return network;
}

}  // namespace capstan::cel
