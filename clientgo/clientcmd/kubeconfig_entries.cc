// SPDX-License-Identifier: Apache-2.0
#include "clientgo/clientcmd/kubeconfig_entries.h"

#include <utility>

#include "clientgo/auth/exec_credential.h"
#include "clientgo/rest/config.h"
#include "clientgo/transport/proxy.h"
#include "clientgo/transport/server_address.h"
#include "clientgo/util/read_file.h"

namespace clientgo::clientcmd {
namespace {

// A cluster's extension of this name is the configuration of the plugin for that cluster.
constexpr char kExecExtension[] = "client.authentication.k8s.io/exec";

// Data beats the file of the same name. (client-go says so in an error that it then returns.)
void ReadPem(Fields& fields, const std::string& name, std::string& data, std::string& path) {
  data = fields.Data(name + "-data");
  if (data.empty()) path = fields.Path(name);
}

void CheckProxy(Fields& cluster, const std::string& url) {
  if (url.empty()) return;
  if (url.find("://") == std::string::npos) {
    cluster.Fail("proxy-url", "proxy-url must start with http://");
    return;
  }
  const auto proxy = transport::ParseProxyUrl(url);
  if (!proxy) cluster.Fail("proxy-url", "proxy-url: " + proxy.error().message);
}

std::string ReadExecExtension(Fields& cluster) {
  std::string json;
  for (Fields& extension : cluster.Maps("extensions")) {
    if (json.empty() && extension.String("name") == kExecExtension) {
      json = extension.Json("extension");
    }
    cluster.Adopt(extension);
  }
  return json;
}

auth::ExecCluster DescribeCluster(Fields& exec, Fields& cluster, const rest::Config& config) {
  auth::ExecCluster described{.server = config.host,
                              .tls_server_name = config.tls.server_name,
                              .insecure_skip_tls_verify = config.tls.insecure_skip_verify,
                              .ca_data = config.tls.ca_data,
                              .proxy_url = config.proxy_url,
                              .config = ReadExecExtension(cluster)};
  if (described.ca_data.empty() && !config.tls.ca_file.empty()) {
    auto text = util::ReadFile(config.tls.ca_file);
    if (text) {
      described.ca_data = std::move(*text);
    } else {
      exec.Fail("provideClusterInfo", "certificate-authority: " + text.error().message);
    }
  }
  return described;
}

void CheckExecMode(Fields& exec, const std::string& api_version) {
  const std::string mode = exec.String("interactiveMode");
  if (mode == "Always") {
    exec.Fail("interactiveMode",
              "interactiveMode Always needs somebody at a terminal, and there is none here; set "
              "IfAvailable or Never, if the command can do without");
  } else if (mode.empty()) {
    if (api_version == "client.authentication.k8s.io/v1") {
      exec.Fail("interactiveMode", "interactiveMode must be specified in v1: IfAvailable or Never");
    }
  } else if (mode != "Never" && mode != "IfAvailable") {
    exec.Fail("interactiveMode",
              "invalid interactiveMode \"" + mode + "\"; set IfAvailable or Never");
  }
}

auth::ExecConfig ReadExec(Fields& exec, Fields& cluster, const rest::Config& config) {
  exec.Require("command");
  exec.Require("apiVersion");
  auth::ExecConfig result{.api_version = exec.String("apiVersion"),
                          .command = exec.String("command"),
                          .args = exec.Strings("args"),
                          .install_hint = exec.String("installHint"),
                          .provide_cluster_info = exec.Bool("provideClusterInfo"),
                          .origin = config.user + " of " + config.source};
  if (!auth::IsExecApiVersion(result.api_version)) {
    exec.Fail("apiVersion", "invalid apiVersion \"" + result.api_version +
                                "\"; client.authentication.k8s.io/v1 and v1beta1 are supported");
  }
  CheckExecMode(exec, result.api_version);
  if (result.command.find('/') != std::string::npos) result.command = exec.Absolute(result.command);
  for (Fields& variable : exec.Maps("env")) {
    variable.Require("name");
    result.env.emplace_back(variable.String("name"), variable.String("value"));
    exec.Adopt(variable);
  }
  if (result.provide_cluster_info) result.cluster = DescribeCluster(exec, cluster, config);
  return result;
}

void ReadImpersonation(Fields& user, rest::ImpersonationConfig& impersonate) {
  impersonate = {.user_name = user.String("as"),
                 .uid = user.String("as-uid"),
                 .groups = user.Strings("as-groups"),
                 .extra = user.StringLists("as-user-extra")};
  const auto headers = rest::ImpersonationHeaders(impersonate);
  if (!headers) user.Fail("as", headers.error().message);
}

}  // namespace

void ReadCluster(Fields& cluster, rest::Config& config) {
  cluster.Require("server");
  config.host = cluster.String("server");
  config.proxy_url = cluster.String("proxy-url");
  config.tls.server_name = cluster.String("tls-server-name");
  config.tls.insecure_skip_verify = cluster.Bool("insecure-skip-tls-verify");
  cluster.Bool("disable-compression");  // only lists are ever compressed, and that pays
  ReadPem(cluster, "certificate-authority", config.tls.ca_data, config.tls.ca_file);
  const bool has_ca = !config.tls.ca_data.empty() || !config.tls.ca_file.empty();
  if (config.tls.insecure_skip_verify && has_ca) {
    cluster.Fail("insecure-skip-tls-verify",
                 "certificate-authority and insecure-skip-tls-verify exclude each other; remove "
                 "insecure-skip-tls-verify");
  }
  if (cluster.error()) return;
  CheckProxy(cluster, config.proxy_url);
  const auto address = transport::ParseServerAddress(config.host);
  if (!address) cluster.Fail("server", address.error().message);
}

void ReadUser(Fields& user, Fields& cluster, rest::Config& config) {
  if (user.Has("auth-provider")) {
    user.Fail("auth-provider",
              "auth-provider was removed from Kubernetes' clients in 1.26; use exec with the "
              "provider's credential plugin");
  }
  ReadPem(user, "client-certificate", config.tls.cert_data, config.tls.cert_file);
  ReadPem(user, "client-key", config.tls.key_data, config.tls.key_file);
  config.bearer_token = user.String("token");
  if (config.bearer_token.empty()) config.bearer_token_file = user.Path("tokenFile");
  config.username = user.String("username");
  config.password = user.String("password");
  const bool has_token = !config.bearer_token.empty() || !config.bearer_token_file.empty();
  if (has_token && !(config.username.empty() && config.password.empty())) {
    user.Fail("username", "a token and a username exclude each other; remove one of them");
  }
  ReadImpersonation(user, config.impersonate);
  if (!user.Has("exec")) return;
  Fields exec = user.Map("exec");
  config.exec = ReadExec(exec, cluster, config);
  user.Adopt(exec);
}

}  // namespace clientgo::clientcmd
