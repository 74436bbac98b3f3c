// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/options.h"

#include <cstdlib>
#include <utility>

#include "capstan/flags/flag_set.h"
#include "capstan/flags/value.h"
#include "capstan/flags/version.h"

namespace capstan::cmd::node_agent {
namespace {

using flags::Bind;
using flags::CustomVariable;
using flags::OneOf;
using flags::Type;

using readinessgate::LoopMode;
using readinessgate::PodsWithoutGates;

// Binds the gates of a flag that may be repeated.
CustomVariable Gates(std::shared_ptr<const readinessgate::GateSet>& gates) {
  const auto set = [&gates](const std::string& flag, const std::string& text) -> Expected<void> {
    const auto specs = flags::SplitArray(text);
    if (specs.empty()) return {};
    auto parsed = readinessgate::ParseGateSet("", specs, "--" + flag);
    if (!parsed) return Err(std::move(parsed.error()));
    gates = *std::move(parsed);
    return {};
  };
  return {.type = Type::kStringArray, .set = set};
}

// Binds a <namespace>/<name>. An empty text becomes nullopt.
CustomVariable KeyOf(std::optional<runtime::ObjectKey>& key) {
  return {.set = [&key](const std::string& flag, const std::string& text) -> Expected<void> {
    if (text.empty()) return {};
    key = runtime::ObjectKey::Parse(text);
    const bool valid =
        !key->namespace_.empty() && !key->name.empty() && key->name.find('/') == std::string::npos;
    if (valid) return {};
    return flags::InvalidArgument(text, flag, "expected <namespace>/<name>");
  }};
}

CustomVariable Outputs(readinessgate::OutputKinds& outputs) {
  const auto set = [&outputs](const std::string& flag, const std::string& text) -> Expected<void> {
    outputs = {.annotation = false, .condition = false};
    bool known = true;
    for (const std::string& name : flags::SplitList(text)) {
      outputs.annotation |= name == "annotation";
      outputs.condition |= name == "condition";
      known &= name == "annotation" || name == "condition";
    }
    if (known && (outputs.annotation || outputs.condition)) return {};
    return flags::InvalidArgument(text, flag, "expected annotation or condition, or both");
  };
  return {.type = Type::kStrings, .text = "annotation", .set = set};
}

std::vector<flags::Flag> GateFlags(readinessgate::AgentOptions& agent) {
  return {
      Bind("pod-readiness-gate", Gates(agent.default_gates),
           "A gate as <type>:<value>. May be repeated; all gates have to be open. Types: pod-ip, "
           "pod-condition and pod-annotation as in csi-driver, pod-label:<key>[=<value>], "
           "network-status:<network>[/ipv4|/ipv6], node-condition:<Type>[=<Status>], "
           "configmap:<namespace>/<name>[:<key>], rate:<n>/<duration>."),
      Bind("mandatory-gate", Gates(agent.mandatory_gates),
           "A gate, as for --pod-readiness-gate, that is added to every pod: to the gate set that "
           "it names, to the default gates, and to pods without gates. May be repeated."),
      Bind("gate-sets", KeyOf(agent.gate_sets),
           "ConfigMap with named gate sets, as <namespace>/<name>. A pod chooses one with "
           "the annotation readiness.capstan.dev/gate-set. It is reloaded when it changes."),
      Bind("pods-without-gates",
           OneOf(&agent.pods_without_gates,
                 {{"open", PodsWithoutGates::kOpen}, {"closed", PodsWithoutGates::kClosed}}),
           "What happens to a pod that names no gate set when there are neither default nor "
           "mandatory gates: open (it is opened at once) or closed (it stays closed; its "
           "status and an Event report this)."),
      Bind("csi-driver", &agent.csi_driver,
           "Only pods with a volume of this CSI driver are served."),
      Bind("output", Outputs(agent.outputs),
           "What the agent writes to a pod: annotation (readiness.capstan.dev/ready, for "
           "csi-driver's --pod-readiness-gate=pod-annotation:), condition "
           "(readiness.capstan.dev/CertGates, for spec.readinessGates), or both."),
      Bind("pending-event-after", &agent.pending_event_after,
           "A pod whose gates are closed for longer gets an Event with the reason. 0: no Event.")};
}

}  // namespace

void AddFeatures(featuregate::FeatureGate& gates) {
  gates.Add({
      {"WatchListClient", {.default_value = true, .stage = featuregate::Stage::kBeta}},
      {"AdaptiveGateLoop", {.default_value = true, .stage = featuregate::Stage::kBeta}},
      {"CRIContainerEvents", {.default_value = false, .stage = featuregate::Stage::kAlpha}},
  });
}

flags::FlagSet NewFlagSet(Options& options, featuregate::FeatureGate& gates) {
  readinessgate::AgentOptions& agent = options.agent;
  agent.runtime_events_socket = "/run/capstan/runtime-events.sock";
  flags::FlagSet set(
      {.name = kProgramName,
       .description = "capstan-node-agent opens the readiness gates of a node's pods. It sets an\n"
                      "annotation on a pod when everything that its certificate needs exists.\n"
                      "csi-driver requests the certificate only then."});
  set.AddSection("Generic", ClientFlags(options));
  set.AddSection("Generic",
                 {Bind("node-id", &agent.node_name,
                       "Name of the node whose pods the agent serves. Default: the environment "
                       "variable NODE_NAME, which the DaemonSet takes from spec.nodeName."),
                  Bind("recovery-spread", &options.recovery_spread,
                       "After an outage of the API server, each agent sends its first request at a "
                       "random moment within this time.")});
  set.AddSection("Gates", GateFlags(agent));
  set.AddSection("Loop", {Bind("gate-loop-events-only",
                               OneOf(&agent.loop_mode, {{"false", LoopMode::kAdaptive},
                                                        {"true", LoopMode::kEventOnly}}),
                               "Evaluate gates only after events, and every ten seconds. Default: "
                               "also every 100 ms to 1 s (feature gate AdaptiveGateLoop).",
                               Type::kBool),
                          Bind("runtime-events-socket", &agent.runtime_events_socket,
                               "Unix socket that capstan-cri-event-broker sends to. It is opened "
                               "only with the feature gate CRIContainerEvents.",
                               Type::kPath)});
  auto metrics = MetricsFlags(options, "0.0.0.0:9403");
  metrics.front().usage += " 0.0.0.0 and [::] are all addresses of IPv4 and IPv6.";
  set.AddSection("Metrics", std::move(metrics));
  set.AddSection("Logging", LoggingFlags(options,
                                         "Log verbosity. 2 logs opened pods, 4 every "
                                         "decision, 6 every request."));
  set.AddSection("Deprecated", flags::HiddenLogFlags());
  set.AddSection("Feature gates", {FeatureGatesFlag(gates)});
  return set;
}

Expected<Options> ReadOptions(const flags::FlagSet& set, Options& options,
                              const featuregate::FeatureGate& gates) {
  if (auto ok = CheckFlags(set, options); !ok) return Err(std::move(ok.error()));
  auto& agent = options.agent;
  const char* const name = std::getenv("NODE_NAME");
  if (agent.node_name.empty() && name != nullptr) agent.node_name = name;
  if (agent.node_name.empty() && agent.HasGates()) {
    return Err(ErrorReason::kInvalidArgument,
               "--node-id is required: the name of this node, or NODE_NAME in the environment");
  }
  if (agent.csi_driver.empty()) {
    return flags::InvalidArgument("", "csi-driver", "expected the name of a CSI driver");
  }
  if (agent.loop_mode == LoopMode::kAdaptive && !gates.Enabled("AdaptiveGateLoop")) {
    agent.loop_mode = LoopMode::kFixed;
  }
  agent.watch_list = gates.Enabled("WatchListClient");
  if (!gates.Enabled("CRIContainerEvents")) {
    agent.runtime_events_socket.clear();
  } else if (agent.runtime_events_socket.empty()) {
    return flags::InvalidArgument("", "runtime-events-socket", "CRIContainerEvents needs a path");
  }
  agent.field_manager = kProgramName;
  agent.version = flags::BuildVersion();
  return options;
}

}  // namespace capstan::cmd::node_agent
