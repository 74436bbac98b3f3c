// SPDX-License-Identifier: Apache-2.0
// The kinds of gates with their constructors, and the parts that several kinds share. Internal to
// this folder. The functions are pure and thread-safe.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "controllers/readinessgate/gates/gate.h"

namespace capstan::readinessgate {

using MadeGate = Expected<std::unique_ptr<const Gate>>;

// `value` is the part of `spec` after the colon and is not empty.
MadeGate MakePodIpGate(std::string_view spec, std::string_view value);
MadeGate MakePodConditionGate(std::string_view spec, std::string_view value);
MadeGate MakePodAnnotationGate(std::string_view spec, std::string_view value);
MadeGate MakePodLabelGate(std::string_view spec, std::string_view value);
MadeGate MakeNetworkStatusGate(std::string_view spec, std::string_view value);
MadeGate MakeNodeConditionGate(std::string_view spec, std::string_view value);
MadeGate MakeConfigMapGate(std::string_view spec, std::string_view value);
MadeGate MakeRateGate(std::string_view spec, std::string_view value);

struct GateKind {
  std::string_view name;
  MadeGate (*make)(std::string_view spec, std::string_view value);
};

// Every type that ParseGate accepts.
inline constexpr std::array kGateKinds = {
    GateKind{.name = "pod-ip", .make = &MakePodIpGate},
    GateKind{.name = "pod-condition", .make = &MakePodConditionGate},
    GateKind{.name = "pod-annotation", .make = &MakePodAnnotationGate},
    GateKind{.name = "pod-label", .make = &MakePodLabelGate},
    GateKind{.name = "network-status", .make = &MakeNetworkStatusGate},
    GateKind{.name = "node-condition", .make = &MakeNodeConditionGate},
    GateKind{.name = "configmap", .make = &MakeConfigMapGate},
    GateKind{.name = "rate", .make = &MakeRateGate},
};

// "<kind>: <why>", kInvalidArgument.
tl::unexpected<Error> InvalidGate(std::string_view kind, std::string_view why);

// ConditionValue is "<Type>[=<Status>]", of pods and of nodes.
struct ConditionValue {
  std::string type;
  std::string_view status;  // "True", "False" or "Unknown"
};
// The status is True by default and may be in any case. `kind` is for the error.
Expected<ConditionValue> ParseConditionValue(std::string_view kind, std::string_view value);
// `owner` is "pod" or "node". `found` is nullptr when the object does not have the condition.
Verdict Compare(std::string_view owner, const Condition* found, const ConditionValue& want);

}  // namespace capstan::readinessgate
