// SPDX-License-Identifier: Apache-2.0
// GateSet is the gates that must all be open before a pod's certificate is requested. It comes from
// the command line (the set without a name) or from a ConfigMap, where each key is a set:
//
//   data:
//     mesh: |
//       # one spec a line; empty lines and lines that start with '#' are ignored
//       pod-ip:ipv4
//       node-condition:NetworkUnavailable=False
//       # only for pods of these namespaces; without such a line, for pods of all
//       namespaces: [team-a, team-b]
//
// The flags mirror csi-driver's --pod-readiness-gate. Objects are immutable; functions are pure.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/config_map.h"
#include "controllers/readinessgate/gates/gate.h"

namespace capstan::readinessgate {

inline constexpr std::size_t kGatesMax = 16;
inline constexpr std::size_t kGateMessageBytesMax = 256;

class GateSet {
 public:
  using Gates = std::vector<std::shared_ptr<const Gate>>;
  using Namespaces = std::set<std::string, std::less<>>;
  GateSet(std::string name, Gates gates, Namespaces namespaces = {});

  const std::string& name() const { return name_; }  // "" for the set of the flags
  const Gates& gates() const { return gates_; }
  // 12 hexadecimal digits that change with any spec.
  const std::string& generation() const { return generation_; }
  void AddNeeds(GateNeeds& needs) const;
  // The namespaces whose pods may name the set; empty allows all.
  const Namespaces& namespaces() const { return namespaces_; }
  bool IsAllowedIn(std::string_view ns) const {
    return namespaces_.empty() || namespaces_.contains(ns);
  }

 private:
  std::string name_;
  Gates gates_;
  Namespaces namespaces_;
  std::string generation_;
};

struct GateResult {
  const Gate* gate;  // owned by the set
  Verdict verdict;   // the message has at most kGateMessageBytesMax
};

struct Evaluation {
  bool open = false;
  std::vector<GateResult> results = {};  // in the order of the set
  // When to evaluate again even if nothing changes; nullopt: never.
  std::optional<Clock::TimePoint> recheck = {};

  // Returns the messages of the closed gates, joined by "; " as in csi-driver.
  std::string Reasons() const;
};

// Open when every gate is open. Gates with is_last() are evaluated only when all others are open.
Evaluation Evaluate(const GateSet& set, const GateInput& input);

// Parses the values of `flag`. Errors have csi-driver's text.
Expected<std::shared_ptr<const GateSet>> ParseGateSet(
    std::string name, const std::vector<std::string>& specs,
    std::string_view flag = "--pod-readiness-gate");

using GateSets = std::map<std::string, std::shared_ptr<const GateSet>, std::less<>>;

// Returns all sets, or an error that names every invalid set and line. A gate with the same spec in
// the same set of `last` is reused, so that an edit does not refill the bucket of a rate.
Expected<GateSets> ParseGateSets(const TypedObject<api::ConfigMap>& config_map,
                                 const GateSets& last = {});

// Returns the gates of both, each spec once, the mandatory ones first, with the name and namespaces
// of `set`. The gates are shared, so a mandatory rate has one bucket for all sets. Either may be
// null; the result is null when both are.
std::shared_ptr<const GateSet> WithMandatory(const std::shared_ptr<const GateSet>& mandatory,
                                             const std::shared_ptr<const GateSet>& set);

// PodsWithoutGates applies to pods that name no gate set while there are neither default nor
// mandatory gates.
enum class PodsWithoutGates {
  kOpen,    // opened at once
  kClosed,  // stay closed; the status says so
};

// GateRules decides which gates a pod has.
struct GateRules {
  // For pods that name no set, mandatory gates included; null: such pods have no gates.
  std::shared_ptr<const GateSet> default_gates = {};
  GateSets named = {};  // mandatory gates included
  // Why the named sets are unknown: "cannot list configmaps in namespace a: forbidden". Empty when
  // they are known.
  std::string why_named_unknown = {};
  PodsWithoutGates pods_without_gates = PodsWithoutGates::kOpen;
};

struct GateChoice {
  std::shared_ptr<const GateSet> gates = {};  // null: see `reason`
  bool open = false;                          // the pod has no gates and is opened
  bool is_error = false;         // a mistake of the pod's author or of the administrator
  bool is_final = false;         // waiting does not help, so an Event is due at once
  std::string_view reason = {};  // a literal in CamelCase
  std::string message = {};      // for people
};

GateChoice ChooseGates(const GateRules& rules, const Pod& pod);

}  // namespace capstan::readinessgate
