// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"

#include <gflags/gflags.h>

#include <cstdint>
#include <utility>

#include "clientgo/util/time_format.h"
#include "cmd/flags/klog_flags.h"
#include "cmd/flags/version.h"
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
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::FormatDuration;
using controllers::cainjector::FieldOwnership;
using program::InvalidArgument;
using program::OneOf;

// Parses a flag that FlagSet::Parse has checked.
std::chrono::nanoseconds Duration(const std::string& text) {
  return clientgo::util::ParseDuration(text).value_or(std::chrono::nanoseconds{});
}

bool RequestsDynamicServing() {
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

// Checks client-go's rules for leader election.
Expected<void> CheckLeaderElection(const LeaderElectionOptions& options) {
  if (!options.enabled) return {};
  if (auto ok = injector::CheckNamespace("leader-election-namespace", options.namespace_); !ok)
    return ok;
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

// Returns the error for a certificate that the program would issue to itself.
tl::unexpected<clientgo::util::Error> NoDynamicServing() {
  return Err(ErrorReason::kInvalidArgument,
             "--metrics-dynamic-serving-* is not supported: this program does not issue "
             "certificates to itself; mount a Secret that a cert-manager Certificate fills and "
             "name its files with --metrics-tls-cert-file and --metrics-tls-private-key-file, "
             "which are read again when they change");
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
  // As upstream, certificate files take precedence over a dynamic certificate.
  if (!options.metrics_tls && RequestsDynamicServing()) return NoDynamicServing();
  return options;
}

void AddMetricsFlags(flags::FlagSet& set) {
  using flags::Type;
  set.AddSection("Metrics", {{.name = "metrics-listen-address"},
                             {.name = "status-pages"},
                             {.name = "metrics-tls-cert-file", .type = Type::kPath},
                             {.name = "metrics-tls-private-key-file", .type = Type::kPath},
                             {.name = "metrics-tls-cipher-suites", .type = Type::kStrings},
                             {.name = "metrics-tls-min-version"},
                             {.name = "metrics-dynamic-serving-ca-secret-namespace"},
                             {.name = "metrics-dynamic-serving-ca-secret-name"},
                             {.name = "metrics-dynamic-serving-dns-names", .type = Type::kStrings},
                             {.name = "metrics-dynamic-serving-leaf-duration",
                              .type = Type::kDuration,
                              .usage = "Not supported, see above.",
                              .no_effect = "certificates of the metrics server come from files",
                              .default_value = "168h0m0s"}});
}

void AddProfilingFlags(flags::FlagSet& set) {
  constexpr char kNoProfiler[] =
      "a C++ program has no pprof endpoint; perf and heaptrack profile it from outside";
  set.AddSection("Profiling", {{.name = "enable-profiling",
                                .type = flags::Type::kBool,
                                .usage = "Accepted for cainjector's arguments; no effect: a C++ "
                                         "program has no pprof endpoint.",
                                .no_effect = kNoProfiler,
                                .default_value = "false"},
                               {.name = "profiler-address",
                                .usage = "Accepted for cainjector's arguments; no effect.",
                                .no_effect = kNoProfiler,
                                .default_value = "localhost:6060"}});
}

void AddLoggingFlags(flags::FlagSet& set) {
  using flags::Type;
  set.AddSection(
      "Logging",
      {{.name = "logging-format"},
       {.name = "v",
        .type = Type::kInt,
        .type_name = "Level",
        .usage = "number for the log level verbosity: 2 logs injections, 4 every decision, "
                 "6 every request"},
       {.name = "vmodule",
        .type = Type::kModules,
        .usage = "comma-separated list of pattern=N settings: another verbosity for the source "
                 "files whose names match, e.g. reflector=6"},
       {.name = "log-flush-frequency",
        .type = Type::kDuration,
        .usage = "Accepted for cainjector's arguments; no effect: each line is written at once.",
        .no_effect = "each line is written at once",
        .default_value = "5s"}});
  set.AddSection("Deprecated", flags::HiddenLogFlags());
}

}  // namespace

flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates) {
  using flags::Type;
  flags::FlagSet set(
      {.name = kProgramName,
       .description = "capstan-controller-manager keeps the CA bundles of webhooks, APIServices\n"
                      "and CRD conversions equal to the sources that they name. It is a drop-in\n"
                      "for cert-manager's cainjector.",
       .version = flags::VersionText()});
  set.AddSection("Generic", {{.name = "config", .type = Type::kPath},
                             {.name = "kubeconfig", .type = Type::kPath},
                             {.name = "namespace", .type_name = "strings"},
                             {.name = "ignore-namespaces", .type = Type::kStrings},
                             {.name = "cache-sync-timeout", .type = Type::kDuration},
                             {.name = "exit-on-cache-sync-timeout", .type = Type::kBool},
                             {.name = "field-ownership"}});
  set.AddSection(
      "Sources and targets",
      {{.name = "enable-certificates-data-source", .type = Type::kBool},
       {.name = "enable-validatingwebhookconfigurations-injectable", .type = Type::kBool},
       {.name = "enable-mutatingwebhookconfigurations-injectable", .type = Type::kBool},
       {.name = "enable-customresourcedefinitions-injectable", .type = Type::kBool},
       {.name = "enable-apiservices-injectable", .type = Type::kBool}});
  set.AddSection("Leader election",
                 {{.name = "leader-elect", .type = Type::kBool},
                  {.name = "leader-election-namespace"},
                  {.name = "leader-election-lease-duration", .type = Type::kDuration},
                  {.name = "leader-election-renew-deadline", .type = Type::kDuration},
                  {.name = "leader-election-retry-period", .type = Type::kDuration}});
  AddMetricsFlags(set);
  AddProfilingFlags(set);
  AddLoggingFlags(set);
  set.AddSection("Feature gates",
                 {{.name = "feature-gates", .type = Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

flags::ConfigSchema NewConfigSchema() {
  return {.api_version = "cainjector.config.cert-manager.io/v1alpha1",
          .kind = "CAInjectorConfiguration",
          .fields = {
              {"kubeConfig", "kubeconfig"},
              {"namespace", "namespace"},
              {"ignoreNamespaces", "ignore-namespaces"},
              {"leaderElectionConfig.enabled", "leader-elect"},
              {"leaderElectionConfig.namespace", "leader-election-namespace"},
              {"leaderElectionConfig.leaseDuration", "leader-election-lease-duration"},
              {"leaderElectionConfig.renewDeadline", "leader-election-renew-deadline"},
              {"leaderElectionConfig.retryPeriod", "leader-election-retry-period"},
              {"enableDataSourceConfig.certificates", "enable-certificates-data-source"},
              {"enableInjectableConfig.validatingWebhookConfigurations",
               "enable-validatingwebhookconfigurations-injectable"},
              {"enableInjectableConfig.mutatingWebhookConfigurations",
               "enable-mutatingwebhookconfigurations-injectable"},
              {"enableInjectableConfig.customResourceDefinitions",
               "enable-customresourcedefinitions-injectable"},
              {"enableInjectableConfig.apiServices", "enable-apiservices-injectable"},
              {"enablePprof", "enable-profiling"},
              {"pprofAddress", "profiler-address"},
              {"logging.format", "logging-format"},
              {"logging.flushFrequency", "log-flush-frequency"},
              {"logging.verbosity", "v"},
              {"logging.vmodule", "vmodule"},
              {"logging.options.text.splitStream", "log-text-split-stream"},
              {"logging.options.text.infoBufferSize", "log-text-info-buffer-size"},
              {"logging.options.json.splitStream", "log-json-split-stream"},
              {"logging.options.json.infoBufferSize", "log-json-info-buffer-size"},
              {"featureGates", "feature-gates"},
              {"metricsListenAddress", "metrics-listen-address"},
              {"metricsTLSConfig.cipherSuites", "metrics-tls-cipher-suites"},
              {"metricsTLSConfig.minTLSVersion", "metrics-tls-min-version"},
              {"metricsTLSConfig.filesystem.certFile", "metrics-tls-cert-file"},
              {"metricsTLSConfig.filesystem.keyFile", "metrics-tls-private-key-file"},
              {"metricsTLSConfig.dynamic.secretNamespace",
               "metrics-dynamic-serving-ca-secret-namespace"},
              {"metricsTLSConfig.dynamic.secretName", "metrics-dynamic-serving-ca-secret-name"},
              {"metricsTLSConfig.dynamic.dnsNames", "metrics-dynamic-serving-dns-names"},
              {"metricsTLSConfig.dynamic.leafDuration", "metrics-dynamic-serving-leaf-duration"},
          }};
}

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
