// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/app.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/api/lease.h"
#include "clientgo/cache/informer_factory.h"
#include "clientgo/clientcmd/config.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "clientgo/rest/config.h"
#include "clientgo/util/logging.h"
#include "cmd/controller-manager/status_tables.h"
#include "cmd/internal/flags/version.h"
#include "cmd/internal/program/program.h"
#include "cmd/internal/program/status_pages.h"
#include "controllers/cainjector/ca_injector.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/manager.h"
#include "controllers/runtime/serving.h"
#include "metrics/metrics.h"

namespace cmd::controller_manager {
namespace {

using clientgo::rest::Client;
using clientgo::rest::Config;
using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::Expected;
using clientgo::util::Kv;
using controllers::runtime::Manager;

// The longest delay of the start by the first request to the API server.
constexpr std::chrono::seconds kFirstLookTimeout{5};

std::string Joined(const std::vector<std::string>& names, std::string_view none) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out.empty() ? std::string(none) : out;
}

Config ElectionConfig(Config config) {
  config.user_agent += "/leader-election";
  return config;
}

}  // namespace

struct App::Rep {
  Rep(Options the_options, Config the_config)
      : options(std::move(the_options)), config(std::move(the_config)) {}

  Expected<void> MakeClients();
  void Assemble();
  void MakeEndpoints(program::StatusPages::Program about);
  double QueueLength() const;
  void FillPage(statusz::Page& page) const;
  std::optional<clientgo::leaderelection::LeaderElectionConfig> Election();
  Expected<void> CheckServer(std::stop_token stop);

  const Options options;
  const Config config;
  metrics::Metrics metrics{
      {.version = std::string(flags::BuildVersion()), .commit = std::string(flags::BuildCommit())}};
  std::unique_ptr<controllers::runtime::ControllerMetrics> controller_metrics =
      controllers::runtime::NewControllerMetrics(metrics);
  std::unique_ptr<Client> client;
  std::unique_ptr<Client> election_client;
  std::optional<clientgo::cache::SharedInformerFactory> informers;
  std::optional<clientgo::record::EventBroadcaster> events;
  std::optional<program::EventSender> event_sender;
  std::optional<controllers::cainjector::CaInjector> injector;
  std::optional<program::StatusPages> pages;
  std::optional<controllers::runtime::EndpointServer> endpoints;
  std::optional<Manager> manager;  // last: it runs all of the above
};

Expected<void> App::Rep::MakeClients() {
  // Shared, so that an exec plugin runs once for both clients.
  const auto credentials = clientgo::rest::NewCredentials(config, Clock::Real(), &metrics.rest());
  auto made = Client::New(config, {.metrics = &metrics.rest(), .credentials = credentials});
  if (!made) return Err(std::move(made.error()));
  client = *std::move(made);
  made = Client::New(ElectionConfig(config), {.metrics = &metrics.rest(),
                                              .credentials = credentials,
                                              .availability = &client->availability()});
  if (!made) return Err(std::move(made.error()));
  election_client = *std::move(made);
  return {};
}

void App::Rep::Assemble() {
  informers.emplace(
      *client, clientgo::cache::FactoryOptions{
                   .reflector = {.watch_list = options.watch_list, .metrics = &metrics.cache()}});
  events.emplace(*client, clientgo::record::EventBroadcasterOptions{.component = kProgramName,
                                                                    .host = program::HostName()});
  event_sender.emplace(*events);
  manager.emplace(*informers, *election_client,
                  controllers::runtime::ManagerOptions{.leader_election = Election()});
  controllers::cainjector::CaInjectorOptions injector_options = options.injector;
  injector_options.controller_metrics = controller_metrics.get();
  injector.emplace(
      controllers::cainjector::CaInjector::Collaborators{
          .client = *client, .informers = *informers, .events = *events, .metrics = metrics},
      injector_options);
  injector->AddTo(*manager);
  manager->Add(*event_sender, Manager::Group::kWithoutElection);
}

void App::Rep::MakeEndpoints(program::StatusPages::Program about) {
  if (!options.metrics) return;
  auto serving =
      program::MetricsEndpoints(*options.metrics, options.metrics_tls, metrics, *manager);
  pages.emplace(std::move(about)).AddTo(serving, options.status_pages);
  endpoints.emplace(std::move(serving));
  manager->Add(*endpoints, Manager::Group::kServer);
}

double App::Rep::QueueLength() const {
  double length = 0;
  for (const auto& queue : injector->Queues()) length += static_cast<double>(queue.length);
  return length;
}

