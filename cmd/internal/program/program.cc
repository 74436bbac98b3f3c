// SPDX-License-Identifier: Apache-2.0
#include "cmd/internal/program/program.h"

#include <gflags/gflags.h>
#include <glog/logging.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "clientgo/util/heap.h"
#include "clientgo/util/logging.h"
#include "controllers/runtime/signals.h"

namespace cmd::program {
namespace {

using clientgo::util::Kv;

// Core dumps would contain tokens and keys. The limit is 1 because a limit of 0 still dumps into a
// pipe (core(5)).
void ForbidCoreDumps() {
  const rlimit limit{1, 1};
  setrlimit(RLIMIT_CORE, &limit);
}

// Logs in klog's format to stderr, until the options select JSON.
void SetUpLogging(const char* program) {
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(program);
}

}  // namespace

void SetUpProcess(const char* program) {
  clientgo::util::KeepHeapSmall();
  ForbidCoreDumps();
  controllers::runtime::BlockSignals();
  SetUpLogging(program);
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

clientgo::util::Expected<void> EventSender::Start(std::stop_token stop) {
  events_.Run(std::move(stop));
  return {};
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace cmd::program
