// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/program_flags.h"

#include "cmd/internal/flags/flag_set.h"
#include "cmd/internal/flags/version.h"

namespace cmd::node_agent {

void AddFeatures(featuregate::FeatureGate& gates) {
  using featuregate::Stage;
  gates.Add({
      {"WatchListClient", {.default_value = true, .stage = Stage::kBeta}},
      {"AdaptiveGateLoop", {.default_value = true, .stage = Stage::kBeta}},
      {"CRIContainerEvents", {.default_value = false, .stage = Stage::kAlpha}},
  });
}

flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates) {
  using flags::Type;
  flags::FlagSet set(
      {.name = kProgramName,
       .description = "capstan-node-agent opens the readiness gates of a node's pods. It sets an\n"
                      "annotation on a pod when everything that its certificate needs exists.\n"
                      "csi-driver requests the certificate only then.",
       .version = flags::VersionText()});
  set.AddSection("Generic", {{.name = "kubeconfig", .type = Type::kPath},
                             {.name = "node-id"},
                             {.name = "recovery-spread", .type = Type::kDuration}});
  set.AddSection("Gates", {{.name = "pod-readiness-gate", .type = Type::kStringArray},
                           {.name = "mandatory-gate", .type = Type::kStringArray},
                           {.name = "gate-sets"},
                           {.name = "pods-without-gates"},
                           {.name = "csi-driver"},
                           {.name = "output", .type = Type::kStrings},
                           {.name = "pending-event-after", .type = Type::kDuration}});
  set.AddSection("Loop", {{.name = "gate-loop-events-only", .type = Type::kBool},
                          {.name = "runtime-events-socket", .type = Type::kPath}});
  set.AddSection("Metrics", {{.name = "metrics-listen-address"},
                             {.name = "status-pages"},
                             {.name = "metrics-tls-cert-file", .type = Type::kPath},
                             {.name = "metrics-tls-private-key-file", .type = Type::kPath},
                             {.name = "metrics-tls-cipher-suites", .type = Type::kStrings},
                             {.name = "metrics-tls-min-version"}});
  set.AddSection(
      "Logging",
      {{.name = "logging-format"},
       {.name = "v",
        .type = Type::kInt,
        .type_name = "Level",
        .usage = "Log verbosity. 2 logs opened pods, 4 every decision, 6 every request."},
       {.name = "vmodule",
        .type = Type::kModules,
        .usage = "Comma-separated list of pattern=N: verbosity N for source files whose "
                 "names match the pattern, e.g. reflector=6."}});
  set.AddSection("Deprecated", flags::HiddenLogFlags());
  set.AddSection("Feature gates",
                 {{.name = "feature-gates", .type = Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

}  // namespace cmd::node_agent
