// SPDX-License-Identifier: Apache-2.0
// GateSet: the gates that have to be open, all of them, before a pod's certificate is asked for: of
// the command line (the set without a name) or of a ConfigMap, where each key is a set:
//
//   data:
//     mesh: |
//       # one spec a line; empty lines and those that start with '#' do not count
//       pod-ip:ipv4
//       node-condition:NetworkUnavailable=False
//       # only for pods of these namespaces; without such a line, of all
//       namespaces: [team-a, team-b]
//
// Immutable, thread-safe. The flags mirror csi-driver's --pod-readiness-gate.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/config_map.h"
#include "controllers/readinessgate/gates/gate.h"

namespace controllers::readinessgate {

inline constexpr std::size_t kGatesMax = 16;
inline constexpr std::size_t kGateMessageBytesMax = 256;

class GateSet {
 public:
  using Gates = std::vector<std::shared_ptr<const Gate>>;
  using Namespaces = std::set<std::string, std::less<>>;
  GateSet(std::string name, Gates gates, Namespaces namespaces = {});

  const std::string& name() const { return name_; }  // "" for the flags'
  const Gates& gates() const { return gates_; }
  // 12 hexadecimal digits that change with any spec.
  const std::string& generation() const { return generation_; }
  void AddNeeds(GateNeeds& needs) const;
  // Whose pods may name the set; empty: those of all namespaces.
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
  const Gate* gate;  // the set's
  Verdict verdict;   // its message has at most kGateMessageBytesMax
};

struct Evaluation {
  bool open = false;
  std::vector<GateResult> results = {};  // as in the set
  // When to look again even if nothing changes; nullopt: never.
  std::optional<clientgo::util::Clock::TimePoint> recheck = {};

  // The messages of what is closed, in csi-driver's form: joined by "; ".
  std::string Reasons() const;
};

// Open when every gate is. Those that is_last() are asked only when all others are open.
Evaluation Evaluate(const GateSet& set, const GateInput& input);

// From the values of `flag`; the error is csi-driver's.
clientgo::util::Expected<std::shared_ptr<const GateSet>> ParseGateSet(
    std::string name, const std::vector<std::string>& specs,
    std::string_view flag = "--pod-readiness-gate");

using GateSets = std::map<std::string, std::shared_ptr<const GateSet>, std::less<>>;

// All sets, or an error that names every wrong one with its line. A gate that `last` has too, with
// the same spec in the set of the same name, is taken over: the bucket of a rate is not refilled
// by an edit.
clientgo::util::Expected<GateSets> ParseGateSets(const clientgo::api::ConfigMap& config_map,
                                                 const GateSets& last = {});

}  // namespace controllers::readinessgate
