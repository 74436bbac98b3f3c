// SPDX-License-Identifier: Apache-2.0
#include "cmd/node-agent/status_tables.h"

#include <algorithm>
#include <string>

namespace cmd::node_agent {

using controllers::readinessgate::GatePass;
using controllers::readinessgate::GateState;
using controllers::readinessgate::PodStatus;
using statusz::Level;

namespace {

// "pod-ip: NoAddress: the pod has no IP address yet since 2023-11-14T22:13:20Z"
std::string Closed(const PodStatus& status) {
  std::string text;
  for (const PodStatus::Gate& gate : status.gates) {
    if (gate.ok) continue;
    text += (text.empty() ? "" : "; ") + gate.name + ": " + gate.reason;
    if (!gate.message.empty()) text += ": " + gate.message;
    text += ", since " + gate.since;
  }
  return text;
}

std::string Gates(const PodStatus& status) {
  std::string text;
  for (const PodStatus::Gate& gate : status.gates) {
    text += (text.empty() ? "" : ", ") + gate.name + (gate.ok ? " (open)" : " (closed)");
  }
  return text;
}

}  // namespace

statusz::Table PodsTable(const std::vector<GatePass::SeenPod>& pods) {
  statusz::Table table{
      .name = "pods",
      .title = "Pods",
      .columns = {"Pod", "State", "Gates", "Opened", "Waits for"},
      .rows = {},
      .when_empty = "no pod of this node has a volume of the CSI driver and gates"};
  for (const auto& [key, open, status] : pods) {
    const bool is_error = !open && status.state == GateState::kError;
    table.rows.push_back({{key},
                          {open       ? "open"
                           : is_error ? "error"
                                      : "pending",
                           open       ? Level::kGood
                           : is_error ? Level::kBad
                                      : Level::kWarning},
                          {Gates(status)},
                          {status.opened},
                          {open ? "" : Closed(status)}});
  }
  std::stable_partition(table.rows.begin(), table.rows.end(),
                        [](const auto& row) { return row[1].level != Level::kGood; });
  return table;
}

}  // namespace cmd::node_agent
