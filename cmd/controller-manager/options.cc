// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/time_format.h"
#include "cmd/flags/version.h"

DEFINE_string(kubeconfig, "",
              "Path to a kubeconfig. Without it: $KUBECONFIG, the Pod's service account, "
              "~/.kube/config, in this order.");
DEFINE_string(namespace, "",
              "If set, only Secrets of this namespace are watched and used. A reference to another "
              "namespace is then refused with an Event on the object that makes it.");
DEFINE_string(cache_sync_timeout, "2m0s",
              "How long a cache may make no progress before that is an error in the log, in "
              "/readyz and in the metrics. The program keeps trying and serves with the caches it "
              "has. 0 means for ever.");
DEFINE_bool(exit_on_cache_sync_timeout, false,
            "Exit with code 1 after --cache-sync-timeout, as cert-manager's cainjector does.");
DEFINE_bool(leader_elect, true,
            "If true, leader election makes sure that no more than one instance acts at a time. "
            "The Lease is that of cert-manager's cainjector, so the two exclude each other.");
DEFINE_string(leader_election_namespace, "kube-system",
              "Namespace of the Lease. Only used if leader election is enabled.");
DEFINE_string(leader_election_lease_duration, "1m0s",
              "How long others wait after the last renewal they saw before they take over. This is "
              "the longest time nobody leads after a crash.");
DEFINE_string(leader_election_renew_deadline, "40s",
              "How long the leader tries to renew before it gives up and exits with code 1. Must "
              "be less than the lease duration.");
DEFINE_string(leader_election_retry_period, "15s",
              "The time between two tries to acquire or renew the Lease.");
DEFINE_string(metrics_listen_address, "0.0.0.0:9402",
              "The host and port that serve /metrics, /healthz, /livez and /readyz. The value '0' "
              "turns them off.");
DEFINE_string(feature_gates, "", "Feature gates; the text is made from the registry.");

namespace cmd::controller_manager {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::FormatDuration;

// FlagSet::Parse let only durations through.
std::chrono::nanoseconds Duration(const std::string& text) {
  return clientgo::util::ParseDuration(text).value_or(std::chrono::nanoseconds{});
}

// RFC 1123 label, as the API server checks namespace names.
bool IsNamespaceName(std::string_view name) {
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 63 && alphanumeric(name.front()) &&
         alphanumeric(name.back()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return alphanumeric(c) || c == '-'; });
}

tl::unexpected<clientgo::util::Error> InvalidArgument(std::string_view value, std::string_view flag,
                                                      std::string_view why) {
  std::string message = "invalid argument ";
  clientgo::util::AppendQuoted(message, value);
  message += " for --";
  message += flag;
  message += ": ";
  message += why;
  return Err(ErrorReason::kInvalidArgument, message);
}

Expected<void> CheckNamespace(std::string_view flag, std::string_view name) {
  if (IsNamespaceName(name)) return {};
  return InvalidArgument(name, flag, "expected the name of one namespace");
}

Expected<void> CheckOrder(std::string_view longer, std::chrono::nanoseconds longer_value,
                          std::string_view shorter, std::chrono::nanoseconds shorter_value,
                          double factor) {
  const auto least = std::chrono::nanoseconds(
      static_cast<std::int64_t>(static_cast<double>(shorter_value.count()) * factor));
  if (longer_value > least) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--leader-election-" + std::string(longer) + " (" + FormatDuration(longer_value) +
                 ") must be greater than " + (factor > 1 ? "1.2 times " : "") +
                 "--leader-election-" + std::string(shorter) + " (" +
                 FormatDuration(shorter_value) + ")");
}

