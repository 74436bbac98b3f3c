// SPDX-License-Identifier: Apache-2.0
// capstan-node-agent: see options.h for what it is told, app.h for what it does.
// Exit codes: 0 stopped by SIGINT or SIGTERM, --help, --version; 1 an error, told in one line; 130
// a second signal.
#include <cstdlib>

#include "cmd/internal/program/program.h"
#include "cmd/node-agent/app.h"
#include "cmd/node-agent/options.h"
#include "cmd/node-agent/program_flags.h"

namespace {

using cmd::node_agent::kProgramName;

int ExitCode(const clientgo::util::Error& /*error*/) { return EXIT_FAILURE; }

}  // namespace

int main(int argc, char** argv) {
  cmd::program::SetUpProcess(argv[0]);
  featuregate::FeatureGate gates;
  cmd::node_agent::AddFeatures(gates);
  cmd::flags::FlagSet flags = cmd::node_agent::NewFlagSet(gates);
  return cmd::program::Main(kProgramName, flags, {argv + 1, argv + argc}, [&] {
    return cmd::program::RunApp<cmd::node_agent::App>(
        kProgramName, cmd::node_agent::ReadOptions(gates), flags, gates, &ExitCode);
  });
}
