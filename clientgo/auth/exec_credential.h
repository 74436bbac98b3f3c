// SPDX-License-Identifier: Apache-2.0
// ExecCredential: what is said to a credential plugin, in KUBERNETES_EXEC_INFO, and what it answers
// on its stdout. Pure functions. Errors are kInvalidArgument and hold nothing of the answer but
// names and versions: the rest may be secret.
// Mirrors k8s.io/client-go/pkg/apis/clientauthentication, v1 and v1beta1, whose JSON is the same.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/auth/exec_config.h"
#include "clientgo/util/error.h"

namespace clientgo::auth {

bool IsExecApiVersion(std::string_view api_version);

// KUBERNETES_EXEC_INFO's value: JSON. Nobody is at the keyboard: spec.interactive is false.
std::string ExecInfo(const ExecConfig& config);

// The status of an answer. A token, a certificate with its key, or both.
struct ExecStatus {
  std::string token = {};
  std::string cert_pem = {};
  std::string key_pem = {};
  std::optional<std::chrono::system_clock::time_point> expiration = {};  // none: until a 401
};

// `api_version`: what the plugin was asked for.
util::Expected<ExecStatus> ParseExecCredential(std::string answer, std::string_view api_version);

}  // namespace clientgo::auth
