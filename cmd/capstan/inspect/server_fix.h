// SPDX-License-Identifier: Apache-2.0
// ServerFix is what makes the API server trust a server: the column "fix" of the outcomes in
// docs/trust.md.
#pragma once

#include <string>

#include "controllers/cainjector/endpoints/server_answers.h"

namespace capstan::cmd::cli::inspect {

struct ServerFix {
  std::string advice = {};   // "Start the pods, or correct the object."; empty: nothing is wrong
  std::string command = {};  // "kubectl describe service -n shop orders"; empty: there is none

  // Returns the command, with the advice as a comment of the shell.
  std::string Text() const;
};

// `target` is kubectl's name of the target that names the server: "apiservice v1.example.com".
ServerFix FixOfServer(const std::string& target, const cainjector::EndpointResult& result);

}  // namespace capstan::cmd::cli::inspect
