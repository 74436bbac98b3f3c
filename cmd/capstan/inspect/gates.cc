// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/gates.h"

#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "capstan/api/gvr.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "cmd/capstan/inspect/json_items.h"
#include "cmd/capstan/inspect/list_all.h"

namespace capstan::cmd::cli::inspect {
namespace {

std::string StateText(readinessgate::GateState state) {
  switch (state) {
    case readinessgate::GateState::kPending:
      return "Pending";
    case readinessgate::GateState::kOpen:
      return "Open";
    case readinessgate::GateState::kLatched:
      return "Latched";
    case readinessgate::GateState::kError:
      break;
  }
  return "Error";
}

Tone ToneOf(const std::string& state) {
  if (state == "Open" || state == "Latched") return Tone::kGood;
  return state == "Pending" ? Tone::kWait : Tone::kBad;
}

// Reads the status that --output=annotation writes.
void ReadStatus(std::string_view text, std::string_view uid, PodGates& gates) {
  gates.state = "Unknown";
  auto status = readinessgate::ParsePodStatus(text);
  // A status that was copied from another pod does not count.
  if (!status || status->uid != uid) return;
  gates.state = StateText(status->state);
  gates.status = *std::move(status);
}

// Reads the condition that --output=condition writes for all gates together.
void ReadCondition(const runtime::JsonValue& pod, PodGates& gates) {
  const runtime::JsonValue* const list = runtime::FindPath(pod, {"status", "conditions"});
  if (list == nullptr) return;
  for (const runtime::JsonValue& condition : runtime::JsonElements(*list)) {
    if (runtime::GetString(condition, "type") != readinessgate::kCertGatesCondition) continue;
    gates.state = runtime::GetString(condition, "status") == "True" ? "Open" : "Pending";
    gates.reason = runtime::GetString(condition, "reason");
    gates.since = runtime::GetString(condition, "lastTransitionTime");
    return;  // the first of duplicates counts
  }
}

// GatedPod is what the agent wrote to a pod. An empty state means nothing.
class GatedPod final : public runtime::Object {
 public:
  GatedPod(const runtime::ObjectIdentity& meta, const runtime::JsonValue& value) : Object(meta) {
    gates_.pod = key();
    if (const auto set = Annotation(value, readinessgate::kGateSetKey)) gates_.set = *set;
    if (const auto status = Annotation(value, readinessgate::kStatusKey)) {
      ReadStatus(*status, meta.uid, gates_);
    } else {
      ReadCondition(value, gates_);
    }
  }
  const PodGates& gates() const { return gates_; }

 private:
  static std::optional<std::string_view> Annotation(const runtime::JsonValue& pod,
                                                    std::string_view key) {
    const runtime::JsonValue* const value =
        runtime::FindPath(pod, {"metadata", "annotations", key});
    return value == nullptr ? std::nullopt : runtime::AsString(*value);
  }

