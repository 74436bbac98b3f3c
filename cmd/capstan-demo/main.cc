// SPDX-License-Identifier: Apache-2.0
// capstan-demo shows the main jobs of capstan on one machine. `capstan-demo apiserver` serves the
// embedded API server alone.
#include <glog/logging.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/flags/flag_set.h"
#include "capstan/runnable.h"
#include "capstan/signals.h"
#include "capstan/testing/apiserver/server.h"
#include "cmd/capstan-demo/demo.h"
#include "cmd/capstan-demo/report.h"
#include "cmd/capstan/inspect/manifests.h"
#include "cmd/capstan/inspect/terminal.h"

namespace capstan::cmd::capstan_demo {
namespace {

using flags::Bind;
using flags::Number;
using flags::Type;

namespace inspect = capstan::cmd::cli::inspect;

struct ApiServerOptions {
  std::uint16_t port = 0;
  std::string kubeconfig;         // the file to write; empty: none
  std::vector<std::string> load;  // files with objects; "-": stdin
  bool watch_list = true;
};

flags::FlagSet NewDemoFlagSet(DemoOptions& options) {
  flags::FlagSet set(
      {.name = "capstan-demo",
       .description =
           "capstan-demo shows the main jobs of capstan on one machine. It fills an API server,\n"
           "starts capstan-controller-manager, rotates a CA, breaks and fixes targets, lets\n"
           "capstan-node-agent open gates, cuts the watches, restarts the server, and reads every\n"
           "target back. capstan-demo apiserver serves the embedded API server alone.\n"
           "Exit code 0: all checks passed."});
  set.AddSection(
      "Demo",
      {Bind("kubeconfig", &options.kubeconfig,
            "Path to a kubeconfig. The demo runs on that cluster and cleans up afterwards. "
            "Default: an embedded API server."),
       Bind("manager", &options.manager,
            "Path of capstan-controller-manager. Default: the one beside this program."),
       Bind("node-agent", &options.node_agent,
            "Path of capstan-node-agent. Default: the one beside this program."),
       Bind("feature-gates", &options.feature_gates,
            "--feature-gates of the manager, for example WatchListClient=false.",
            Type::kMapStringBool),
       Bind("secrets", Number(&options.secrets, 0, 1'000'000),
            "Number of Secrets of 5 KiB in the API server."),
       Bind("configurations", Number(&options.configurations, 1, 10'000),
            "Number of annotated webhook configurations."),
       Bind("pods", Number(&options.pods, 1, 1'000),
            "Number of pods whose gates the node agent opens."),
       Bind("report", &options.report, "File for the report, one HTML page. Empty: no report."),
       Bind("serve", &options.serve, "Serve the report to browsers on this machine until Ctrl-C."),
       Bind("port", Number(&options.port, 0, 65'535), "Port to serve on. 0: any free port."),
       Bind("plain", &options.plain, "Print plain lines, also on a terminal.")});
  return set;
}

// `program` is how the user called it: "capstan" or "capstan-demo".
flags::FlagSet NewApiServerFlagSet(const std::string& program, ApiServerOptions& options) {
  const std::string name = program + " apiserver";
  flags::FlagSet set(
      {.name = name,
       .description =
           name + " serves a small Kubernetes API on loopback, over TLS, from\n"
                  "memory, until SIGINT or SIGTERM. Use it to try kubectl and controllers, not in\n"
                  "production. A CustomResourceDefinition adds its kind.\n\n"
                  "It has no RBAC, and each start makes a new CA, so write the\n"
                  "kubeconfig again (docs/library/testing.md)."});
  set.AddSection(
      "API server",
      {Bind("port", Number(&options.port, 0, 65'535), "Port to serve on. 0: any free port."),
       Bind("write-kubeconfig", &options.kubeconfig,
            "File for a kubeconfig for this server. Only its owner can read it."),
       Bind("load", &options.load,
            "YAML or JSON file with objects to create before the server serves, "
            "for example a CustomResourceDefinition. -: stdin. May be repeated.",
            Type::kStringArray),
       Bind("watch-list", &options.watch_list,
            "Feature gate WatchList of the server: serve streaming lists.")});
  return set;
}

// Demonstrate and ServeApi return the exit code, or an error before the start.

Expected<int> Demonstrate(const DemoOptions& options) {
  if (options.port != 0 && !options.serve) {
    return Err(ErrorReason::kInvalidArgument, "--port requires --serve");
  }
  FLAGS_minloglevel = google::GLOG_ERROR;  // the demo breaks its own watches
  const SignalWaiter signals;
  return RunDemo(options, signals.token()).map([](bool passed) { return passed ? 0 : 1; });
}

Expected<int> ServeApi(const ApiServerOptions& options) {
  const SignalWaiter signals;
  testing::apiserver::Server server(
      {.port = options.port, .tokens = {{"capstan", "admin"}}, .watch_list = options.watch_list});
  if (auto started = server.Start(); !started) return Err(std::move(started.error()));
  for (const std::string& file : options.load) {
    auto manifests = inspect::ReadManifests(file);
    if (!manifests) return Err(std::move(manifests.error()));
    std::vector<std::string> objects;
    for (auto& manifest : *manifests) objects.push_back(std::move(manifest.json));
    auto created = server.CreateObjects(std::move(objects));
    if (!created) return Err(created.error().Wrap("failed to load " + file));
  }
  if (!options.kubeconfig.empty()) {
    auto written = WritePrivateFile(options.kubeconfig, server.Kubeconfig("capstan"));
    if (!written) return Err(std::move(written.error()));
  }
  std::printf("serving on %s\n", server.url().c_str());
  std::fflush(stdout);
  WaitForStop(signals.token());
  return 0;
}

// `program` is the name that this program was run with. capstan runs it with its own.
Expected<int> Main(const std::string& program, std::vector<std::string> arguments) {
  const bool apiserver = !arguments.empty() && arguments.front() == "apiserver";
  if (apiserver) arguments.erase(arguments.begin());
  DemoOptions demo;
  ApiServerOptions server;
  flags::FlagSet set = apiserver ? NewApiServerFlagSet(program, server) : NewDemoFlagSet(demo);
  const auto runs = set.ParseOrPrint(arguments);
  if (!runs) return Err(runs.error());
  if (!*runs) return 0;
  if (auto valid = set.Check(); !valid) return Err(std::move(valid.error()));
  return apiserver ? ServeApi(server) : Demonstrate(demo);
}

}  // namespace
}  // namespace capstan::cmd::capstan_demo

int main(int argc, char** argv) {
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::WARNING;
  capstan::BlockSignals();  // before any thread
  google::InitGoogleLogging(argv[0]);
  const auto code = capstan::cmd::capstan_demo::Main(
      std::filesystem::path(argv[0]).filename().string(), {argv + 1, argv + argc});
  if (code) return *code;
  std::fputs(capstan::cmd::cli::inspect::ErrorLine(code.error().message).c_str(), stderr);
  return 1;
}
