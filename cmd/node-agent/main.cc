// SPDX-License-Identifier: Apache-2.0
// capstan-node-agent: see options.h for its flags and app.h for its parts.
// Exit codes: 0 after SIGINT or SIGTERM, --help and --version; 1 after an error, which is printed
// as one line; 130 after a second signal.
#include "cmd/internal/program/program.h"
#include "cmd/node-agent/app.h"
#include "cmd/node-agent/options.h"

using cmd::node_agent::kProgramName;

int main(int argc, char** argv) {
  cmd::program::SetUpProcess(argv[0]);
  featuregate::FeatureGate gates;
  cmd::node_agent::AddFeatures(gates);
  cmd::flags::FlagSet flags = cmd::node_agent::NewFlagSet(gates);
  return cmd::program::Main(kProgramName, flags, {argv + 1, argv + argc}, [&] {
    return cmd::program::RunApp(kProgramName, cmd::node_agent::ReadOptions(gates), flags, gates,
                                &cmd::node_agent::NewApp);
  });
}
