// SPDX-License-Identifier: Apache-2.0
// What every program of this repository does between main() and its own work: its process set up,
// its flags parsed, its errors told in one line. One thread, before others start.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/error.h"
#include "clientgo/util/logging.h"
#include "cmd/flags/flag_set.h"
#include "cmd/program/options.h"
#include "controllers/runtime/signals.h"
#include "featuregate/feature_gate.h"

namespace cmd::program {

// First thing in main: a small heap, no core dumps (they would hold tokens and keys), signals for
// SignalWaiter alone, klog's lines on stderr.
void SetUpProcess(const char* program);

// The last words of a start that failed: one line, whatever a server or a parser wrote into the
// message; JSON once logs are. Returns the exit code.
int Fail(const std::string& program, const clientgo::util::Error& error,
         LogFormat log_format = LogFormat::kText);

// Parses; prints --help or --version. `run` does the rest, when there is something to run. Returns
// the exit code.
int Main(const std::string& program, flags::FlagSet& flags,
         const std::vector<std::string>& arguments, const std::function<int()>& run);

// Flags without effect that were given, and which gates are on.
void LogFlags(const flags::FlagSet& flags, const featuregate::FeatureGate& gates);

// An App of `options`, which have a log_format: made, listening, run until a signal. Returns the
// exit code; when its Run fails, ends the process with exit_code(error) instead.
template <class App, class Options>
int RunApp(const std::string& program, clientgo::util::Expected<Options> options,
           const flags::FlagSet& flags, const featuregate::FeatureGate& gates,
           int (*exit_code)(const clientgo::util::Error&)) {
  if (!options) return Fail(program, options.error());
  const LogFormat format = options->log_format;
  if (format == LogFormat::kJson) clientgo::util::LogJson();

  const controllers::runtime::SignalWaiter signals;
  const auto app = App::New(*std::move(options), gates, flags.Values());
  if (!app) return Fail(program, app.error(), format);
  if (const auto listening = (*app)->Listen(); !listening) {
    return Fail(program, listening.error(), format);
  }
  LogFlags(flags, gates);
  if (const auto ended = (*app)->Run(signals.token()); !ended) {
    Fail(program, ended.error(), format);
    // Not a return: what could not be stopped in time would be waited for.
    std::quick_exit(exit_code(ended.error()));
  }
  LOG(INFO) << clientgo::util::Kv("Stopped");
  return EXIT_SUCCESS;
}

}  // namespace cmd::program
