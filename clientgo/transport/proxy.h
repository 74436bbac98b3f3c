// SPDX-License-Identifier: Apache-2.0
// Chooses the proxy for a server, by HTTPS_PROXY, HTTP_PROXY and NO_PROXY or by a URL in the
// configuration. Only http:// proxies are supported, which tunnel https with CONNECT. https:// and
// socks5:// proxies are an error, never ignored. A password never appears in a message.
// Mirrors golang.org/x/net/http/httpproxy, whose NO_PROXY rules client-go inherits.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "clientgo/transport/server_address.h"

namespace capstan::transport {

struct Proxy {
  ServerAddress address = {};
  std::string authorization = {};  // the value of Proxy-Authorization; empty: none
};

// Parses "http://[user:password@]10.0.0.1:3128". The scheme is optional, as in the environment.
CAPSTAN_EXPORT_INTERNAL Expected<Proxy> ParseProxyUrl(std::string_view url);

struct ProxyEnvironment {
  std::string https_proxy = {};
  std::string http_proxy = {};
  std::string no_proxy = {};

  // Reads the process's environment. Upper case variables win over lower case ones.
  static ProxyEnvironment OfProcess();
};

// Returns the proxy's URL for this server; empty means a direct connection. NO_PROXY is a list of
// "*", host names (which include their subdomains), ".suffixes", addresses and CIDRs. All except
// "*" and CIDRs may have a ":port". The local machine (localhost, 127.0.0.0/8, ::1) is never
// reached through a proxy.
std::string ProxyFor(const ServerAddress& server, const ProxyEnvironment& environment);

}  // namespace capstan::transport
