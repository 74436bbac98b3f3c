// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/options.h"

#include <gflags/gflags.h>

#include "capstan/flags/value.h"

DEFINE_string(kubeconfig, "",
              "Path to a kubeconfig. The demo runs on that cluster and cleans up afterwards. "
              "Default: an embedded API server.");
DEFINE_string(manager, "",
              "Path of capstan-controller-manager. Default: the one beside this program.");
DEFINE_string(node_agent, "", "Path of capstan-node-agent. Default: the one beside this program.");
DEFINE_int32(pods, 100, "Number of pods whose gates the node agent opens.");
DEFINE_string(feature_gates, "",
              "--feature-gates of the manager, for example WatchListClient=false.");
DEFINE_int32(secrets, 20'000, "Number of Secrets of 5 KiB in the API server.");
DEFINE_int32(configurations, 50, "Number of annotated webhook configurations.");
DEFINE_string(report, "report.html", "File for the report, one HTML page. Empty: no report.");
DEFINE_bool(serve, false, "Serve the report to browsers on this machine until Ctrl-C.");
DEFINE_bool(plain, false, "Print plain lines, also on a terminal.");

DEFINE_int32(port, 0, "Port to serve on. 0: any free port.");
DEFINE_string(write_kubeconfig, "",
              "File for a kubeconfig for this server. Only its owner can read it.");
DEFINE_string(load, "",
              "YAML or JSON file with objects to create before the server serves, for example a "
              "CustomResourceDefinition. -: stdin. May be repeated.");
DEFINE_bool(watch_list, true, "Feature gate WatchList of the server: serve streaming lists.");

namespace capstan::cmd::capstan_demo {
namespace {

Expected<void> CheckRange(std::string_view flag, int value, int low, int high) {
  if (value >= low && value <= high) return {};
  return flags::InvalidArgument(
      std::to_string(value), flag,
      "expected a number from " + std::to_string(low) + " to " + std::to_string(high));
}

}  // namespace

flags::FlagSet NewDemoFlagSet() {
  flags::FlagSet set(
      {.name = "capstan-demo",
       .description =
           "capstan-demo shows the main jobs of capstan on one machine. It fills an API server,\n"
           "starts capstan-controller-manager, rotates a CA, breaks and fixes targets, lets\n"
           "capstan-node-agent open gates, cuts the watches, restarts the server, and reads every\n"
           "target back. capstan-demo apiserver serves the embedded API server alone.\n"
           "Exit code 0: all checks passed."});
  set.AddSection("Demo", {{.name = "kubeconfig"},
                          {.name = "manager"},
                          {.name = "node-agent"},
                          {.name = "feature-gates", .type = flags::Type::kMapStringBool},
                          {.name = "secrets", .type = flags::Type::kInt},
                          {.name = "configurations", .type = flags::Type::kInt},
                          {.name = "pods", .type = flags::Type::kInt},
                          {.name = "report"},
                          {.name = "serve", .type = flags::Type::kBool},
                          {.name = "port", .type = flags::Type::kInt},
                          {.name = "plain", .type = flags::Type::kBool}});
  return set;
}

flags::FlagSet NewApiServerFlagSet(const std::string& program) {
  const std::string name = program + " apiserver";
  flags::FlagSet set(
      {.name = name,
       .description =
           name + " serves a small Kubernetes API on loopback, over TLS, from\n"
                  "memory, until SIGINT or SIGTERM. Use it to try kubectl and controllers, not in\n"
                  "production. A CustomResourceDefinition adds its kind.\n\n"
                  "It has no RBAC and no CEL rules, and each start makes a new CA, so write the\n"
                  "kubeconfig again (docs/library/testing.md)."});
  set.AddSection("API server", {{.name = "port", .type = flags::Type::kInt},
                                {.name = "write-kubeconfig"},
                                {.name = "load", .type = flags::Type::kStringArray},
                                {.name = "watch-list", .type = flags::Type::kBool}});
  return set;
}

Expected<DemoOptions> ReadDemoOptions() {
  struct Range {
    const char* flag;
    int value, low, high;
  };
  for (const Range& range :
       {Range{"secrets", FLAGS_secrets, 0, 1'000'000},
        Range{"configurations", FLAGS_configurations, 1, 10'000},
        Range{"pods", FLAGS_pods, 1, 1'000}, Range{"port", FLAGS_port, 0, 65'535}}) {
    auto checked = CheckRange(range.flag, range.value, range.low, range.high);
    if (!checked) return Err(std::move(checked.error()));
  }
  if (FLAGS_port != 0 && !FLAGS_serve) {
    return Err(ErrorReason::kInvalidArgument, "--port requires --serve");
  }
  DemoOptions options;
  options.kubeconfig = FLAGS_kubeconfig;
  options.manager = FLAGS_manager;
  options.node_agent = FLAGS_node_agent;
  options.pods = FLAGS_pods;
  options.feature_gates = FLAGS_feature_gates;
  options.cluster.secrets = FLAGS_secrets;
  options.cluster.configurations = FLAGS_configurations;
  options.plain = FLAGS_plain;
  options.report = FLAGS_report;
  options.serve = FLAGS_serve;
  options.port = static_cast<std::uint16_t>(FLAGS_port);
  return options;
}

Expected<ApiServerOptions> ReadApiServerOptions() {
  if (auto ok = CheckRange("port", FLAGS_port, 0, 65'535); !ok) return Err(std::move(ok.error()));
  return ApiServerOptions{.port = static_cast<std::uint16_t>(FLAGS_port),
                          .kubeconfig = FLAGS_write_kubeconfig,
                          .load = flags::SplitArray(FLAGS_load),
                          .watch_list = FLAGS_watch_list};
}

}  // namespace capstan::cmd::capstan_demo
