// SPDX-License-Identifier: Apache-2.0
// The protocol with a credential plugin: its entry in a kubeconfig, its input in
// KUBERNETES_EXEC_INFO, and its output. Errors are kInvalidArgument and quote only names and
// versions of the output, because the rest may be secret. Mirrors client-go's api.ExecConfig and
// k8s.io/client-go/pkg/apis/clientauthentication, v1 and v1beta1, whose JSON is the same.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::auth {

// ExecCluster describes the cluster to a plugin that requests it with provideClusterInfo.
struct CAPSTAN_EXPORT ExecCluster {
  std::string server = {};
  std::string tls_server_name = {};
  bool insecure_skip_tls_verify = false;
  std::string ca_data = {};  // PEM
  std::string proxy_url = {};
  bool disable_compression = false;
  // JSON: the cluster's extension client.authentication.k8s.io/exec, unchanged; empty: none.
  std::string config = {};
};

// ExecConfig is the exec entry of a kubeconfig's user. It is plain data; copy it freely.
struct CAPSTAN_EXPORT ExecConfig {
  std::string api_version = {};  // client.authentication.k8s.io/v1 or v1beta1
  std::string command = {};      // a path, or a name to find in PATH
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> env = {};  // added to this process's
  std::string install_hint = {};                              // for a missing command
  bool provide_cluster_info = false;
  ExecCluster cluster = {};
  std::string origin = {};  // for messages: "user \"admin\" of /home/u/.kube/config"
  // Converts the output of a plugin that prints YAML. Null: only JSON is read.
  Expected<std::string> (*yaml_to_json)(std::string_view text) = nullptr;
};

CAPSTAN_EXPORT bool IsExecApiVersion(std::string_view api_version);

// Returns the JSON for KUBERNETES_EXEC_INFO. spec.interactive is false, because nobody is at the
// keyboard.
CAPSTAN_EXPORT std::string ExecInfo(const ExecConfig& config);

// ExecStatus is the status in a plugin's output: a token, a certificate with its key, or both.
struct CAPSTAN_EXPORT ExecStatus {
  std::string token = {};
  std::string cert_pem = {};
  std::string key_pem = {};
  std::optional<std::chrono::system_clock::time_point> expiration = {};  // nullopt: until a 401
};

// Returns a plugin's output as JSON. Output that does not begin with '{' is YAML.
CAPSTAN_EXPORT std::string ExecOutputAsJson(const ExecConfig& config, std::string out);

// Parses what a plugin wrote to stdout, in JSON. `api_version` is the requested one.
CAPSTAN_EXPORT Expected<ExecStatus> ParseExecCredential(std::string out,
                                                        std::string_view api_version);

// Returns `text` as one line of at most 500 bytes. Each run of line breaks, control characters and
// spaces becomes one space; escape sequences of terminals are removed.
CAPSTAN_EXPORT std::string OneLine(std::string_view text);

// Returns a plugin's stderr as OneLine without secrets. It hides words as long as a token, and the
// token in stdout `out`: a program that fails half-way may print it in both. No upstream: client-go
// lets the plugin write to the terminal.
CAPSTAN_EXPORT std::string ReadableStderr(std::string_view text, std::string_view out);

}  // namespace capstan::auth
