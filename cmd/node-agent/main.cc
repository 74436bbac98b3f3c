// SPDX-License-Identifier: Apache-2.0
// capstan-node-agent: see options.h for what it is told, app.h for what it does.
// Exit codes: 0 stopped by SIGINT or SIGTERM, --help, --version; 1 an error, told in one line; 130
// a second signal.
#include <cstdlib>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/logging_json.h"
#include "cmd/node-agent/app.h"
#include "cmd/node-agent/options.h"
#include "cmd/node-agent/program_flags.h"
#include "cmd/program/program.h"
#include "controllers/runtime/signals.h"

namespace {

using cmd::node_agent::kProgramName;
using cmd::program::Fail;
using cmd::program::LogFormat;

int Run(cmd::flags::FlagSet& flags, featuregate::FeatureGate& gates) {
  auto options = cmd::node_agent::ReadOptions(gates);
  if (!options) return Fail(kProgramName, options.error());
  const LogFormat format = options->log_format;
  if (format == LogFormat::kJson) clientgo::util::LogJson();

  const controllers::runtime::SignalWaiter signals;
  const auto app = cmd::node_agent::App::New(*std::move(options), gates);
  if (!app) return Fail(kProgramName, app.error(), format);
  if (const auto listening = (*app)->Listen(); !listening) {
    return Fail(kProgramName, listening.error(), format);
  }
  cmd::program::LogFlags(flags, gates);
  if (const auto ended = (*app)->Run(signals.token()); !ended) {
    Fail(kProgramName, ended.error(), format);
    // Not a return: what could not be stopped in time would be waited for.
    std::quick_exit(EXIT_FAILURE);
  }
  LOG(INFO) << clientgo::util::Kv("Stopped");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  cmd::program::SetUpProcess(argv[0]);
  featuregate::FeatureGate gates;
  cmd::node_agent::AddFeatures(gates);
  cmd::flags::FlagSet flags = cmd::node_agent::NewFlagSet(gates);
  return cmd::program::Main(kProgramName, flags, {argv + 1, argv + argc},
                            [&] { return Run(flags, gates); });
}
