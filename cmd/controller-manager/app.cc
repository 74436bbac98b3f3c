// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/app.h"

#include <glog/logging.h>

#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clientgo/api/lease.h"
#include "capstan/clientgo/cache/informer_factory.h"
#include "capstan/clientgo/clientcmd/config.h"
#include "capstan/clientgo/leaderelection/leader_election.h"
#include "capstan/clientgo/record/event_recorder.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/clientgo/rest/config.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/controller_runtime/controller.h"
#include "capstan/controller_runtime/manager.h"
#include "capstan/flags/version.h"
#include "capstan/program/status_pages.h"
#include "cmd/controller-manager/status_tables.h"
#include "controllers/cainjector/ca_injector.h"

namespace capstan::cmd::controller_manager {
namespace {

using clientgo::rest::Client;
using clientgo::rest::Config;
using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::Expected;
using clientgo::util::Kv;
using controller_runtime::Manager;

// The longest delay of the start by the first request to the API server.
constexpr std::chrono::seconds kFirstLookTimeout{5};

std::string Joined(const std::vector<std::string>& names, std::string_view none) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out.empty() ? std::string(none) : out;
}

// Returns the host name for source.host of Events; empty when it is unknown.
std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

class ManagerApp final : public program::App {
 public:
  ManagerApp(Options options, Config config, const featuregate::FeatureGate& gates,
             std::vector<std::string> flags)
      : App(kProgramName, options, gates, std::move(flags)),
        options_(std::move(options)),
        config_(std::move(config)) {}

  Expected<void> Assemble();
  Expected<void> Run(std::stop_token stop) override;

 private:
  double QueueLength() const override;
  void FillPage(statusz::Page& page) const override;
  std::optional<clientgo::leaderelection::LeaderElectionConfig> Election();
  Expected<void> CheckServer(const std::stop_token& stop);

