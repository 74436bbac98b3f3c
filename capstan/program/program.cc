// SPDX-License-Identifier: Apache-2.0
#include "capstan/program/program.h"

#include <gflags/gflags.h>
#include <glog/logging.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "capstan/clientgo/util/heap.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/thread.h"
#include "capstan/flags/version.h"

namespace capstan::program {
namespace {

using clientgo::util::Kv;
using controller_runtime::Manager;

class EventSender final : public controller_runtime::Runnable {
 public:
  explicit EventSender(clientgo::record::EventBroadcaster& events) : events_(events) {}
  clientgo::util::Expected<void> Start(std::stop_token stop) override {
    events_.Run(std::move(stop));
    return {};
  }
  std::string name() const override { return "events"; }

 private:
  clientgo::record::EventBroadcaster& events_;
};

}  // namespace

void SetUpProcess(const char* program) {
  clientgo::util::KeepHeapSmall();
  clientgo::util::KeepStacksSmall();
  const rlimit limit{1, 1};  // a limit of 0 still dumps into a pipe (core(5))
  setrlimit(RLIMIT_CORE, &limit);
  controller_runtime::BlockSignals();
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(program);
}

int Fail(const std::string& program, const clientgo::util::Error& error, LogFormat log_format) {
  if (log_format == LogFormat::kJson) {
    LOG(ERROR) << Kv("Exiting", "err", error);
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
    LOG(WARNING) << Kv("Flag has no effect", "flag", "--" + ignored.name, "reason", ignored.reason);
  }
  for (const std::string& warning : gates.Warnings()) LOG(WARNING) << Kv(warning);
  std::string values;
  for (const auto& gate : gates.States()) {
    values += (values.empty() ? "" : ",") + gate.name + (gate.enabled ? "=true" : "=false");
  }
  LOG(INFO) << Kv("Feature gates", "values", values);
}

void LogStopped() { LOG(INFO) << Kv("Stopped"); }

App::App(std::string name, const CommonOptions& options, const featuregate::FeatureGate& gates,
         std::vector<std::string> flags)
    : metrics_({.version = std::string(flags::BuildVersion()),
                .commit = std::string(flags::BuildCommit())}),
      common_(options),
      pages_({.name = std::move(name),
              .flags = std::move(flags),
              .gates = gates.States(),
              .queue_length = [this] { return QueueLength(); },
              .fill = [this](statusz::Page& page) { FillPage(page); }}) {
  for (const auto& gate : gates.States()) {
    metrics_.SetFeatureEnabled(gate.name, ToString(gate.stage), gate.enabled);
  }
}

void App::AddTo(Manager& manager, clientgo::record::EventBroadcaster& events) {
  event_sender_ = std::make_unique<EventSender>(events);
  manager.Add(*event_sender_, Manager::Group::kWithoutElection);
  if (!common_.metrics) return;
  controller_runtime::EndpointServerOptions serving{.name = "metrics",
                                                    .address = *common_.metrics,
                                                    .tls = common_.metrics_tls,
                                                    .metrics = &metrics_,
                                                    .healthz = &manager.healthz(),
                                                    .livez = &manager.healthz(),
                                                    .readyz = &manager.readyz()};
  pages_.AddTo(serving, common_.status_pages);
  endpoints_.emplace(std::move(serving));
  manager.Add(*endpoints_, Manager::Group::kServer);
}

clientgo::util::Expected<void> App::Listen() {
  if (!endpoints_) return {};
  return endpoints_->Listen();
}

}  // namespace capstan::program
