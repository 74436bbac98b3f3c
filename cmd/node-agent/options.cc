// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/options.h"

#include <gflags/gflags.h>

#include <cstdlib>
#include <utility>

#include "clientgo/util/time_format.h"
#include "cmd/flags/value.h"
#include "cmd/flags/version.h"
#include "cmd/node-agent/program_flags.h"
#include "cmd/program/serving_flags.h"

DECLARE_int32(v);

DEFINE_string(kubeconfig, "",
              "Path to a kubeconfig. Without it: $KUBECONFIG, the Pod's service account, "
              "~/.kube/config, in this order.");
DEFINE_string(node_id, "",
              "Name of the node whose pods are looked after. Default: the environment variable "
              "NODE_NAME, which the DaemonSet takes from spec.nodeName.");
DEFINE_string(pod_readiness_gate, "",
              "A gate as <type>:<value>; given several times, all have to be open. Types: pod-ip, "
              "pod-condition and pod-annotation as in csi-driver, pod-label:<key>[=<value>], "
              "network-status:<network>[/ipv4|/ipv6], node-condition:<Type>[=<Status>], "
              "configmap:<namespace>/<name>[:<key>], rate:<n>/<duration>.");
DEFINE_string(gate_sets, "",
              "ConfigMap with named gate sets, as <namespace>/<name>. A pod chooses one with the "
              "annotation readiness.capstan.dev/gate-set. Read again when it changes.");
DEFINE_string(csi_driver, "csi.cert-manager.io",
              "Only pods with a volume of this CSI driver are looked after.");
DEFINE_string(output, "annotation",
              "What is written to a pod: annotation (readiness.capstan.dev/ready, for csi-driver's "
              "--pod-readiness-gate=pod-annotation:), condition (readiness.capstan.dev/CertGates, "
              "for spec.readinessGates), or both.");
DEFINE_string(pending_event_after, "1m0s",
              "A pod whose gates are closed for longer gets an Event with the reason. 0: never.");
DEFINE_bool(gate_loop_events_only, false,
            "Look at the pods only when something has happened, and once in ten seconds. Without "
            "it: also every 100 ms to 1 s (feature gate AdaptiveGateLoop).");
DEFINE_string(runtime_events_socket, "/run/capstan/runtime-events.sock",
              "Unix socket that capstan-cri-event-broker sends to. Only opened with the feature "
              "gate CRIContainerEvents.");
DEFINE_string(metrics_listen_address, "0.0.0.0:9403",
              "The host and port that serve /metrics, /healthz, /livez and /readyz. The value '0' "
              "turns them off.");
DEFINE_string(
    status_pages, "loopback",
    "Who may read /statusz, /flagz and /debug/loglevel beside the metrics: loopback (this "
    "machine, this pod, kubectl port-forward), all (who reaches the address), or off.");
DEFINE_string(
    logging_format, "text",
    "text: klog's lines. json: one JSON object a line, with ts, severity, caller and msg.");
DEFINE_string(metrics_tls_cert_file, "",
              "File with the PEM certificate to serve the metrics with, and below it its "
              "intermediates. Read again when it changes. Needs --metrics-tls-private-key-file.");
DEFINE_string(metrics_tls_private_key_file, "", "File with the PEM key of that certificate.");
DEFINE_string(
    metrics_tls_cipher_suites, "",
    "Comma-separated list of cipher suites of the metrics server, in Go's names. Default: "
    "OpenSSL's. Suites of TLS 1.3 that are listed restrict TLS 1.3 too.");
DEFINE_string(metrics_tls_min_version, "",
              "The least TLS version of the metrics server: VersionTLS10, VersionTLS11, "
              "VersionTLS12 or VersionTLS13. Default: VersionTLS12.");
DEFINE_string(feature_gates, "", "Feature gates; the text is made from the registry.");

