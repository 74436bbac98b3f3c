// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "capstan/text.h"
#include "clientgo/transport/proxy.h"
#include "clientgo/transport/server_address.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {

using capstan::transport::ParseProxyUrl;
using capstan::transport::ParseServerAddress;
using capstan::transport::ProxyEnvironment;
using capstan::transport::ServerAddress;

std::string ParseServerUrl(std::string_view input) {
  const auto server = ParseServerAddress(input);
  if (!server) return std::string(kRefused);
  return (server->tls ? "https " : "http ") + Plain(capstan::LowerAscii(server->host)) + " " +
         server->port + " " + Plain(server->path_prefix + "/version");
}

// The input is the URL of the server, NO_PROXY, HTTPS_PROXY and HTTP_PROXY.
std::string ChooseProxy(std::string_view input) {
  const auto parts = Parts(input, 4);
  const auto server = ParseServerAddress(parts[0]);
  if (!server) return "no server";
  const ProxyEnvironment environment = {
      .https_proxy = parts[2], .http_proxy = parts[3], .no_proxy = parts[1]};
  const std::string url = ProxyFor(*server, environment);
  if (url.empty()) return "direct";
  const auto proxy = ParseProxyUrl(url);
  if (!proxy) return std::string(kRefused);
  const ServerAddress& address = proxy->address;
  return (address.tls ? "https " : "http ") + Plain(capstan::LowerAscii(address.host)) + " " +
         address.port;
}

}  // namespace e2e::oracles
