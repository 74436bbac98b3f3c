// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;

struct Kind {
  std::string_view name;
  MadeGate (*make)(std::string_view spec, std::string_view value);
};

constexpr std::array kKinds = {
    Kind{.name = "pod-ip", .make = &MakePodIpGate},
    Kind{.name = "pod-condition", .make = &MakePodConditionGate},
    Kind{.name = "pod-annotation", .make = &MakePodAnnotationGate},
    Kind{.name = "pod-label", .make = &MakePodLabelGate},
    Kind{.name = "network-status", .make = &MakeNetworkStatusGate},
    Kind{.name = "node-condition", .make = &MakeNodeConditionGate},
    Kind{.name = "configmap", .make = &MakeConfigMapGate},
    Kind{.name = "rate", .make = &MakeRateGate},
};

std::string KindNames() {
  std::string names;
  for (const Kind& kind : kKinds) names.append(names.empty() ? "" : ", ").append(kind.name);
  return names;
}

}  // namespace

MadeGate ParseGate(std::string_view spec) {
  const auto [name, value] = Cut(spec, ':');
  if (value.empty()) {
    return Err(ErrorReason::kInvalidArgument, "expected <type>:<value>, got " + Quote(spec));
  }
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return kind.make(spec, value);
  }
  return Err(ErrorReason::kInvalidArgument,
             "unknown type " + Quote(name) + "; supported types: " + KindNames());
}

}  // namespace controllers::readinessgate
