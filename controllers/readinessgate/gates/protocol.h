// SPDX-License-Identifier: Apache-2.0
// The protocol between the agent and its users: annotation keys on pods, and their values. Plain
// data and pure functions, thread-safe.
//
// csi-driver treats any non-empty value of the ready key as open, so the key is absent until a
// pod's gates are open. csi-driver evaluates its gates again before each renewal, so the key is
// never removed afterwards. The value names its pod, so that a copied value is recognized.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clock.h"

namespace capstan::readinessgate {

// Reserved for the agent: users may set only kGateSetKey below it.
inline constexpr std::string_view kDomain = "readiness.capstan.dev";
// Set by the agent once a pod's gates are open, for csi-driver's
// --pod-readiness-gate=pod-annotation:<this>.
inline constexpr std::string_view kReadyKey = "readiness.capstan.dev/ready";
// Set by the agent: the PodStatus as JSON.
inline constexpr std::string_view kStatusKey = "readiness.capstan.dev/status";
// Set by the pod's author: the name of the pod's gate set.
inline constexpr std::string_view kGateSetKey = "readiness.capstan.dev/gate-set";
// The pod condition that the agent sets to True once the gates are open.
inline constexpr std::string_view kCertGatesCondition = "readiness.capstan.dev/CertGates";

inline constexpr std::size_t kStatusBytesMax = 2048;

// "v1.<first 8 of the uid>.<unix seconds>".
std::string ReadyValue(std::string_view uid, Clock::WallTime opened);
// Reports whether the agent wrote the value for the pod with that uid. False for a value that was
// copied from another pod, and for values of templates and people ("False", blanks).
bool IsReadyValueOf(std::string_view value, std::string_view uid);

enum class GateState { kPending, kOpen, kLatched, kError };

// PodStatus is the value of kStatusKey. It has no time or count that changes while nothing else
// does, because every change costs a write.
struct PodStatus {
  struct Gate {
    std::string name = {};     // the spec
    std::string kind = {};     // "pod-ip"
    bool ok = false;           // open
    std::string reason = {};   // CamelCase
    std::string message = {};  // empty when open
    std::string since = {};    // RFC 3339: the time of the last change of ok or reason
    friend bool operator==(const Gate&, const Gate&) = default;
  };
  std::string uid = {};
  std::string gen = {};  // GateSet::generation
  GateState state = GateState::kPending;
  std::vector<Gate> gates = {};
  std::string opened = {};  // RFC 3339, or empty
  std::string by = {};      // node and version of the writer
  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

// Writes at most kStatusBytesMax and kGatesMax gates. To fit, it shortens messages, then gate
// names, then omits open gates, then the last gates. Open gates are also omitted when there are
// more than kGatesMax.
std::string ToJson(const PodStatus& status);
// Copies `since` from `before` for every gate that has not changed. `before` may come from an
// annotation.
void KeepTimes(const PodStatus& before, PodStatus& after);
// Returns nullopt when the text was not written by ToJson. Accepts arbitrary bytes.
std::optional<PodStatus> ParsePodStatus(std::string_view json);

}  // namespace capstan::readinessgate
