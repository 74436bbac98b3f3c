// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/url.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/format_string.h"
#include "clientgo/cel/ip_address.h"

namespace capstan::cel {
namespace {

bool IsSchemeByte(char c) { return IsAsciiAlphanumeric(c) || c == '+' || c == '-' || c == '.'; }

// Returns the length of the scheme; 0: there is none; npos: the text begins with a colon.
std::size_t SchemeLength(std::string_view text) {
  if (text.starts_with(':')) return std::string_view::npos;
  if (text.empty() || !IsAsciiLetter(text[0])) return 0;
  const auto end = std::find_if_not(text.begin(), text.end(), IsSchemeByte);
  return end != text.end() && *end == ':' ? static_cast<std::size_t>(end - text.begin()) : 0;
}

// Returns the first wrong escape sequence; empty: all are right.
std::string_view BadEscape(std::string_view text) {
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i + 1)) {
    const bool hex =
        i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0;
    if (!hex) return text.substr(i, 3);
  }
  return {};
}

bool IsHostByte(char c) {
  return IsAsciiAlphanumeric(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("-_.~!$&'()*+,;=:[]<>\"").find(c) != std::string_view::npos;
}

bool IsUserByte(char c) {
  return IsAsciiAlphanumeric(c) ||
         std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
}

bool IsPort(std::string_view text) {
  return text.empty() ||
         (text[0] == ':' && std::all_of(text.begin() + 1, text.end(), IsAsciiDigit));
}

std::string BadPort(std::string_view port) {
  return "invalid port " + GoQuoted(port) + " after host";
}

// Returns why Go does not accept a part of a host; "": it does. A host has escapes of "%" and of
// bytes that are no ASCII, a zone also those of a space and of the bytes of a host.
std::string WhyBadHostPart(std::string_view part, bool zone) {
  if (const std::string_view escape = BadEscape(part); !escape.empty()) {
    return "invalid URL escape " + GoQuoted(escape);
  }
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != '%') {
      if (IsHostByte(part[i])) continue;
      return "invalid character " + GoQuoted(part.substr(i, 1)) + " in host name";
    }
    const std::string_view escape = part.substr(i, 3);
    const char c = PercentDecode(escape)[0];
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if (escape != "%25" && ascii && !(zone && (c == ' ' || IsHostByte(c)))) {
      return "invalid URL escape " + GoQuoted(escape);
    }
    i += 2;
  }
  return {};
}

// Returns why Go refuses a host in brackets and its port; empty: it does not.
std::string WhyBadBrackets(std::string_view host) {
  const std::size_t end = host.rfind(']');
  if (end == std::string_view::npos) return "missing ']' in host";
  if (const std::string_view port = host.substr(end + 1); !IsPort(port)) return BadPort(port);
  const std::string_view name = host.substr(1, end - 1);
  const std::size_t zone = std::min(name.find("%25"), name.size());
  std::string why = WhyBadHostPart(name.substr(0, zone), false);
  if (why.empty()) why = WhyBadHostPart(name.substr(zone), true);
  if (why.empty() && !IsIpv6WithZone(PercentDecode(name))) {
    why = "invalid host: ParseAddr(" + GoQuoted(PercentDecode(name)) + "): unable to parse IP";
  }
  return why;
}

// Returns why Go does not accept a host with its port; "": it does.
std::string WhyBadHost(std::string_view scheme, std::string_view host) {
  const std::size_t open = host.rfind('[');
  if (open == 0) return WhyBadBrackets(host);
  if (open != std::string_view::npos) return "invalid IP-literal";
  // Other schemes have lists of hosts, whose names may have colons.
  const bool strict = scheme == "http" || scheme == "https";
  const std::size_t colon = std::min(strict ? host.find(':') : host.rfind(':'), host.size());
  if (const std::string_view port = host.substr(colon); !IsPort(port)) return BadPort(port);
  return WhyBadHostPart(host, false);
}

