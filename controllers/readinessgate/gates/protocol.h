// SPDX-License-Identifier: Apache-2.0
// What the agent and its users know of each other: the keys on a pod.
#pragma once

#include <string_view>

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

}  // namespace controllers::readinessgate
