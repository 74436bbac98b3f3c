// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/server_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

#include "capstan/text.h"

namespace capstan::transport {
namespace {

bool IsAddress(int family, const std::string& host) {
  in6_addr address{};
  return inet_pton(family, host.c_str(), &address) == 1;
}

// Returns the port; 0 for a text that is none.
unsigned ParsePort(std::string_view text) {
  unsigned port = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
  return ec == std::errc() && end == text.data() + text.size() && port < 65536 ? port : 0;
}

bool IsHostCharacter(char c) { return IsAsciiAlphanumeric(c) || c == '-' || c == '.' || c == '_'; }

// Reports whether `host` is an IPv4 address, or a name that Go looks up. Mirrors isDomainName of
// package net. getaddrinfo reads more names as addresses, such as 10.1 as 10.0.0.1.
bool IsHost(const std::string& host) {
  constexpr std::size_t kNameBytesMax = 254;
  constexpr std::size_t kLabelBytesMax = 63;
  if (IsAddress(AF_INET, host)) return true;
  if (host.size() > kNameBytesMax || !std::all_of(host.begin(), host.end(), IsHostCharacter)) {
    return false;
  }
  if (host.find_first_not_of("0123456789.") == std::string::npos) return false;
  std::string_view name = host;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.front() == '.' || name.back() == '.') return false;
  if (name.find("..") != std::string_view::npos) return false;
  const auto labels = Split(name, '.');
  return std::none_of(labels.begin(), labels.end(), [](std::string_view label) {
    return label.size() > kLabelBytesMax || label.front() == '-' || label.back() == '-';
  });
}

constexpr std::string_view kSchemeEnd = "://";

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

bool HasOnlyValidEscapes(std::string_view text) {
  for (std::size_t i = text.find('%'); i < text.size(); i = text.find('%', i + 1)) {
    if (i + 2 >= text.size()) return false;
    if (HexDigit(text[i + 1]) < 0 || HexDigit(text[i + 2]) < 0) return false;
  }
  return true;
}

// Returns the path as client-go sends it: without empty segments, "." and "..", and escaped as
// net/url does.
std::string CanonicalPath(std::string_view escaped) {
  std::vector<std::string> segments;
  const std::string path = PercentDecode(escaped);
  for (const std::string_view segment : Split(path, '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      segments.emplace_back(segment);
    } else if (!segments.empty()) {
      segments.pop_back();
    }
  }
  std::string canonical;
  for (const std::string& segment : segments) {
    canonical += "/" + PercentEncode(segment, "$&+,:;=@-_.~");
  }
  return canonical;
}

// Returns an error text, or nothing.
std::string_view ParseIpv6(std::string_view literal, ServerAddress& address) {
  constexpr std::string_view kZone = "%25";
  const std::size_t zone = std::min(literal.find('%'), literal.size());
  address.host = literal.substr(0, zone);
  if (!address.IsIpv6Literal()) return "not an IPv6 address";
  if (zone == literal.size()) return {};
  const std::string_view escaped = literal.substr(zone);
  if (!escaped.starts_with(kZone) || !HasOnlyValidEscapes(escaped)) {
    return "the zone of an IPv6 address must follow %25";
  }
  const std::string name = PercentDecode(escaped.substr(kZone.size()));
  if (name.empty() || !std::all_of(name.begin(), name.end(), IsHostCharacter)) {
    return "not a zone of an IPv6 address";
  }
  address.host += "%" + name;
  return {};
}

// Parses "host:port". Returns an error text, or nothing.
std::string_view ParseAuthority(std::string_view authority, ServerAddress& address) {
  if (authority.find('@') != std::string_view::npos) {
    return "a user in the URL is not supported; set it on the user entry";
  }
  std::string_view port;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return "the ']' is missing";
    port = authority.substr(bracket + 1);
    const auto why = ParseIpv6(authority.substr(1, bracket - 1), address);
    if (!why.empty()) return why;
    if (!port.empty() && port.front() != ':') return "a ':' must follow the ']'";
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    address.host = authority.substr(0, colon);
    port = authority.substr(colon);
    if (address.host.empty()) return "the host is missing";
    if (!IsHost(address.host)) return "not a host name or address";
  }
  address.port = address.tls ? "443" : "80";
  if (port.empty() || port == ":") return {};
  const unsigned number = ParsePort(port.substr(1));
  if (number == 0) return "not a port";
  address.port = std::to_string(number);
  return {};
}

