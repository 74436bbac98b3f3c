// SPDX-License-Identifier: Apache-2.0
// capstan-controller-manager. options.h has its configuration, app.h its parts.
//
// Exit codes: 0 after SIGINT, SIGTERM, --help or --version; 1 after an error, which is one line;
// 124 when a cache made no progress with --exit-on-cache-sync-timeout; 130 after a second signal.
#include <cstdlib>

#include "cmd/controller-manager/app.h"
#include "cmd/controller-manager/options.h"
#include "cmd/internal/injector/options.h"
#include "cmd/internal/program/program.h"

namespace {

using cmd::controller_manager::kProgramName;

constexpr int kTimedOut = 124;  // as timeout(1) and cert-manager's programs use

int ExitCode(const clientgo::util::Error& error) {
  return error.reason == clientgo::util::ErrorReason::kTimeout ? kTimedOut : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  cmd::program::SetUpProcess(argv[0]);
  featuregate::FeatureGate gates;
  cmd::injector::AddFeatures(gates);
  cmd::flags::FlagSet flags = cmd::controller_manager::NewFlagSet(gates);
  return cmd::program::Main(kProgramName, flags, {argv + 1, argv + argc}, [&] {
    return cmd::program::RunApp(kProgramName, cmd::controller_manager::ReadOptions(flags, gates),
                                flags, gates, &cmd::controller_manager::NewApp, &ExitCode);
  });
}
