// SPDX-License-Identifier: Apache-2.0
// GateRules says which gates count for a pod: the default gates, a named set, and in each case the
// mandatory gates, which nobody can leave out. Plain data and pure functions, thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "clientgo/api/pod.h"
#include "controllers/readinessgate/gates/gate_set.h"

namespace controllers::readinessgate {

// What happens to a pod that names no gate set while there are neither default nor mandatory gates.
enum class PodsWithoutGates {
  kOpen,    // it is opened at once
  kClosed,  // it stays closed, and its status says so
};

struct GateRules {
  // Of pods that name no set, mandatory gates included; null: they have no gates.
  std::shared_ptr<const GateSet> default_gates = {};
  GateSets named = {};  // mandatory gates included
  // Why the named sets are not known: "cannot list configmaps in namespace a: forbidden". Empty:
  // they are.
  std::string why_named_unknown = {};
  PodsWithoutGates pods_without_gates = PodsWithoutGates::kOpen;
};

struct GateChoice {
  std::shared_ptr<const GateSet> gates = {};  // null: `reason` says why there are none
  bool open = false;                          // without gates: the pod is opened
  bool is_error = false;         // a mistake of the pod's author or of the administrator
  bool is_final = false;         // no waiting repairs it, so an Event is due at once
  std::string_view reason = {};  // a literal: CamelCase
  std::string message = {};      // for people
};

GateChoice ChooseGates(const GateRules& rules, const clientgo::api::Pod& pod);

// Both, each spec once, the mandatory ones first; the name and the namespaces of `set`. Gates are
// shared: the bucket of a mandatory rate is one for all sets. Either may be null; null: both are.
std::shared_ptr<const GateSet> WithMandatory(const std::shared_ptr<const GateSet>& mandatory,
                                             const std::shared_ptr<const GateSet>& set);

}  // namespace controllers::readinessgate
