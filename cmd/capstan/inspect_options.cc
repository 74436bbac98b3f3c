// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect_options.h"

#include <gflags/gflags.h>

#include <optional>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/time_format.h"
#include "cmd/internal/flags/version.h"
#include "cmd/internal/injector/injector_flags.h"
#include "cmd/internal/program/options.h"

DECLARE_string(kubeconfig);
DECLARE_string(context);
DECLARE_string(http2);
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
  set.AddSection("Cluster", {{.name = "kubeconfig", .usage = kKubeconfigUsage},
                             {.name = "context"},
                             {.name = "as"},
                             {.name = "http2"}});
  return set;
}

// Adds the manager's flags that change what it injects.
FlagSet WithManagersFlags(FlagSet set) {
  set.AddSection(
      "Flags of the running manager (see its /flagz)",
      {{.name = "namespace", .type_name = "strings"},
       {.name = "ignore-namespaces", .type = Type::kStrings},
       {.name = "enable-certificates-data-source", .type = Type::kBool},
       {.name = "enable-validatingwebhookconfigurations-injectable", .type = Type::kBool},
       {.name = "enable-mutatingwebhookconfigurations-injectable", .type = Type::kBool},
       {.name = "enable-customresourcedefinitions-injectable", .type = Type::kBool},
       {.name = "enable-apiservices-injectable", .type = Type::kBool},
       {.name = "feature-gates",
        .type = Type::kMapStringBool,
        .usage = "--feature-gates of the manager. CAInjectorMerging and ConfigMapSource have an "
                 "effect."}});
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
                "capstan status shows every target that requests a CA bundle: its source, its\n"
                "state, the reason, and the expiry of its bundle. It reads only the API server,\n"
                "so no manager has to run.\n"
                "Exit code 0: every target was checked; 1: the check failed."},
           {Output()}));
}

FlagSet NewExplainFlagSet() {
  return WithManagersFlags(
      Make({.name = "capstan explain",
            .description =
                "capstan explain follows every link from a target's annotation to its bundle. It\n"
                "prints the first broken link and the kubectl command that fixes it. It reads\n"
                "only the API server, so no manager has to run.\n"
                "Exit code 0: the target is fine; 1: the check failed; 2: something is broken or\n"
                "missing.",
            .arguments = "KIND NAME",
            .arguments_max = 2},
           {Output()}));
}

FlagSet NewCheckFlagSet() {
  return WithManagersFlags(
      Make({.name = "capstan check",
            .description =
                "capstan check reports whether every target, or the named target, holds its\n"
                "bundle. It is made for pipelines.\n"
                "Exit code 0: all targets are fine; 1: the check failed; 2: something is broken\n"
                "or missing when --wait ends.",
            .arguments = "[KIND NAME]",
            .arguments_max = 2},
           {{.name = "wait", .type = Type::kDuration}, Output()}));
}

FlagSet NewAuditFlagSet() {
  return Make(
      {.name = "capstan audit",
       .description =
           "capstan audit shows every caBundle in the cluster, including unmanaged ones: its\n"
           "owner, the annotation that requests it, and its expiry.\n"
           "Exit code 0: every caBundle was read; 1: the audit failed."},
      {Output()});
}

FlagSet NewInjectFlagSet() {
  return WithManagersFlags(
      Make({.name = "capstan inject",
            .description =
                "capstan inject --dry-run shows what the manager would write into every target,\n"
                "or into the named target: added and removed certificates, or with -o json the\n"
                "patch. With -f it reads YAML or JSON files and needs no cluster. The files\n"
                "contain targets and their Secrets, Certificates and ConfigMaps.\n"
                "Exit code 0: nothing would be written; 1: the check failed; 2: something would\n"
                "be written or is broken.",
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
           "capstan gates shows the gate set and the gates of each pod, and since when each\n"
           "gate is open or closed. capstan-node-agent writes this to the pod.\n"
           "Exit code 0: the pods were read; 1: reading failed.",
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
                                                  " for --output: expected json");
  }
  // Ignores the environment: it is the user's, not the manager's.
  featuregate::FeatureGate gates([](const std::string&) { return std::nullopt; });
  injector::AddFeatures(gates);
  if (auto set = gates.Set(FLAGS_feature_gates); !set) {
    return flags::InvalidArgument(FLAGS_feature_gates, "feature-gates", set.error().message);
  }
  const auto http2 = program::Http2Of(FLAGS_http2);
  if (!http2) return Err(http2.error());
  auto injector = injector::OptionsOf(ManagersFlags(), gates);
  if (!injector) return Err(std::move(injector.error()));
  return InspectOptions{
      .kubeconfig = FLAGS_kubeconfig,
      .context = FLAGS_context,
      .as = FLAGS_as,
      .http2 = *http2,
      .json = FLAGS_output == "json",
      .wait = clientgo::util::ParseDuration(FLAGS_wait).value_or(std::chrono::nanoseconds(0)),
      .dry_run = FLAGS_dry_run,
      .files = flags::SplitArray(FLAGS_file),
      .injector = *std::move(injector)};
}

}  // namespace cmd::capstan
