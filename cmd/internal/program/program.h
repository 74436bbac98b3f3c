// SPDX-License-Identifier: Apache-2.0
// The start of every program: process setup, flags, one-line errors, and the App until a signal. It
// runs on one thread, before others start.
#pragma once

#include <cstdlib>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/record/event_recorder.h"
#include "clientgo/util/error.h"
#include "clientgo/util/logging.h"
#include "cmd/internal/flags/flag_set.h"
#include "cmd/internal/program/options.h"
#include "controllers/runtime/runnable.h"
#include "controllers/runtime/signals.h"
#include "featuregate/feature_gate.h"

namespace cmd::program {

// Sets up the process: a small heap, no core dumps (they would contain tokens and keys), signals
// only for SignalWaiter, and klog's format on stderr. Call it first in main.
void SetUpProcess(const char* program);

// Prints the error of a failed start as one line, or as a JSON log line. Returns the exit code.
int Fail(const std::string& program, const clientgo::util::Error& error,
         LogFormat log_format = LogFormat::kText);

// Parses the arguments, then prints --help or --version or calls `run`. Returns the exit code.
int Main(const std::string& program, flags::FlagSet& flags,
         const std::vector<std::string>& arguments, const std::function<int()>& run);

// Logs the flags without effect that were set, and the feature gates.
void LogFlags(const flags::FlagSet& flags, const featuregate::FeatureGate& gates);

// Runs an App with these options, which have a log_format, until a signal. Returns the exit code.
// When App::Run fails, it ends the process with exit_code(error).
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
    // A return would wait for threads that did not stop in time.
    std::quick_exit(exit_code(ended.error()));
  }
  LOG(INFO) << clientgo::util::Kv("Stopped");
  return EXIT_SUCCESS;
}

// EventSender runs the broadcaster of Events as a Runnable, so that it outlives the recorders.
class EventSender final : public controllers::runtime::Runnable {
 public:
  // `events` must outlive it.
  explicit EventSender(clientgo::record::EventBroadcaster& events) : events_(events) {}
  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "events"; }

 private:
  clientgo::record::EventBroadcaster& events_;
};

// Returns the host name for source.host of Events; empty when it is unknown.
std::string HostName();

}  // namespace cmd::program
