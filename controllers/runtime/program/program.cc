// SPDX-License-Identifier: Apache-2.0
#include "capstan/program.h"

#include <gflags/gflags.h>
#include <glog/logging.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "capstan/flags/version.h"
#include "capstan/heap.h"
#include "capstan/log.h"
#include "capstan/rest/config.h"
#include "capstan/text.h"
#include "capstan/thread.h"

namespace capstan {

void SetUpProcess(const char* program) {
  KeepHeapSmall();
  KeepStacksSmall();
  const rlimit limit{1, 1};  // a limit of 0 still dumps into a pipe (core(5))
  setrlimit(RLIMIT_CORE, &limit);
  BlockSignals();
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(program);
}

int Fail(const std::string& program, const Error& error, LogFormat log_format) {
  if (log_format == LogFormat::kJson) {
    ErrorS(error, "Exiting");
    return EXIT_FAILURE;
  }
  std::string message = error.message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fprintf(stderr, "%s: %s\n", program.c_str(), message.c_str());
  return EXIT_FAILURE;
}

int Main(const std::string& program, flags::FlagSet& flags,
         const std::vector<std::string>& arguments, const std::function<int()>& run) {
  const auto runs = flags.ParseOrPrint(arguments);
  if (!runs) return Fail(program, runs.error());
  return *runs ? run() : EXIT_SUCCESS;
}

void LogFlags(const flags::FlagSet& flags, const featuregate::FeatureGate& gates) {
  for (const auto& ignored : flags.Ignored()) {
    WarningS("Flag has no effect", "flag", "--" + ignored.name, "reason", ignored.reason);
  }
  for (const std::string& warning : gates.Warnings()) WarningS(warning.c_str());
  const auto value = [](const auto& gate) {
    return gate.name + (gate.enabled ? "=true" : "=false");
  };
  InfoS("Feature gates", "values", Join(gates.States(), ",", value));
}

void LogStopped() { InfoS("Stopped"); }

App::App(std::string name, const CommonOptions& options, const featuregate::FeatureGate& gates,
         std::vector<std::string> flags, std::string version)
    : metrics_({.version = version.empty() ? std::string(flags::BuildVersion()) : version,
                .commit = version.empty() ? std::string(flags::BuildCommit()) : std::string()}),
      name_(std::move(name)),
      version_(std::move(version)),
      common_(options),
      pages_({.name = name_,
              .flags = std::move(flags),
              .version = version_,
              .gates = gates.States(),
              .queue_length = [this] { return QueueLength(); },
              .fill = [this](statusz::Page& page) { FillPage(page); }}) {
  for (const auto& gate : gates.States()) {
    metrics_.SetFeatureEnabled(gate.name, ToString(gate.stage), gate.enabled);
  }
}

Expected<void> App::NewManager(ManagerOptions options) {
  auto config = LoadConfig(common_);
  if (!config) return Err(std::move(config.error()));
  config->user_agent =
      rest::DefaultUserAgent(name_, version_.empty() ? flags::BuildVersion() : version_);
  options.name = name_;
  options.cluster.metrics = &metrics_;
  options.endpoints.reset();
  if (common_.metrics) {
    pages_.AddTo(options.endpoints.emplace(EndpointServerOptions{
                     .name = "metrics", .address = *common_.metrics, .tls = common_.metrics_tls}),
                 common_.status_pages);
  }
  auto made = Manager::New(*std::move(config), std::move(options));
  if (!made) return Err(std::move(made.error()));
  manager_ = *std::move(made);
  return {};
}

Expected<void> App::Listen() { return manager_->Listen(); }

}  // namespace capstan
