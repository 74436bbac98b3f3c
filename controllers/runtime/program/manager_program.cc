// SPDX-License-Identifier: Apache-2.0
#include "capstan/manager_program.h"

#include <glog/logging.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "capstan/flags/flag_set.h"
#include "capstan/flags/version.h"
#include "capstan/log.h"
#include "capstan/program.h"
#include "capstan/program_options.h"

namespace capstan {
namespace {

constexpr char kWatchListClient[] = "WatchListClient";
constexpr char kNamespaceFile[] = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

// OwnFlags are the flags that not all programs of this library have.
struct OwnFlags {
  bool leader_elect = true;
  std::string leader_election_namespace = {};
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  std::string metrics_listen_address = {};
  webhook::ServerOptions webhook = {};
  std::int32_t webhook_port = webhook.port;
  bool print_crds = false;
};

std::vector<flags::Flag> LeaderElectionFlags(OwnFlags& own) {
  return {
      {.name = "leader-elect",
       .usage = "Use leader election, so that at most one instance acts at a time.",
       .variable = &own.leader_elect},
      {.name = "leader-election-namespace",
       .usage = "Namespace of the Lease. Default: that of the pod's service account.",
       .variable = &own.leader_election_namespace},
      {.name = "leader-election-lease-duration",
       .usage = "How long standbys wait after the last observed renewal before they take over.",
       .variable = &own.lease_duration},
      {.name = "leader-election-renew-deadline",
       .usage = "How long the leader retries a renewal before it exits with code 1. Must be less "
                "than the lease duration.",
       .variable = &own.renew_deadline},
      {.name = "leader-election-retry-period",
       .usage = "Time between two attempts to acquire or renew the Lease.",
       .variable = &own.retry_period}};
}

// The names are those that kubebuilder gives its flags.
std::vector<flags::Flag> WebhookFlags(OwnFlags& own) {
  return {{.name = "webhook-port",
           .usage = "Port that serves the webhooks of this program, if it has any.",
           .variable = &own.webhook_port},
          {.name = "webhook-cert-path",
           .type = flags::Type::kPath,
           .usage = "Folder of the serving certificate of the webhooks. A certificate that changes "
                    "is used for the next connection.",
           .variable = &own.webhook.cert_dir},
          {.name = "webhook-cert-name",
           .usage = "File with the PEM certificate in --webhook-cert-path.",
           .variable = &own.webhook.cert_name},
          {.name = "webhook-cert-key",
           .usage = "File with the PEM key in --webhook-cert-path.",
           .variable = &own.webhook.key_name}};
}

// The result keeps pointers into `own`.
flags::FlagSet NewFlagSet(const ManagerProgram& program, const featuregate::FeatureGate& gates,
                          OwnFlags& own) {
  flags::FlagSet set(
      {.name = program.name, .description = program.description, .version = program.version});
  if (program.add_flags) program.add_flags(set);
  set.AddSection("Generic", {{.name = "kubeconfig", .type = flags::Type::kPath},
                             {.name = "http-transport"},
                             {.name = "http2"},
                             {.name = "list-compression"}});
  if (!program.crds.empty()) {
    set.AddSection("Generic", {{.name = "print-crds",
                                .usage = "Print the CustomResourceDefinitions of this program as "
                                         "JSON, for kubectl apply -f -, and exit.",
                                .variable = &own.print_crds}});
  }
  set.AddSection("Leader election", LeaderElectionFlags(own));
  set.AddSection("Metrics", {{.name = "metrics-listen-address",
                              .usage = "Host and port that serve /metrics, /healthz, /livez and "
                                       "/readyz. '0' disables them.",
                              .variable = &own.metrics_listen_address},
                             {.name = "status-pages"},
                             {.name = "metrics-tls-cert-file", .type = flags::Type::kPath},
                             {.name = "metrics-tls-private-key-file", .type = flags::Type::kPath},
                             {.name = "metrics-tls-cipher-suites", .type = flags::Type::kStrings},
                             {.name = "metrics-tls-min-version"}});
  set.AddSection("Webhooks", WebhookFlags(own));
  set.AddSection("Logging", flags::LogFlags("Log verbosity. 4 logs every reconciliation, 6 every "
                                            "request."));
  set.AddSection(
      "Feature gates",
      {{.name = "feature-gates", .type = flags::Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

struct Options : CommonOptions {
  ManagerProgram program;
  webhook::ServerOptions webhook;
};

// The namespace of the pod; empty outside a cluster.
std::string PodNamespace() {
  std::ifstream file(kNamespaceFile);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Expected<std::optional<leaderelection::LeaderElectionConfig>> ElectionOf(
    const ManagerProgram& program, const OwnFlags& flags) {
  if (!flags.leader_elect) return std::nullopt;
  std::string lease_namespace =
      flags.leader_election_namespace.empty() ? PodNamespace() : flags.leader_election_namespace;
  if (lease_namespace.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-namespace is required outside a cluster; set it, or use "
               "--leader-elect=false");
  }
  return leaderelection::LeaderElectionConfig{.lease_namespace = std::move(lease_namespace),
                                              .lease_name = program.name,
                                              .lease_duration = flags.lease_duration,
                                              .renew_deadline = flags.renew_deadline,
                                              .retry_period = flags.retry_period};
}

Expected<Options> ReadOptions(const ManagerProgram& program, const OwnFlags& flags,
                              featuregate::FeatureGate& gates) {
  auto common = ReadCommonOptions(gates, flags.metrics_listen_address);
  if (!common) return Err(std::move(common.error()));
  auto election = ElectionOf(program, flags);
  if (!election) return Err(std::move(election.error()));
  Options options{*std::move(common), program, flags.webhook};
  if (flags.webhook_port < 0 || flags.webhook_port > std::numeric_limits<std::uint16_t>::max()) {
    return flags::InvalidArgument(std::to_string(flags.webhook_port), "webhook-port",
                                  "expected a number from 0 to 65535");
  }
  options.webhook.port = static_cast<std::uint16_t>(flags.webhook_port);
  ManagerOptions& manager = options.program.manager;
  if (!gates.Enabled(kWatchListClient)) manager.cluster.cache.reflector.watch_list = false;
  manager.leader_election.reset();
  if (*election) manager.leader_election.emplace(**election);
  if (program.configure) {
    auto configured = program.configure(manager);
    if (!configured) return Err(std::move(configured.error()));
  }
  return options;
}

class ManagerApp final : public App {
 public:
  ManagerApp(const Options& options, const featuregate::FeatureGate& gates,
             std::vector<std::string> flags)
      : App(options.program.name, options, gates, std::move(flags), options.program.version),
        program_(options.program),
        webhook_(options.webhook) {}

  Expected<void> Assemble() {
    if (auto made = NewManager(program_.manager); !made) return made;
    const auto webhooks = webhook::AddServer(manager(), webhook_);
    if (!webhooks) return Err(webhooks.error());
    if (auto set_up = program_.set_up(manager(), metrics_); !set_up) return set_up;
    // So a port in use is reported before the first request to the API server. It does nothing
    // unless set_up has declared a webhook.
    return (*webhooks)->Listen();
  }

  Expected<void> Run(std::stop_token stop) override {
    const auto& config = manager().client().config();
    const std::string& version = program_.version;
    InfoS("Starting", "program", program_.name, "version",
          version.empty() ? flags::VersionText() : version, "server", config.host, "config",
          config.source);
    if (auto usable = manager().CheckServer(stop); !usable) return usable;
    return manager().Start(std::move(stop));
  }

 private:
  double QueueLength() const override { return static_cast<double>(manager().QueueLength()); }
  void FillPage(statusz::Page& page) const override {
    const bool elects = program_.manager.leader_election.has_value();
    page.facts.push_back({"API server", {manager().client().config().host}});
    page.facts.push_back({"Leader",
                          {!elects                ? "no election"
                           : manager().IsLeader() ? "yes"
                                                  : "no: a standby"}});
    page.tables = {CachesTable(manager().informers().Statuses())};
  }

  const ManagerProgram program_;
  const webhook::ServerOptions webhook_;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): RunApp takes a function of this type
Expected<std::unique_ptr<App>> NewApp(Options options, const featuregate::FeatureGate& gates,
                                      std::vector<std::string> flags) {
  auto app = std::make_unique<ManagerApp>(options, gates, std::move(flags));
  if (auto made = app->Assemble(); !made) return Err(std::move(made.error()));
  return app;
}

// Prints one JSON object a line, which kubectl reads as it reads several YAML documents.
int PrintCrds(const ManagerProgram& program) {
  std::string text;
  for (const std::string& crd : program.crds) text += crd + "\n";
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return EXIT_SUCCESS;
  return Fail(program.name,
              {.reason = ErrorReason::kInternalError, .message = "cannot write to stdout"});
}

}  // namespace

int RunManager(int argc, char** argv, ManagerProgram program) {
  CHECK(!program.name.empty()) << "set ManagerProgram::name";
  CHECK(program.set_up) << "set ManagerProgram::set_up";
  SetUpProcess(argv[0]);
  featuregate::FeatureGate gates;
  gates.Add({{kWatchListClient, {.default_value = true, .stage = featuregate::Stage::kBeta}}});
  if (program.add_features) program.add_features(gates);
  OwnFlags own{.leader_elect = program.leader_elect,
               .metrics_listen_address = program.metrics_listen_address,
               .webhook = program.webhook};
  flags::FlagSet flags = NewFlagSet(program, gates, own);
  return Main(program.name, flags, {argv + 1, argv + argc}, [&] {
    if (own.print_crds) return PrintCrds(program);
    return RunApp(program.name, ReadOptions(program, own, gates), flags, gates, &NewApp);
  });
}

}  // namespace capstan
