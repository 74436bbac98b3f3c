// SPDX-License-Identifier: Apache-2.0
// The PriorityLevelConfigurations and FlowSchemas that kube-apiserver creates at its start, those
// that are mandatory and those that are suggested. Mirrors
// k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap of Kubernetes 1.34.
#pragma once

#include <string>
#include <vector>

namespace capstan::testing::apiserver {

// Both return objects as JSON.
std::vector<std::string> FirstPriorityLevels();
std::vector<std::string> FirstFlowSchemas();

}  // namespace capstan::testing::apiserver
