// SPDX-License-Identifier: Apache-2.0
// Reads the file of kube-apiserver's --token-auth-file: CSV with the columns token, user name, UID,
// and optionally the groups in one quoted column. Mirrors
// k8s.io/apiserver/pkg/authentication/token/tokenfile. Differs: a user has the UID and the groups
// of its last line.
#pragma once

#include <string>

#include "capstan/error.h"
#include "capstan/testing/apiserver/server.h"

namespace capstan::cmd::test_server {

// Adds the tokens and their users to the options. No file: nothing. kInvalidArgument: the file
// cannot be read, or a line has less than three columns.
Expected<void> AddTokens(const std::string& file, testing::apiserver::Options& server);

}  // namespace capstan::cmd::test_server
