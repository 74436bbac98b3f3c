// SPDX-License-Identifier: Apache-2.0
// Validation of Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs and Pods, with
// the error texts of kube-apiserver 1.34. Mirrors a part of k8s.io/kubernetes/pkg/apis/apps and
// batch, folder validation: selectors, templates, numbers, strategies and what is immutable. Not
// checked: schedules and time zones, volumeClaimTemplates, a Job's policies, and a Job's selector
// without manualSelector, which this server does not generate.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Returns why the object is invalid. An object of another kind has no cause.
std::vector<Cause> ValidateWorkload(const Resource& resource, const runtime::JsonValue& object);
// Returns why `next` may not replace `live`, also if `next` is invalid.
std::vector<Cause> ValidateWorkloadUpdate(const Resource& resource, const runtime::JsonValue& live,
                                          const runtime::JsonValue& next);

}  // namespace capstan::testing::apiserver
