// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"

#include <gflags/gflags.h>

#include <cstdint>
#include <utility>

#include "capstan/flags/flag_set.h"
#include "capstan/time.h"
#include "cmd/injector/options.h"

DEFINE_string(
    config, "",
    "Path to a CAInjectorConfiguration file. Its relative paths are relative to the file. "
    "Flags override it.");
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
DEFINE_bool(verify_endpoints, false,
            "Verify the servers that the API server calls for the targets: by a TLS handshake that "
            "trusts a target's bundle and nothing else, soon after each write and in every "
            "--verify-endpoints-period. No request is sent to them.");
DEFINE_string(verify_endpoints_period, "10m0s",
              "Time between two verifications of a target's servers, at least 10s. Only used with "
              "--verify-endpoints.");
DEFINE_string(
    retire_unused_cas_after, "0s",
    "How long every server of a target must be trusted without a former CA before that CA "
    "leaves the target, if all its servers are Services. 0: it stays until it expires. Needs "
    "--verify-endpoints.");

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
DEFINE_string(metrics_listen_address, "0.0.0.0:9402",
              "Host and port that serve /metrics, /healthz, /livez and /readyz. '0' disables them. "
              "0.0.0.0 and [::] are all addresses of IPv4 and IPv6.");
DEFINE_string(
    metrics_dynamic_serving_ca_secret_namespace, "",
    "Not supported; use --metrics-tls-cert-file. With that flag, this one has no effect, as "
    "upstream.");
DEFINE_string(metrics_dynamic_serving_ca_secret_name, "", "Not supported; see above.");
DEFINE_string(metrics_dynamic_serving_dns_names, "", "Not supported; see above.");

