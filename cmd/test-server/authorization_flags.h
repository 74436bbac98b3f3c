// SPDX-License-Identifier: Apache-2.0
// AuthorizationFlags are the flags of kube-apiserver that choose its authorizers. Mirrors
// pkg/kubeapiserver/options/authorization.go of k8s.io/kubernetes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/flags/flag_set.h"
#include "capstan/testing/apiserver/server.h"

namespace capstan::cmd::test_server {

struct AuthorizationFlags {
  std::vector<std::string> modes = {};  // empty: AlwaysAllow
  std::string config = {};              // a file
  std::string webhook_config_file = {};
  std::string webhook_version = "v1beta1";
  std::chrono::nanoseconds authorized_ttl = std::chrono::minutes(5);
  std::chrono::nanoseconds unauthorized_ttl = std::chrono::seconds(30);

  // The flags set this object, which outlives them.
  std::vector<flags::Flag> Flags();
  // Sets the authorization of the server. Reads the file of --authorization-config.
  // kInvalidArgument: the flags do not fit together, or the file cannot be read.
  Expected<void> Apply(testing::apiserver::Options& server) const;
};

}  // namespace capstan::cmd::test_server
