// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/program_flags.h"

#include "cmd/flags/klog_flags.h"
#include "cmd/flags/version.h"

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
       .description = "capstan-node-agent opens the readiness gates of a node's pods: it sets an\n"
                      "annotation on a pod once all that its certificate needs is there, and\n"
                      "csi-driver asks for the certificate then, and not before.",
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
  set.AddSection("Logging",
                 {{.name = "logging-format"},
                  {.name = "v",
                   .type = Type::kInt,
                   .type_name = "Level",
                   .usage = "number for the log level verbosity: 2 tells which pods' gates are "
                            "open, 4 every decision, 6 every request"},
                  {.name = "vmodule",
                   .type = Type::kModules,
                   .usage = "comma-separated list of pattern=N settings: another verbosity for the "
                            "source files whose names match, e.g. reflector=6"}});
  set.AddSection("Deprecated", flags::HiddenLogFlags());
  set.AddSection("Feature gates",
                 {{.name = "feature-gates", .type = Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

}  // namespace cmd::node_agent
