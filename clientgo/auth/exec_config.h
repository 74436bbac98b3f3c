// SPDX-License-Identifier: Apache-2.0
// ExecConfig: the exec entry of a kubeconfig's user: which program knows the credentials. Plain
// data; copy freely. Mirrors client-go's api.ExecConfig and the Cluster of client.authentication.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace clientgo::auth {

// What a plugin is told about the cluster when it asks for it: provideClusterInfo.
struct ExecCluster {
  std::string server = {};
  std::string tls_server_name = {};
  bool insecure_skip_tls_verify = false;
  std::string ca_data = {};  // PEM
  std::string proxy_url = {};
  // JSON: the cluster's extension client.authentication.k8s.io/exec, as it stands; empty: none.
  std::string config = {};
};

struct ExecConfig {
  std::string api_version = {};  // client.authentication.k8s.io/v1 or v1beta1
  std::string command = {};      // a path, or a name that is looked up in PATH
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};  // besides this process's
  std::string install_hint = {};                              // for whoever misses the command
  bool provide_cluster_info = false;
  ExecCluster cluster = {};
  std::string origin = {};  // for messages: "user \"admin\" of /home/u/.kube/config"
};

}  // namespace clientgo::auth