namespace capstan::cmd::controller_manager {
namespace {

// Parses a flag that FlagSet::Parse has checked.
std::chrono::nanoseconds Duration(const std::string& text) {
  return ParseDuration(text).value_or(std::chrono::nanoseconds{});
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

Expected<Options> FromFlags(featuregate::FeatureGate& gates) {
  auto common = ReadCommonOptions(gates, FLAGS_metrics_listen_address);
  if (!common) return Err(std::move(common.error()));
  auto injector = injector::ReadOptions(gates);
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
  const auto ownership =
      OneOf<cainjector::FieldOwnership>("field-ownership", FLAGS_field_ownership,
                                        {{"keep", cainjector::FieldOwnership::kKeep},
                                         {"detach", cainjector::FieldOwnership::kDetach}});
  if (!ownership) return Err(ownership.error());
  options.injector.field_ownership = *ownership;
  const auto retire_after = Duration(FLAGS_retire_unused_cas_after);
  if (retire_after.count() > 0) {
    if (!FLAGS_verify_endpoints) {
      return Err(
          ErrorReason::kInvalidArgument,
          "--retire-unused-cas-after needs --verify-endpoints, which finds out which CAs are "
          "unused");
    }
    options.injector.retire_unused_cas_after = retire_after;
  }
  if (FLAGS_verify_endpoints) {
    const auto period = Duration(FLAGS_verify_endpoints_period);
    if (period < std::chrono::seconds(10)) {
      return Err(ErrorReason::kInvalidArgument, "--verify-endpoints-period must be at least 10s");
    }
    options.injector.verify_endpoints = period;
  }
  if (auto ok = CheckLeaderElection(options.leader_election); !ok) return Err(ok.error());
  const bool dynamic = !FLAGS_metrics_dynamic_serving_ca_secret_namespace.empty() ||
                       !FLAGS_metrics_dynamic_serving_ca_secret_name.empty() ||
                       !FLAGS_metrics_dynamic_serving_dns_names.empty();
  // As upstream, certificate files take precedence over a dynamic certificate.
  if (options.metrics_tls || !dynamic) return options;
  return Err(ErrorReason::kInvalidArgument,
             "--metrics-dynamic-serving-* is not supported: this program does not issue "
             "certificates to itself; mount a Secret that a cert-manager Certificate fills and "
             "name its files with --metrics-tls-cert-file and --metrics-tls-private-key-file, "
             "which are read again when they change");
}

void AddMetricsFlags(flags::FlagSet& set) {
  set.AddSection("Metrics",
                 {{.name = "metrics-listen-address"},
                  {.name = "status-pages"},
                  {.name = "metrics-tls-cert-file", .type = flags::Type::kPath},
                  {.name = "metrics-tls-private-key-file", .type = flags::Type::kPath},
                  {.name = "metrics-tls-cipher-suites", .type = flags::Type::kStrings},
                  {.name = "metrics-tls-min-version"},
                  {.name = "metrics-dynamic-serving-ca-secret-namespace"},
                  {.name = "metrics-dynamic-serving-ca-secret-name"},
                  {.name = "metrics-dynamic-serving-dns-names", .type = flags::Type::kStrings},
                  {.name = "metrics-dynamic-serving-leaf-duration",
                   .type = flags::Type::kDuration,
                   .usage = "Not supported; see above.",
                   .no_effect = "certificates of the metrics server come from files",
                   .default_value = "168h0m0s"}});
}

void AddProfilingFlags(flags::FlagSet& set) {
  constexpr char kNoProfiler[] =
      "a C++ program has no pprof endpoint; perf and heaptrack profile it from outside";
  set.AddSection("Profiling", {{.name = "enable-profiling",
                                .type = flags::Type::kBool,
                                .usage = "No effect, because a C++ program has no pprof endpoint. "
                                         "Accepted for compatibility with cainjector.",
                                .no_effect = kNoProfiler,
                                .default_value = "false"},
                               {.name = "profiler-address",
                                .usage = "No effect. Accepted for compatibility with cainjector.",
                                .no_effect = kNoProfiler,
                                .default_value = "localhost:6060"}});
}

void AddLoggingFlags(flags::FlagSet& set) {
  auto logging =
      flags::LogFlags("Log verbosity. 2 logs injections, 4 every decision, 6 every request.");
  logging.push_back(
      {.name = "log-flush-frequency",
       .type = flags::Type::kDuration,
       .usage = "No effect, because each line is written at once. Accepted for compatibility with "
                "cainjector.",
       .no_effect = "each line is written at once",
       .default_value = "5s"});
  set.AddSection("Logging", std::move(logging));
  set.AddSection("Deprecated", flags::HiddenLogFlags());
}

}  // namespace

flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates) {
  flags::FlagSet set(
      {.name = kProgramName,
       .description =
           "capstan-controller-manager injects CA bundles into webhooks, APIServices and\n"
           "CRD conversions, and keeps them equal to the sources that these name. It is\n"
           "a drop-in replacement for cert-manager's cainjector."});
  set.AddSection("Generic", {{.name = "config", .type = flags::Type::kPath},
                             {.name = "kubeconfig", .type = flags::Type::kPath},
                             {.name = "http-transport"},
                             {.name = "http2"},
                             {.name = "list-compression"}});
  set.AddSection("Generic", injector::NamespaceFlags());
  set.AddSection("Generic", {{.name = "cache-sync-timeout", .type = flags::Type::kDuration},
                             {.name = "exit-on-cache-sync-timeout", .type = flags::Type::kBool},
                             {.name = "field-ownership"},
                             {.name = "verify-endpoints", .type = flags::Type::kBool},
                             {.name = "verify-endpoints-period", .type = flags::Type::kDuration},
                             {.name = "retire-unused-cas-after", .type = flags::Type::kDuration}});
  set.AddSection("Sources and targets", injector::EnableFlags());
  set.AddSection("Sources and targets", {injector::SystemCaFlag()});
  set.AddSection("Leader election",
                 {{.name = "leader-elect", .type = flags::Type::kBool},
                  {.name = "leader-election-namespace"},
                  {.name = "leader-election-lease-duration", .type = flags::Type::kDuration},
                  {.name = "leader-election-renew-deadline", .type = flags::Type::kDuration},
                  {.name = "leader-election-retry-period", .type = flags::Type::kDuration}});
  AddMetricsFlags(set);
  AddProfilingFlags(set);
  AddLoggingFlags(set);
  set.AddSection(
      "Feature gates",
      {{.name = "feature-gates", .type = flags::Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

// Returns the fields of cainjector's file.
static flags::ConfigSchema CainjectorSchema() {
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
              {"distrust", "distrust"},
              {"verifyEndpoints", "verify-endpoints"},
              {"verifyEndpointsPeriod", "verify-endpoints-period"},
              {"retireUnusedCAsAfter", "retire-unused-cas-after"},
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

flags::ConfigSchema NewConfigSchema() {
  flags::ConfigSchema schema = CainjectorSchema();
  schema.fields.insert(
      schema.fields.end(),
      {{"enableInjectableConfig.configMaps", "enable-configmaps-injectable"},
       {"enableInjectableConfig.clusterTrustBundles", "enable-clustertrustbundles-injectable"},
       {"additionalTargets", "additional-targets"},
       {"sharedSourceNamespaces", "shared-source-namespaces"}});
  return schema;
}

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

}  // namespace capstan::cmd::controller_manager
