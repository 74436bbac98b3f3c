// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/gates.h"

#include <utility>

#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "clientgo/runtime/json.h"
#include "cmd/capstan/inspect/json_items.h"
#include "cmd/capstan/inspect/list_all.h"

namespace cmd::capstan::inspect {
namespace {

using clientgo::api::ObjectMetadata;
using clientgo::runtime::ObjectPtr;
using clientgo::runtime::WriteField;
using clientgo::runtime::WriteKey;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using controllers::readinessgate::GateState;
using controllers::readinessgate::kGateSetKey;
using controllers::readinessgate::kStatusKey;

const clientgo::runtime::ResourceType& PodsType() {
  static const clientgo::runtime::ResourceType type = clientgo::api::MakeMetadataType(
      {.gvr = clientgo::api::PodsResource(),
       .kind = "Pod",
       .namespaced = true,
       .annotations = {std::string(kStatusKey), std::string(kGateSetKey)}});
  return type;
}

std::string StateText(GateState state) {
  switch (state) {
    case GateState::kPending:
      return "Pending";
    case GateState::kOpen:
      return "Open";
    case GateState::kLatched:
      return "Latched";
    case GateState::kError:
      break;
  }
  return "Error";
}

Tone ToneOf(const std::string& state) {
  if (state == "Open" || state == "Latched") return Tone::kGood;
  return state == "Pending" ? Tone::kWait : Tone::kBad;
}

PodGates GatesOf(const ObjectMetadata& pod, std::string_view text) {
  PodGates gates{.pod = std::string(pod.key()),
                 .set = std::string(pod.Annotation(kGateSetKey).value_or("")),
                 .state = "Unknown"};
  auto status = controllers::readinessgate::ParsePodStatus(text);
  // One that was copied from another pod says nothing of this one.
  if (!status || status->uid != pod.uid()) return gates;
  gates.state = StateText(status->state);
  gates.status = *std::move(status);
  return gates;
}

}  // namespace

Expected<std::vector<PodGates>> Gates(const std::stop_token& stop, clientgo::rest::Client& client,
                                      const std::string& ns, const std::string& name) {
  std::vector<ObjectPtr> pods;
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
  for (const ObjectPtr& object : pods) {
    const auto& pod = static_cast<const ObjectMetadata&>(*object);
    if (const auto status = pod.Annotation(kStatusKey)) gates.push_back(GatesOf(pod, *status));
  }
  if (!name.empty() && gates.empty()) {
    return Err(ErrorReason::kNotFound,
               "Pod " + ns + "/" + name + " carries no status of capstan-node-agent: it has no " +
                   "gated volume, or no agent runs on its node (kubectl get pods -A -o wide)");
  }
  return gates;
}

std::string GatesTable(const std::vector<PodGates>& pods, const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const PodGates& pod : pods) {
    const Cell state{pod.state, ToneOf(pod.state)};
    const std::string set = pod.set.empty() ? "-" : pod.set;
    if (pod.status.gates.empty()) rows.push_back({{pod.pod}, {set}, state, {"-"}});
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

std::string GatesJson(const std::vector<PodGates>& pods) {
  return ItemsJson(pods, [&](clientgo::runtime::JsonWriter& writer, const PodGates& pod) {
    WriteField(writer, "pod", pod.pod);
    WriteField(writer, "set", pod.set);
    WriteField(writer, "state", pod.state);
    WriteField(writer, "opened", pod.status.opened);
    WriteField(writer, "by", pod.status.by);
    WriteObjects(writer, "gates", pod.status.gates, [&](const auto& gate) {
      WriteField(writer, "name", gate.name);
      WriteKey(writer, "open");
      writer.Bool(gate.ok);
      WriteField(writer, "reason", gate.reason);
      WriteField(writer, "message", gate.message);
      WriteField(writer, "since", gate.since);
    });
  });
}

}  // namespace cmd::capstan::inspect
