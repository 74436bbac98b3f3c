// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/config.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "clientgo/rest/read_file.h"
#include "clientgo/rest/server_address.h"

namespace clientgo::rest {
namespace {

using util::Err;
using util::ErrorReason;
using util::Expected;

#if defined(__x86_64__)
constexpr std::string_view kArch = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArch = "arm64";
#else
constexpr std::string_view kArch = "unknown";
#endif
constexpr std::size_t kCommitLength = 7;

std::string GetEnv(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::vector<std::string> SplitPaths(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const std::size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0) paths.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return paths;
}

Expected<Config> FromEnvironmentList(const Environment& environment, const std::string& context) {
  std::vector<std::string> existing;
  for (std::string& path : SplitPaths(environment.kubeconfig)) {
    if (Exists(path)) existing.push_back(std::move(path));
  }
  if (existing.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "invalid configuration: KUBECONFIG=" + environment.kubeconfig +
                   ": no such file; correct it, or set --kubeconfig");
  }
  return LoadKubeconfig(existing, context);
}

}  // namespace

Environment Environment::OfProcess() {
  return {.kubeconfig = GetEnv("KUBECONFIG"),
          .home = GetEnv("HOME"),
          .service_host = GetEnv("KUBERNETES_SERVICE_HOST"),
          .service_port = GetEnv("KUBERNETES_SERVICE_PORT")};
}

Expected<Config> LoadConfig(const LoadOptions& options, const Environment& environment) {
  if (!options.kubeconfig.empty()) return LoadKubeconfig({options.kubeconfig}, options.context);
  if (!environment.kubeconfig.empty()) return FromEnvironmentList(environment, options.context);
  const std::string default_path =
      environment.home.empty() ? "" : environment.home + "/.kube/config";
  const bool has_default = !default_path.empty() && Exists(default_path);
  if (!environment.service_host.empty() && options.context.empty()) {
    auto in_cluster = InClusterConfig(environment);
    if (in_cluster || !has_default) return in_cluster;
  }
  if (has_default) return LoadKubeconfig({default_path}, options.context);
  return Err(ErrorReason::kInvalidArgument,
             "invalid configuration: no configuration has been provided: this is not a pod with a "
             "service account, and there is no " +
                 (default_path.empty() ? "~/.kube/config" : default_path) +
                 "; set --kubeconfig or KUBECONFIG");
}

Expected<Config> InClusterConfig(const Environment& environment) {
  if (environment.service_host.empty() || environment.service_port.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and "
               "KUBERNETES_SERVICE_PORT must be defined");
  }
  ServerAddress server{.tls = true,
                       .host = environment.service_host,
                       .port = environment.service_port,
                       .path_prefix = ""};
  // The transport cannot do IPv6 literals; the Service's name is in the server's certificate.
  if (server.IsIpv6Literal()) server.host = "kubernetes.default.svc";
  Config config;
  config.host = "https://" + server.HostPort();
  config.bearer_token_file = environment.service_account_dir + "/token";
  config.tls.ca_file = environment.service_account_dir + "/ca.crt";
  config.source = "in-cluster";
  for (const std::string& path : {config.bearer_token_file, config.tls.ca_file}) {
    auto text = ReadFile(path);
    if (!text) return Err(text.error().Wrap("unable to load in-cluster configuration"));
  }
  return config;
}

std::string DefaultUserAgent(std::string_view program, std::string_view version) {
  const auto or_unknown = [](std::string_view text) {
    return std::string(text.empty() ? "unknown" : text);
  };
  program = program.substr(program.rfind('/') + 1);
  const std::size_t plus = version.find('+');
  const std::string_view commit =
      plus == std::string_view::npos ? "" : version.substr(plus + 1, kCommitLength);
  version = version.substr(0, version.find_first_of("-+"));
  return or_unknown(program) + "/" + or_unknown(version) + " (linux/" + std::string(kArch) +
         ") kubernetes/" + or_unknown(commit);
}

}  // namespace clientgo::rest