  const Options options_;
  const Config config_;
  std::unique_ptr<controller_runtime::ControllerMetrics> controller_metrics_ =
      controller_runtime::NewControllerMetrics(metrics_);
  std::unique_ptr<Client> client_;
  std::unique_ptr<Client> election_client_;
  std::optional<clientgo::cache::SharedInformerFactory> informers_;
  std::optional<clientgo::record::EventBroadcaster> events_;
  std::optional<controllers::cainjector::CaInjector> injector_;
  std::optional<Manager> manager_;  // last: it runs all of the above
};

Expected<void> ManagerApp::Assemble() {
  // Shared, so that an exec plugin runs once for both clients.
  const auto credentials = clientgo::rest::NewCredentials(config_, Clock::Real(), &metrics_.rest());
  auto made = Client::New(config_, {.metrics = &metrics_.rest(), .credentials = credentials});
  if (!made) return Err(std::move(made.error()));
  client_ = *std::move(made);
  Config election_config = config_;
  election_config.user_agent += "/leader-election";
  made = Client::New(std::move(election_config), {.metrics = &metrics_.rest(),
                                                  .credentials = credentials,
                                                  .availability = &client_->availability()});
  if (!made) return Err(std::move(made.error()));
  election_client_ = *std::move(made);
  informers_.emplace(
      *client_, clientgo::cache::FactoryOptions{.reflector = {.watch_list = options_.watch_list,
                                                              .metrics = &metrics_.cache()}});
  events_.emplace(*client_, clientgo::record::EventBroadcasterOptions{.component = kProgramName,
                                                                      .host = HostName()});
  manager_.emplace(*informers_, *election_client_,
                   controller_runtime::ManagerOptions{.leader_election = Election()});
  controllers::cainjector::CaInjectorOptions injector_options = options_.injector;
  injector_options.controller_metrics = controller_metrics_.get();
  injector_.emplace(
      controllers::cainjector::CaInjector::Collaborators{
          .client = *client_, .informers = *informers_, .events = *events_, .metrics = metrics_},
      injector_options);
  injector_->AddTo(*manager_);
  AddTo(*manager_, *events_);
  return {};
}

double ManagerApp::QueueLength() const {
  double length = 0;
  for (const auto& queue : injector_->Queues()) length += static_cast<double>(queue.length);
  return length;
}

void ManagerApp::FillPage(statusz::Page& page) const {
  const bool leads = manager_->IsLeader();
  const bool elects = options_.leader_election.enabled;
  page.facts.push_back({"API server", {config_.host}});
  page.facts.push_back({"Leader",
                        {!elects ? "no election"
                         : leads ? "yes"
                                 : "no: a standby, which injects nothing"}});
  page.tables = {TargetsTable(injector_->Targets(), page.time), RecentTable(injector_->Recent()),
                 program::CachesTable(informers_->Statuses()), QueuesTable(injector_->Queues())};
}

std::optional<clientgo::leaderelection::LeaderElectionConfig> ManagerApp::Election() {
  const LeaderElectionOptions& election = options_.leader_election;
  if (!election.enabled) return std::nullopt;
  return clientgo::leaderelection::LeaderElectionConfig{
      .lease_namespace = election.namespace_,
      .lease_name = kLeaseName,
      .identity = clientgo::leaderelection::DefaultIdentity(),
      .lease_duration = election.lease_duration,
      .renew_deadline = election.renew_deadline,
      .retry_period = election.retry_period,
      .managed_by = kLeaseManagedBy,
      .metrics = &metrics_.leader_election(),
      .on_event = [this](const std::string& message) {
        events_->Event({.api_version = clientgo::api::Lease::Type().gvr.ApiVersion(),
                        .kind = "Lease",
                        .namespace_ = options_.leader_election.namespace_,
                        .name = kLeaseName},
                       clientgo::record::kEventTypeNormal, "LeaderElection", message);
      }};
}

// Sends the first request to the API server. Only a certificate that is not trusted ends the start,
// because no retry can fix it. Any other error (no answer, no rights) is logged once, and the parts
// that need the server retry.
Expected<void> ManagerApp::CheckServer(const std::stop_token& stop) {
  const auto lease = election_client_->Get(
      {stop, Clock::Real().Now() + kFirstLookTimeout}, clientgo::api::Lease::Type(),
      {.namespace_ = options_.leader_election.namespace_, .name = kLeaseName});
  if (lease || clientgo::util::IsNotFound(lease.error()) || stop.stop_requested()) return {};
  const Error& error = lease.error();
  const std::string remedy = clientgo::rest::Remedy(error, config_);
  if (clientgo::util::IsCertificateRefused(error)) {
    return Err(Error{.reason = error.reason,
                     .message = "the API server " + config_.host +
                                " is not trusted: " + error.message + "; " + remedy});
  }
  LOG(WARNING) << Kv("The API server cannot be used yet, trying again", "server", config_.host,
                     "config", config_.source, "err", error, "fix", remedy);
  return {};
}

Expected<void> ManagerApp::Run(std::stop_token stop) {
  LOG(INFO) << Kv("Starting", "program", kProgramName, "version", flags::VersionText(), "server",
                  config_.host, "config", config_.source, "namespaces",
                  Joined(options_.injector.namespaces, "(all)"), "ignoredNamespaces",
                  Joined(options_.injector.ignore_namespaces, "(none)"));
  if (options_.both_secret_gates) {
    LOG(INFO) << Kv("Feature gate has no effect", "gate", "SecretsFilteredCaching", "reason",
                    "ReferencedSecretsOnly is on, and watches less");
  }
  if (auto usable = CheckServer(stop); !usable) return usable;
  return manager_->Start(std::move(stop));
}

}  // namespace

Expected<std::unique_ptr<program::App>> NewApp(Options options,
                                               const featuregate::FeatureGate& gates,
                                               std::vector<std::string> flags) {
  auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = options.kubeconfig});
  if (!config) return Err(std::move(config.error()));
  config->http2 = options.http2;
  config->list_compression = options.list_compression;
  config->user_agent = clientgo::rest::DefaultUserAgent(kProgramName, flags::BuildVersion());
  auto app =
      std::make_unique<ManagerApp>(std::move(options), *std::move(config), gates, std::move(flags));
  if (auto made = app->Assemble(); !made) return Err(std::move(made.error()));
  return app;
}

}  // namespace capstan::cmd::controller_manager
