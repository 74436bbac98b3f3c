// SPDX-License-Identifier: Apache-2.0
// RunManager is the main function of a program that is a Manager with Controllers:
//
//   int main(int argc, char** argv) {
//     return capstan::program::RunManager(
//         argc, argv, {.name = "foo-controller", .set_up = [](Manager& manager) { ... }});
//   }
//
// The program has the flags, the feature gates, the log format, the metrics, the health endpoints
// and the status pages that capstan's own programs have. It ends with exit code 0 after SIGINT or
// SIGTERM, --help and --version, with 1 after an error, which is printed as one line, and with 130
// after a second signal. Mirrors what kubebuilder generates as cmd/main.go.
#pragma once

#include <functional>
#include <string>

#include "capstan/clientgo/util/error.h"
#include "capstan/controller_runtime/manager.h"
#include "capstan/export.h"
#include "capstan/featuregate/feature_gate.h"

namespace capstan::program {

struct CAPSTAN_EXPORT ManagerProgram {
  std::string name = {};         // of the program, of its Lease, and in its Events
  std::string description = {};  // the first paragraph of --help
  // Declares the Controllers, before anything starts. An error ends the program.
  std::function<clientgo::util::Expected<void>(controller_runtime::Manager& manager)> set_up = {};
  // Adds the feature gates of the program. Optional.
  std::function<void(featuregate::FeatureGate& gates)> add_features = {};
  // The defaults of the flags with these names.
  bool leader_elect = true;
  std::string metrics_listen_address = "0.0.0.0:8080";
  // What no flag sets: caches, timeouts. The flags replace leader_election and endpoints.
  controller_runtime::ManagerOptions manager = {};
};

// Runs the program until a signal. Returns the exit code. Call it first in main, once.
CAPSTAN_EXPORT int RunManager(int argc, char** argv, ManagerProgram program);

}  // namespace capstan::program
