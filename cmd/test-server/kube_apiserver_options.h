// SPDX-License-Identifier: Apache-2.0
// KubeApiServerOptions is the flags of kube-apiserver that change what the embedded API server
// does. Mirrors cmd/kube-apiserver/app/options of k8s.io/kubernetes, with its defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/flags/flag_set.h"
#include "capstan/testing/apiserver/server.h"
#include "cmd/test-server/authorization_flags.h"
#include "cmd/test-server/serving_files.h"

namespace capstan::cmd::test_server {

struct KubeApiServerOptions {
  std::string bind_address = "0.0.0.0";
  std::uint16_t secure_port = 6443;
  ServingFiles serving = {.cert_dir = "/var/run/kubernetes"};
  std::string client_ca_file = {};
  std::vector<std::string> service_account_issuers = {};
  std::vector<std::string> service_account_key_files = {};
  std::string service_account_signing_key_file = {};
  std::vector<std::string> api_audiences = {};
  AuthorizationFlags authorization = {};
  bool anonymous_auth = true;
  std::string token_auth_file = {};
  bool run_controllers = false;
};

// The flags set `options`, which outlives the FlagSet. It also has the flags that are accepted
// without an effect.
flags::FlagSet NewKubeApiServerFlagSet(KubeApiServerOptions& options);

// Returns what the embedded API server needs, and reads or writes the files that the options name.
// kInvalidArgument: a value that is not supported, or a file that cannot be read.
Expected<testing::apiserver::Options> ToServerOptions(const KubeApiServerOptions& options);

}  // namespace capstan::cmd::test_server
