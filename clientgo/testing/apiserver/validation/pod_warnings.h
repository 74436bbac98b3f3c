// SPDX-License-Identifier: Apache-2.0
// The warnings about valid Pods and workloads. The table of kinds refers to them. Mirrors
// k8s.io/kubernetes/pkg/api/pod/warnings.go, pkg/api/job and WarningsOnCreate and WarningsOnUpdate
// of the strategies. Differs: there are no warnings about labels of Nodes, about addresses, about
// paths in volumes that overlap, and about the claims of ephemeral volumes.
#pragma once

#include <string>
#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// `live` is not given for a create.
std::vector<std::string> CronJobWarnings(const Place& live, const Place& next);
std::vector<std::string> DaemonSetWarnings(const Place& live, const Place& next);
std::vector<std::string> DeploymentWarnings(const Place& live, const Place& next);
std::vector<std::string> JobWarnings(const Place& live, const Place& next);
std::vector<std::string> PodTemplateWarnings(const Place& live, const Place& next);
std::vector<std::string> PodWarnings(const Place& live, const Place& next);
std::vector<std::string> ReplicaSetWarnings(const Place& live, const Place& next);
std::vector<std::string> ReplicationControllerWarnings(const Place& live, const Place& next);
std::vector<std::string> StatefulSetWarnings(const Place& live, const Place& next);

}  // namespace capstan::testing::apiserver
