// SPDX-License-Identifier: Apache-2.0
// capstan: the command line companion. `capstan demo` shows the main job on one machine; `capstan
// apiserver` serves the embedded API server by itself.
#include <glog/logging.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/server.h"
#include "clientgo/util/mutex.h"
#include "cmd/capstan/demo/private_file.h"
#include "cmd/capstan/demo/story.h"
#include "cmd/capstan/options.h"
#include "cmd/flags/version.h"
#include "controllers/runtime/signals.h"

namespace cmd::capstan {
namespace {

using flags::FlagSet;

constexpr char kUsage[] =
    "capstan shows and tries what capstan-controller-manager does.\n"
    "\n"
    "Usage:\n"
    "  capstan COMMAND [flags]\n"
    "\n"
    "Commands:\n"
    "  demo        fill an API server, inject, rotate, cut the watches, verify\n"
    "  apiserver   serve the embedded API server\n"
    "  version     print the version\n"
    "\n"
    "capstan COMMAND --help tells a command's flags.\n";

int Fail(std::string_view message) {
  std::fprintf(stderr, "Error: %.*s\n", static_cast<int>(message.size()), message.data());
  return 1;
}

void Print(const std::string& text) { std::fputs(text.c_str(), stdout); }

int RunDemo() {
  auto options = ReadDemoOptions();
  if (!options) return Fail(options.error().message);
  const controllers::runtime::SignalWaiter signals;
  demo::Story story(std::move(*options));
  return story.Run(signals.token()) ? 0 : 1;
}

int RunApiServer() {
  auto options = ReadApiServerOptions();
  if (!options) return Fail(options.error().message);
  const controllers::runtime::SignalWaiter signals;
  apiserver::Server server(
      {.port = options->port, .tokens = {{"capstan", "admin"}}, .watch_list = options->watch_list});
  if (auto started = server.Start(); !started) return Fail(started.error().message);
  if (!options->kubeconfig.empty()) {
    auto written = demo::WritePrivateFile(options->kubeconfig, server.Kubeconfig("capstan"));
    if (!written) return Fail(written.error().message);
  }
  Print("serving on " + server.url() + "\n");
  std::fflush(stdout);
  clientgo::util::Mutex mu;
  clientgo::util::CondVar never;
  clientgo::util::MutexLock lock(mu);
  never.Wait(mu, signals.token(), [] { return false; });
  return 0;
}

// Parses a command's flags, then runs it.
int RunCommand(FlagSet set, const std::vector<std::string>& arguments, int (*run)()) {
  auto action = set.Parse(arguments);
  if (!action) return Fail(action.error().message);
  if (*action == FlagSet::Action::kPrintHelp) {
    Print(set.Help());
    return 0;
  }
  if (*action == FlagSet::Action::kPrintVersion) {
    Print(set.Version());
    return 0;
  }
  return run();
}

int Main(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    std::fputs(kUsage, stderr);
    return 1;
  }
  const std::string command = arguments.front();
  arguments.erase(arguments.begin());
  if (command == "demo") return RunCommand(NewDemoFlagSet(), arguments, RunDemo);
  if (command == "apiserver") return RunCommand(NewApiServerFlagSet(), arguments, RunApiServer);
  if (command == "version" || command == "--version") {
    Print("capstan " + flags::VersionText() + "\n");
    return 0;
  }
  if (command == "help" || command == "--help" || command == "-h") {
    Print(kUsage);
    return 0;
  }
  return Fail("unknown command \"" + command + "\"; capstan --help lists them");
}

}  // namespace
}  // namespace cmd::capstan

int main(int argc, char** argv) {
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::WARNING;   // the demo's own lines are the report
  controllers::runtime::BlockSignals();  // before any thread
  google::InitGoogleLogging(argv[0]);
  return cmd::capstan::Main({argv + 1, argv + argc});
}
