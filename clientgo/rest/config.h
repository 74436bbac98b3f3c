// SPDX-License-Identifier: Apache-2.0
// Config: which API server, trusted how, as whom. clientcmd::LoadConfig finds it the way kubectl
// and controller-runtime do. Mirrors k8s.io/client-go/rest.Config. Plain data; copy freely.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/auth/exec_credential.h"
#include "clientgo/transport/config.h"

namespace clientgo::rest {

// Who to act as, when the server allows it; an empty user_name: nobody else.
struct ImpersonationConfig {
  std::string user_name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
};

// At most one of token (file), username and exec is used, in this order.
struct Config {
  std::string host = {};  // "https://10.0.0.1:6443", with a path prefix when there is one
  // "http://[user:password@]proxy:3128"; empty: as the environment says. Never logged.
  std::string proxy_url = {};
  transport::TlsConfig tls = {};
  std::string bearer_token = {};       // never logged
  std::string bearer_token_file = {};  // re-read at most a minute after it changed, and after a 401
  std::string username = {};
  std::string password = {};                  // never logged
  std::optional<auth::ExecConfig> exec = {};  // not with a client certificate in `tls`
  ImpersonationConfig impersonate = {};
  std::string user_agent = {};
  double qps = -1;  // < 0: no client-side limit, as controller-runtime since 0.21
  int burst = 10;
  // The end of a whole call, with its retries and the body, counted from its start; of a watch, how
  // long its answer may take. 0: no limit but CallOptions'. client-go ends watches by it, too.
  std::chrono::milliseconds timeout{0};

  std::string source = {};  // where this came from, for messages: "in-cluster", a path
  std::string user = {};    // and which user entry of it: "user \"admin\""
};

// "capstan-controller-manager/0.1.0 (linux/amd64) kubernetes/<commit>", from version
// "0.1.0+<commit>". What is empty is "unknown".
std::string DefaultUserAgent(std::string_view program, std::string_view version);

}  // namespace clientgo::rest
