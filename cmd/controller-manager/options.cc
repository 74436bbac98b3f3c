// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"

#include <gflags/gflags.h>

#include <utility>

#include "clientgo/util/time_format.h"
#include "cmd/controller-manager/program_flags.h"
#include "cmd/controller-manager/validate.h"
#include "cmd/internal/flags/config_file.h"
#include "cmd/internal/injector/injector_flags.h"

DECLARE_int32(v);

DEFINE_string(
    config, "",
    "Path to a CAInjectorConfiguration file. Its relative paths are relative to the file. "
    "Flags override it.");
DEFINE_string(namespace, "",
              "Comma-separated list of namespaces. If set, only sources in these namespaces are "
              "watched and used. A target that refers to another namespace gets an Event.");
DEFINE_string(ignore_namespaces, "",
              "Comma-separated list of namespaces whose sources are not used. Cannot be combined "
              "with --namespace.");
DEFINE_string(
    cache_sync_timeout, "2m0s",
    "How long a cache may make no progress before the log, /readyz and the metrics report "
    "an error. The program keeps retrying and uses the other caches. 0 means no limit.");
DEFINE_bool(exit_on_cache_sync_timeout, false,
            "Exit with code 124 after --cache-sync-timeout, as cert-manager's cainjector does.");
DEFINE_string(
    field_ownership, "keep",
    "What happens to our entry in a target's managedFields after a write. keep: it stays, as with "
    "cert-manager's cainjector. detach: a second write removes it, so that a server-side apply can "
    "remove a webhook or a conversion with an injected bundle.");

DEFINE_bool(enable_certificates_data_source, true,
            "Use Certificates of cert-manager.io as sources (cert-manager.io/inject-ca-from).");
DEFINE_bool(enable_validatingwebhookconfigurations_injectable, true,
            "Inject into annotated ValidatingWebhookConfigurations. false: do not watch them.");
DEFINE_bool(enable_mutatingwebhookconfigurations_injectable, true,
            "Inject into annotated MutatingWebhookConfigurations. false: do not watch them.");
DEFINE_bool(enable_customresourcedefinitions_injectable, true,
            "Inject into annotated CustomResourceDefinitions with a conversion webhook. false: "
            "do not watch them.");
DEFINE_bool(enable_apiservices_injectable, true,
            "Inject into annotated APIServices. false: do not watch them.");

DEFINE_bool(
    leader_elect, true,
    "Use leader election, so that at most one instance acts at a time. The Lease is that of "
    "cert-manager's cainjector, so the two exclude each other.");
DEFINE_string(leader_election_namespace, "kube-system",
              "Namespace of the Lease. Only used if leader election is enabled.");
DEFINE_string(
    leader_election_lease_duration, "1m0s",
    "How long standbys wait after the last observed renewal before they take over. After a "
    "crash there is no leader for at most this time.");
DEFINE_string(
    leader_election_renew_deadline, "40s",
    "How long the leader retries a renewal before it exits with code 1. Must be less than "
    "the lease duration.");
DEFINE_string(leader_election_retry_period, "15s",
              "Time between two attempts to acquire or renew the Lease.");
DEFINE_string(
    metrics_listen_address, "0.0.0.0:9402",
    "Host and port that serve /metrics, /healthz, /livez and /readyz. '0' disables them.");
DEFINE_string(
    metrics_dynamic_serving_ca_secret_namespace, "",
    "Not supported; use --metrics-tls-cert-file. With that flag, this one has no effect, as "
    "upstream.");
DEFINE_string(metrics_dynamic_serving_ca_secret_name, "", "Not supported; see above.");
DEFINE_string(metrics_dynamic_serving_dns_names, "", "Not supported; see above.");

namespace cmd::controller_manager {
namespace {

using clientgo::util::Err;
using clientgo::util::Expected;
using controllers::cainjector::FieldOwnership;
using program::InvalidArgument;
using program::OneOf;

// FlagSet::Parse let only durations through.
std::chrono::nanoseconds Duration(const std::string& text) {
  return clientgo::util::ParseDuration(text).value_or(std::chrono::nanoseconds{});
}

bool AsksForDynamicServing() {
  return !FLAGS_metrics_dynamic_serving_ca_secret_namespace.empty() ||
         !FLAGS_metrics_dynamic_serving_ca_secret_name.empty() ||
         !FLAGS_metrics_dynamic_serving_dns_names.empty();
}

injector::Flags InjectorFlags() {
  return {
      .namespaces = FLAGS_namespace,
      .ignore_namespaces = FLAGS_ignore_namespaces,
      .certificates_data_source = FLAGS_enable_certificates_data_source,
      .kinds = {
          .validating_webhook_configurations =
              FLAGS_enable_validatingwebhookconfigurations_injectable,
          .mutating_webhook_configurations = FLAGS_enable_mutatingwebhookconfigurations_injectable,
          .custom_resource_definitions = FLAGS_enable_customresourcedefinitions_injectable,
          .api_services = FLAGS_enable_apiservices_injectable}};
}

Expected<Options> FromFlags(featuregate::FeatureGate& gates) {
  auto common = program::ReadCommonOptions(gates, FLAGS_metrics_listen_address);
  if (!common) return Err(std::move(common.error()));
  auto injector = injector::OptionsOf(InjectorFlags(), gates);
  if (!injector) return Err(std::move(injector.error()));
  Options options{*std::move(common), *std::move(injector), LeaderElectionOptions{}};
  options.both_secret_gates =
      gates.Enabled("ReferencedSecretsOnly") && gates.Enabled("SecretsFilteredCaching");
  options.injector.cache_sync_timeout = Duration(FLAGS_cache_sync_timeout);
  options.injector.exit_on_cache_sync_timeout = FLAGS_exit_on_cache_sync_timeout;
  options.leader_election = {
      .enabled = FLAGS_leader_elect,
      .namespace_ = FLAGS_leader_election_namespace,
      .lease_duration = Duration(FLAGS_leader_election_lease_duration),
      .renew_deadline = Duration(FLAGS_leader_election_renew_deadline),
      .retry_period = Duration(FLAGS_leader_election_retry_period),
  };
  options.watch_list = gates.Enabled("WatchListClient");
  const auto ownership = OneOf<controllers::cainjector::FieldOwnership>(
      "field-ownership", FLAGS_field_ownership,
      {{"keep", FieldOwnership::kKeep}, {"detach", FieldOwnership::kDetach}});
  if (!ownership) return Err(ownership.error());
  options.injector.field_ownership = *ownership;
  if (auto ok = CheckLeaderElection(options.leader_election); !ok) return Err(ok.error());
  // As upstream, files win over a dynamic certificate.
  if (!options.metrics_tls && AsksForDynamicServing()) return NoDynamicServing();
  return options;
}

}  // namespace

Expected<Options> ReadOptions(flags::FlagSet& set, featuregate::FeatureGate& gates) {
  if (!FLAGS_config.empty()) {
    if (auto read = ApplyConfigFile(FLAGS_config, NewConfigSchema(), set); !read) {
      return Err(read.error());
    }
  }
  auto options = FromFlags(gates);
  if (!options && !FLAGS_config.empty()) {
    options.error().message += " (values without a flag come from " + FLAGS_config + ")";
  }
  return options;
}

}  // namespace cmd::controller_manager
