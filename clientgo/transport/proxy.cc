// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "capstan/base64.h"
#include "capstan/text.h"

namespace capstan::transport {
namespace {

// IPv4 addresses are stored as IPv4-mapped IPv6, so that one comparison serves both.
using Address = std::array<unsigned char, 16>;
constexpr int kMappedPrefixBits = 96;

std::optional<Address> ParseAddress(const std::string& text) {
  Address address{};
  if (inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
  address[10] = address[11] = 0xff;
  if (inet_pton(AF_INET, text.c_str(), address.data() + 12) == 1) return address;
  return std::nullopt;
}

bool IsIpv4(const Address& address) {
  Address mapped{};
  mapped[10] = mapped[11] = 0xff;
  return std::equal(address.begin(), address.begin() + 12, mapped.begin());
}

bool IsLoopback(const Address& address) {
  Address loopback{};
  loopback[15] = 1;
  return address == loopback || (IsIpv4(address) && address[12] == 127);
}

bool InCidr(const Address& address, std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string base(cidr.substr(0, slash));
  const auto network = ParseAddress(base);
  int bits = 0;
  const std::string_view length = cidr.substr(slash + 1);
  const auto parsed = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (!network || parsed.ec != std::errc() || parsed.ptr != length.data() + length.size()) {
    return false;
  }
  const bool written_as_ipv4 = base.find(':') == std::string::npos;
  if (bits < 0 || bits > (written_as_ipv4 ? 32 : 128)) return false;
  if (written_as_ipv4) bits += kMappedPrefixBits;
  const bool ipv4 = IsIpv4(*network) && bits >= kMappedPrefixBits;
  if (ipv4 != IsIpv4(address)) return false;
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (std::memcmp(address.data(), network->data(), whole) != 0) return false;
  const int rest = bits % 8;
  return rest == 0 || ((address[whole] ^ (*network)[whole]) >> (8 - rest)) == 0;
}

// Splits "host:port" as Go's net.SplitHostPort does. What it does not split is a host.
std::pair<std::string_view, std::string_view> SplitHostPort(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  const std::string_view port = text.substr(colon + 1);
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.size() > 1 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const std::string_view special = brackets ? "[]" : "[]:";
  if (host.find_first_of(special) != std::string_view::npos) return {text, {}};
  return {host, port};
}

// Reports whether one lower-case entry of NO_PROXY covers the server.
bool Covers(std::string_view entry, const ServerAddress& server, const std::string& host,
            const std::optional<Address>& address) {
  if (entry == "*") return true;
  if (address && InCidr(*address, entry)) return true;
  auto [name, port] = SplitHostPort(entry);
  if (name.empty() || (!port.empty() && port != server.port)) return false;
  if (const auto literal = ParseAddress(std::string(name))) return address == literal;
  if (address) return false;  // "0.1" is not a suffix of 10.0.0.1
  if (name.starts_with("*.")) name.remove_prefix(1);
  if (name.front() == '.') return host.ends_with(name);
  return host == name || host.ends_with("." + std::string(name));
}

bool IsExcluded(const ServerAddress& server, const std::string& no_proxy) {
  const std::string host = LowerAscii(server.host);
  const auto address = ParseAddress(WithoutZone(host));
  if (server.host == "localhost" || (address && IsLoopback(*address))) return true;
  const std::string list = LowerAscii(no_proxy);
  const auto entries = Split(list, ',');
  return std::any_of(entries.begin(), entries.end(), [&](std::string_view entry) {
    return Covers(Trim(entry, " \t\r\n\v\f"), server, host, address);
  });
}

std::string Variable(const char* upper, const char* lower) {
  const char* value = std::getenv(upper);
  if (value == nullptr || *value == '\0') value = std::getenv(lower);
  return value == nullptr ? "" : value;
}

}  // namespace

Expected<Proxy> ParseProxyUrl(std::string_view url) {
  constexpr std::string_view kHttp = "http://";
  // The message does not quote the URL: an unencoded password could be anywhere in it.
  constexpr std::string_view kForm =
      "it must be http://[user:password@]host:port, with special characters of the password as %XX";
  const auto invalid = [](std::string_view why) {
    return Err(ErrorReason::kInvalidArgument, "invalid proxy: " + std::string(why));
  };
  if (SchemeOf(url).empty()) {
    // "http:/10.0.0.1" is not a proxy with the name "http".
    const std::string_view authority =
        url.substr(0, std::min(url.find_first_of("/?#"), url.size()));
    if (authority.ends_with(':')) return invalid(kForm);
    return ParseProxyUrl(std::string(kHttp) + std::string(url));
  }
  const std::string scheme = LowerAscii(SchemeOf(url));
  if (scheme != "http") {
    return invalid("a " + scheme + ":// proxy is not supported; use an http:// one");
  }
  std::string_view rest = url.substr(kHttp.size());
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  if (rest.find('@', end) != std::string_view::npos) return invalid(kForm);  // '/' in a password
  Proxy proxy;
  const std::size_t at = rest.substr(0, end).rfind('@');
  if (at != std::string_view::npos) {
    const std::string_view user = rest.substr(0, at);
    const std::size_t colon = std::min(user.find(':'), user.size());
    const std::string name = PercentDecode(user.substr(0, colon));
    const std::string password = PercentDecode(user.substr(std::min(colon + 1, user.size())));
    proxy.authorization = "Basic " + Base64Encode(name + ":" + password);
    rest.remove_prefix(at + 1);
  }
  auto address = ParseServerAddress(std::string(kHttp) + std::string(rest));
  if (!address) return invalid(kForm);
  proxy.address = std::move(*address);
  proxy.address.path_prefix.clear();
  return proxy;
}

ProxyEnvironment ProxyEnvironment::OfProcess() {
  return {.https_proxy = Variable("HTTPS_PROXY", "https_proxy"),
          .http_proxy = Variable("HTTP_PROXY", "http_proxy"),
          .no_proxy = Variable("NO_PROXY", "no_proxy")};
}

std::string ProxyFor(const ServerAddress& server, const ProxyEnvironment& environment) {
  const std::string& url = server.tls ? environment.https_proxy : environment.http_proxy;
  return url.empty() || IsExcluded(server, environment.no_proxy) ? "" : url;
}

}  // namespace capstan::transport
