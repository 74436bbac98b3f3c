// SPDX-License-Identifier: Apache-2.0
// Story's report, and what is measured for it.
#include <sys/utsname.h>

#include <thread>
#include <utility>

#include "clientgo/clientcmd/config.h"
#include "cmd/capstan/demo/private_file.h"
#include "cmd/capstan/demo/story.h"
#include "cmd/flags/version.h"

namespace cmd::capstan::demo {

using clientgo::util::Clock;
using clientgo::util::Err;

Story::Step Story::Prepare() {
  if (!options_.kubeconfig.empty()) {
    auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = options_.kubeconfig});
    if (!config) return Err(std::move(config.error()));
  }
  Describe();
  // Now: who has waited for a demo wants its report. Should it be killed, the report says so.
  if (auto written = WriteReport(); !written) return written;
  if (!options_.serve) return {};
  page_ = std::make_unique<LivePage>(record_, options_.port);
  if (auto started = page_->Start(); !started) return started;
  console_.Line("live: " + page_->url());
  return {};
}

void Story::Describe() {
  utsname machine{};
  const bool known = uname(&machine) == 0;
  record_.Fact("Version", flags::VersionText());
  record_.Fact("Machine", std::to_string(std::thread::hardware_concurrency()) + " CPUs" +
                              (known ? std::string(", ") + machine.sysname + " " + machine.release +
                                           ", " + machine.machine
                                     : ""));
  record_.Fact("API server", options_.kubeconfig.empty() ? "embedded in the demo, over TLS"
                                                         : "that of the kubeconfig");
  record_.Fact("Filled with", std::to_string(options_.cluster.secrets) + " Secrets of 5 KiB, " +
                                  std::to_string(options_.cluster.configurations) +
                                  " webhook configurations, " + std::to_string(options_.pods) +
                                  " pods");
}

Story::Step Story::WriteReport() const {
  if (options_.report.empty()) return {};
  return WritePrivateFile(options_.report, Html(record_.ToPage(false)));
}

Story::Step Story::Measure(const std::stop_token& stop) {
  console_.Heading("Memory by the number of Secrets and of CRDs, on this machine");
  if (options_.report.empty() && !options_.serve) {
    console_.Skip("there is neither a report nor a page to draw it in");
    return {};
  }
  if (options_.peer && options_.peer_path.empty()) {
    console_.Skip(
        "the Go original is missing: CAINJECTOR_BIN names no program; hack/demo --peer builds it "
        "where Go is");
  }
  for (const FillWith kind : {FillWith::kSecrets, FillWith::kCustomResourceDefinitions}) {
    if (auto step = MeasureKind(stop, kind); !step) return step;
  }
  return {};
}

Story::Step Story::MeasureKind(const std::stop_token& stop, FillWith kind) {
  const bool secrets = kind == FillWith::kSecrets;
  CurveOptions curve{
      .kind = kind,
      .objects = secrets ? options_.cluster.secrets : options_.crds,
      .folder = folder_,
      .injectors = {{.name = "capstan-controller-manager", .path = options_.manager}}};
  if (options_.peer && !options_.peer_path.empty()) {
    curve.injectors.push_back(
        {.name = "cainjector", .path = options_.peer_path, .user_agent = "cainjector"});
  }
  auto lines = MeasureMemory(stop, curve, [&](const std::string& now) { console_.Progress(now); });
  if (!lines) return Err(lines.error().Wrap("measuring the memory"));
  const std::string what =
      secrets ? "Secrets of 5 KiB" : "CRDs of " + std::to_string(kCrdKib) + " KiB";
  for (const auto& line : *lines) {
    console_.Good(line.name + ": peak memory " + statusz::Bytes(line.points.front().y) + " with " +
                  "none, " + statusz::Bytes(line.points.back().y) + " with " +
                  std::to_string(curve.objects) + " " + what);
  }
  record_.AddChart({.name = secrets ? "memory_by_secrets" : "memory_by_crds",
                    .title = "Peak resident memory by the number of " + what,
                    .unit = statusz::Unit::kBytes,
                    .lines = *std::move(lines)});
  return {};
}

}  // namespace cmd::capstan::demo
