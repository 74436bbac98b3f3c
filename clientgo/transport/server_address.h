// SPDX-License-Identifier: Apache-2.0
// ServerAddress is the checked parts of Config::host. Mirrors client-go's DefaultServerURL and
// net/url. Differs: a user in the URL, host names that are not ASCII, and names that package net
// does not look up, are an error.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::transport {

struct ServerAddress {
  bool tls = false;
  std::string host;         // without the brackets of an IPv6 literal: "fe80::1%eth0"
  std::string port;         // without leading zeros
  std::string path_prefix;  // "" or "/prefix", escaped, never with a '/' at the end

  // "10.0.0.1:6443": the name of this server in messages and metrics, and to connect to.
  CAPSTAN_EXPORT_INTERNAL std::string HostPort() const;
  // HostPort without the zone of an IPv6 address, which means nothing to the server.
  std::string Authority() const;
  // "https://10.0.0.1:6443/prefix".
  CAPSTAN_EXPORT_INTERNAL std::string Url() const;
  bool IsIpv4Literal() const;
  bool IsIpv6Literal() const;  // with or without a zone
};

// Parses "https://10.0.0.1:6443/prefix". The path becomes canonical, and a query and a fragment are
// dropped. Without a scheme, "10.0.0.1:6443" must have no path, and is https if `default_tls`.
CAPSTAN_EXPORT_INTERNAL Expected<ServerAddress> ParseServerAddress(std::string_view url,
                                                                   bool default_tls = false);

// Returns "https" of "https://a" in its own case; empty for a text without a scheme and "://".
CAPSTAN_EXPORT_INTERNAL std::string_view SchemeOf(std::string_view url);

// Returns an IPv6 address without its zone, and any other text unchanged.
std::string WithoutZone(const std::string& host);

}  // namespace capstan::transport