void App::Rep::FillPage(statusz::Page& page) const {
  const bool leads = manager->IsLeader();
  const bool elects = options.leader_election.enabled;
  page.facts.push_back({"API server", {config.host}});
  page.facts.push_back({"Leader",
                        {!elects ? "no election"
                         : leads ? "yes"
                                 : "no: a standby, which injects nothing"}});
  page.tables = {TargetsTable(injector->Targets(), page.time), RecentTable(injector->Recent()),
                 program::CachesTable(informers->Statuses()), QueuesTable(injector->Queues())};
}

std::optional<clientgo::leaderelection::LeaderElectionConfig> App::Rep::Election() {
  const LeaderElectionOptions& election = options.leader_election;
  if (!election.enabled) return std::nullopt;
  return clientgo::leaderelection::LeaderElectionConfig{
      .lease_namespace = election.namespace_,
      .lease_name = kLeaseName,
      .identity = clientgo::leaderelection::DefaultIdentity(),
      .lease_duration = election.lease_duration,
      .renew_deadline = election.renew_deadline,
      .retry_period = election.retry_period,
      .managed_by = kLeaseManagedBy,
      .metrics = &metrics.leader_election(),
      .on_event = [this](const std::string& message) {
        events->Event({.api_version = clientgo::api::Lease::Type().gvr.ApiVersion(),
                       .kind = "Lease",
                       .namespace_ = options.leader_election.namespace_,
                       .name = kLeaseName},
                      clientgo::record::kEventTypeNormal, "LeaderElection", message);
      }};
}

// Sends the first request to the API server. Only a certificate that is not trusted ends the start,
// because no retry can fix it. Any other error (no answer, no rights) is logged once, and the parts
// that need the server retry.
Expected<void> App::Rep::CheckServer(std::stop_token stop) {
  const auto lease = election_client->Get(
      {stop, Clock::Real().Now() + kFirstLookTimeout}, clientgo::api::Lease::Type(),
      {.namespace_ = options.leader_election.namespace_, .name = kLeaseName});
  if (lease || clientgo::util::IsNotFound(lease.error()) || stop.stop_requested()) return {};
  const Error& error = lease.error();
  const std::string remedy = clientgo::rest::Remedy(error, config);
  if (clientgo::util::IsCertificateRefused(error)) {
    return Err(Error{.reason = error.reason,
                     .message = "the API server " + config.host +
                                " is not trusted: " + error.message + "; " + remedy});
  }
  LOG(WARNING) << Kv("The API server cannot be used yet, trying again", "server", config.host,
                     "config", config.source, "err", error, "fix", remedy);
  return {};
}

App::App(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
App::~App() = default;

Expected<std::unique_ptr<App>> App::New(Options options, const featuregate::FeatureGate& gates,
                                        std::vector<std::string> flags) {
  auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = options.kubeconfig});
  if (!config) return Err(std::move(config.error()));
  config->http2 = options.http2;
  config->user_agent = clientgo::rest::DefaultUserAgent(kProgramName, flags::BuildVersion());
  auto rep = std::make_unique<Rep>(std::move(options), *std::move(config));
  for (const auto& gate : gates.States()) {
    rep->metrics.SetFeatureEnabled(gate.name, ToString(gate.stage), gate.enabled);
  }
  if (auto made = rep->MakeClients(); !made) return Err(std::move(made.error()));
  rep->Assemble();
  rep->MakeEndpoints({.name = kProgramName,
                      .flags = std::move(flags),
                      .gates = gates.States(),
                      .queue_length = [&app = *rep] { return app.QueueLength(); },
                      .fill = [&app = *rep](statusz::Page& page) { app.FillPage(page); }});
  return std::unique_ptr<App>(new App(std::move(rep)));
}

Expected<void> App::Listen() {
  if (!rep_->endpoints) return {};
  return rep_->endpoints->Listen();
}

Expected<void> App::Run(std::stop_token stop) {
  LOG(INFO) << Kv("Starting", "program", kProgramName, "version", flags::VersionText(), "server",
                  rep_->config.host, "config", rep_->config.source, "namespaces",
                  Joined(rep_->options.injector.namespaces, "(all)"), "ignoredNamespaces",
                  Joined(rep_->options.injector.ignore_namespaces, "(none)"));
  if (rep_->options.both_secret_gates) {
    LOG(INFO) << Kv("Feature gate has no effect", "gate", "SecretsFilteredCaching", "reason",
                    "ReferencedSecretsOnly is on, and watches less");
  }
  if (auto usable = rep_->CheckServer(stop); !usable) return usable;
  return rep_->manager->Start(std::move(stop));
}

}  // namespace cmd::controller_manager
