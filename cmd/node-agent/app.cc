// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/app.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/cache_sync.h"
#include "capstan/flags/version.h"
#include "capstan/log.h"
#include "capstan/manager.h"
#include "capstan/rest/client.h"
#include "capstan/status_pages.h"
#include "capstan/statusz/page.h"
#include "capstan/text.h"
#include "controllers/readinessgate/agent.h"

namespace capstan::cmd::node_agent {
namespace {

// "pod-ip: NoAddress: the pod has no IP address yet since 2023-11-14T22:13:20Z"
std::string ClosedGates(const readinessgate::PodStatus& status) {
  std::string text;
  for (const readinessgate::PodStatus::Gate& gate : status.gates) {
    if (gate.ok) continue;
    text += (text.empty() ? "" : "; ") + gate.name + ": " + gate.reason;
    if (!gate.message.empty()) text += ": " + gate.message;
    text += ", since " + gate.since;
  }
  return text;
}

std::string Gates(const readinessgate::PodStatus& status) {
  return Join(status.gates, ", ", [](const readinessgate::PodStatus::Gate& gate) {
    return gate.name + (gate.ok ? " (open)" : " (closed)");
  });
}

// PodsTable is the table of pods on /statusz. Waiting pods are listed first.
statusz::Table PodsTable(const std::vector<readinessgate::PodReconciler::SeenPod>& pods) {
  statusz::Table table{
      .name = "pods",
      .title = "Pods",
      .columns = {"Pod", "State", "Gates", "Opened", "Waits for"},
      .when_empty = "no pod of this node has a volume of the CSI driver and gates"};
  for (const auto& [key, open, status] : pods) {
    const bool is_error = !open && status.state == readinessgate::GateState::kError;
    table.rows.push_back({{key},
                          {open       ? "open"
                           : is_error ? "error"
                                      : "pending",
                           open       ? statusz::Level::kGood
                           : is_error ? statusz::Level::kBad
                                      : statusz::Level::kWarning},
                          {Gates(status)},
                          {status.opened},
                          {open ? "" : ClosedGates(status)}});
  }
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const auto& row) { return row[1].level != statusz::Level::kGood; });
  return table;
}

class AgentApp final : public App {
 public:
  AgentApp(Options options, const featuregate::FeatureGate& gates, std::vector<std::string> flags)
      : App(kProgramName, options, gates, std::move(flags)), options_(std::move(options)) {}

  Expected<void> Assemble();
  Expected<void> Run(std::stop_token stop) override;

 private:
  double QueueLength() const override;
  void FillPage(statusz::Page& page) const override;

  const Options options_;
  std::optional<readinessgate::Agent> agent_;
};

Expected<void> AgentApp::Assemble() {
  // The agent creates its own caches.
  auto made = NewManager({.cluster = {.event_host = options_.agent.node_name,
                                      .recovery_spread = options_.recovery_spread}});
  if (!made) return made;
  agent_.emplace(
      readinessgate::Agent::Collaborators{
          .client = manager().client(), .events = manager().events(), .metrics = metrics_},
      options_.agent);
  manager().Add(*agent_);
  manager().readyz().Add("gates", [this] { return agent_->Ready(); });
  manager().readyz().AddNote("caches", [this] {
    std::string all;
    for (const auto& cache : agent_->CacheStatuses()) {
      const auto why = WhyOutdated(cache.name, cache.reflector.undecodable);
      if (!why.empty()) all += (all.empty() ? "" : "; ") + why;
    }
    return all;
  });
  return {};
}

void AgentApp::FillPage(statusz::Page& page) const {
  page.facts.push_back({"API server", {manager().client().config().host}});
  page.facts.push_back({"Node", {options_.agent.node_name}});
  page.tables = {PodsTable(agent_->Pods()), CachesTable(agent_->CacheStatuses())};
}

double AgentApp::QueueLength() const {
  const auto pods = agent_->Pods();
  return static_cast<double>(
      std::count_if(pods.begin(), pods.end(), [](const auto& pod) { return !pod.open; }));
}

Expected<void> AgentApp::Run(std::stop_token stop) {
  const auto& config = manager().client().config();
  InfoS("Starting", "program", kProgramName, "version", flags::VersionText(), "server", config.host,
        "config", config.source, "node", options_.agent.node_name);
  return manager().Start(std::move(stop));
}

}  // namespace

Expected<std::unique_ptr<App>> NewApp(Options options, const featuregate::FeatureGate& gates,
                                      std::vector<std::string> flags) {
  auto app = std::make_unique<AgentApp>(std::move(options), gates, std::move(flags));
  if (auto made = app->Assemble(); !made) return Err(std::move(made.error()));
  return app;
}

}  // namespace capstan::cmd::node_agent
