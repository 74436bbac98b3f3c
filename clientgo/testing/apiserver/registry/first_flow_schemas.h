// SPDX-License-Identifier: Apache-2.0
// The PriorityLevelConfigurations and FlowSchemas that kube-apiserver creates at its start, those
// that are mandatory and those that are suggested. Mirrors
// k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap of Kubernetes 1.34.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json.h"

namespace capstan::testing::apiserver {

// The managers of their specs, and of the status of FlowSchemas.
inline constexpr std::string_view kFlowProducer = "api-priority-and-fairness-config-producer-v1";
inline constexpr std::string_view kFlowConsumer = "api-priority-and-fairness-config-consumer-v1";

// Both return whole objects as JSON, except for kind, apiVersion, uid and resourceVersion, with the
// status and the managers that kube-apiserver gives them. `time` is that of their creation.
std::vector<std::string> FirstPriorityLevels(std::string_view time);
std::vector<std::string> FirstFlowSchemas(std::string_view time);

// Returns the condition of a FlowSchema that says whether its PriorityLevelConfiguration exists.
Json DanglingCondition(std::string_view level, bool found, std::string_view time);

}  // namespace capstan::testing::apiserver
