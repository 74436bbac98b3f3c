// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/gate_rules.h"

#include <algorithm>
#include <utility>

#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

GateChoice Without(const GateRules& rules) {
  const bool open = rules.pods_without_gates == PodsWithoutGates::kOpen;
  std::string message = "the pod names no gate set (annotation " + std::string(kGateSetKey) +
                        "), and there are no default gates";
  if (!open) message += "; --pods-without-gates=closed keeps such pods closed";
  return {.open = open,
          .is_error = !open,
          .is_final = !open,
          .reason = "NoGates",
          .message = std::move(message)};
}

}  // namespace

GateChoice ChooseGates(const GateRules& rules, const clientgo::api::Pod& pod) {
  const std::string_view name = pod.Annotation(kGateSetKey).value_or("");
  if (name.empty()) {
    if (rules.default_gates == nullptr) return Without(rules);
    return {.gates = rules.default_gates};
  }
  const std::string annotation = " (annotation " + std::string(kGateSetKey) + ")";
  if (!rules.why_named_unknown.empty()) {
    return {.reason = "GateSetsUnknown",
            .message = "cannot tell yet what gate set " + Quote(name) + annotation +
                       " is: " + rules.why_named_unknown};
  }
  const auto found = rules.named.find(name);
  if (found == rules.named.end()) {
    return {.is_error = true,
            .reason = "UnknownGateSet",
            .message = "there is no gate set " + Quote(name) + annotation};
  }
  if (!found->second->IsAllowedIn(pod.namespace_())) {
    return {.is_error = true,
            .is_final = true,
            .reason = "GateSetNotAllowed",
            .message = "gate set " + Quote(name) + annotation + " may not be used in namespace " +
                       std::string(pod.namespace_())};
  }
  return {.gates = found->second};
}

std::shared_ptr<const GateSet> WithMandatory(const std::shared_ptr<const GateSet>& mandatory,
                                             const std::shared_ptr<const GateSet>& set) {
  if (mandatory == nullptr) return set;
  if (set == nullptr) return mandatory;
  GateSet::Gates gates = mandatory->gates();
  for (const auto& gate : set->gates()) {
    const auto is_same = [&](const auto& other) { return other->spec() == gate->spec(); };
    if (std::none_of(mandatory->gates().begin(), mandatory->gates().end(), is_same)) {
      gates.push_back(gate);
    }
  }
  return std::make_shared<const GateSet>(set->name(), std::move(gates), set->namespaces());
}

}  // namespace controllers::readinessgate
