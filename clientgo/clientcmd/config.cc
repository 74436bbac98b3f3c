// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientcmd/config.h"

#include <unistd.h>

#include <cstdlib>

#include "capstan/file.h"
#include "capstan/log.h"
#include "capstan/text.h"
#include "clientgo/transport/server_address.h"

namespace capstan::clientcmd {
namespace {

std::string GetEnv(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

Environment Environment::OfProcess() {
  return {.kubeconfig = GetEnv("KUBECONFIG"),
          .home = GetEnv("HOME"),
          .service_host = GetEnv("KUBERNETES_SERVICE_HOST"),
          .service_port = GetEnv("KUBERNETES_SERVICE_PORT")};
}

Expected<rest::Config> LoadConfig(const LoadOptions& options, const Environment& environment) {
  if (!options.kubeconfig.empty()) return LoadKubeconfig({options.kubeconfig}, options.context);
  const bool in_pod = !environment.service_host.empty() && options.context.empty();
  if (!environment.kubeconfig.empty()) {
    std::vector<std::string> existing;
    for (const std::string_view path : Split(environment.kubeconfig, ':')) {
      if (Exists(std::string(path))) existing.emplace_back(path);
    }
    if (!existing.empty()) return LoadKubeconfig(existing, options.context);
    if (in_pod) return InClusterConfig(environment);
    return Err(ErrorReason::kInvalidArgument,
               "invalid configuration: KUBECONFIG=" + environment.kubeconfig +
                   ": no such file; correct it, or set --kubeconfig");
  }
  const std::string default_path =
      environment.home.empty() ? "" : environment.home + "/.kube/config";
  const bool has_default = !default_path.empty() && Exists(default_path);
  if (in_pod) {
    auto in_cluster = InClusterConfig(environment);
    if (in_cluster || !has_default) return in_cluster;
  }
  if (has_default) return LoadKubeconfig({default_path}, options.context);
  return Err(ErrorReason::kInvalidArgument,
             "invalid configuration: no configuration has been provided: this is not a pod with a "
             "service account, and " +
                 (default_path.empty() ? "~/.kube/config" : default_path) +
                 " does not exist; set --kubeconfig or KUBECONFIG");
}

Expected<rest::Config> InClusterConfig(const Environment& environment) {
  if (environment.service_host.empty() || environment.service_port.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and "
               "KUBERNETES_SERVICE_PORT must be defined");
  }
  const transport::ServerAddress server{.tls = true,
                                        .host = environment.service_host,
                                        .port = environment.service_port,
                                        .path_prefix = ""};
  rest::Config config;
  config.host = "https://" + server.HostPort();  // with brackets for an IPv6 address
  config.bearer_token_file = environment.service_account_dir + "/token";
  config.source = "in-cluster";
  if (const auto token = ReadFile(config.bearer_token_file); !token) {
    return Err(token.error().Wrap("unable to load in-cluster configuration"));
  }
  const std::string ca_file = environment.service_account_dir + "/ca.crt";
  if (const auto ca = ReadFile(ca_file)) {
    config.tls.ca_file = ca_file;
  } else {
    ErrorS(ca.error(), "Expected to load the root CA, using the system's instead");
  }
  return config;
}

}  // namespace capstan::clientcmd
