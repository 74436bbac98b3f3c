// SPDX-License-Identifier: Apache-2.0
// ServerAddress is the checked parts of Config::host. Mirrors client-go's DefaultServerURL.
// Differs: the scheme is required.
#pragma once

#include <string>
#include <string_view>

#include "capstan/clientgo/util/error.h"
#include "capstan/export.h"

namespace capstan::clientgo::transport {

struct ServerAddress {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 literal
  std::string port;
  std::string path_prefix;  // "" or "/prefix", never with a '/' at the end

  // "10.0.0.1:6443": the name of this server in messages and metrics.
  CAPSTAN_EXPORT_INTERNAL std::string HostPort() const;
  // "https://10.0.0.1:6443/prefix".
  std::string Url() const { return (tls ? "https://" : "http://") + HostPort() + path_prefix; }
  bool IsIpv4Literal() const;
  bool IsIpv6Literal() const;
};

// Parses "https://10.0.0.1:6443/prefix".
CAPSTAN_EXPORT_INTERNAL util::Expected<ServerAddress> ParseServerAddress(std::string_view url);

}  // namespace capstan::clientgo::transport
