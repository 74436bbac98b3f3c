// SPDX-License-Identifier: Apache-2.0
// Conversions between two forms of the same objects, for Resource::to_twin: the Events of the core
// group and of events.k8s.io, and the versions of HorizontalPodAutoscalers. Mirrors
// k8s.io/kubernetes/pkg/apis/{events,autoscaling}/v1/conversion.go. Differs: the annotations in
// which version 1 of a HorizontalPodAutoscaler keeps other fields are JSON of version 2.
#pragma once

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

void CoreEventToEvent(runtime::JsonDocument& event);
void EventToCoreEvent(runtime::JsonDocument& event);
void AutoscalerToVersion1(runtime::JsonDocument& autoscaler);
void AutoscalerToVersion2(runtime::JsonDocument& autoscaler);

}  // namespace capstan::testing::apiserver
