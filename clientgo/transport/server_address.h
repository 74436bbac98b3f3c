// SPDX-License-Identifier: Apache-2.0
// ServerAddress: the parts of Config::host, checked once. Plain data, pure functions.
// Mirrors client-go's DefaultServerURL. Differs: the scheme must be written out.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/util/error.h"

namespace clientgo::transport {

struct ServerAddress {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 literal
  std::string port;
  std::string path_prefix;  // "" or "/prefix", never with a '/' at the end

  // "10.0.0.1:6443": what messages and metrics call this server.
  std::string HostPort() const;
  // "https://10.0.0.1:6443/prefix".
  std::string Url() const { return (tls ? "https://" : "http://") + HostPort() + path_prefix; }
  bool IsIpv4Literal() const;
  bool IsIpv6Literal() const;
};

// "https://10.0.0.1:6443/prefix". kInvalidArgument says what is wrong with it.
util::Expected<ServerAddress> ParseServerAddress(std::string_view url);

}  // namespace clientgo::transport
