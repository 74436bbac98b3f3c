// SPDX-License-Identifier: Apache-2.0
// The start of every program: process setup, flags, one-line errors, and the App until a signal. It
// runs on one thread, before others start. App is what the programs with a Manager share.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/flag_set.h"
#include "capstan/logging.h"
#include "capstan/manager.h"
#include "capstan/metrics/metrics.h"
#include "capstan/program_options.h"
#include "capstan/signals.h"
#include "capstan/status_pages.h"

namespace capstan {

// Sets up the process: a small heap, small stacks, no core dumps (they would contain tokens and
// keys), signals only for SignalWaiter, and klog's format on stderr. Call it first in main.
CAPSTAN_EXPORT void SetUpProcess(const char* program);

// Prints the error of a failed start as one line, or as a JSON log line. Returns the exit code.
CAPSTAN_EXPORT int Fail(const std::string& program, const Error& error,
                        LogFormat log_format = LogFormat::kText);

// Parses the arguments, then prints --help or --version or calls `run`. Returns the exit code.
CAPSTAN_EXPORT int Main(const std::string& program, flags::FlagSet& flags,
                        const std::vector<std::string>& arguments, const std::function<int()>& run);

// Logs the flags without effect that were set, and the feature gates.
CAPSTAN_EXPORT void LogFlags(const flags::FlagSet& flags, const featuregate::FeatureGate& gates);

// Logs the end of a program that was stopped by a signal.
CAPSTAN_EXPORT void LogStopped();

// App is a program with flags, metrics and status pages, whose parts a Manager runs. A program
// derives from it. It makes the Manager, and then its own parts, which use those of the Manager.
//
// Run it once, from one thread. When Run returns an error, a thread may still be running: the
// program should then exit without destroying the App.
class CAPSTAN_EXPORT App {
 public:
  virtual ~App() = default;
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Serves the endpoints from now on. Returns an error when the port is in use.
  Expected<void> Listen();
  // Blocks until `stop`, then returns success.
  virtual Expected<void> Run(std::stop_token stop) = 0;

 protected:
  // `flags` is shown on /flagz. `version` is that of the program; empty: that of this library.
  App(std::string name, const CommonOptions& options, const featuregate::FeatureGate& gates,
      std::vector<std::string> flags, std::string version = {});

  // Makes the Manager, which has the API server, the endpoints and the metrics of the flags. Sends
  // no request. Of `options`, the name, the metrics and the endpoints are replaced.
  Expected<void> NewManager(ManagerOptions options);
  // REQUIRES: NewManager has succeeded.
  Manager& manager() { return *manager_; }
  const Manager& manager() const { return *manager_; }
  // Returns the number of keys or pods that wait, for a plot.
  virtual double QueueLength() const = 0;
  // Adds the facts and tables of this program to /statusz.
  virtual void FillPage(statusz::Page& page) const = 0;

  metrics::Metrics metrics_;

 private:
  const std::string name_;
  const std::string version_;
  const CommonOptions common_;
  StatusPages pages_;
  std::unique_ptr<Manager> manager_;
};

// Runs the App that `new_app` makes from these options, which have a log_format, until a signal.
// Returns the exit code. When App::Run fails, it ends the process with exit_code(error).
template <class Options>
int RunApp(
    const std::string& program, Expected<Options> options, const flags::FlagSet& flags,
    const featuregate::FeatureGate& gates,
    Expected<std::unique_ptr<App>> (*new_app)(Options, const featuregate::FeatureGate&,
                                              std::vector<std::string>),
    int (*exit_code)(const Error&) = [](const auto&) { return EXIT_FAILURE; }) {
  if (!options) return Fail(program, options.error());
  const LogFormat format = options->log_format;
  if (format == LogFormat::kJson) LogJson();

  const SignalWaiter signals;
  const auto app = new_app(*std::move(options), gates, flags.Values());
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
  LogStopped();
  return EXIT_SUCCESS;
}

}  // namespace capstan
