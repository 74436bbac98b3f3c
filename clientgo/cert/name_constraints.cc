// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cert/name_constraints.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "capstan/text.h"
#include "clientgo/cert/names.h"

namespace capstan::cert {
namespace {

using Names = std::vector<std::string_view>;

// "example.com" is the domain and those below it; ".example.com" is only those below it.
bool IsInDomain(std::string_view constraint, const std::string& name) {
  if (constraint.empty()) return true;
  const std::string domain = LowerAscii(constraint);
  if (!name.ends_with(domain)) return false;
  return domain.size() == name.size() || domain.front() == '.' ||
         name[name.size() - domain.size() - 1] == '.';
}

std::string_view BelowFirstLabel(std::string_view name) {
  return name.substr(std::min(name.find('.'), name.size()));
}

// Returns whether the name is permitted by one of `permitted`, unless it is empty.
bool DomainIsAllowed(const Names& permitted, const Names& excluded, std::string_view name) {
  const std::string lower = LowerAscii(name);
  const auto matches = [&](std::string_view constraint) { return IsInDomain(constraint, lower); };
  if (!permitted.empty() && std::none_of(permitted.begin(), permitted.end(), matches)) return false;
  // A wildcard stands for each name beside it, too.
  const auto covers = [&](std::string_view constraint) {
    const std::string_view parent = BelowFirstLabel(constraint);
    return lower.starts_with('*') && !parent.empty() &&
           LowerAscii(parent) == BelowFirstLabel(lower);
  };
  return std::none_of(excluded.begin(), excluded.end(), [&](std::string_view constraint) {
    return matches(constraint) || covers(constraint);
  });
}

// `range` is an address and its mask.
bool IsInRange(std::string_view range, std::string_view address) {
  if (range.size() != address.size() * 2) return false;
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (((range[i] ^ address[i]) & range[address.size() + i]) != 0) return false;
  }
  return true;
}

bool AddressIsAllowed(const ParsedCertificate& issuer, std::string_view address) {
  const auto matches = [&](std::string_view range) { return IsInRange(range, address); };
  const Names& permitted = issuer.permitted.ip_ranges;
  const Names& excluded = issuer.excluded.ip_ranges;
  return (permitted.empty() || std::any_of(permitted.begin(), permitted.end(), matches)) &&
         std::none_of(excluded.begin(), excluded.end(), matches);
}

bool UriIsAllowed(const ParsedCertificate& issuer, std::string_view uri) {
  std::string host = HostOfUrl(uri).value_or("");
  if (!host.ends_with(']')) host = host.substr(0, host.rfind(':'));
  if (host.find(':') != std::string::npos || IsIpAddress(host)) return false;
  return !host.empty() && IsDomainName(host, false) &&
         DomainIsAllowed(issuer.permitted.uris, issuer.excluded.uris, host);
}

// A constraint is a mailbox, or a domain of mailboxes.
bool EmailMatches(std::string_view constraint, const Mailbox& email) {
  const std::string domain = LowerAscii(email.domain);
  if (constraint.find('@') == std::string_view::npos) return IsInDomain(constraint, domain);
  const auto mailbox = ParseMailbox(constraint);
  return mailbox && mailbox->local == email.local && LowerAscii(mailbox->domain) == domain;
}

bool EmailIsAllowed(const ParsedCertificate& issuer, std::string_view text) {
  const auto email = ParseMailbox(text);
  if (!email) return false;
  const auto matches = [&](std::string_view constraint) {
    return EmailMatches(constraint, *email);
  };
  const Names& permitted = issuer.permitted.emails;
  const Names& excluded = issuer.excluded.emails;
  return (permitted.empty() || std::any_of(permitted.begin(), permitted.end(), matches)) &&
         std::none_of(excluded.begin(), excluded.end(), matches);
}

std::vector<std::string_view> Labels(std::string_view name) {
  std::vector<std::string_view> labels;
  for (;;) {
    const std::size_t dot = name.find('.');
    labels.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return labels;
    name.remove_prefix(dot + 1);
  }
}

// Returns whether `name` is a host name as of RFC 6125. A pattern may begin with the label "*".
bool IsHostName(std::string_view name, bool pattern) {
  if (!pattern && name.ends_with('.')) name.remove_suffix(1);
  if (name == "*") return false;
  bool first = true;
  for (const std::string_view label : Labels(name)) {
    const bool wildcard = pattern && first && label == "*";
    first = false;
    if (wildcard) continue;
    const bool valid = std::all_of(label.begin(), label.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '-' || c == '_';
    });
    if (!valid || label.empty() || label.front() == '-') return false;
  }
  return true;
}

bool MatchesPattern(const std::string& pattern, const std::string& name) {
  std::string_view host = name;
  if (host.ends_with('.')) host.remove_suffix(1);
  const auto want = Labels(pattern);
  const auto have = Labels(host);
  if (want.size() != have.size()) return false;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i] != have[i] && (i > 0 || want[i] != "*")) return false;
  }
  return true;
}

// Returns the bytes of an address, 4 also for an IPv4 address that is written as an IPv6 address.
std::string Plain(std::string_view bytes) {
  constexpr std::string_view kMapped("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
  return std::string(bytes.size() == 16 && bytes.starts_with(kMapped) ? bytes.substr(12) : bytes);
}

// Returns "" for a text that is no address.
std::string ParseAddress(std::string_view text) {
  std::array<char, sizeof(in6_addr)> bytes{};
  const std::string name(text);
  if (inet_pton(AF_INET, name.c_str(), bytes.data()) == 1) return {bytes.data(), sizeof(in_addr)};
  if (inet_pton(AF_INET6, name.c_str(), bytes.data()) != 1) return {};
  return Plain({bytes.data(), bytes.size()});
}

}  // namespace

bool AllowsNames(const ParsedCertificate& issuer, const ParsedCertificate& certificate) {
  if (!issuer.has_name_constraints || !certificate.has_subject_names) return true;
  const auto all = [](const Names& names, const auto& allowed) {
    return std::all_of(names.begin(), names.end(), allowed);
  };
  return all(certificate.ip_addresses,
             [&](std::string_view address) { return AddressIsAllowed(issuer, address); }) &&
         all(certificate.dns_names,
             [&](std::string_view name) {
               return IsDomainName(name, false) &&
                      DomainIsAllowed(issuer.permitted.dns_names, issuer.excluded.dns_names, name);
             }) &&
         all(certificate.uris, [&](std::string_view uri) { return UriIsAllowed(issuer, uri); }) &&
         all(certificate.emails,
             [&](std::string_view email) { return EmailIsAllowed(issuer, email); });
}

bool IsFor(const ParsedCertificate& certificate, std::string_view name) {
  if (const std::string address = ParseAddress(name); !address.empty()) {
    return std::any_of(certificate.ip_addresses.begin(), certificate.ip_addresses.end(),
                       [&](std::string_view candidate) { return Plain(candidate) == address; });
  }
  const std::string host = LowerAscii(name);
  const bool valid = IsHostName(host, false);
  return std::any_of(certificate.dns_names.begin(), certificate.dns_names.end(),
                     [&](std::string_view candidate) {
                       const std::string pattern = LowerAscii(candidate);
                       if (valid && IsHostName(pattern, true)) return MatchesPattern(pattern, host);
                       return !host.empty() && host != "." && pattern == host;
                     });
}

}  // namespace capstan::cert
