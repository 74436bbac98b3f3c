// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/options.h"

#include <gflags/gflags.h>
#include <unistd.h>

#include <cstdlib>

#include "cmd/flags/version.h"

DEFINE_string(kubeconfig, "",
              "Path to a kubeconfig: run against that API server, and clean up afterwards. Without "
              "it the demo brings its own.");
DEFINE_string(manager, "",
              "Path of capstan-controller-manager. Default: the one beside this program.");
DEFINE_string(node_agent, "", "Path of capstan-node-agent. Default: the one beside this program.");
DEFINE_int32(pods, 100, "How many pods the node agent opens the gates of.");
DEFINE_string(feature_gates, "", "Passed on to the manager, e.g. WatchListClient=false.");
DEFINE_int32(secrets, 20'000, "How many Secrets of 5 KiB to fill the API server with.");
DEFINE_int32(configurations, 50, "How many annotated webhook configurations to create.");
DEFINE_int32(crds, 200, "Up to how many CRDs of 100 KiB the memory is measured with.");
DEFINE_string(report, "report.html",
              "The file that the report is written to: one page, with plots of the memory on this "
              "machine. Empty: none.");
DEFINE_bool(peer, false,
            "Measure cainjector, too: the program that CAINJECTOR_BIN names in the environment.");
DEFINE_bool(serve, false, "Show the same in a browser of this machine, until Ctrl-C.");
DEFINE_bool(plain, false, "Plain lines, also on a terminal.");

DEFINE_int32(port, 0, "The port to serve on; 0 takes any free one.");
DEFINE_string(write_kubeconfig, "",
              "Write a kubeconfig for this server to that file, readable by its owner alone.");
DEFINE_bool(watch_list, true,
            "Serve streaming lists. false: as a cluster with the feature gate WatchList off.");

DEFINE_string(context, "", "Context of the kubeconfig. Default: its current context.");
DEFINE_string(
    as, "",
    "User to act as, for example that of the manager. Its missing rights are then reported.");
DEFINE_string(output, "", "Output format: \"json\". Default: text.");
DEFINE_string(namespace, "", "--namespace of the manager. It hides no target.");
DEFINE_string(ignore_namespaces, "", "--ignore-namespaces of the manager.");
DEFINE_bool(enable_certificates_data_source, true, "The value that the manager has.");
DEFINE_bool(enable_validatingwebhookconfigurations_injectable, true,
            "The value that the manager has.");
DEFINE_bool(enable_mutatingwebhookconfigurations_injectable, true,
            "The value that the manager has.");
DEFINE_bool(enable_customresourcedefinitions_injectable, true, "The value that the manager has.");
DEFINE_bool(enable_apiservices_injectable, true, "The value that the manager has.");
DEFINE_string(wait, "0s", "How long to wait until all targets are fine. 0: check once.");
DEFINE_bool(dry_run, false, "Show what would be written, and write nothing. Required.");
DEFINE_string(file, "",
              "YAML or JSON file to read instead of a cluster, \"-\" for stdin. May be repeated.");

namespace cmd::capstan {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using flags::Type;

namespace {

Expected<void> CheckRange(std::string_view flag, int value, int low, int high) {
  if (value >= low && value <= high) return {};
  return Err(ErrorReason::kInvalidArgument,
             "invalid argument " + std::to_string(value) + " for --" + std::string(flag) +
                 ": expected a number from " + std::to_string(low) + " to " + std::to_string(high));
}

}  // namespace

flags::FlagSet NewDemoFlagSet() {
  flags::FlagSet set(
      {.name = "capstan demo",
       .description =
           "capstan demo shows the main jobs on one machine: it fills an API server,\n"
           "starts the real capstan-controller-manager against it, rotates a CA, breaks\n"
           "and mends targets, lets the real capstan-node-agent open gates, cuts the\n"
           "watches, restarts the server, and reads every target back.\n"
           "Exit code 0: all was right.",
       .version = flags::VersionText()});
  set.AddSection("Demo", {{.name = "kubeconfig"},
                          {.name = "manager"},
                          {.name = "node-agent"},
                          {.name = "feature-gates", .type = Type::kMapStringBool},
                          {.name = "secrets", .type = Type::kInt},
                          {.name = "configurations", .type = Type::kInt},
                          {.name = "pods", .type = Type::kInt},
                          {.name = "crds", .type = Type::kInt},
                          {.name = "report"},
                          {.name = "peer", .type = Type::kBool},
                          {.name = "serve", .type = Type::kBool},
                          {.name = "port", .type = Type::kInt},
                          {.name = "plain", .type = Type::kBool}});
  return set;
}

flags::FlagSet NewApiServerFlagSet() {
  flags::FlagSet set(
      {.name = "capstan apiserver",
       .description = "capstan apiserver serves a small Kubernetes API on loopback, over TLS, in\n"
                      "memory: enough to try kubectl and controllers against. Not for production.",
       .version = flags::VersionText()});
  set.AddSection("API server", {{.name = "port", .type = Type::kInt},
                                {.name = "write-kubeconfig"},
                                {.name = "watch-list", .type = Type::kBool}});
  return set;
}

Expected<demo::DemoOptions> ReadDemoOptions() {
  if (auto ok = CheckRange("secrets", FLAGS_secrets, 0, 1'000'000); !ok) return Err(ok.error());
  if (auto ok = CheckRange("configurations", FLAGS_configurations, 1, 10'000); !ok) {
    return Err(ok.error());
  }
  if (auto ok = CheckRange("pods", FLAGS_pods, 1, 1'000); !ok) return Err(ok.error());
  if (auto ok = CheckRange("crds", FLAGS_crds, 0, 2'000); !ok) return Err(ok.error());
  if (auto ok = CheckRange("port", FLAGS_port, 0, 65'535); !ok) return Err(ok.error());
  if (FLAGS_port != 0 && !FLAGS_serve) {
    return Err(ErrorReason::kInvalidArgument, "--port is the port of --serve: give that, too");
  }
  demo::DemoOptions options;
  options.kubeconfig = FLAGS_kubeconfig;
  options.manager = FLAGS_manager;
  options.node_agent = FLAGS_node_agent;
  options.pods = FLAGS_pods;
  options.feature_gates = FLAGS_feature_gates;
  options.cluster.secrets = FLAGS_secrets;
  options.cluster.configurations = FLAGS_configurations;
  options.plain = FLAGS_plain;
  options.report = FLAGS_report;
  options.crds = FLAGS_crds;
  options.serve = FLAGS_serve;
  options.port = static_cast<std::uint16_t>(FLAGS_port);
  options.peer = FLAGS_peer;
  const char* const peer = std::getenv("CAINJECTOR_BIN");
  if (FLAGS_peer && peer != nullptr) options.peer_path = peer;
  if (!options.peer_path.empty() && access(peer, X_OK) != 0) {
    return Err(ErrorReason::kInvalidArgument, "CAINJECTOR_BIN=" + options.peer_path +
                                                  " is not a program; hack/demo --peer builds one");
  }
  return options;
}

Expected<ApiServerOptions> ReadApiServerOptions() {
  if (auto ok = CheckRange("port", FLAGS_port, 0, 65'535); !ok) return Err(ok.error());
  return ApiServerOptions{.port = static_cast<std::uint16_t>(FLAGS_port),
                          .kubeconfig = FLAGS_write_kubeconfig,
                          .watch_list = FLAGS_watch_list};
}

}  // namespace cmd::capstan