// Removes the scheme. Returns false if it is not supported.
bool TakeScheme(std::string_view& url, bool& tls) {
  const std::string scheme = LowerAscii(SchemeOf(url));
  tls = scheme == "https";
  url.remove_prefix(scheme.size() + kSchemeEnd.size());
  return tls || scheme == "http";
}

}  // namespace

std::string_view SchemeOf(std::string_view url) {
  const std::string_view scheme = url.substr(0, std::min(url.find(kSchemeEnd), url.size()));
  const bool valid = scheme.size() < url.size() && !scheme.empty() &&
                     IsAsciiLetter(scheme.front()) &&
                     std::all_of(scheme.begin(), scheme.end(), [](char c) {
                       return IsAsciiAlphanumeric(c) || c == '+' || c == '-' || c == '.';
                     });
  return valid ? scheme : std::string_view();
}

std::string WithoutZone(const std::string& host) {
  const std::size_t zone = host.find('%');
  return zone != std::string::npos && IsAddress(AF_INET6, host.substr(0, zone))
             ? host.substr(0, zone)
             : host;
}

std::string ServerAddress::HostPort() const {
  return (IsIpv6Literal() ? "[" + host + "]" : host) + ":" + port;
}

std::string ServerAddress::Authority() const {
  const std::string plain = WithoutZone(host);
  return (IsIpv6Literal() ? "[" + plain + "]" : plain) + ":" + port;
}

std::string ServerAddress::Url() const {
  std::string host_port = HostPort();
  const std::size_t zone = host_port.find('%');
  if (zone != std::string::npos) host_port.insert(zone + 1, "25");
  return (tls ? "https://" : "http://") + host_port + path_prefix;
}

bool ServerAddress::IsIpv4Literal() const { return IsAddress(AF_INET, host); }
bool ServerAddress::IsIpv6Literal() const { return IsAddress(AF_INET6, WithoutZone(host)); }

Expected<ServerAddress> ParseServerAddress(std::string_view url, bool default_tls) {
  const auto invalid = [&](std::string_view why) {
    // A URL that may hold a password is not echoed.
    const bool echo = url.find('@') == std::string_view::npos;
    return Err(ErrorReason::kInvalidArgument,
               "invalid server" + (echo ? " \"" + std::string(url) + "\"" : std::string()) + ": " +
                   std::string(why));
  };
  const std::string_view sent = url.substr(0, std::min(url.find('#'), url.size()));
  if (std::any_of(sent.begin(), sent.end(), IsControl)) {
    return invalid("it must not have a control character");
  }
  ServerAddress address;
  address.tls = default_tls;
  std::string_view rest = url;
  const bool has_scheme = !SchemeOf(url).empty();
  if (has_scheme && !TakeScheme(rest, address.tls)) {
    return invalid("it must start with https:// or http://");
  }
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  if (const auto why = ParseAuthority(rest.substr(0, end), address); !why.empty()) {
    return invalid(why);
  }
  std::string_view path = rest.substr(end);
  const std::size_t fragment = std::min(path.find('#'), path.size());
  if (!HasOnlyValidEscapes(path.substr(fragment))) return invalid("an escape is not %XX");
  path = path.substr(0, std::min(path.find('?'), fragment));
  if (!HasOnlyValidEscapes(path)) return invalid("an escape is not %XX");
  if (!has_scheme && path.size() > 1) {
    return invalid("it must start with https:// or http:// when it has a path");
  }
  address.path_prefix = CanonicalPath(path);
  return address;
}

}  // namespace capstan::transport
