// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/kube_apiserver.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "capstan/log.h"
#include "capstan/runnable.h"
#include "capstan/signals.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/text.h"
#include "cmd/test-server/known_arguments.h"
#include "cmd/test-server/kube_apiserver_options.h"

namespace capstan::cmd::test_server {
namespace {

constexpr char kKubernetesVersion[] = "v1.34.4+capstan";  // what the server says at /version

// Names the flags that have no effect. Test harnesses pass some of them to every server, so only
// the unknown ones are worth a line by default.
void LogIgnored(const flags::FlagSet& set, const std::vector<std::string>& unknown) {
  if (!unknown.empty()) WarningS("Ignored unknown flags", "flags", Join(unknown, " "));
  for (const auto& [name, reason] : set.Ignored()) {
    V(1).InfoS("Ignored flag", "flag", "--" + name, "why", reason);
  }
}

}  // namespace

Expected<void> RunKubeApiServer(const std::vector<std::string>& arguments) {
  // The format of kube-apiserver, which programs read.
  if (std::find(arguments.begin(), arguments.end(), "--version") != arguments.end()) {
    std::printf("Kubernetes %s\n", kKubernetesVersion);
    return {};
  }
  KubeApiServerOptions options;
  flags::FlagSet set = NewKubeApiServerFlagSet(options);
  const KnownArguments split = SplitKnown(set, arguments);
  const auto runs = set.ParseOrPrint(split.known);
  if (!runs) return Err(runs.error());
  if (!*runs) return {};
  if (auto valid = set.Check(); !valid) return valid;
  const SignalWaiter signals;
  LogIgnored(set, split.unknown);
  auto server_options = ToServerOptions(options);
  if (!server_options) return Err(std::move(server_options.error()));
  testing::apiserver::Server server(*std::move(server_options));
  if (auto started = server.Start(); !started) return started;
  InfoS("Serving", "server", "kube-apiserver", "url", server.url());
  WaitForStop(signals.token());
  return {};
}

}  // namespace capstan::cmd::test_server
