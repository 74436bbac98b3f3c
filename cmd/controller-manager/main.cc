// SPDX-License-Identifier: Apache-2.0
// capstan-controller-manager: see options.h for what it is told, app.h for what it does.
// Exit codes: 0 stopped by SIGINT or SIGTERM, --help, --version; 1 an error, told in one line; 124
// --exit-on-cache-sync-timeout, and a cache made no progress; 130 a second signal.
#include <gflags/gflags.h>
#include <glog/logging.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/heap.h"
#include "clientgo/util/logging.h"
#include "clientgo/util/logging_json.h"
#include "cmd/controller-manager/app.h"
#include "cmd/controller-manager/options.h"
#include "cmd/controller-manager/program_flags.h"
#include "controllers/runtime/signals.h"

namespace {

using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Kv;
using cmd::controller_manager::LogFormat;

constexpr int kTimedOut = 124;  // as timeout(1) and cert-manager's programs

// A core dump would hold tokens and keys. 1 and not 0: a limit of 0 still dumps into a pipe
// (core(5)), and one byte is less than any dump.
void ForbidCoreDumps() {
  const rlimit limit{1, 1};
  setrlimit(RLIMIT_CORE, &limit);
}

// klog's line format, to stderr alone; until the options may ask for JSON.
void SetUpLogging(const char* program) {
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(program);
}

// One line, whatever a server or a parser wrote into the message: the last words of a start that
// failed. Once logs are JSON, so is this.
int Fail(const Error& error, LogFormat log_format = LogFormat::kText) {
  if (log_format == LogFormat::kJson) {
    LOG(ERROR) << Kv("Exiting", "err", error);
    return EXIT_FAILURE;
  }
  std::string message = error.message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fprintf(stderr, "%s: %s\n", cmd::controller_manager::kProgramName, message.c_str());
  return EXIT_FAILURE;
}

int Print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

void LogIgnored(const cmd::flags::FlagSet& flags) {
  for (const auto& ignored : flags.Ignored()) {
    LOG(WARNING) << Kv("Flag has no effect", "flag", "--" + ignored.name, "reason", ignored.reason);
  }
}

void LogGates(const featuregate::FeatureGate& gates) {
  for (const std::string& warning : gates.Warnings()) LOG(WARNING) << Kv(warning);
  std::string values;
  for (const auto& gate : gates.States()) {
    values += (values.empty() ? "" : ",") + gate.name + (gate.enabled ? "=true" : "=false");
  }
  LOG(INFO) << Kv("Feature gates", "values", values);
}

int Run(const std::vector<std::string>& arguments) {
  using cmd::flags::FlagSet;
  featuregate::FeatureGate gates;
  cmd::controller_manager::AddFeatures(gates);
  FlagSet flags = cmd::controller_manager::NewFlagSet(gates);
  const auto action = flags.Parse(arguments);
  if (!action) return Fail(action.error());
  if (*action == FlagSet::Action::kPrintHelp) return Print(flags.Help());
  if (*action == FlagSet::Action::kPrintVersion) return Print(flags.Version());
  auto options = cmd::controller_manager::ReadOptions(flags, gates);
  if (!options) return Fail(options.error());
  const LogFormat format = options->log_format;
  if (format == LogFormat::kJson) clientgo::util::LogJson();

  const controllers::runtime::SignalWaiter signals;
  const auto app = cmd::controller_manager::App::New(*std::move(options), gates);
  if (!app) return Fail(app.error(), format);
  if (const auto listening = (*app)->Listen(); !listening) return Fail(listening.error(), format);
  LogIgnored(flags);
  LogGates(gates);
  if (const auto ended = (*app)->Run(signals.token()); !ended) {
    Fail(ended.error(), format);
    // Not a return: what could not be stopped in time would be waited for.
    std::quick_exit(ended.error().reason == ErrorReason::kTimeout ? kTimedOut : EXIT_FAILURE);
  }
  LOG(INFO) << Kv("Stopped");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  clientgo::util::KeepHeapSmall();
  ForbidCoreDumps();
  controllers::runtime::BlockSignals();
  SetUpLogging(argv[0]);
  return Run({argv + 1, argv + argc});
}
