// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"

#include <cstdint>
#include <utility>

#include "capstan/flags/flag_set.h"
#include "capstan/time.h"
#include "cmd/injector/options.h"

namespace capstan::cmd::controller_manager {
namespace {

using flags::Bind;
using flags::Type;

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
Expected<void> CheckLeaderElection(const leaderelection::LeaderElectionConfig& config) {
  if (auto ok = injector::CheckNamespace("leader-election-namespace", config.lease_namespace); !ok)
    return ok;
  if (config.lease_duration < std::chrono::seconds(1)) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-lease-duration must be at least 1s");
  }
  if (config.retry_period.count() == 0) {
    return Err(ErrorReason::kInvalidArgument,
               "--leader-election-retry-period must be greater than zero");
  }
  if (auto ok = CheckOrder("lease-duration", config.lease_duration, "renew-deadline",
                           config.renew_deadline, 1);
      !ok) {
    return ok;
  }
  return CheckOrder("renew-deadline", config.renew_deadline, "retry-period", config.retry_period,
                    1.2);
}

// Checks the flags for servers. A duration that has no effect becomes nullopt.
Expected<void> FinishEndpoints(bool verify, cainjector::CaInjectorOptions& options) {
  if (options.retire_unused_cas_after->count() == 0) {
    options.retire_unused_cas_after.reset();
  } else if (!verify) {
    return Err(ErrorReason::kInvalidArgument,
               "--retire-unused-cas-after needs --verify-endpoints, which finds out which CAs are "
               "unused");
  }
  if (!verify) {
    options.verify_endpoints.reset();
  } else if (*options.verify_endpoints < std::chrono::seconds(10)) {
    return Err(ErrorReason::kInvalidArgument, "--verify-endpoints-period must be at least 10s");
  }
  return {};
}

Expected<void> Finish(const flags::FlagSet& set, Options& options,
                      const featuregate::FeatureGate& gates) {
  if (auto ok = CheckFlags(set, options); !ok) return ok;
  if (auto ok = injector::Finish(gates, options.injector); !ok) return ok;
  if (auto ok = FinishEndpoints(options.verify_endpoints, options.injector); !ok) return ok;
  options.both_secret_gates =
      gates.Enabled("ReferencedSecretsOnly") && gates.Enabled("SecretsFilteredCaching");
  options.watch_list = gates.Enabled("WatchListClient");
  if (options.leader_elect) {
    if (auto ok = CheckLeaderElection(options.leader_election); !ok) return ok;
  }
  // As upstream, certificate files take precedence over a dynamic certificate.
  if (options.metrics_tls || !options.dynamic_serving) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--metrics-dynamic-serving-* is not supported: this program does not issue "
             "certificates to itself; mount a Secret that a cert-manager Certificate fills and "
             "name its files with --metrics-tls-cert-file and --metrics-tls-private-key-file, "
             "which are read again when they change");
}

std::vector<flags::Flag> GenericFlags(Options& options) {
  using cainjector::FieldOwnership;
  cainjector::CaInjectorOptions& injector = options.injector;
  return {
      Bind(
          "cache-sync-timeout", &injector.cache_sync_timeout,
          "How long a cache may make no progress before the log, /readyz and the metrics report an "
          "error. The program keeps retrying and uses the other caches. 0 means no limit."),
      Bind("exit-on-cache-sync-timeout", &injector.exit_on_cache_sync_timeout,
           "Exit with code 124 after --cache-sync-timeout, as cert-manager's cainjector does."),
      Bind(
          "field-ownership",
          flags::OneOf(&injector.field_ownership,
                       {{"detach", FieldOwnership::kDetach}, {"keep", FieldOwnership::kKeep}}),
          "What happens to our entry in a target's managedFields after a write. keep: it stays, as "
          "with cert-manager's cainjector. detach: a second write removes it, so that a "
          "server-side apply can remove a webhook or a conversion with an injected bundle."),
      Bind("verify-endpoints", &options.verify_endpoints,
           "Verify the servers that the API server calls for the targets: by a TLS "
           "handshake that trusts a target's bundle and nothing else, soon after each write "
           "and in every --verify-endpoints-period. No request is sent to them."),
      Bind("verify-endpoints-period", &injector.verify_endpoints.emplace(std::chrono::minutes(10)),
           "Time between two verifications of a target's servers, at least 10s. Only used "
           "with --verify-endpoints."),
      Bind("retire-unused-cas-after", &injector.retire_unused_cas_after.emplace(0),
           "How long every server of a target must be trusted without a former CA before "
           "that CA leaves the target, if all its servers are Services. 0: it stays until "
           "it expires. Needs --verify-endpoints.")};
}

