// SPDX-License-Identifier: Apache-2.0
// Config: which API server, trusted how, as whom. LoadConfig finds it the way kubectl and
// controller-runtime do. Bad input is one line that names the file, the field and the remedy.
// Mirrors k8s.io/client-go/rest.Config and tools/clientcmd. Plain data; copy freely.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace clientgo::rest {

struct TlsConfig {
  std::string ca_data = {};    // PEM; empty and no ca_file: the system's CAs
  std::string ca_file = {};    // re-read when it changes
  std::string cert_data = {};  // PEM client certificate
  std::string cert_file = {};
  std::string key_data = {};  // PEM; never logged
  std::string key_file = {};
  std::string server_name = {};  // overrides the name that the server's certificate is checked for
  bool insecure_skip_verify = false;
};

struct Config {
  std::string host = {};  // "https://10.0.0.1:6443", with a path prefix when there is one
  TlsConfig tls = {};
  std::string bearer_token = {};       // never logged
  std::string bearer_token_file = {};  // re-read at most a minute after it changed, and after a 401
  std::string username = {};
  std::string password = {};  // never logged
  std::string user_agent = {};
  double qps = -1;  // < 0: no client-side limit, as controller-runtime since 0.21
  int burst = 10;
  std::chrono::milliseconds timeout{0};  // longest silence in a unary request; 0: 30 s

  std::string source = {};  // where this came from, for messages: "in-cluster", a path
};

struct LoadOptions {
  std::string kubeconfig = {};  // --kubeconfig: must exist when given
  std::string context = {};     // empty: current-context
};

// What LoadConfig looks at besides its options; tests write their own.
struct Environment {
  std::string kubeconfig = {};    // $KUBECONFIG: paths with ':' between them
  std::string home = {};          // $HOME
  std::string service_host = {};  // $KUBERNETES_SERVICE_HOST
  std::string service_port = {};  // $KUBERNETES_SERVICE_PORT
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

  static Environment OfProcess();
};

// --kubeconfig, then $KUBECONFIG (a list, merged; what is missing is skipped), then in-cluster,
// then
// ~/.kube/config.
util::Expected<Config> LoadConfig(const LoadOptions& options,
                                  const Environment& environment = Environment::OfProcess());
util::Expected<Config> InClusterConfig(const Environment& environment = Environment::OfProcess());
// Only the given files, which must exist, merged: maps first-wins, scalars first file wins.
// What a kubeconfig may say and this library cannot do yet (exec plugins, auth providers, proxies,
// impersonation) is an error, never ignored.
util::Expected<Config> LoadKubeconfig(const std::vector<std::string>& paths,
                                      std::string_view context);
// "capstan-controller-manager/0.1.0 (linux/amd64) kubernetes/<commit>", from version
// "0.1.0+<commit>". What is empty is "unknown".
std::string DefaultUserAgent(std::string_view program, std::string_view version);

}  // namespace clientgo::rest
