// SPDX-License-Identifier: Apache-2.0
// capstan-node-agent: see options.h for its flags and app.h for its parts.
// Exit codes: 0 after SIGINT or SIGTERM, --help and --version; 1 after an error, which is printed
// as one line; 130 after a second signal.
#include "capstan/program.h"
#include "cmd/node-agent/app.h"
#include "cmd/node-agent/options.h"

using capstan::cmd::node_agent::kProgramName;

int main(int argc, char** argv) {
  capstan::SetUpProcess(argv[0]);
  capstan::featuregate::FeatureGate gates;
  capstan::cmd::node_agent::AddFeatures(gates);
  capstan::cmd::node_agent::Options options;
  capstan::flags::FlagSet flags = capstan::cmd::node_agent::NewFlagSet(options, gates);
  return capstan::Main(kProgramName, flags, {argv + 1, argv + argc}, [&] {
    return capstan::RunApp(kProgramName,
                           capstan::cmd::node_agent::ReadOptions(flags, options, gates), flags,
                           gates, &capstan::cmd::node_agent::NewApp);
  });
}
