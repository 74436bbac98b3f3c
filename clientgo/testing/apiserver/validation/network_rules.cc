// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/network_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr int kByteBits = 8;
constexpr std::size_t kOldBytes = 4;  // of an address of IPv4
constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::string WithoutLeadingZeros(std::string_view text) {
  return Join(SplitAll(text, '.'), ".", [](std::string_view part) {
    const bool digits = part.find_first_not_of("0123456789") == std::string_view::npos;
    while (digits && part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    return std::string(part);
  });
}

int SizeOf(const Address& address) { return address.family == AF_INET ? 32 : 128; }

std::size_t ByteOf(int bit) { return static_cast<std::size_t>(bit / kByteBits); }

bool HasBit(const Address& address, int bit) {
  return (address.bytes.at(ByteOf(bit)) & (0x80U >> (bit % kByteBits))) != 0;
}

// Reports whether Go's net/netip accepts the text of the address, and shows it as one of its
// family.
bool IsStrict(std::string_view text, const Address& address) {
  return IsAddress(text, address.family);
}

std::string RangeText(const Address& address, int bits) {
  return address.Text() + "/" + std::to_string(bits);
}

}  // namespace

std::string Address::Text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(family, bytes.data(), text.data(), text.size());
  return text.data();
}

Address Cidr::First() const {
  Address first = address;
  for (int bit = bits; bit < SizeOf(address); ++bit) {
    first.bytes.at(ByteOf(bit)) &= static_cast<unsigned char>(~(0x80U >> (bit % kByteBits)));
  }
  return first;
}

bool Cidr::Contains(const Address& other) const {
  if (other.family != address.family) return false;
  for (int bit = 0; bit < bits; ++bit) {
    if (HasBit(address, bit) != HasBit(other, bit)) return false;
  }
  return true;
}

bool IsAddress(std::string_view text, int family) {
  if (text.find('\0') != std::string_view::npos) return false;
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

std::optional<Address> ParseAddress(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  Address address;
  for (const int family : {AF_INET, AF_INET6}) {
    const std::string given = family == AF_INET ? WithoutLeadingZeros(text) : std::string(text);
    if (inet_pton(family, given.c_str(), address.bytes.data()) != 1) continue;
    address.family = family;
    if (family == AF_INET6 && std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) {
      // Go does not distinguish an address of IPv4 that is written in IPv6.
      address.family = AF_INET;
      std::copy_n(address.bytes.begin() + kMapped.size(), kOldBytes, address.bytes.begin());
      std::fill(address.bytes.begin() + kOldBytes, address.bytes.end(), 0);
    }
    return address;
  }
  return std::nullopt;
}

std::optional<Cidr> ParseCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = ParseAddress(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  int bits = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (!address || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (bits < 0 || bits > SizeOf(*address)) return std::nullopt;
  return Cidr{.address = *address, .bits = bits};
}

void CheckAnyAddress(const Place& address, FieldRules& rules) {
  if (ParseAddress(address.Text())) return;
  rules.InvalidText(address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

void CheckEndpointAddress(const Place& address, FieldRules& rules) {
  const std::string_view text = address.Text();
  const auto parsed = ParseAddress(text);
  if (!parsed) return rules.InvalidText(address, "must be a valid IP address");
  const auto in = [&](std::string_view range) { return ParseCidr(range)->Contains(*parsed); };
  if (in("0.0.0.0/32") || in("::/128")) {
    rules.Invalid(address, "may not be unspecified (" + std::string(text) + ")");
  }
  if (in("127.0.0.0/8") || in("::1/128")) {
    rules.Invalid(address, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (in("169.254.0.0/16") || in("fe80::/10")) {
    rules.Invalid(address, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (in("224.0.0.0/24") || in("ff02::/16")) {
    rules.Invalid(address,
                  "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

void CheckAddress(const Place& address, FieldRules& rules) {
  const std::size_t before = rules.causes().size();
  CheckAnyAddress(address, rules);
  if (rules.causes().size() == before) CheckEndpointAddress(address, rules);
}

void CheckCidr(const Place& cidr, FieldRules& rules) {
  if (ParseCidr(cidr.Text())) return;
  rules.InvalidText(cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
}

void WarnOfAddress(const Place& address, std::vector<std::string>& warnings) {
  const std::string_view text = address.Text();
  const auto parsed = ParseAddress(text);
  if (!parsed) return;
  const std::string usual = parsed->Text();
  if (!IsStrict(text, *parsed)) {
    warnings.push_back(address.path() + ": non-standard IP address " + Quote(text) +
                       " will be considered invalid in a future Kubernetes release: use " +
                       Quote(usual));
  } else if (usual != text) {
    warnings.push_back(address.path() + ": IPv6 address " + Quote(text) +
                       " should be in RFC 5952 canonical format (" + Quote(usual) + ")");
  }
}

void WarnOfCidr(const Place& cidr, std::vector<std::string>& warnings) {
  const std::string_view text = cidr.Text();
  const auto parsed = ParseCidr(text);
  if (!parsed) return;
  const std::string start = cidr.path() + ": ";
  const std::string usual = RangeText(parsed->First(), parsed->bits);
  const bool ambiguous = parsed->First().bytes != parsed->address.bytes;
  if (ambiguous) {
    warnings.push_back(start + "CIDR value " + Quote(text) +
                       " is ambiguous in this context (should be " + Quote(usual) + " or " +
                       Quote(RangeText(parsed->address, SizeOf(parsed->address))) + "?)");
  }
  if (!IsStrict(text.substr(0, text.find('/')), parsed->address)) {
    warnings.push_back(start + "non-standard CIDR value " + Quote(text) +
                       " will be considered invalid in a future Kubernetes release: use " +
                       Quote(usual));
  } else if (!ambiguous && usual != text) {
    warnings.push_back(start + "IPv6 CIDR value " + Quote(text) +
                       " should be in RFC 5952 canonical format (" + Quote(usual) + ")");
  }
}

void CheckPortNumber(const Place& port, FieldRules& rules) {
  constexpr std::int64_t kMost = 65535;
  const std::int64_t number = port.Number().value_or(0);
  if (number >= 1 && number <= kMost) return;
  rules.InvalidAs(port, std::to_string(number), "must be between 1 and 65535, inclusive");
}

std::vector<std::string> PortNameErrors(std::string_view name) {
  constexpr std::size_t kNameMax = 15;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_known = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  std::vector<std::string> errors;
  if (name.size() > kNameMax) errors.emplace_back("must be no more than 15 characters");
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_known)) {
    errors.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(name.begin(), name.end(), is_letter)) {
    errors.emplace_back("must contain at least one letter (a-z)");
  }
  if (name.find("--") != std::string_view::npos) {
    errors.emplace_back("must not contain consecutive hyphens");
  }
  if (name.starts_with('-') || name.ends_with('-')) {
    errors.emplace_back("must not begin or end with a hyphen");
  }
  return errors;
}

void CheckAppProtocol(const Place& protocol, FieldRules& rules) {
  if (protocol.Given()) rules.InvalidText(protocol, QualifiedNameErrors(protocol.Text()));
}

}  // namespace capstan::testing::apiserver
