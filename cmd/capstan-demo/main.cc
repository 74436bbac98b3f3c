// SPDX-License-Identifier: Apache-2.0
// capstan-demo shows the main jobs of capstan on one machine. `capstan-demo apiserver` serves the
// embedded API server alone.
#include <glog/logging.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "capstan/runnable.h"
#include "capstan/signals.h"
#include "capstan/testing/apiserver/server.h"
#include "cmd/capstan-demo/options.h"
#include "cmd/capstan-demo/report.h"
#include "cmd/capstan-demo/story.h"
#include "cmd/capstan/inspect/manifests.h"
#include "cmd/capstan/inspect/terminal.h"

namespace capstan::cmd::capstan_demo {
namespace {

namespace inspect = capstan::cmd::cli::inspect;

int Fail(const capstan::Error& error) {
  std::fputs(inspect::ErrorLine(error.message).c_str(), stderr);
  return 1;
}

int RunDemo() {
  auto options = ReadDemoOptions();
  if (!options) return Fail(options.error());
  FLAGS_minloglevel = google::GLOG_ERROR;  // the demo breaks its own watches
  const capstan::SignalWaiter signals;
  Story story(std::move(*options));
  if (auto ready = story.Prepare(); !ready) return Fail(ready.error());
  return story.Run(signals.token()) ? 0 : 1;
}

int RunApiServer() {
  auto options = ReadApiServerOptions();
  if (!options) return Fail(options.error());
  const capstan::SignalWaiter signals;
  testing::apiserver::Server server(
      {.port = options->port, .tokens = {{"capstan", "admin"}}, .watch_list = options->watch_list});
  if (auto started = server.Start(); !started) return Fail(started.error());
  for (const std::string& file : options->load) {
    auto manifests = inspect::ReadManifests(file);
    if (!manifests) return Fail(manifests.error());
    std::vector<std::string> objects;
    for (auto& manifest : *manifests) objects.push_back(std::move(manifest.json));
    auto created = server.CreateObjects(std::move(objects));
    if (!created) return Fail(created.error().Wrap("failed to load " + file));
  }
  if (!options->kubeconfig.empty()) {
    auto written = WritePrivateFile(options->kubeconfig, server.Kubeconfig("capstan"));
    if (!written) return Fail(written.error());
  }
  std::printf("serving on %s\n", server.url().c_str());
  std::fflush(stdout);
  capstan::WaitForStop(signals.token());
  return 0;
}

// `program` is the name that this program was run with. capstan runs it with its own.
int Main(const std::string& program, std::vector<std::string> arguments) {
  const bool apiserver = !arguments.empty() && arguments.front() == "apiserver";
  if (apiserver) arguments.erase(arguments.begin());
  flags::FlagSet set = apiserver ? NewApiServerFlagSet(program) : NewDemoFlagSet();
  const auto runs = set.ParseOrPrint(arguments);
  if (!runs) return Fail(runs.error());
  if (!*runs) return 0;
  return apiserver ? RunApiServer() : RunDemo();
}

}  // namespace
}  // namespace capstan::cmd::capstan_demo

int main(int argc, char** argv) {
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::WARNING;
  capstan::BlockSignals();  // before any thread
  google::InitGoogleLogging(argv[0]);
  return capstan::cmd::capstan_demo::Main(std::filesystem::path(argv[0]).filename().string(),
                                          {argv + 1, argv + argc});
}
