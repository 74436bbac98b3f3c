// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect_options.h"

#include <gflags/gflags.h>

#include <optional>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/time_format.h"
#include "cmd/flags/version.h"
#include "cmd/injector/injector_flags.h"

DECLARE_string(kubeconfig);
DECLARE_string(context);
DECLARE_string(as);
DECLARE_string(output);
DECLARE_string(wait);
DECLARE_bool(dry_run);
DECLARE_string(file);
DECLARE_string(namespace);
DECLARE_string(ignore_namespaces);
DECLARE_string(feature_gates);
DECLARE_bool(enable_certificates_data_source);
DECLARE_bool(enable_validatingwebhookconfigurations_injectable);
DECLARE_bool(enable_mutatingwebhookconfigurations_injectable);
DECLARE_bool(enable_customresourcedefinitions_injectable);
DECLARE_bool(enable_apiservices_injectable);

namespace cmd::capstan {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using flags::Flag;
using flags::FlagSet;
using flags::Type;

namespace {

constexpr const char* kKubeconfigUsage =
    "Path to a kubeconfig. Default: $KUBECONFIG, the cluster this runs in, ~/.kube/config.";

FlagSet Make(flags::Program program, std::vector<Flag> own) {
  program.version = flags::VersionText();
  FlagSet set(std::move(program));
  if (!own.empty()) set.AddSection("Output", std::move(own));
  set.AddSection(
      "Cluster",
      {{.name = "kubeconfig", .usage = kKubeconfigUsage}, {.name = "context"}, {.name = "as"}});
  return set;
}

// A manager with other flags than the defaults injects other bundles.
FlagSet WithManagersFlags(FlagSet set) {
  set.AddSection(
      "Flags of the manager, as it runs (its /flagz has them)",
      {{.name = "namespace", .type_name = "strings"},
       {.name = "ignore-namespaces", .type = Type::kStrings},
       {.name = "enable-certificates-data-source", .type = Type::kBool},
       {.name = "enable-validatingwebhookconfigurations-injectable", .type = Type::kBool},
       {.name = "enable-mutatingwebhookconfigurations-injectable", .type = Type::kBool},
       {.name = "enable-customresourcedefinitions-injectable", .type = Type::kBool},
       {.name = "enable-apiservices-injectable", .type = Type::kBool},
       {.name = "feature-gates",
        .type = Type::kMapStringBool,
        .usage = "--feature-gates of the manager; CAInjectorMerging and ConfigMapSource matter."}});
  return set;
}

injector::Flags ManagersFlags() {
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

Flag Output() { return {.name = "output", .shorthand = "o"}; }

}  // namespace

FlagSet NewStatusFlagSet() {
  return WithManagersFlags(
      Make({.name = "capstan status",
            .description =
                "capstan status shows every target that asks for a CA bundle: its source,\n"
                "whether it holds the bundle, the reason, and when what it holds expires. The\n"
                "API server alone is asked; no program of ours has to run.\n"
                "Exit code 0: it could be found out; 1: it could not."},
           {Output()}));
}

FlagSet NewExplainFlagSet() {
  return WithManagersFlags(
      Make({.name = "capstan explain",
            .description =
                "capstan explain follows every link from a target's annotation to the bundle in\n"
                "it, names the first that is broken, and the kubectl command that mends it. The\n"
                "API server alone is asked; no program of ours has to run.\n"
                "Exit code 0: all is well; 1: it could not be found out; 2: something is broken\n"
                "or missing.",
            .arguments = "KIND NAME",
            .arguments_max = 2},
           {Output()}));
}

FlagSet NewCheckFlagSet() {
  return WithManagersFlags(
      Make({.name = "capstan check",
            .description =
                "capstan check says whether every target, or the one that is named, holds its\n"
                "bundle; for pipelines.\n"
                "Exit code 0: all is well; 1: it could not be found out; 2: something is broken\n"
                "or missing when the time is over.",
            .arguments = "[KIND NAME]",
            .arguments_max = 2},
           {{.name = "wait", .type = Type::kDuration}, Output()}));
}

FlagSet NewAuditFlagSet() {
  return Make(
      {.name = "capstan audit",
       .description =
           "capstan audit shows every caBundle in the cluster: who wrote it, what asks for\n"
           "its injection, and when it expires; also those that nobody manages.\n"
           "Exit code 0: it could be found out; 1: it could not."},
      {Output()});
}

FlagSet NewInjectFlagSet() {
  return WithManagersFlags(
      Make({.name = "capstan inject",
            .description =
                "capstan inject --dry-run shows what the manager would write into every target,\n"
                "or the one that is named: which certificates come and go; with -o json the very\n"
                "patch. With -f it looks at YAML or JSON files instead, and needs no cluster:\n"
                "targets, and the Secrets, Certificates and ConfigMaps that they name.\n"
                "Exit code 0: nothing would be written; 1: it could not be found out; 2:\n"
                "something would be written, or is broken.",
            .arguments = "[KIND NAME]",
            .arguments_max = 2},
           {{.name = "dry-run", .type = Type::kBool},
            {.name = "file", .type = Type::kStringArray, .shorthand = "f"},
            Output()}));
}

FlagSet NewGatesFlagSet() {
  return Make(
      {.name = "capstan gates",
       .description =
           "capstan gates shows each gated pod's gate set, the state of each of its gates,\n"
           "and since when it is so, as capstan-node-agent wrote it on the pod.\n"
           "Exit code 0: it could be found out; 1: it could not.",
       .arguments = "[NAMESPACE[/POD]]",
       .arguments_max = 1},
      {Output()});
}

FlagSet NewCompletionFlagSet() {
  FlagSet set({.name = "capstan completion",
               .description =
                   "capstan completion prints a script that completes capstan's commands\n"
                   "and flags in a shell: source <(capstan completion bash)",
               .version = flags::VersionText(),
               .arguments = "bash|zsh|fish",
               .arguments_max = 1});
  return set;
}

Expected<InspectOptions> ReadInspectOptions() {
  if (!FLAGS_output.empty() && FLAGS_output != "json") {
    return Err(ErrorReason::kInvalidArgument, "invalid argument " +
                                                  clientgo::util::Quoted(FLAGS_output) +
                                                  " for --output: expected json, or nothing");
  }
  // The environment is that of whoever looks, not the manager's.
  featuregate::FeatureGate gates([](const std::string&) { return std::nullopt; });
  injector::AddFeatures(gates);
  if (auto set = gates.Set(FLAGS_feature_gates); !set) {
    return flags::InvalidArgument(FLAGS_feature_gates, "feature-gates", set.error().message);
  }
  auto injector = injector::OptionsOf(ManagersFlags(), gates);
  if (!injector) return Err(std::move(injector.error()));
  return InspectOptions{
      .kubeconfig = FLAGS_kubeconfig,
      .context = FLAGS_context,
      .as = FLAGS_as,
      .json = FLAGS_output == "json",
      .wait = clientgo::util::ParseDuration(FLAGS_wait).value_or(std::chrono::nanoseconds(0)),
      .dry_run = FLAGS_dry_run,
      .files = flags::SplitArray(FLAGS_file),
      .injector = *std::move(injector)};
}

}  // namespace cmd::capstan
