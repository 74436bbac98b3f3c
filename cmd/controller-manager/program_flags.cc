// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/program_flags.h"

#include "cmd/internal/flags/flag_set.h"
#include "cmd/internal/flags/version.h"

namespace cmd::controller_manager {
namespace {

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
  using flags::Type;
  set.AddSection(
      "Logging",
      {{.name = "logging-format"},
       {.name = "v",
        .type = Type::kInt,
        .type_name = "Level",
        .usage = "Log verbosity. 2 logs injections, 4 every decision, 6 every request."},
       {.name = "vmodule",
        .type = Type::kModules,
        .usage =
            "Comma-separated list of pattern=N: verbosity N for source files whose names match "
            "the pattern, e.g. reflector=6."},
       {.name = "log-flush-frequency",
        .type = Type::kDuration,
        .usage = "No effect, because each line is written at once. Accepted for compatibility with "
                 "cainjector.",
        .no_effect = "each line is written at once",
        .default_value = "5s"}});
  set.AddSection("Deprecated", flags::HiddenLogFlags());
}

}  // namespace

flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates) {
  using flags::Type;
  flags::FlagSet set(
      {.name = kProgramName,
       .description =
           "capstan-controller-manager injects CA bundles into webhooks, APIServices and\n"
           "CRD conversions, and keeps them equal to the sources that these name. It is\n"
           "a drop-in replacement for cert-manager's cainjector.",
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

}  // namespace cmd::controller_manager