// Escapes the bytes of a path that Go escapes. A path that is escaped well stays as it is.
std::string EscapePath(std::string_view path) {
  constexpr std::string_view kPlain = "-_.~$&+,/:;=@";
  constexpr std::string_view kAlsoValid = "!'()*[]%";
  const bool valid = std::all_of(path.begin(), path.end(), [&](char c) {
    return IsAsciiAlphanumeric(c) || kPlain.find(c) != std::string_view::npos ||
           kAlsoValid.find(c) != std::string_view::npos;
  });
  return valid ? std::string(path) : PercentEncode(PercentDecode(path), kPlain);
}

std::string DecodeQuery(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return PercentDecode(text);
}

// Reads "user@host:port". Returns an error or "".
std::string SetAuthority(std::string_view authority, Url& url) {
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    if (!std::all_of(user.begin(), user.end(), IsUserByte)) return "net/url: invalid userinfo";
    authority.remove_prefix(at + 1);
  }
  url.host = PercentDecode(authority);
  return WhyBadHost(url.scheme, authority);
}

// Splits a URL. Returns an error or "". `request`: it is one for a request, as ParseRequestURI.
std::string SplitUrl(std::string_view text, bool request, Url& url) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), control)) {
    return "net/url: invalid control character in URL";
  }
  if (text.empty() && request) return "empty url";
  const std::size_t length = SchemeLength(text);
  if (length == std::string_view::npos) return "missing protocol scheme";
  if (length > 0) {
    url.scheme = LowerAscii(text.substr(0, length));
    text.remove_prefix(length + 1);
  }
  const std::size_t question = std::min(text.find('?'), text.size());
  url.query = text.substr(std::min(question + 1, text.size()));
  std::string_view path = text.substr(0, question);
  if (!path.starts_with('/') && !url.scheme.empty()) return {};  // opaque, such as mailto:a
  if (!path.starts_with('/') && request && text != "*") return "invalid URI for request";
  if ((!url.scheme.empty() || (!request && !path.starts_with("///"))) && path.starts_with("//")) {
    path.remove_prefix(2);
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (std::string why = SetAuthority(path.substr(0, slash), url); !why.empty()) return why;
    path.remove_prefix(slash);
  }
  if (const std::string_view bad = BadEscape(path); !bad.empty()) {
    return "invalid URL escape " + GoQuoted(bad);
  }
  url.escaped_path = EscapePath(path);
  return {};
}

std::string ParseError(std::string_view text, const std::string& why) {
  return "parse " + GoQuoted(text) + ": " + why;
}

}  // namespace

std::string Url::Hostname() const {
  if (host.starts_with('[')) return host.substr(1, host.rfind(']') - 1);
  return host.substr(0, host.rfind(':'));
}

std::string Url::Port() const {
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  return has_port ? host.substr(colon + 1) : "";
}

std::map<std::string, std::vector<std::string>> Url::Query() const {
  std::map<std::string, std::vector<std::string>> members;
  for (const std::string_view part : Split(query, '&')) {
    if (part.empty() || part.find(';') != std::string_view::npos || !BadEscape(part).empty())
      continue;
    const std::size_t equal = std::min(part.find('='), part.size());
    const std::string value(part.substr(std::min(equal + 1, part.size())));
    members[DecodeQuery(std::string(part.substr(0, equal)))].push_back(DecodeQuery(value));
  }
  return members;
}

std::string WhyNoUrl(std::string_view text) {
  Url whole;
  const std::string why = SplitUrl(text, true, whole);
  return why.empty() ? "" : ParseError(text, why);
}

// Go's ParseRequestURI decides whether a URL is valid. It reads a fragment as part of what is
// before it, so Parse splits the URL.
ParsedUrl ParseUrl(std::string_view text) {
  std::string why = WhyNoUrl(text);
  if (!why.empty()) return {.url = std::nullopt, .error = std::move(why)};
  Url url{.text = std::string(text)};
  why = SplitUrl(text.substr(0, text.find('#')), false, url);
  if (why.empty()) return {.url = std::move(url), .error = {}};
  return {.url = std::nullopt, .error = ParseError(text, why)};
}

}  // namespace capstan::cel