// client-go's rules, told in this program's flags.
Expected<void> Check(const LeaderElectionOptions& options) {
  if (!options.enabled) return {};
  if (auto ok = CheckNamespace("leader-election-namespace", options.namespace_); !ok) return ok;
  if (options.lease_duration < std::chrono::seconds(1)) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-lease-duration must be at least 1s");
  }
  if (options.retry_period.count() == 0) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-retry-period must be greater than zero");
  }
  if (auto ok = CheckOrder("lease-duration", options.lease_duration, "renew-deadline",
                           options.renew_deadline, 1);
      !ok) {
    return ok;
  }
  return CheckOrder("renew-deadline", options.renew_deadline, "retry-period", options.retry_period,
                    1.2);
}

}  // namespace

void AddFeatures(featuregate::FeatureGate& gates) {
  using featuregate::Stage;
  gates.Add({
      {"WatchListClient", {.default_value = true, .stage = Stage::kBeta}},
      {"InformerResourceVersion",
       {.default_value = true, .stage = Stage::kGa, .lock_to_default = true}},
      {"CAInjectorMerging", {.default_value = true, .stage = Stage::kGa}},
      // Writes are always server-side applies; accepted so that cainjector's arguments start.
      {"ServerSideApply", {.default_value = false, .stage = Stage::kDeprecated}},
  });
}

flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates) {
  using flags::Type;
  flags::FlagSet set(
      {.name = kProgramName,
       .description =
           "capstan-controller-manager keeps the CA bundles of webhook configurations equal to\n"
           "the Secrets that they name. It is a drop-in for cert-manager's cainjector.",
       .version = flags::VersionText()});
  set.AddSection("Generic", {{.name = "kubeconfig"},
                             {.name = "namespace"},
                             {.name = "cache-sync-timeout", .type = Type::kDuration},
                             {.name = "exit-on-cache-sync-timeout", .type = Type::kBool}});
  set.AddSection("Leader election",
                 {{.name = "leader-elect", .type = Type::kBool},
                  {.name = "leader-election-namespace"},
                  {.name = "leader-election-lease-duration", .type = Type::kDuration},
                  {.name = "leader-election-renew-deadline", .type = Type::kDuration},
                  {.name = "leader-election-retry-period", .type = Type::kDuration}});
  set.AddSection("Metrics", {{.name = "metrics-listen-address"}});
  set.AddSection("Logging",
                 {{.name = "v",
                   .type = Type::kInt,
                   .type_name = "Level",
                   .usage = "number for the log level verbosity: 2 tells what was injected, 4 "
                            "every decision, 6 every request"}});
  set.AddSection("Feature gates",
                 {{.name = "feature-gates", .type = Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

Expected<Options> ReadOptions(featuregate::FeatureGate& gates) {
  if (auto set = gates.Set(FLAGS_feature_gates); !set) {
    return InvalidArgument(FLAGS_feature_gates, "feature-gates", set.error().message);
  }
  Options options;
  options.kubeconfig = FLAGS_kubeconfig;
  options.namespace_ = FLAGS_namespace;
  options.cache_sync_timeout = Duration(FLAGS_cache_sync_timeout);
  options.exit_on_cache_sync_timeout = FLAGS_exit_on_cache_sync_timeout;
  options.leader_election = {
      .enabled = FLAGS_leader_elect,
      .namespace_ = FLAGS_leader_election_namespace,
      .lease_duration = Duration(FLAGS_leader_election_lease_duration),
      .renew_deadline = Duration(FLAGS_leader_election_renew_deadline),
      .retry_period = Duration(FLAGS_leader_election_retry_period),
  };
  options.watch_list = gates.Enabled("WatchListClient");
  options.merge_bundles = gates.Enabled("CAInjectorMerging");
  if (!options.namespace_.empty()) {
    if (auto ok = CheckNamespace("namespace", options.namespace_); !ok) return Err(ok.error());
  }
  if (auto ok = Check(options.leader_election); !ok) return Err(ok.error());
  auto metrics = controllers::runtime::ParseBindAddress(FLAGS_metrics_listen_address);
  if (!metrics) return Err(metrics.error().Wrap("--metrics-listen-address"));
  options.metrics = *std::move(metrics);
  return options;
}

}  // namespace cmd::controller_manager
