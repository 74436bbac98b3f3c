// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/options.h"

#include <gflags/gflags.h>

#include <optional>
#include <utility>

#include "capstan/program_options.h"
#include "capstan/time.h"
#include "cmd/injector/options.h"

DEFINE_string(kubeconfig, "",
              "Path to a kubeconfig. Default: $KUBECONFIG, the cluster this runs in, "
              "~/.kube/config.");
DEFINE_string(feature_gates, "",
              "--feature-gates of the manager. CAInjectorMerging, ConfigMapSource and "
              "ClusterTrustBundleSource have an effect.");
DEFINE_string(http_transport, "capstan", capstan::kHttpTransportHelp);
DEFINE_string(http2, "auto",
              "auto: HTTP/2 to the API server if it offers it, otherwise HTTP/1.1. off: HTTP/1.1.");
DEFINE_string(list_compression, "auto",
              "Whether lists are requested compressed with gzip. auto: if the API server is not on "
              "this host, and the kubeconfig has no disable-compression. on: always. off: never.");
DEFINE_string(context, "", "Context of the kubeconfig. Default: its current context.");
DEFINE_string(
    as, "",
    "User to act as, for example that of the manager. Its missing rights are then reported.");
DEFINE_string(output, "", "Output format: \"json\". Default: text.");
DEFINE_string(wait, "0s", "How long to wait until all targets are fine. 0: check once.");
DEFINE_bool(endpoints, false,
            "Verify the servers that the API server calls for the targets, by a TLS handshake from "
            "here that trusts a target's bundle and nothing else. No request is sent to them.");
DEFINE_bool(dry_run, false, "Show what would be written, and write nothing. Required.");
DEFINE_string(file, "",
              "YAML or JSON file to read instead of a cluster, \"-\" for stdin. May be repeated.");

namespace capstan::cmd::cli {

void AddClusterFlags(flags::FlagSet& set, std::vector<flags::Flag> own) {
  own.push_back({.name = "output", .shorthand = "o"});
  set.AddSection("Output", std::move(own));
  set.AddSection("Cluster", {{.name = "kubeconfig"},
                             {.name = "context"},
                             {.name = "as"},
                             {.name = "http-transport"},
                             {.name = "http2"},
                             {.name = "list-compression"}});
}

void AddManagerFlags(flags::FlagSet& set) {
  constexpr char kTitle[] = "Flags of the running manager (see its /flagz)";
  std::vector<flags::Flag> namespaces = injector::NamespaceFlags();
  for (flags::Flag& flag : namespaces) flag.usage = "--" + flag.name + " of the manager.";
  namespaces.front().usage += " It hides no target.";
  std::vector<flags::Flag> switches = injector::EnableFlags();
  for (flags::Flag& flag : switches) flag.usage = "The value that the manager has.";
  set.AddSection(kTitle, std::move(namespaces));
  set.AddSection(kTitle, std::move(switches));
  flags::Flag system_cas = injector::SystemCaFlag();
  system_cas.usage = "Copy of the manager's file with the public CAs of the source \"system\".";
  set.AddSection(kTitle, {system_cas});
  set.AddSection(kTitle, {{.name = "feature-gates", .type = flags::Type::kMapStringBool}});
}

Expected<InspectOptions> ReadInspectOptions() {
  if (!FLAGS_output.empty() && FLAGS_output != "json") {
    return flags::InvalidArgument(FLAGS_output, "output", "expected json");
  }
  // Ignores the environment: it is the user's, not the manager's.
  featuregate::FeatureGate gates([](const std::string&) { return std::nullopt; });
  injector::AddFeatures(gates);
  if (auto set = gates.Set(FLAGS_feature_gates); !set) {
    return flags::InvalidArgument(FLAGS_feature_gates, "feature-gates", set.error().message);
  }
  const auto http_transport = HttpTransportOf(FLAGS_http_transport);
  if (!http_transport) return Err(http_transport.error());
  const auto http2 = Http2Of(FLAGS_http2);
  if (!http2) return Err(http2.error());
  const auto list_compression = ListCompressionOf(FLAGS_list_compression);
  if (!list_compression) return Err(list_compression.error());
  auto injector = injector::ReadOptions(gates);
  if (!injector) return Err(std::move(injector.error()));
  return InspectOptions{.kubeconfig = FLAGS_kubeconfig,
                        .context = FLAGS_context,
                        .as = FLAGS_as,
                        .http_transport = *http_transport,
                        .http2 = *http2,
                        .list_compression = *list_compression,
                        .json = FLAGS_output == "json",
                        .wait = ParseDuration(FLAGS_wait).value_or(std::chrono::nanoseconds(0)),
                        .endpoints = FLAGS_endpoints,
                        .dry_run = FLAGS_dry_run,
                        .files = flags::SplitArray(FLAGS_file),
                        .injector = *std::move(injector)};
}

}  // namespace capstan::cmd::cli