namespace cmd::node_agent {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using controllers::readinessgate::LoopMode;
using program::InvalidArgument;

Expected<void> ReadGates(controllers::readinessgate::AgentOptions& agent) {
  const auto specs = flags::SplitArray(FLAGS_pod_readiness_gate);
  if (!specs.empty()) {
    auto set = controllers::readinessgate::ParseGateSet("", specs);
    if (!set) return Err(std::move(set.error()));
    agent.default_gates = *std::move(set);
  }
  if (FLAGS_gate_sets.empty()) return {};
  agent.gate_sets = clientgo::runtime::ObjectKey::Parse(FLAGS_gate_sets);
  const auto& key = *agent.gate_sets;
  if (key.namespace_.empty() || key.name.empty() || key.name.find('/') != std::string::npos) {
    return InvalidArgument(FLAGS_gate_sets, "gate-sets", "expected <namespace>/<name>");
  }
  return {};
}

Expected<void> ReadOutputs(controllers::readinessgate::OutputKinds& outputs) {
  outputs = {.annotation = false, .condition = false};
  for (const std::string& name : flags::SplitList(FLAGS_output)) {
    if (name == "annotation") {
      outputs.annotation = true;
    } else if (name == "condition") {
      outputs.condition = true;
    } else {
      return InvalidArgument(FLAGS_output, "output", "expected annotation or condition, or both");
    }
  }
  if (outputs.annotation || outputs.condition) return {};
  return InvalidArgument(FLAGS_output, "output", "expected annotation or condition, or both");
}

Expected<void> ReadNode(controllers::readinessgate::AgentOptions& agent) {
  agent.node_name = FLAGS_node_id;
  const char* const name = std::getenv("NODE_NAME");
  if (agent.node_name.empty() && name != nullptr) agent.node_name = name;
  if (!agent.node_name.empty() || !agent.HasGates()) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--node-id is required: the name of this node, or NODE_NAME in the environment");
}

LoopMode LoopModeOf(const featuregate::FeatureGate& gates) {
  if (FLAGS_gate_loop_events_only) return LoopMode::kEventOnly;
  return gates.Enabled("AdaptiveGateLoop") ? LoopMode::kAdaptive : LoopMode::kFixed;
}

}  // namespace

Expected<Options> ReadOptions(featuregate::FeatureGate& gates) {
  if (auto set = gates.Set(FLAGS_feature_gates); !set) {
    return InvalidArgument(FLAGS_feature_gates, "feature-gates", set.error().message);
  }
  Options options;
  options.kubeconfig = FLAGS_kubeconfig;
  auto& agent = options.agent;
  if (auto ok = ReadGates(agent); !ok) return Err(ok.error());
  if (auto ok = ReadOutputs(agent.outputs); !ok) return Err(ok.error());
  if (auto ok = ReadNode(agent); !ok) return Err(ok.error());
  if (FLAGS_csi_driver.empty()) {
    return InvalidArgument(FLAGS_csi_driver, "csi-driver", "expected the name of a CSI driver");
  }
  agent.csi_driver = FLAGS_csi_driver;
  // FlagSet::Parse let only durations through.
  agent.pending_event_after =
      clientgo::util::ParseDuration(FLAGS_pending_event_after).value_or(std::chrono::nanoseconds{});
  agent.loop_mode = LoopModeOf(gates);
  agent.watch_list = gates.Enabled("WatchListClient");
  if (gates.Enabled("CRIContainerEvents")) {
    if (FLAGS_runtime_events_socket.empty()) {
      return InvalidArgument("", "runtime-events-socket", "CRIContainerEvents needs a path");
    }
    agent.runtime_events_socket = FLAGS_runtime_events_socket;
  }
  agent.field_manager = kProgramName;
  agent.version = flags::BuildVersion();
  using program::LogFormat;
  const auto format =
      program::OneOf<LogFormat>("logging-format", FLAGS_logging_format,
                                {{"text", LogFormat::kText}, {"json", LogFormat::kJson}});
  if (!format) return Err(format.error());
  options.log_format = *format;
  if (FLAGS_v < 0) return InvalidArgument(std::to_string(FLAGS_v), "v", "expected 0 or more");
  auto metrics = controllers::runtime::ParseBindAddress(FLAGS_metrics_listen_address);
  if (!metrics) return Err(metrics.error().Wrap("--metrics-listen-address"));
  options.metrics = *std::move(metrics);
  const auto status_pages = program::StatusAccessOf(FLAGS_status_pages);
  if (!status_pages) return Err(status_pages.error());
  options.status_pages = *status_pages;
  auto tls = program::ServingTlsOf({.cert_file = FLAGS_metrics_tls_cert_file,
                                    .private_key_file = FLAGS_metrics_tls_private_key_file,
                                    .cipher_suites = FLAGS_metrics_tls_cipher_suites,
                                    .min_version = FLAGS_metrics_tls_min_version});
  if (!tls) return Err(std::move(tls.error()));
  options.metrics_tls = *std::move(tls);
  return options;
}

}  // namespace cmd::node_agent
