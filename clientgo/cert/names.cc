// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cert/names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cert/der.h"

namespace capstan::cert {
namespace {

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// PrintableString of ASN.1, and two characters that CAs use in it.
bool IsPrintable(char c) { return IsAsciiAlphanumeric(c) || IsOneOf(c, " '()+,-./:=?*&"); }

// UCS-2 without surrogates and noncharacters. A zero may end it.
bool IsBmpString(std::string_view text) {
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const unsigned point =
        static_cast<unsigned char>(text[i]) * 256U + static_cast<unsigned char>(text[i + 1]);
    if (point >= 0xfffe || (point >= 0xfdd0 && point <= 0xfdef) ||
        (point >= 0xd800 && point <= 0xdfff)) {
      return false;
    }
  }
  return true;
}

// Reads the local part of a mailbox in quotes, from behind the first quote, up to behind the last.
bool ReadQuoted(std::string_view& text, std::string& local) {
  const auto plain = [](unsigned char c) { return c != 0 && c != '\n' && c != '\r' && c < 0x80; };
  while (!text.empty()) {
    char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return true;
    if (c == '\\') {
      if (text.empty()) return false;
      c = text.front();
      text.remove_prefix(1);
      // A tab needs the backslash, and unlike a line feed it is allowed.
      if (!plain(static_cast<unsigned char>(c))) return false;
    } else if (c == '\t' || !plain(static_cast<unsigned char>(c))) {
      return false;
    }
    local += c;
  }
  return false;
}

// Reads a local part without quotes, up to the first other character.
bool ReadAtoms(std::string_view& text, std::string& local) {
  while (!text.empty()) {
    const bool escaped = text.front() == '\\';
    if (escaped) text.remove_prefix(1);
    if (escaped && text.empty()) return false;
    const char c = text.front();
    if (!escaped && !IsAsciiDigit(c) && !IsAsciiLetter(c) && !IsOneOf(c, "!#$%&'*+-/=?^_`{|}~."))
      break;
    local += c;
    text.remove_prefix(1);
  }
  return !local.empty() && local.front() != '.' && local.back() != '.' &&
         local.find("..") == std::string::npos;
}

// HostPart is how strict the escapes of a part of a URL are.
enum class UrlPart { kHost, kZone, kOther };

bool IsHostCharacter(char c) {
  return IsAsciiAlphanumeric(c) || IsOneOf(c, "!$&'()*+,;=:[]<>\"-_.~");
}

// Returns the text without escapes, if the part may have its escapes and characters.
std::optional<std::string> Unescape(std::string_view text, UrlPart part) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '%') {
      const bool ascii = static_cast<unsigned char>(c) < 0x80;
      if (part != UrlPart::kOther && ascii && !IsHostCharacter(c)) return std::nullopt;
      out += c;
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    const auto byte = static_cast<char>(high * 16 + low);
    const bool ascii = static_cast<unsigned char>(byte) < 0x80;
    if (part == UrlPart::kHost && ascii && byte != '%') return std::nullopt;
    if (part == UrlPart::kZone && byte != '%' && byte != ' ' && !IsHostCharacter(byte)) {
      return std::nullopt;
    }
    out += byte;
    i += 2;
  }
  return out;
}

bool IsOptionalPort(std::string_view text) {
  return text.empty() ||
         (text.front() == ':' && std::all_of(text.begin() + 1, text.end(), IsAsciiDigit));
}

bool IsIpv6(std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return text.size() < INET6_ADDRSTRLEN &&
         inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) == 1;
}

// "[address]:port", with "%25zone" in the brackets.
std::optional<std::string> BracketedHost(std::string_view host) {
  const std::size_t close = host.rfind(']');
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view port = host.substr(close + 1);
  const std::string_view inner = host.substr(1, close - 1);
  const std::size_t zone = std::min(inner.find("%25"), inner.size());
  const auto address = Unescape(inner.substr(0, zone), UrlPart::kHost);
  const auto name = Unescape(inner.substr(zone), UrlPart::kZone);
  if (!IsOptionalPort(port) || !address || !name || *name == "%") return std::nullopt;
  if (!IsIpv6(*address)) return std::nullopt;
  return "[" + *address + *name + "]" + std::string(port);
}

std::optional<std::string> Host(std::string_view scheme, std::string_view host) {
  const std::size_t bracket = host.rfind('[');
  if (bracket == 0) return BracketedHost(host);
  if (bracket != std::string_view::npos) return std::nullopt;
  const bool web = scheme == "http" || scheme == "https";  // only these allow no colon in a host
  const std::size_t colon = web ? host.find(':') : host.rfind(':');
  if (colon != std::string_view::npos && !IsOptionalPort(host.substr(colon))) return std::nullopt;
  return Unescape(host, UrlPart::kHost);
}

