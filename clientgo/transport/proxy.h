// SPDX-License-Identifier: Apache-2.0
// Proxies: which one leads to a server, by HTTPS_PROXY, HTTP_PROXY and NO_PROXY or by a URL in the
// configuration. Only http:// proxies, which tunnel https by CONNECT; https:// and socks5:// ones
// are an error, never ignored. Pure functions; a password never appears in a message.
// Mirrors golang.org/x/net/http/httpproxy, whose NO_PROXY rules client-go inherits.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/transport/server_address.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

struct Proxy {
  ServerAddress address = {};
  std::string authorization = {};  // the value of Proxy-Authorization; empty: none
};

// "http://[user:password@]10.0.0.1:3128"; the scheme may be left out, as in the environment.
util::Expected<Proxy> ParseProxyUrl(std::string_view url);

struct ProxyEnvironment {
  std::string https_proxy = {};
  std::string http_proxy = {};
  std::string no_proxy = {};

  // The upper case variable wins over the lower case one.
  static ProxyEnvironment OfProcess();
};

// The proxy's URL for this server; empty: connect directly. NO_PROXY is a list of "*", host names
// (which cover their subdomains), ".suffixes", addresses and CIDRs, each but these with an optional
// ":port". This machine itself (localhost, 127.0.0.0/8, ::1) is never reached through a proxy.
std::string ProxyFor(const ServerAddress& server, const ProxyEnvironment& environment);

}  // namespace clientgo::transport
