// SPDX-License-Identifier: Apache-2.0
// What the agent and its users know of each other: the keys on a pod, and the values below them.
// Plain data and pure functions, thread-safe.
//
// The ready key is absent until a pod's gates are open, since csi-driver takes any value that is
// not empty for "open", and is never removed afterwards, since csi-driver looks again before each
// renewal. Its value names the pod it was written for, so that a copied one is known as such.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/clock.h"

namespace controllers::readinessgate {

// Ours alone: nobody else may set a key below it, but for kGateSetKey.
inline constexpr std::string_view kDomain = "readiness.capstan.dev";
// On a pod, by the agent: absent until its gates are open. csi-driver's
// --pod-readiness-gate=pod-annotation:<this> opens on any value that is not empty.
inline constexpr std::string_view kReadyKey = "readiness.capstan.dev/ready";
// On a pod, by the agent: why it waits, as JSON.
inline constexpr std::string_view kStatusKey = "readiness.capstan.dev/status";
// On a pod, by its author: the name of the gate set that counts for it.
inline constexpr std::string_view kGateSetKey = "readiness.capstan.dev/gate-set";
// In a pod's status, by the agent: True once its gates are open.
inline constexpr std::string_view kCertGatesCondition = "readiness.capstan.dev/CertGates";

inline constexpr std::size_t kStatusBytesMax = 2048;

// "v1.<first 8 of the uid>.<unix seconds>".
std::string ReadyValue(std::string_view uid, clientgo::util::Clock::WallTime opened);
// Did the agent write that value for the pod with that uid? Not so: a copy from another pod, what a
// template or a person put there, "False", blanks.
bool IsReadyValueOf(std::string_view value, std::string_view uid);

enum class GateState { kPending, kOpen, kLatched, kError };

// Of kStatusKey. It has no time or count that moves while nothing else does: that would be a write
// in every pass.
struct PodStatus {
  struct Gate {
    std::string name = {};     // the spec
    std::string kind = {};     // "pod-ip"
    bool ok = false;           // open
    std::string reason = {};   // CamelCase
    std::string message = {};  // empty when open
    std::string since = {};    // RFC 3339: since when it is so
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

// At most kStatusBytesMax and kGatesMax gates: messages become shorter first, then the names of
// gates, then what is open is left out, then what stands last. Of more than kGatesMax gates those
// that are open are left out.
std::string ToJson(const PodStatus& status);
// Takes `since` from `before`, which may be from an annotation, for every gate that is as it was.
void KeepTimes(const PodStatus& before, PodStatus& after);
// nullopt: not a text of ToJson's. Any bytes may be given.
std::optional<PodStatus> ParsePodStatus(std::string_view json);

}  // namespace controllers::readinessgate
