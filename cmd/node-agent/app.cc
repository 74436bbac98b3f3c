// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/app.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/clientcmd/config.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/logging.h"
#include "cmd/internal/flags/version.h"
#include "cmd/internal/program/program.h"
#include "cmd/internal/program/status_pages.h"
#include "controllers/readinessgate/agent.h"
#include "controllers/runtime/cache_sync.h"
#include "controllers/runtime/manager.h"
#include "controllers/runtime/serving.h"
#include "metrics/metrics.h"
#include "statusz/page.h"

namespace cmd::node_agent {

using clientgo::rest::Client;
using clientgo::util::Err;
using clientgo::util::Expected;
using clientgo::util::Kv;
using controllers::readinessgate::GateState;
using controllers::readinessgate::PodReconciler;
using controllers::readinessgate::PodStatus;
using controllers::runtime::Manager;
using statusz::Level;

namespace {

// "pod-ip: NoAddress: the pod has no IP address yet since 2023-11-14T22:13:20Z"
std::string ClosedGates(const PodStatus& status) {
  std::string text;
  for (const PodStatus::Gate& gate : status.gates) {
    if (gate.ok) continue;
    text += (text.empty() ? "" : "; ") + gate.name + ": " + gate.reason;
    if (!gate.message.empty()) text += ": " + gate.message;
    text += ", since " + gate.since;
  }
  return text;
}

std::string Gates(const PodStatus& status) {
  std::string text;
  for (const PodStatus::Gate& gate : status.gates) {
    text += (text.empty() ? "" : ", ") + gate.name + (gate.ok ? " (open)" : " (closed)");
  }
  return text;
}

// PodsTable is the table of pods on /statusz. Waiting pods are listed first.
statusz::Table PodsTable(const std::vector<PodReconciler::SeenPod>& pods) {
  statusz::Table table{
      .name = "pods",
      .title = "Pods",
      .columns = {"Pod", "State", "Gates", "Opened", "Waits for"},
      .rows = {},
      .when_empty = "no pod of this node has a volume of the CSI driver and gates"};
  for (const auto& [key, open, status] : pods) {
    const bool is_error = !open && status.state == GateState::kError;
    table.rows.push_back({{key},
                          {open       ? "open"
                           : is_error ? "error"
                                      : "pending",
                           open       ? Level::kGood
                           : is_error ? Level::kBad
                                      : Level::kWarning},
                          {Gates(status)},
                          {status.opened},
                          {open ? "" : ClosedGates(status)}});
  }
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const auto& row) { return row[1].level != Level::kGood; });
  return table;
}

}  // namespace

struct App::Rep {
  explicit Rep(Options the_options) : options(std::move(the_options)) {}
  void Assemble();
  void MakeEndpoints(program::StatusPages::Program about);
  double Waiting() const;
  void FillPage(statusz::Page& page) const;

  const Options options;
  metrics::Metrics metrics{
      {.version = std::string(flags::BuildVersion()), .commit = std::string(flags::BuildCommit())}};
  std::unique_ptr<Client> client;
  std::optional<clientgo::cache::SharedInformerFactory> no_informers;  // the agent has its own
  std::optional<clientgo::record::EventBroadcaster> events;
  std::optional<program::EventSender> event_sender;
  std::optional<controllers::readinessgate::Agent> agent;
  std::optional<program::StatusPages> pages;
  std::optional<controllers::runtime::EndpointServer> endpoints;
  std::optional<Manager> manager;  // last: it runs all of the above
};

void App::Rep::Assemble() {
  no_informers.emplace(*client, clientgo::cache::FactoryOptions{});
  events.emplace(*client, clientgo::record::EventBroadcasterOptions{
                              .component = kProgramName, .host = options.agent.node_name});
  event_sender.emplace(*events);
  manager.emplace(*no_informers, *client, controllers::runtime::ManagerOptions{});
  agent.emplace(
      controllers::readinessgate::Agent::Collaborators{
          .client = *client, .events = *events, .metrics = metrics},
      options.agent);
  manager->Add(*agent);
  manager->Add(*event_sender, Manager::Group::kWithoutElection);
  manager->readyz().Add("gates", [this] { return agent->Ready(); });
  manager->readyz().AddNote("caches", [this] {
    std::string all;
    for (const auto& cache : agent->CacheStatuses()) {
      const auto why = controllers::runtime::WhyOutdated(cache.name, cache.reflector.undecodable);
      if (!why.empty()) all += (all.empty() ? "" : "; ") + why;
    }
    return all;
  });
}

void App::Rep::MakeEndpoints(program::StatusPages::Program about) {
  if (!options.metrics) return;
  auto serving =
      program::MetricsEndpoints(*options.metrics, options.metrics_tls, metrics, *manager);
  pages.emplace(std::move(about)).AddTo(serving, options.status_pages);
  endpoints.emplace(std::move(serving));
  manager->Add(*endpoints, Manager::Group::kServer);
}

void App::Rep::FillPage(statusz::Page& page) const {
  page.facts.push_back({"API server", {client->config().host}});
  page.facts.push_back({"Node", {options.agent.node_name}});
  page.tables = {PodsTable(agent->Pods()), program::CachesTable(agent->CacheStatuses())};
}

// Returns the number of pods that wait for their gates.
double App::Rep::Waiting() const {
  const auto pods = agent->Pods();
  return static_cast<double>(
      std::count_if(pods.begin(), pods.end(), [](const auto& pod) { return !pod.open; }));
}

App::App(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
App::~App() = default;

Expected<std::unique_ptr<App>> App::New(Options options, const featuregate::FeatureGate& gates,
                                        std::vector<std::string> flags) {
  auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = options.kubeconfig});
  if (!config) return Err(std::move(config.error()));
  config->http2 = options.http2;
  config->user_agent = clientgo::rest::DefaultUserAgent(kProgramName, flags::BuildVersion());
  auto rep = std::make_unique<Rep>(std::move(options));
  for (const auto& gate : gates.States()) {
    rep->metrics.SetFeatureEnabled(gate.name, ToString(gate.stage), gate.enabled);
  }
  auto client = Client::New(*std::move(config), {.metrics = &rep->metrics.rest(),
                                                 .recovery_spread = rep->options.recovery_spread});
  if (!client) return Err(std::move(client.error()));
  rep->client = *std::move(client);
  rep->Assemble();
  rep->MakeEndpoints({.name = kProgramName,
                      .flags = std::move(flags),
                      .gates = gates.States(),
                      .queue_length = [&app = *rep] { return app.Waiting(); },
                      .fill = [&app = *rep](statusz::Page& page) { app.FillPage(page); }});
  return std::unique_ptr<App>(new App(std::move(rep)));
}

Expected<void> App::Listen() {
  if (!rep_->endpoints) return {};
  return rep_->endpoints->Listen();
}

Expected<void> App::Run(std::stop_token stop) {
  const auto& config = rep_->client->config();
  LOG(INFO) << Kv("Starting", "program", kProgramName, "version", flags::VersionText(), "server",
                  config.host, "config", config.source, "node", rep_->options.agent.node_name);
  return rep_->manager->Start(std::move(stop));
}

}  // namespace cmd::node_agent
