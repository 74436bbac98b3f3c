// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/app.h"

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/flags/version.h"
#include "capstan/log.h"
#include "capstan/manager.h"
#include "capstan/status_pages.h"
#include "capstan/text.h"
#include "cmd/controller-manager/status_tables.h"
#include "controllers/cainjector/ca_injector.h"
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"

namespace capstan::cmd::controller_manager {
namespace {

std::string Joined(const std::vector<std::string>& names, std::string_view none) {
  return names.empty() ? std::string(none) : Join(names, ",");
}

// The only request of NewApp. Without an answer, v1 is watched.
std::string TrustBundleVersion(rest::Client& client) {
  const auto deadline = Clock::Real().Now() + std::chrono::seconds(5);
  const auto found = cainjector::FindClusterTrustBundleVersion({{}, deadline}, client);
  if (found) return *found;
  WarningS("Version of ClusterTrustBundles is unknown, assuming v1", "error",
           found.error().message);
  return "v1";
}

class ManagerApp final : public App {
 public:
  ManagerApp(Options options, const featuregate::FeatureGate& gates, std::vector<std::string> flags)
      : App(kProgramName, options, gates, std::move(flags)), options_(std::move(options)) {}

  Expected<void> Assemble();
  Expected<void> Run(std::stop_token stop) override;

 private:
  double QueueLength() const override;
  void FillPage(statusz::Page& page) const override;

  const Options options_;
  std::optional<cainjector::CaInjector> injector_;
};

Expected<void> ManagerApp::Assemble() {
  ManagerOptions manager_options{
      .cluster = {.cache = {.reflector = {.watch_list = options_.watch_list}}}};
  if (options_.leader_elect) manager_options.leader_election.emplace(options_.leader_election);
  if (auto made = NewManager(std::move(manager_options)); !made) return made;
  cainjector::CaInjectorOptions injector_options = options_.injector;
  injector_options.controller_metrics = &metrics_.controllers();
  if (injector_options.kinds.cluster_trust_bundles) {
    injector_options.kinds.trust_bundle_version = TrustBundleVersion(manager().client());
  }
  injector_.emplace(cainjector::CaInjector::Collaborators{.client = manager().client(),
                                                          .informers = manager().informers(),
                                                          .events = manager().events(),
                                                          .metrics = metrics_},
                    injector_options);
  injector_->AddTo(manager());
  return {};
}

double ManagerApp::QueueLength() const {
  double length = 0;
  for (const auto& queue : injector_->Queues()) length += static_cast<double>(queue.length);
  return length;
}

void ManagerApp::FillPage(statusz::Page& page) const {
  const bool leads = manager().IsLeader();
  const bool elects = options_.leader_elect;
  page.facts.push_back({"API server", {manager().client().config().host}});
  page.facts.push_back({"Leader",
                        {!elects ? "no election"
                         : leads ? "yes"
                                 : "no: a standby, which injects nothing"}});
  page.facts.push_back({"System CAs", {SystemCasText(injector_->SystemCas())}});
  page.tables = {TargetsTable(injector_->Targets(), page.time), RecentTable(injector_->Recent()),
                 CachesTable(manager().informers().Statuses()), QueuesTable(injector_->Queues())};
  if (options_.injector.verify_endpoints) {
    page.tables.insert(page.tables.begin() + 1, EndpointsTable(injector_->Endpoints(), page.time));
  }
}

Expected<void> ManagerApp::Run(std::stop_token stop) {
  const auto& config = manager().client().config();
  InfoS("Starting", "program", kProgramName, "version", flags::VersionText(), "server", config.host,
        "config", config.source, "namespaces", Joined(options_.injector.namespaces, "(all)"),
        "ignoredNamespaces", Joined(options_.injector.ignore_namespaces, "(none)"));
  if (options_.both_secret_gates) {
    InfoS("Feature gate has no effect", "gate", "SecretsFilteredCaching", "reason",
          "ReferencedSecretsOnly is on, and watches less");
  }
  if (auto usable = manager().CheckServer(stop); !usable) return usable;
  if (auto checked = injector_->CheckTargets(stop); !checked) return checked;
  return manager().Start(std::move(stop));
}

}  // namespace

Expected<std::unique_ptr<App>> NewApp(Options options, const featuregate::FeatureGate& gates,
                                      std::vector<std::string> flags) {
  auto app = std::make_unique<ManagerApp>(std::move(options), gates, std::move(flags));
  if (auto made = app->Assemble(); !made) return Err(std::move(made.error()));
  return app;
}

}  // namespace capstan::cmd::controller_manager