  PodGates gates_;
};

runtime::ResourceType PodsType() {
  const std::vector<runtime::Projection::Path> paths = {
      {"metadata", "annotations", std::string(readinessgate::kStatusKey)},
      {"metadata", "annotations", std::string(readinessgate::kGateSetKey)},
      {"status", "conditions", "type"},
      {"status", "conditions", "status"},
      {"status", "conditions", "reason"},
      {"status", "conditions", "lastTransitionTime"}};
  return {.gvr = api::PodsResource(),
          .kind = "Pod",
          .namespaced = true,
          .projection = runtime::Projection(paths),
          .decode = [](const runtime::ObjectIdentity& meta,
                       const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
            return runtime::MakeObject<GatedPod>(meta, value);
          }};
}

}  // namespace

Expected<std::vector<PodGates>> Gates(const std::stop_token& stop, rest::Client& client,
                                      const std::string& ns, const std::string& name) {
  std::vector<runtime::ObjectPtr> pods;
  if (name.empty()) {
    auto listed = ListAll(stop, client, PodsType(), {.namespace_ = ns});
    if (!listed) return Err(std::move(listed.error()));
    pods = *std::move(listed);
  } else {
    auto pod = client.Get(stop, PodsType(), {.namespace_ = ns, .name = name});
    if (!pod) return Err(pod.error().Wrap("failed to get Pod " + ns + "/" + name));
    pods.push_back(*std::move(pod));
  }
  std::vector<PodGates> gates;
  for (const runtime::ObjectPtr& object : pods) {
    const PodGates& found = static_cast<const GatedPod&>(*object).gates();
    if (!found.state.empty()) gates.push_back(found);
  }
  if (!name.empty() && gates.empty()) {
    return Err(ErrorReason::kNotFound,
               "Pod " + ns + "/" + name + " has no status of capstan-node-agent: it has no " +
                   "csi-driver volume, or no agent runs on its node (kubectl get pods -A -o wide)");
  }
  return gates;
}

std::string GatesTable(const std::vector<PodGates>& pods, const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const PodGates& pod : pods) {
    const Cell state{pod.state, ToneOf(pod.state)};
    const std::string set = pod.set.empty() ? "-" : pod.set;
    if (pod.status.gates.empty()) {  // the agent did not write single gates
      const bool open = pod.state == "Open";
      const Cell is{open ? "open" : "closed", open ? Tone::kGood : Tone::kWait};
      rows.push_back({{pod.pod}, {set}, state, {"-"}});
      if (!pod.since.empty()) {
        rows.back().insert(rows.back().end(), {is, {pod.since}, {pod.reason}});
      }
    }
    for (const auto& gate : pod.status.gates) {
      rows.push_back({{pod.pod},
                      {set},
                      state,
                      {gate.name},
                      {gate.ok ? "open" : "closed", gate.ok ? Tone::kGood : Tone::kWait},
                      {gate.since},
                      {gate.reason + (gate.message.empty() ? "" : ": " + gate.message)}});
    }
  }
  return Table(terminal, {"POD", "SET", "STATE", "GATE", "IS", "SINCE", "REASON"}, rows);
}

std::string GatesHints(const std::vector<PodGates>& pods) {
  using Hint = std::pair<std::string_view, std::string_view>;
  static constexpr std::array kHints = {
      Hint("NoGates",
           "name a gate set on the pod (annotation readiness.capstan.dev/gate-set), or give the "
           "agent gates (--pod-readiness-gate) or --pods-without-gates=open"),
      Hint("UnknownGateSet",
           "correct the pod's annotation readiness.capstan.dev/gate-set, or add the set to the "
           "ConfigMap of --gate-sets"),
      Hint("GateSetNotAllowed",
           "name another gate set, or add the pod's namespace to the set's line \"namespaces:\" in "
           "the ConfigMap of --gate-sets"),
      Hint("GateSetsUnknown",
           "grant the agent's service account list and watch on the ConfigMap of --gate-sets; no "
           "restart is needed"),
      Hint("ConfigMapUnknown",
           "grant the agent's service account list and watch on the ConfigMap; no restart is "
           "needed"),
      Hint("NodeUnknown",
           "grant the agent's service account list and watch on nodes; no restart is needed"),
  };
  std::set<std::string, std::less<>> reasons;
  for (const PodGates& pod : pods) {
    for (const auto& gate : pod.status.gates) {
      if (!gate.ok) reasons.insert(gate.reason);
    }
  }
  std::string text;
  for (const auto& [reason, fix] : kHints) {
    if (reasons.contains(reason)) text.append("\n").append(reason).append(": ").append(fix);
  }
  return text.empty() ? text : text + "\n";
}

std::string GatesJson(const std::vector<PodGates>& pods) {
  return ItemsJson(pods, [&](runtime::JsonWriter& writer, const PodGates& pod) {
    runtime::WriteField(writer, "pod", pod.pod);
    runtime::WriteField(writer, "set", pod.set);
    runtime::WriteField(writer, "state", pod.state);
    runtime::WriteField(writer, "opened", pod.status.opened);
    runtime::WriteField(writer, "by", pod.status.by);
    runtime::WriteField(writer, "reason", pod.reason);
    runtime::WriteField(writer, "since", pod.since);
    WriteObjects(writer, "gates", pod.status.gates, [&](const auto& gate) {
      runtime::WriteField(writer, "name", gate.name);
      writer.Key("open");
      writer.Bool(gate.ok);
      runtime::WriteField(writer, "reason", gate.reason);
      runtime::WriteField(writer, "message", gate.message);
      runtime::WriteField(writer, "since", gate.since);
    });
  });
}

}  // namespace capstan::cmd::cli::inspect
