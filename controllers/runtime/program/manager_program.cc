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

#include "capstan/detail/uses.h"
#include "capstan/flags/flag_set.h"
#include "capstan/flags/version.h"
#include "capstan/log.h"
#include "capstan/program.h"
#include "capstan/program_options.h"
#include "controllers/runtime/program/manifests.h"

namespace capstan {
namespace {

using flags::Bind;

constexpr char kWatchListClient[] = "WatchListClient";
constexpr char kNamespaceFile[] = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

struct Options : CommonOptions {
  ManagerProgram program;
  leaderelection::LeaderElectionConfig election = {.lease_name = program.name};
  bool print_crds = false;
  bool print_rbac = false;
  bool print_webhooks = false;
};

// The names are those that kubebuilder gives its flags.
std::vector<flags::Flag> WebhookFlags(webhook::ServerOptions& webhook) {
  return {
      Bind("webhook-port",
           flags::Number(&webhook.port, 0, std::numeric_limits<std::uint16_t>::max()),
           "Port that serves the webhooks of this program, if it has any."),
      Bind("webhook-cert-path", &webhook.cert_dir,
           "Folder of the serving certificate of the webhooks. A certificate that "
           "changes is used for the next connection.",
           flags::Type::kPath),
      Bind("webhook-cert-name", &webhook.cert_name,
           "File with the PEM certificate in --webhook-cert-path."),
      Bind("webhook-cert-key", &webhook.key_name, "File with the PEM key in --webhook-cert-path.")};
}

// The flags set `options` and `gates`.
flags::FlagSet NewFlagSet(Options& options, featuregate::FeatureGate& gates) {
  ManagerProgram& program = options.program;
  flags::FlagSet set(
      {.name = program.name, .description = program.description, .version = program.version});
  if (program.add_flags) program.add_flags(set);
  set.AddSection("Generic", ClientFlags(options));
  if (!program.crds.empty()) {
    set.AddSection("Generic", {Bind("print-crds", &options.print_crds,
                                    "Print the CustomResourceDefinitions of this program as "
                                    "JSON, for kubectl apply -f -, and exit.")});
  }
  set.AddSection(
      "Generic",
      {Bind("print-rbac", &options.print_rbac,
            "Print the rights of this program as YAML, for kubectl apply -f -, and exit."),
       Bind("print-webhooks", &options.print_webhooks,
            "Print the configurations of the webhooks of this program as YAML, and exit.")});
  set.AddSection("Leader election", LeaderElectionFlags(program.leader_elect, options.election));
  set.AddSection("Metrics", MetricsFlags(options, program.metrics_listen_address));
  set.AddSection("Webhooks", WebhookFlags(program.webhook));
  set.AddSection("Logging", LoggingFlags(options,
                                         "Log verbosity. 4 logs every reconciliation, 6 "
                                         "every request."));
  set.AddSection("Feature gates", {FeatureGatesFlag(gates)});
  return set;
}

// The namespace of the pod; empty outside a cluster.
std::string PodNamespace() {
  std::ifstream file(kNamespaceFile);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Expected<Options> ReadOptions(const flags::FlagSet& set, Options& options,
                              const featuregate::FeatureGate& gates) {
  if (auto ok = CheckFlags(set, options); !ok) return Err(std::move(ok.error()));
  const ManagerProgram& program = options.program;
  std::string& lease_namespace = options.election.lease_namespace;
  if (program.leader_elect && lease_namespace.empty()) lease_namespace = PodNamespace();
  if (program.leader_elect && lease_namespace.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-namespace is required outside a cluster; set it, or use "
               "--leader-elect=false");
  }
  ManagerOptions& manager = options.program.manager;
  if (!gates.Enabled(kWatchListClient)) manager.cluster.cache.reflector.watch_list = false;
  manager.leader_election.reset();
  if (program.leader_elect) manager.leader_election.emplace(options.election);
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
        program_(options.program) {}

  Expected<void> Assemble() {
    if (auto made = NewManager(program_.manager); !made) return made;
    const auto webhooks = webhook::AddServer(manager(), program_.webhook);
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
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): RunApp takes a function of this type
Expected<std::unique_ptr<App>> NewApp(Options options, const featuregate::FeatureGate& gates,
                                      std::vector<std::string> flags) {
  auto app = std::make_unique<ManagerApp>(options, gates, std::move(flags));
  if (auto made = app->Assemble(); !made) return Err(std::move(made.error()));
  return app;
}

// Returns what the flags ask for; nullopt: the program is to run. A CRD is one line of JSON:
// kubectl reads the lines as it reads several YAML documents.
std::optional<std::string> ManifestOf(const Options& options) {
  if (!options.print_crds && !options.print_rbac && !options.print_webhooks) return std::nullopt;
  const ManagerProgram& program = options.program;
  std::string text;
  if (options.print_crds) {
    const bool with_yaml = options.print_rbac || options.print_webhooks;
    for (const std::string& crd : program.crds) text += (with_yaml ? "---\n" : "") + crd + "\n";
  }
  if (options.print_rbac) {
    const std::string lease = program.leader_elect ? options.election.lease_name : "";
    text += program::RbacManifest(program.name, lease, detail::FirstUse());
  }
  if (options.print_webhooks) {
    text += program::WebhookManifest(program.name, detail::FirstUse());
  }
  return text;
}

int Print(const std::string& name, const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return EXIT_SUCCESS;
  return Fail(name, {.reason = ErrorReason::kInternalError, .message = "cannot write to stdout"});
}

}  // namespace

int RunManager(int argc, char** argv, ManagerProgram program) {
  CHECK(!program.name.empty()) << "set ManagerProgram::name";
  CHECK(program.set_up) << "set ManagerProgram::set_up";
  SetUpProcess(argv[0]);
  featuregate::FeatureGate gates;
  gates.Add({{kWatchListClient, {.default_value = true, .stage = featuregate::Stage::kBeta}}});
  if (program.add_features) program.add_features(gates);
  Options options{{}, std::move(program)};
  flags::FlagSet flags = NewFlagSet(options, gates);
  const std::string& name = options.program.name;
  return Main(name, flags, {argv + 1, argv + argc}, [&] {
    if (const auto manifest = ManifestOf(options)) return Print(name, *manifest);
    return RunApp(name, ReadOptions(flags, options, gates), flags, gates, &NewApp);
  });
}

}  // namespace capstan
