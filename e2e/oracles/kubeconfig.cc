// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/auth/exec_credential.h"
#include "capstan/clientcmd/kubeconfig.h"
#include "capstan/clock.h"
#include "capstan/rest/config.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/text.h"
#include "capstan/transport/config.h"
#include "clientgo/transport/proxy.h"
#include "clientgo/transport/server_address.h"
#include "clientgo/transport/tls_material.h"
#include "clientgo/transport/tls_source.h"
#include "clientgo/yaml/parse.h"
#include "controllers/cainjector/rules/bundle.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using capstan::rest::Config;
using capstan::testing::TempDir;
using capstan::transport::ServerAddress;

constexpr std::string_view kPluginKubeconfig = R"(
clusters: [{name: a, cluster: {server: https://a}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
users:
- name: a
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: c, interactiveMode: Never}
)";

void WriteFile(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Returns the folder of the kubeconfig, with the files that an input may name. peer/kubeconfig.go
// has the same files.
const TempDir& Folder() {
  static const auto folder = [] {
    auto made = std::make_unique<TempDir>();
    WriteFile(made->Path("token"), "from-file\n");
    WriteFile(made->Path("empty"), "");
    return made;
  }();
  return *folder;
}

// Shows a credential or a certificate without its text.
std::string Digest(std::string_view text) {
  if (text.empty()) return "-";
  return capstan::cainjector::FingerprintOf({.der = std::string(text), .not_after = {}});
}

std::string DataOrFile(const std::string& data, const std::string& path) {
  if (!data.empty()) return data;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Returns the headers that say who sends a request.
std::vector<std::string> Headers(const Config& config, bool& failed) {
  std::vector<std::string> lines;
  const auto credential =
      NewCredentials(config, capstan::Clock::Real())->Current(std::stop_token());
  const auto impersonation = ImpersonationHeaders(config.impersonate);
  failed = !credential || !impersonation;
  if (failed) return lines;
  if (const std::string& value = (*credential)->authorization; !value.empty()) {
    lines.push_back(Plain("authorization: " + value));
  }
  for (const auto& [name, value] : *impersonation) {
    lines.push_back(Plain(capstan::LowerAscii(name) + ": " + value));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string DescribeExec(const capstan::auth::ExecConfig& exec) {
  std::string line = "exec " + Plain(exec.api_version) + " " + Plain(exec.command);
  for (const std::string& argument : exec.args) line += " " + Plain(argument);
  for (const auto& [name, value] : exec.env) line += " " + Plain(name) + "=" + Plain(value);
  return line + (exec.provide_cluster_info ? " true" : " false");
}

std::string DescribeClient(const Config& config, const ServerAddress& server) {
  const std::string line = ParseServerUrl(config.host) + " ";
  if (config.exec) return line + DescribeExec(*config.exec);
  bool failed = false;
  const std::string headers = capstan::Join(Headers(config, failed), " ");
  if (failed) return std::string(kRefused);
  if (!server.tls) return line + headers;
  capstan::transport::Config transport;
  const auto& tls = transport.tls = config.tls;
  if (!capstan::transport::TlsSource(transport).Current()) return std::string(kRefused);
  return line + "name=" + Plain(tls.server_name.empty() ? server.host : tls.server_name) +
         " insecure=" + (tls.insecure_skip_verify ? "true" : "false") +
         " ca=" + Digest(DataOrFile(tls.ca_data, tls.ca_file)) +
         " certificate=" + Digest(DataOrFile(tls.cert_data, tls.cert_file)) + " " + headers;
}

std::string Describe(const Config& config) {
  const auto server = capstan::transport::ParseServerAddress(config.host);
  if (!server) return std::string(kRefused);
  std::string line = DescribeClient(config, *server);
  if (config.proxy_url.empty() || line == kRefused) return line;
  const auto proxy = capstan::transport::ParseProxyUrl(config.proxy_url);
  if (!proxy) return std::string(kRefused);
  return "proxy http " + Plain(capstan::LowerAscii(proxy->address.host)) + " " +
         proxy->address.port + " " + line;
}

}  // namespace

// The input is the context, a kubeconfig, and a second one of the list KUBECONFIG.
std::string ReadKubeconfig(std::string_view input) {
  const auto parts = Parts(input, 3);
  std::vector<std::string> paths;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (i > 1 && parts[i].empty()) continue;
    paths.push_back(Folder().Path("config" + std::to_string(i - 1)));
    WriteFile(paths.back(), parts[i]);
  }
  const auto config = capstan::clientcmd::LoadKubeconfig(paths, parts[0]);
  if (!config) return RefusalOf(config.error());
  std::string line = Describe(*config);
  std::string folder = Folder().Path("");
  folder.pop_back();  // the slash
  for (std::size_t at = 0; (at = line.find(folder, at)) != std::string::npos;) {
    line.replace(at, folder.size(), "FOLDER");
  }
  return line;
}

std::string ReadExecCredential(std::string_view input) {
  static const auto config = [] {
    const std::string path = Folder().Path("plugin");
    WriteFile(path, kPluginKubeconfig);
    return capstan::clientcmd::LoadKubeconfig({path}, "a");
  }();
  using capstan::auth::ExecOutputAsJson;
  const auto status = capstan::auth::ParseExecCredential(
      ExecOutputAsJson(config.value().exec.value(), std::string(input)),
      "client.authentication.k8s.io/v1");
  if (!status) {
    const auto document = capstan::yaml::Parse(input, "input");
    return document ? std::string(kRefused) : RefusalOf(document.error());
  }
  // As ExecPlugin.
  if (!status->cert_pem.empty() &&
      !capstan::transport::TlsMaterial::Parse({}, {status->cert_pem, ""}, {status->key_pem, ""})) {
    return std::string(kRefused);
  }
  std::string expires = "never";
  if (status->expiration == std::chrono::system_clock::time_point::max()) {
    expires = "late";
  } else if (status->expiration == std::chrono::system_clock::time_point::min()) {
    expires = "early";
  } else if (status->expiration) {
    expires = std::to_string(std::chrono::floor<std::chrono::microseconds>(*status->expiration)
                                 .time_since_epoch()
                                 .count());
  }
  return "token=" + Plain(status->token) + " certificate=" + Digest(status->cert_pem) +
         " expires=" + expires;
}

}  // namespace e2e::oracles
