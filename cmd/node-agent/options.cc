// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/options.h"

#include <gflags/gflags.h>

#include <cstdlib>
#include <utility>

#include "capstan/flags/flag_set.h"
#include "capstan/flags/value.h"
#include "capstan/flags/version.h"
#include "capstan/time.h"

DEFINE_string(node_id, "",
              "Name of the node whose pods the agent serves. Default: the environment variable "
              "NODE_NAME, which the DaemonSet takes from spec.nodeName.");
DEFINE_string(
    pod_readiness_gate, "",
    "A gate as <type>:<value>. May be repeated; all gates have to be open. Types: pod-ip, "
    "pod-condition and pod-annotation as in csi-driver, pod-label:<key>[=<value>], "
    "network-status:<network>[/ipv4|/ipv6], node-condition:<Type>[=<Status>], "
    "configmap:<namespace>/<name>[:<key>], rate:<n>/<duration>.");
DEFINE_string(
    mandatory_gate, "",
    "A gate, as for --pod-readiness-gate, that is added to every pod: to the gate set that it "
    "names, to the default gates, and to pods without gates. May be repeated.");
DEFINE_string(pods_without_gates, "open",
              "What happens to a pod that names no gate set when there are neither default nor "
              "mandatory gates: open (it is opened at once) or closed (it stays closed; its status "
              "and an Event report this).");
DEFINE_string(gate_sets, "",
              "ConfigMap with named gate sets, as <namespace>/<name>. A pod chooses one with the "
              "annotation readiness.capstan.dev/gate-set. It is reloaded when it changes.");
DEFINE_string(csi_driver, "csi.cert-manager.io",
              "Only pods with a volume of this CSI driver are served.");
DEFINE_string(
    output, "annotation",
    "What the agent writes to a pod: annotation (readiness.capstan.dev/ready, for csi-driver's "
    "--pod-readiness-gate=pod-annotation:), condition (readiness.capstan.dev/CertGates, "
    "for spec.readinessGates), or both.");
DEFINE_string(
    pending_event_after, "1m0s",
    "A pod whose gates are closed for longer gets an Event with the reason. 0: no Event.");
DEFINE_bool(
    gate_loop_events_only, false,
    "Evaluate gates only after events, and every ten seconds. Default: also every 100 ms to "
    "1 s (feature gate AdaptiveGateLoop).");
DEFINE_string(
    runtime_events_socket, "/run/capstan/runtime-events.sock",
    "Unix socket that capstan-cri-event-broker sends to. It is opened only with the feature "
    "gate CRIContainerEvents.");
DEFINE_string(
    recovery_spread, "5s",
    "After an outage of the API server, each agent sends its first request at a random moment "
    "within this time.");
DEFINE_string(metrics_listen_address, "0.0.0.0:9403",
              "Host and port that serve /metrics, /healthz, /livez and /readyz. '0' disables them. "
              "0.0.0.0 and [::] are all addresses of IPv4 and IPv6.");

