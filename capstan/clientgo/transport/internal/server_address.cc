// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/transport/internal/server_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace capstan::clientgo::transport {
namespace {

using util::Err;
using util::ErrorReason;

bool IsAddress(int family, const std::string& host) {
  in6_addr address{};
  return inet_pton(family, host.c_str(), &address) == 1;
}

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
  return ec == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

// The path becomes a part of the request's first line.
bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

std::string ServerAddress::HostPort() const {
  return (IsIpv6Literal() ? "[" + host + "]" : host) + ":" + port;
}

bool ServerAddress::IsIpv4Literal() const { return IsAddress(AF_INET, host); }
bool ServerAddress::IsIpv6Literal() const { return IsAddress(AF_INET6, host); }

util::Expected<ServerAddress> ParseServerAddress(std::string_view url) {
  const auto invalid = [&](std::string_view why) {
    // A URL that may hold a password is not echoed.
    const bool echo = url.find('@') == std::string_view::npos;
    return Err(ErrorReason::kInvalidArgument,
               "invalid server" + (echo ? " \"" + std::string(url) + "\"" : std::string()) + ": " +
                   std::string(why));
  };
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  ServerAddress address;
  std::string_view rest = url;
  if (rest.substr(0, kHttps.size()) == kHttps) {
    address.tls = true;
    rest.remove_prefix(kHttps.size());
  } else if (rest.substr(0, kHttp.size()) == kHttp) {
    rest.remove_prefix(kHttp.size());
  } else {
    return invalid("it must start with https:// or http://");
  }

  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, slash);
  std::string_view path = rest.substr(slash);
  if (authority.find('@') != std::string_view::npos) {
    return invalid("a user in the URL is not supported; set it on the user entry");
  }
  if (path.find_first_of("?#") != std::string_view::npos || !IsPrintable(path)) {
    return invalid("it must not have a query, a fragment, a space or a control character");
  }
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  address.path_prefix = path;

  std::string_view port;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return invalid("the ']' is missing");
    address.host = authority.substr(1, bracket - 1);
    port = authority.substr(bracket + 1);
    if (!address.IsIpv6Literal()) return invalid("not an IPv6 address");
    if (!port.empty() && port.front() != ':') return invalid("a ':' must follow the ']'");
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    address.host = authority.substr(0, colon);
    port = authority.substr(colon);
    if (address.host.empty()) return invalid("the host is missing");
    if (!std::all_of(address.host.begin(), address.host.end(), IsHostCharacter)) {
      return invalid("not a host name or address");
    }
  }
  address.port = address.tls ? "443" : "80";
  if (port.empty() || port == ":") return address;
  port.remove_prefix(1);
  if (!IsPort(port)) return invalid("not a port");
  address.port = port;
  return address;
}

}  // namespace capstan::clientgo::transport
