// SPDX-License-Identifier: Apache-2.0
// RunManager is the main function of a program that is a Manager with Controllers:
//
//   int main(int argc, char** argv) {
//     return capstan::RunManager(
//         argc, argv,
//         {.name = "foo-controller",
//          .set_up = [](Manager& manager) { return ControllerFor<Foo>(manager).Reconcile(...); },
//          .crds = {capstan::CustomResourceDefinition<Foo>()}});
//   }
//
// The program has the flags, the feature gates, the log format, the metrics, the health endpoints
// and the status pages that capstan's own programs have. It serves the webhooks that set_up
// declares (WebhookFor, ConversionFor) with the certificate in --webhook-cert-path. It ends with
// exit code 0 after SIGINT or SIGTERM, --help, --version and --print-crds, with 1 after an error,
// which is printed as one line, and with 130 after a second signal. Mirrors what kubebuilder
// generates as cmd/main.go.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/flag_set.h"
#include "capstan/manager.h"
#include "capstan/metrics/metrics.h"
#include "capstan/webhook/server.h"

namespace capstan {

// SetUp is a function that declares the Controllers of a program. It takes the Manager, or the
// Manager and the program's metrics, to which it may add its own. Both live until RunManager
// returns, and as long as the Controllers. It returns Expected<void>, or what
// ControllerBuilder::Reconcile returns.
class CAPSTAN_EXPORT SetUp {
 public:
  SetUp() = default;
  template <class F>
  requires(!std::same_as<F, SetUp>)
      SetUp(F function)  // NOLINT(google-explicit-constructor): a lambda is a SetUp
      : function_([function = std::move(function)](
                      Manager& manager, metrics::Metrics& metrics) mutable -> Expected<void> {
          constexpr bool kTakesBoth = std::is_invocable_v<F&, Manager&, metrics::Metrics&>;
          constexpr bool kTakesOne = std::is_invocable_v<F&, Manager&>;
          static_assert(kTakesBoth || kTakesOne,
                        "set_up is a function of (Manager&), or of (Manager&, metrics::Metrics&)");
          if constexpr (kTakesBoth) {
            return ToExpected(function(manager, metrics));
          } else if constexpr (kTakesOne) {
            return ToExpected(function(manager));
          }
        }) {}

  explicit operator bool() const { return function_ != nullptr; }
  Expected<void> operator()(Manager& manager, metrics::Metrics& metrics) const {
    return function_(manager, metrics);
  }

 private:
  template <class T>
  static Expected<void> ToExpected(Expected<T> result) {
    if (!result) return tl::unexpected(std::move(result.error()));
    return {};
  }
  static Expected<void> ToExpected(tl::unexpected<Error> error) { return error; }

  std::function<Expected<void>(Manager& manager, metrics::Metrics& metrics)> function_;
};

struct CAPSTAN_EXPORT ManagerProgram {
  std::string name = {};         // of the program, of its Lease, and in its Events
  std::string description = {};  // the first paragraph of --help
  // For --version, /statusz, the metric kubernetes_build_info and the User-Agent: "1.2.3". Empty:
  // that of this library.
  std::string version = {};
  // Declares the Controllers, after the flags are parsed and before anything starts. An error ends
  // the program.
  SetUp set_up = {};
  // Adds flags of the program, which set variables of it (flags/flag_set.h). They come first in
  // --help, and /flagz shows them. A name of RunManager's own flags is fatal. Optional.
  std::function<void(flags::FlagSet& flags)> add_flags = {};
  // Adds the feature gates of the program. Optional. Every program has WatchListClient: without it
  // the caches use LIST instead of WATCH-LIST.
  std::function<void(featuregate::FeatureGate& gates)> add_features = {};
  // What --print-crds prints for `kubectl apply -f -`, without a cluster: what
  // CustomResourceDefinition<T>() returns for each kind of the program. Empty: there is no such
  // flag.
  std::vector<std::string> crds = {};
  // The defaults of the flags with these names.
  bool leader_elect = true;
  std::string metrics_listen_address = "0.0.0.0:8080";
  // What no flag sets: caches, timeouts. The flags replace leader_election and endpoints.
  ManagerOptions manager = {};
  // Changes `manager` after the flags are parsed and before set_up, for what flags of the program
  // set, such as the namespaces of the caches. `options` has the leader_election of the flags. An
  // error ends the program. Optional.
  std::function<Expected<void>(ManagerOptions& options)> configure = {};
  // What no flag sets of the webhooks: workers, limits, the CA of the clients. The port, cert_dir,
  // cert_name and key_name are the defaults of the flags.
  webhook::ServerOptions webhook = {};
};

// Runs the program until a signal. Returns the exit code. Call it first in main, once.
CAPSTAN_EXPORT int RunManager(int argc, char** argv, ManagerProgram program);

}  // namespace capstan