namespace capstan::cmd::node_agent {
namespace {

Expected<void> ReadGates(readinessgate::AgentOptions& agent) {
  const auto specs = flags::SplitArray(FLAGS_pod_readiness_gate);
  if (!specs.empty()) {
    auto set = readinessgate::ParseGateSet("", specs);
    if (!set) return Err(std::move(set.error()));
    agent.default_gates = *std::move(set);
  }
  const auto mandatory = flags::SplitArray(FLAGS_mandatory_gate);
  if (!mandatory.empty()) {
    auto set = readinessgate::ParseGateSet("", mandatory, "--mandatory-gate");
    if (!set) return Err(std::move(set.error()));
    agent.mandatory_gates = *std::move(set);
  }
  if (FLAGS_pods_without_gates == "closed") {
    agent.pods_without_gates = readinessgate::PodsWithoutGates::kClosed;
  } else if (FLAGS_pods_without_gates != "open") {
    return flags::InvalidArgument(FLAGS_pods_without_gates, "pods-without-gates",
                                  "expected open or closed");
  }
  if (FLAGS_gate_sets.empty()) return {};
  agent.gate_sets = runtime::ObjectKey::Parse(FLAGS_gate_sets);
  const auto& key = *agent.gate_sets;
  if (key.namespace_.empty() || key.name.empty() || key.name.find('/') != std::string::npos) {
    return flags::InvalidArgument(FLAGS_gate_sets, "gate-sets", "expected <namespace>/<name>");
  }
  return {};
}

Expected<void> ReadOutputs(readinessgate::OutputKinds& outputs) {
  outputs = {.annotation = false, .condition = false};
  bool known = true;
  for (const std::string& name : flags::SplitList(FLAGS_output)) {
    outputs.annotation |= name == "annotation";
    outputs.condition |= name == "condition";
    known &= name == "annotation" || name == "condition";
  }
  if (known && (outputs.annotation || outputs.condition)) return {};
  return flags::InvalidArgument(FLAGS_output, "output",
                                "expected annotation or condition, or both");
}

Expected<void> ReadNode(readinessgate::AgentOptions& agent) {
  agent.node_name = FLAGS_node_id;
  const char* const name = std::getenv("NODE_NAME");
  if (agent.node_name.empty() && name != nullptr) agent.node_name = name;
  if (!agent.node_name.empty() || !agent.HasGates()) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--node-id is required: the name of this node, or NODE_NAME in the environment");
}

readinessgate::LoopMode LoopModeOf(const featuregate::FeatureGate& gates) {
  if (FLAGS_gate_loop_events_only) return readinessgate::LoopMode::kEventOnly;
  return gates.Enabled("AdaptiveGateLoop") ? readinessgate::LoopMode::kAdaptive
                                           : readinessgate::LoopMode::kFixed;
}

}  // namespace

void AddFeatures(featuregate::FeatureGate& gates) {
  gates.Add({
      {"WatchListClient", {.default_value = true, .stage = featuregate::Stage::kBeta}},
      {"AdaptiveGateLoop", {.default_value = true, .stage = featuregate::Stage::kBeta}},
      {"CRIContainerEvents", {.default_value = false, .stage = featuregate::Stage::kAlpha}},
  });
}

flags::FlagSet NewFlagSet(const featuregate::FeatureGate& gates) {
  flags::FlagSet set(
      {.name = kProgramName,
       .description = "capstan-node-agent opens the readiness gates of a node's pods. It sets an\n"
                      "annotation on a pod when everything that its certificate needs exists.\n"
                      "csi-driver requests the certificate only then."});
  set.AddSection("Generic", {{.name = "kubeconfig", .type = flags::Type::kPath},
                             {.name = "http-transport"},
                             {.name = "http2"},
                             {.name = "list-compression"},
                             {.name = "node-id"},
                             {.name = "recovery-spread", .type = flags::Type::kDuration}});
  set.AddSection("Gates", {{.name = "pod-readiness-gate", .type = flags::Type::kStringArray},
                           {.name = "mandatory-gate", .type = flags::Type::kStringArray},
                           {.name = "gate-sets"},
                           {.name = "pods-without-gates"},
                           {.name = "csi-driver"},
                           {.name = "output", .type = flags::Type::kStrings},
                           {.name = "pending-event-after", .type = flags::Type::kDuration}});
  set.AddSection("Loop", {{.name = "gate-loop-events-only", .type = flags::Type::kBool},
                          {.name = "runtime-events-socket", .type = flags::Type::kPath}});
  set.AddSection("Metrics", {{.name = "metrics-listen-address"},
                             {.name = "status-pages"},
                             {.name = "metrics-tls-cert-file", .type = flags::Type::kPath},
                             {.name = "metrics-tls-private-key-file", .type = flags::Type::kPath},
                             {.name = "metrics-tls-cipher-suites", .type = flags::Type::kStrings},
                             {.name = "metrics-tls-min-version"}});
  set.AddSection("Logging", flags::LogFlags("Log verbosity. 2 logs opened pods, 4 every decision, "
                                            "6 every request."));
  set.AddSection("Deprecated", flags::HiddenLogFlags());
  set.AddSection(
      "Feature gates",
      {{.name = "feature-gates", .type = flags::Type::kMapStringBool, .usage = gates.Help()}});
  return set;
}

Expected<Options> ReadOptions(featuregate::FeatureGate& gates) {
  auto common = ReadCommonOptions(gates, FLAGS_metrics_listen_address);
  if (!common) return Err(std::move(common.error()));
  Options options;
  static_cast<CommonOptions&>(options) = *std::move(common);
  auto& agent = options.agent;
  if (auto ok = ReadGates(agent); !ok) return Err(ok.error());
  if (auto ok = ReadOutputs(agent.outputs); !ok) return Err(ok.error());
  if (auto ok = ReadNode(agent); !ok) return Err(ok.error());
  if (FLAGS_csi_driver.empty()) {
    return flags::InvalidArgument(FLAGS_csi_driver, "csi-driver",
                                  "expected the name of a CSI driver");
  }
  agent.csi_driver = FLAGS_csi_driver;
  // FlagSet::Parse has checked the durations.
  agent.pending_event_after =
      ParseDuration(FLAGS_pending_event_after).value_or(std::chrono::nanoseconds{});
  options.recovery_spread = ParseDuration(FLAGS_recovery_spread).value_or(options.recovery_spread);
  agent.loop_mode = LoopModeOf(gates);
  agent.watch_list = gates.Enabled("WatchListClient");
  if (gates.Enabled("CRIContainerEvents")) {
    if (FLAGS_runtime_events_socket.empty()) {
      return flags::InvalidArgument("", "runtime-events-socket", "CRIContainerEvents needs a path");
    }
    agent.runtime_events_socket = FLAGS_runtime_events_socket;
  }
  agent.field_manager = kProgramName;
  agent.version = flags::BuildVersion();
  return options;
}

}  // namespace capstan::cmd::node_agent
