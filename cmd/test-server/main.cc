// SPDX-License-Identifier: Apache-2.0
// capstan-test-server is the embedded API server as a program for the tests of other projects. Its
// name decides what it is: kube-apiserver and etcd take the flags that envtest and similar
// libraries pass to the real programs. Exit codes: 0 after SIGINT or SIGTERM, --help and --version;
// 1 after an error, which is printed as one line; 130 after a second signal.
#include <glog/logging.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "capstan/signals.h"
#include "cmd/own_lookups.h"
#include "cmd/test-server/etcd.h"
#include "cmd/test-server/kube_apiserver.h"
#include "cmd/test-server/standalone.h"

namespace {

// Each watch is a connection, and the usual limit of 1024 files is that of programs with select().
void RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  namespace test_server = capstan::cmd::test_server;
  capstan::cmd::UseOwnLookups();
  RaiseFileLimit();
  capstan::BlockSignals();  // before any thread
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(argv[0]);
  const std::string name = std::filesystem::path(argv[0]).filename();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto ran = name == "kube-apiserver" ? test_server::RunKubeApiServer(arguments)
                   : name == "etcd"         ? test_server::RunEtcd(arguments)
                                            : test_server::RunStandalone(arguments);
  if (ran) return 0;
  std::fprintf(stderr, "%s: %s\n", name.c_str(), ran.error().message.c_str());
  return 1;
}
