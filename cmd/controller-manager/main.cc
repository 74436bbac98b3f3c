// SPDX-License-Identifier: Apache-2.0
// capstan-controller-manager: see options.h for what it is told, app.h for what it does.
// Exit codes: 0 stopped by SIGINT or SIGTERM, --help, --version; 1 an error, told in one line; 130
// a second signal.
#include <gflags/gflags.h>
#include <glog/logging.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/logging.h"
#include "cmd/controller-manager/app.h"
#include "cmd/controller-manager/options.h"
#include "controllers/runtime/signals.h"

namespace {

using clientgo::util::Error;
using clientgo::util::Kv;

// One malloc arena: a few threads share it well, and each further one costs megabytes. Fixed
// thresholds: by default glibc raises them with the first large block that is freed, and keeps
// later ones (a list's temporary tables) in the heap for good.
void LimitMemory() {
  constexpr int kLargeBytes = 64 << 10;
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, kLargeBytes);
  mallopt(M_TOP_PAD, kLargeBytes / 4);
}

// A core dump would hold tokens and keys. 1 and not 0: a limit of 0 still dumps into a pipe
// (core(5)), and one byte is less than any dump.
void ForbidCoreDumps() {
  const rlimit limit{1, 1};
  setrlimit(RLIMIT_CORE, &limit);
}

// klog's line format, to stderr alone.
void SetUpLogging(const char* program) {
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(program);
}

// One line, whatever a server or a parser wrote into the message.
int Fail(const Error& error) {
  std::string message = error.message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fprintf(stderr, "%s: %s\n", cmd::controller_manager::kProgramName, message.c_str());
  return EXIT_FAILURE;
}

int Print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
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
  auto options = cmd::controller_manager::ReadOptions(gates);
  if (!options) return Fail(options.error());

  const controllers::runtime::SignalWaiter signals;
  const auto app = cmd::controller_manager::App::New(*std::move(options), gates);
  if (!app) return Fail(app.error());
  if (const auto listening = (*app)->Listen(); !listening) return Fail(listening.error());
  LogGates(gates);
  if (const auto ended = (*app)->Run(signals.token()); !ended) {
    // Not a return: what could not be stopped in time would be waited for.
    std::quick_exit(Fail(ended.error()));
  }
  LOG(INFO) << Kv("Stopped");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  LimitMemory();
  ForbidCoreDumps();
  controllers::runtime::BlockSignals();
  SetUpLogging(argv[0]);
  return Run({argv + 1, argv + argc});
}
