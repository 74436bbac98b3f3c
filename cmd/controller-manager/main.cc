// SPDX-License-Identifier: Apache-2.0
// capstan-controller-manager. options.h has its configuration, app.h its parts.
//
// Exit codes: 0 after SIGINT, SIGTERM, --help or --version; 1 after an error, which is one line;
// 124 when a cache made no progress with --exit-on-cache-sync-timeout; 130 after a second signal.
#include <cstdlib>

#include "capstan/program.h"
#include "cmd/controller-manager/app.h"
#include "cmd/controller-manager/options.h"
#include "cmd/injector/options.h"

namespace {

using capstan::cmd::controller_manager::kProgramName;

constexpr int kTimedOut = 124;  // as timeout(1) and cert-manager's programs use

int ExitCode(const capstan::Error& error) {
  return error.reason == capstan::ErrorReason::kTimeout ? kTimedOut : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  capstan::SetUpProcess(argv[0]);
  capstan::featuregate::FeatureGate gates;
  capstan::cmd::injector::AddFeatures(gates);
  capstan::cmd::controller_manager::Options options;
  capstan::flags::FlagSet flags = capstan::cmd::controller_manager::NewFlagSet(options, gates);
  return capstan::Main(kProgramName, flags, {argv + 1, argv + argc}, [&] {
    return capstan::RunApp(kProgramName,
                           capstan::cmd::controller_manager::ReadOptions(flags, options, gates),
                           flags, gates, &capstan::cmd::controller_manager::NewApp, &ExitCode);
  });
}