std::optional<std::string> HostOfAuthority(std::string_view scheme, std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return Host(scheme, authority);
  const std::string_view user = authority.substr(0, at);
  const bool valid = std::all_of(user.begin(), user.end(), [](char c) {
    return IsAsciiAlphanumeric(c) || IsOneOf(c, "-._:~!$&'()*+,;=%@");
  });
  const std::size_t colon = std::min(user.find(':'), user.size());
  if (!valid || !Unescape(user.substr(0, colon), UrlPart::kOther) ||
      !Unescape(user.substr(colon), UrlPart::kOther)) {
    return std::nullopt;
  }
  return Host(scheme, authority.substr(at + 1));
}

// Takes "scheme:" from the front of `url`. Returns nullopt when there is a colon without a scheme.
std::optional<std::string> TakeScheme(std::string_view& url) {
  for (std::size_t i = 0; i < url.size(); ++i) {
    if (url[i] == ':') {
      if (i == 0) return std::nullopt;
      std::string scheme(url.substr(0, i));
      for (char& c : scheme) c = IsAsciiLetter(c) ? static_cast<char>(c | 0x20) : c;
      url.remove_prefix(i + 1);
      return scheme;
    }
    if (!IsAsciiLetter(url[i]) && (i == 0 || (!IsAsciiDigit(url[i]) && !IsOneOf(url[i], "+-."))))
      break;
  }
  return std::string();
}

}  // namespace

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text.data(), text.data() + text.size());
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool IsNameString(std::uint8_t tag, std::string_view text) {
  switch (tag) {
    case der_tag::kT61String:
      return true;
    case der_tag::kPrintableString:
      return std::all_of(text.begin(), text.end(), IsPrintable);
    case der_tag::kUtf8String:
      return IsUtf8(text);
    case der_tag::kBmpString:
      return IsBmpString(text);
    case der_tag::kIa5String:
      return IsAscii(text);
    case der_tag::kNumericString:
      return std::all_of(text.begin(), text.end(),
                         [](char c) { return IsAsciiDigit(c) || c == ' '; });
    default:
      return false;
  }
}

bool IsDomainName(std::string_view name, bool constraint) {
  if (name.empty()) return true;
  if (name.back() == '.') return false;
  if (constraint && name.front() == '.') name.remove_prefix(1);
  const bool visible =
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
  return visible && name.front() != '.' && name.find("..") == std::string_view::npos;
}

std::optional<Mailbox> ParseMailbox(std::string_view text) {
  Mailbox mailbox;
  if (text.empty()) return std::nullopt;
  if (text.front() == '"') {
    text.remove_prefix(1);
    if (!ReadQuoted(text, mailbox.local)) return std::nullopt;
  } else if (!ReadAtoms(text, mailbox.local)) {
    return std::nullopt;
  }
  if (text.empty() || text.front() != '@') return std::nullopt;
  mailbox.domain = text.substr(1);
  if (!IsDomainName(mailbox.domain, false)) return std::nullopt;
  return mailbox;
}

std::optional<std::string> HostOfUrl(std::string_view url) {
  const std::string_view fragment = url.substr(std::min(url.find('#'), url.size()));
  url.remove_suffix(fragment.size());
  const bool control = std::any_of(url.begin(), url.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
  });
  if (control || !Unescape(fragment, UrlPart::kOther)) return std::nullopt;
  if (url == "*") return std::string();
  const auto scheme = TakeScheme(url);
  if (!scheme) return std::nullopt;
  url = url.substr(0, url.find('?'));
  std::string host;
  if (!url.starts_with('/')) {
    if (!scheme->empty()) return host;  // it is opaque
    if (url.substr(0, url.find('/')).find(':') != std::string_view::npos) return std::nullopt;
  }
  if (url.starts_with("//") && (!scheme->empty() || !url.starts_with("///"))) {
    url.remove_prefix(2);
    const std::size_t slash = std::min(url.find('/'), url.size());
    auto found = HostOfAuthority(*scheme, url.substr(0, slash));
    if (!found) return std::nullopt;
    host = *std::move(found);
    url.remove_prefix(slash);
  }
  if (!Unescape(url, UrlPart::kOther)) return std::nullopt;
  return host;
}

bool IsIpAddress(std::string_view text) {
  std::array<unsigned char, sizeof(in_addr)> bytes{};
  return IsIpv6(text) || (text.size() < INET_ADDRSTRLEN &&
                          inet_pton(AF_INET, std::string(text).c_str(), bytes.data()) == 1);
}

}  // namespace capstan::cert
