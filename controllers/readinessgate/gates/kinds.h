// SPDX-License-Identifier: Apache-2.0
// The kinds of gates: one file each makes a gate of a kind from its spec and what is behind the
// colon in it, which is not empty. Internal to this folder.
#pragma once

#include <memory>
#include <string_view>

#include "clientgo/util/error.h"
#include "controllers/readinessgate/gates/gate.h"

namespace controllers::readinessgate {

using MadeGate = clientgo::util::Expected<std::unique_ptr<const Gate>>;

MadeGate MakePodIpGate(std::string_view spec, std::string_view value);
MadeGate MakePodConditionGate(std::string_view spec, std::string_view value);
MadeGate MakePodAnnotationGate(std::string_view spec, std::string_view value);
MadeGate MakePodLabelGate(std::string_view spec, std::string_view value);
MadeGate MakeNetworkStatusGate(std::string_view spec, std::string_view value);
MadeGate MakeNodeConditionGate(std::string_view spec, std::string_view value);
MadeGate MakeConfigMapGate(std::string_view spec, std::string_view value);
MadeGate MakeRateGate(std::string_view spec, std::string_view value);

}  // namespace controllers::readinessgate
