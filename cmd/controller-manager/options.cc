// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"

#include <gflags/gflags.h>

#include <utility>

#include "clientgo/util/time_format.h"
#include "cmd/controller-manager/program_flags.h"
#include "cmd/controller-manager/validate.h"
#include "cmd/flags/config_file.h"
#include "cmd/injector/injector_flags.h"

DECLARE_int32(v);

DEFINE_string(config, "",
              "Path to a file with a CAInjectorConfiguration. Its relative paths are relative to "
              "the file; flags win over it.");
DEFINE_string(namespace, "",
              "If set, a comma-separated list of namespaces: only sources in them are watched and "
              "used. A reference to another namespace is then refused with an Event on the object "
              "that makes it.");
DEFINE_string(ignore_namespaces, "",
              "Comma-separated list of namespaces whose sources are not used. Not together with "
              "--namespace.");
DEFINE_string(cache_sync_timeout, "2m0s",
              "How long a cache may make no progress before that is an error in the log, in "
              "/readyz and in the metrics. The program keeps trying and serves with the caches it "
              "has. 0 means for ever.");
DEFINE_bool(
    exit_on_cache_sync_timeout, false,
    "Exit with code 124 after --cache-sync-timeout. cert-manager's cainjector exits then, too.");
DEFINE_string(
    field_ownership, "keep",
    "What becomes of our entry in a target's managedFields after a write. keep: it stays, as "
    "cert-manager's cainjector leaves it. detach: it is dropped with a second write, so that a "
    "server-side apply may remove a webhook or a conversion that holds an injected bundle.");

DEFINE_bool(enable_certificates_data_source, true,
            "Use Certificates of cert-manager.io as sources (cert-manager.io/inject-ca-from).");
DEFINE_bool(enable_validatingwebhookconfigurations_injectable, true,
            "Inject into annotated ValidatingWebhookConfigurations. false: they are not watched.");
DEFINE_bool(enable_mutatingwebhookconfigurations_injectable, true,
            "Inject into annotated MutatingWebhookConfigurations. false: they are not watched.");
DEFINE_bool(enable_customresourcedefinitions_injectable, true,
            "Inject into annotated CustomResourceDefinitions with a conversion webhook. false: "
            "they are not watched.");
DEFINE_bool(enable_apiservices_injectable, true,
            "Inject into annotated APIServices. false: they are not watched.");

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
DEFINE_string(metrics_dynamic_serving_ca_secret_namespace, "",
              "Not supported: use --metrics-tls-cert-file. With it this flag has no effect, as "
              "upstream.");
DEFINE_string(metrics_dynamic_serving_ca_secret_name, "", "Not supported, see above.");
DEFINE_string(metrics_dynamic_serving_dns_names, "", "Not supported, see above.");

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
    options.error().message += " (what no flag gave was read from " + FLAGS_config + ")";
  }
  return options;
}

}  // namespace cmd::controller_manager