std::vector<flags::Flag> ElectionFlags(Options& options) {
  auto election = LeaderElectionFlags(options.leader_elect, options.leader_election);
  election[0].usage +=
      " The Lease is that of cert-manager's cainjector, so the two exclude each other.";
  election[1].usage = "Namespace of the Lease. Only used if leader election is enabled.";
  election[2].usage += " After a crash there is no leader for at most this time.";
  return election;
}

void AddMetricsFlags(flags::FlagSet& set, Options& options) {
  auto metrics = MetricsFlags(options, "0.0.0.0:9402");
  metrics.front().usage += " 0.0.0.0 and [::] are all addresses of IPv4 and IPv6.";
  set.AddSection("Metrics", std::move(metrics));
  flags::CustomVariable dynamic{
      .set = [&options](const auto&, const std::string& text) -> Expected<void> {
        options.dynamic_serving |= !text.empty();
        return {};
      }};
  set.AddSection(
      "Metrics",
      {Bind("metrics-dynamic-serving-ca-secret-namespace", dynamic,
            "Not supported; use --metrics-tls-cert-file. With that "
            "flag, this one has no effect, as upstream."),
       Bind("metrics-dynamic-serving-ca-secret-name", dynamic, "Not supported; see above."),
       Bind("metrics-dynamic-serving-dns-names", dynamic, "Not supported; see above.",
            Type::kStrings),
       flags::NoEffect("metrics-dynamic-serving-leaf-duration", Type::kDuration, "168h0m0s",
                       "certificates of the metrics server come from files",
                       "Not supported; see above.")});
}

void AddProfilingFlags(flags::FlagSet& set) {
  constexpr char kNoProfiler[] =
      "a C++ program has no pprof endpoint; perf and heaptrack profile it from outside";
  set.AddSection("Profiling",
                 {flags::NoEffect("enable-profiling", Type::kBool, "false", kNoProfiler,
                                  "No effect, because a C++ program has no pprof endpoint. "
                                  "Accepted for compatibility with cainjector."),
                  flags::NoEffect("profiler-address", Type::kString, "localhost:6060", kNoProfiler,
                                  "No effect. Accepted for compatibility with cainjector.")});
}

void AddLoggingFlags(flags::FlagSet& set, Options& options) {
  auto logging =
      LoggingFlags(options, "Log verbosity. 2 logs injections, 4 every decision, 6 every request.");
  logging.push_back(flags::NoEffect("log-flush-frequency", Type::kDuration, "5s",
                                    "each line is written at once",
                                    "No effect, because each line is written at once. Accepted for "
                                    "compatibility with cainjector."));
  set.AddSection("Logging", std::move(logging));
  set.AddSection("Deprecated", flags::HiddenLogFlags());
}

}  // namespace

flags::FlagSet NewFlagSet(Options& options, featuregate::FeatureGate& gates) {
  flags::FlagSet set(
      {.name = kProgramName,
       .description =
           "capstan-controller-manager injects CA bundles into webhooks, APIServices and\n"
           "CRD conversions, and keeps them equal to the sources that these name. It is\n"
           "a drop-in replacement for cert-manager's cainjector."});
  set.AddSection("Generic", {Bind("config", &options.config,
                                  "Path to a CAInjectorConfiguration file. Its relative "
                                  "paths are relative to the file. Flags override it.",
                                  Type::kPath)});
  set.AddSection("Generic", ClientFlags(options));
  set.AddSection("Generic", injector::NamespaceFlags(options.injector));
  set.AddSection("Generic", GenericFlags(options));
  set.AddSection("Sources and targets", injector::EnableFlags(options.injector));
  set.AddSection("Sources and targets", {injector::SystemCaFlag(options.injector)});
  set.AddSection("Leader election", ElectionFlags(options));
  AddMetricsFlags(set, options);
  AddProfilingFlags(set);
  AddLoggingFlags(set, options);
  set.AddSection("Feature gates", {FeatureGatesFlag(gates)});
  return set;
}

flags::ConfigSchema NewConfigSchema() {
  return {
      .api_version = "cainjector.config.cert-manager.io/v1alpha1",
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
          // The fields that cainjector's file does not have.
          {"enableInjectableConfig.configMaps", "enable-configmaps-injectable"},
          {"enableInjectableConfig.clusterTrustBundles", "enable-clustertrustbundles-injectable"},
          {"additionalTargets", "additional-targets"},
          {"sharedSourceNamespaces", "shared-source-namespaces"},
      }};
}

Expected<Options> ReadOptions(flags::FlagSet& set, Options& options,
                              const featuregate::FeatureGate& gates) {
  if (!options.config.empty()) {
    if (auto read = ApplyConfigFile(options.config, NewConfigSchema(), set); !read) {
      return Err(read.error());
    }
  }
  auto finished = Finish(set, options, gates);
  if (finished) return options;
  if (!options.config.empty()) {
    finished.error().message += " (values without a flag come from " + options.config + ")";
  }
  return Err(std::move(finished.error()));
}

}  // namespace capstan::cmd::controller_manager
