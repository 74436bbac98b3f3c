// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/options.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/value.h"
#include "cmd/injector/options.h"

namespace capstan::cmd::cli {

using flags::Bind;
using flags::Type;

void AddOwnFlags(flags::FlagSet& set, const std::vector<std::string>& own,
                 InspectOptions& options) {
  const std::vector<flags::Flag> all = {
      Bind("wait", &options.wait, "How long to wait until all targets are fine. 0: check once."),
      Bind("endpoints", &options.endpoints,
           "Verify the servers that the API server calls for the targets, by a TLS handshake from "
           "here that trusts a target's bundle and nothing else. No request is sent to them."),
      injector::AdditionalTargetsFlag(options.injector),
      Bind("dry-run", &options.dry_run, "Show what would be written, and write nothing. Required."),
      Bind("out", &options.out, "Folder to write to."),
      Bind("kind", &options.project.kind, "Kind that the program controls, such as Foo. Required."),
      Bind("group", &options.project.group, "Group of the kind: a domain of yours."),
      {.name = "file",
       .type = Type::kStringArray,
       .usage = "YAML or JSON file to read instead of a cluster, \"-\" for stdin. May be repeated.",
       .variable = &options.files,
       .shorthand = "f"}};
  for (const flags::Flag& flag : all) {
    if (std::count(own.begin(), own.end(), flag.name) > 0) set.AddSection("Output", {flag});
  }
}

void AddClusterFlags(flags::FlagSet& set, InspectOptions& options) {
  set.AddSection("Output", {{.name = "output",
                             .usage = "Output format: \"json\". Default: text.",
                             .variable = flags::OneOf(&options.json, {{"", false}, {"json", true}}),
                             .shorthand = "o"}});
  set.AddSection("Cluster",
                 {Bind("kubeconfig", &options.kubeconfig,
                       "Path to a kubeconfig. Default: $KUBECONFIG, the cluster this runs in, "
                       "~/.kube/config."),
                  Bind("context", &options.context,
                       "Context of the kubeconfig. Default: its current context."),
                  Bind("as", &options.as,
                       "User to act as, for example that of the manager. Its missing rights are "
                       "then reported.")});
  set.AddSection("Cluster", TransportFlags(options));
}

void AddManagerFlags(flags::FlagSet& set, InspectOptions& options) {
  constexpr char kTitle[] = "Flags of the running manager (see its /flagz)";
  std::vector<flags::Flag> namespaces = injector::NamespaceFlags(options.injector);
  for (flags::Flag& flag : namespaces) flag.usage = "--" + flag.name + " of the manager.";
  namespaces.front().usage += " It hides no target.";
  std::vector<flags::Flag> switches = injector::EnableFlags(options.injector);
  for (flags::Flag& flag : switches) flag.usage = "The value that the manager has.";
  set.AddSection(kTitle, std::move(namespaces));
  set.AddSection(kTitle, std::move(switches));
  flags::Flag system_cas = injector::SystemCaFlag(options.injector);
  system_cas.usage = "Copy of the manager's file with the public CAs of the source \"system\".";
  set.AddSection(kTitle, {system_cas});
  set.AddSection(kTitle, {Bind("feature-gates", &options.feature_gates,
                               "--feature-gates of the manager. CAInjectorMerging, ConfigMapSource "
                               "and ClusterTrustBundleSource have an effect.",
                               Type::kMapStringBool)});
}

Expected<void> Finish(const flags::FlagSet& set, InspectOptions& options) {
  if (auto ok = set.Check(); !ok) return ok;
  // Ignores the environment: it is the user's, not the manager's.
  featuregate::FeatureGate gates([](const std::string&) { return std::nullopt; });
  injector::AddFeatures(gates);
  if (auto known = gates.Set(options.feature_gates); !known) {
    return flags::InvalidArgument(options.feature_gates, "feature-gates", known.error().message);
  }
  return injector::Finish(gates, options.injector);
}

}  // namespace capstan::cmd::cli
