// SPDX-License-Identifier: Apache-2.0
#include "capstan/program/manager_program.h"

#include <glog/logging.h>

#include <gflags/gflags.h>
#include <glog/logging.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/time_format.h"
#include "capstan/flags/flag_set.h"
#include "capstan/flags/version.h"
#include "capstan/program/options.h"
#include "capstan/program/program.h"

namespace capstan::program {
namespace {

using clientgo::leaderelection::LeaderElectionConfig;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;

constexpr char kNamespaceFile[] = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

// OwnFlags are the flags whose defaults each program chooses. They are registered when RunManager
// is called, so that another program of this library may define flags with these names.
struct OwnFlags {
  bool leader_elect = true;
  std::string leader_election_namespace = {};
  std::string leader_election_lease_duration = "15s";
  std::string leader_election_renew_deadline = "10s";
  std::string leader_election_retry_period = "2s";
  std::string metrics_listen_address = {};
};

template <class T>
void Register(const char* name, const char* help, T& value) {
  // gflags keeps the pointers until the process ends.
  static std::vector<std::unique_ptr<T>> defaults;
  defaults.push_back(std::make_unique<T>(value));
  const gflags::FlagRegisterer registered(name, help, __FILE__, &value, defaults.back().get());
}

OwnFlags& RegisterOwnFlags(const ManagerProgram& program) {
  static OwnFlags flags;
  flags.leader_elect = program.leader_elect;
  flags.metrics_listen_address = program.metrics_listen_address;
  Register("leader_elect", "Use leader election, so that at most one instance acts at a time.",
           flags.leader_elect);
  Register("leader_election_namespace",
           "Namespace of the Lease. Default: that of the pod's service account.",
           flags.leader_election_namespace);
  Register("leader_election_lease_duration",
           "How long standbys wait after the last observed renewal before they take over.",
           flags.leader_election_lease_duration);
  Register("leader_election_renew_deadline",
           "How long the leader retries a renewal before it exits with code 1. Must be less than "
           "the lease duration.",
           flags.leader_election_renew_deadline);
  Register("leader_election_retry_period",
           "Time between two attempts to acquire or renew the Lease.",
           flags.leader_election_retry_period);
  Register("metrics_listen_address",
           "Host and port that serve /metrics, /healthz, /livez and /readyz. '0' disables them.",
           flags.metrics_listen_address);
  return flags;
}

flags::FlagSet NewFlagSet(const ManagerProgram& program, const featuregate::FeatureGate& gates) {
  using flags::Type;
  flags::FlagSet set({.name = program.name, .description = program.description});
  set.AddSection("Generic", {{.name = "kubeconfig", .type = Type::kPath},
                             {.name = "http2"},
                             {.name = "list-compression"}});
  set.AddSection("Leader election",
                 {{.name = "leader-elect", .type = Type::kBool},
                  {.name = "leader-election-namespace"},
                  {.name = "leader-election-lease-duration", .type = Type::kDuration},
                  {.name = "leader-election-renew-deadline", .type = Type::kDuration},
                  {.name = "leader-election-retry-period", .type = Type::kDuration}});
  set.AddSection("Metrics", {{.name = "metrics-listen-address"},
                             {.name = "status-pages"},
                             {.name = "metrics-tls-cert-file", .type = Type::kPath},
                             {.name = "metrics-tls-private-key-file", .type = Type::kPath},
                             {.name = "metrics-tls-cipher-suites", .type = Type::kStrings},
                             {.name = "metrics-tls-min-version"}});
  set.AddSection("Logging", flags::LogFlags("Log verbosity. 4 logs every reconciliation, 6 every "
                                            "request."));
  set.AddSection("Feature gates",
                 {{.name = "feature-gates", .type = Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

struct Options : CommonOptions {
  ManagerProgram program;
};

// The namespace of the pod; empty outside a cluster.
std::string PodNamespace() {
  std::ifstream file(kNamespaceFile);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Parses a flag that FlagSet::Parse has checked.
std::chrono::nanoseconds Duration(const std::string& text) {
  return clientgo::util::ParseDuration(text).value_or(std::chrono::nanoseconds{});
}

Expected<std::optional<LeaderElectionConfig>> ElectionOf(const ManagerProgram& program,
                                                         const OwnFlags& flags) {
  if (!flags.leader_elect) return std::nullopt;
  std::string lease_namespace =
      flags.leader_election_namespace.empty() ? PodNamespace() : flags.leader_election_namespace;
  if (lease_namespace.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-namespace is required outside a cluster; set it, or use "
               "--leader-elect=false");
  }
  return LeaderElectionConfig{.lease_namespace = std::move(lease_namespace),
                              .lease_name = program.name,
                              .lease_duration = Duration(flags.leader_election_lease_duration),
                              .renew_deadline = Duration(flags.leader_election_renew_deadline),
                              .retry_period = Duration(flags.leader_election_retry_period)};
}

Expected<Options> ReadOptions(const ManagerProgram& program, const OwnFlags& flags,
                              featuregate::FeatureGate& gates) {
  auto common = ReadCommonOptions(gates, flags.metrics_listen_address);
  if (!common) return Err(std::move(common.error()));
  auto election = ElectionOf(program, flags);
  if (!election) return Err(std::move(election.error()));
  Options options{*std::move(common), program};
  options.program.manager.leader_election.reset();
  if (*election) options.program.manager.leader_election.emplace(**election);
  return options;
}

class ManagerApp final : public App {
 public:
  ManagerApp(const Options& options, const featuregate::FeatureGate& gates,
             std::vector<std::string> flags)
      : App(options.program.name, options, gates, std::move(flags)), program_(options.program) {}

  Expected<void> Assemble() {
    if (auto made = NewManager(program_.manager); !made) return made;
    return program_.set_up(manager());
  }

  Expected<void> Run(std::stop_token stop) override {
    const auto& config = manager().client().config();
    LOG(INFO) << Kv("Starting", "program", program_.name, "version", flags::VersionText(), "server",
                    config.host, "config", config.source);
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

Expected<std::unique_ptr<App>> NewApp(Options options, const featuregate::FeatureGate& gates,
                                      std::vector<std::string> flags) {
  auto app = std::make_unique<ManagerApp>(options, gates, std::move(flags));
  if (auto made = app->Assemble(); !made) return Err(std::move(made.error()));
  return app;
}

}  // namespace

int RunManager(int argc, char** argv, ManagerProgram program) {
  CHECK(!program.name.empty()) << "set ManagerProgram::name";
  CHECK(program.set_up) << "set ManagerProgram::set_up";
  SetUpProcess(argv[0]);
  featuregate::FeatureGate gates;
  if (program.add_features) program.add_features(gates);
  const OwnFlags& own_flags = RegisterOwnFlags(program);
  flags::FlagSet flags = NewFlagSet(program, gates);
  return Main(program.name, flags, {argv + 1, argv + argc}, [&] {
    return RunApp(program.name, ReadOptions(program, own_flags, gates), flags, gates, &NewApp);
  });
}

}  // namespace capstan::program
