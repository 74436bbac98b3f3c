// SPDX-License-Identifier: Apache-2.0
// Names in certificates, with the rules of Go's crypto/x509 and net/url. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::cert {

bool IsAscii(std::string_view text);
bool IsUtf8(std::string_view text);

// Returns whether Go reads `text` as a string of this ASN.1 type, in a subject or an issuer.
bool IsNameString(std::uint8_t tag, std::string_view text);

// Returns whether `name` is a domain name for Go, which is lenient: "" is one. A constraint may
// begin with a dot.
bool IsDomainName(std::string_view name, bool constraint);

struct Mailbox {
  std::string local;  // without quotes and escapes
  std::string_view domain;
};
// Parses "local@domain" as in RFC 2821.
std::optional<Mailbox> ParseMailbox(std::string_view text);

// Returns the host, unescaped and with its port, of a URL that net/url.Parse accepts.
std::optional<std::string> HostOfUrl(std::string_view url);

// Returns whether net.ParseIP accepts `text`.
bool IsIpAddress(std::string_view text);

}  // namespace capstan::cert
