// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/autoscaling/v1/horizontal_pod_autoscaler.h"
#include "capstan/api/autoscaling/v1/scale.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::autoscaling::v1 {

CAPSTAN_LAYOUT(CrossVersionObjectReference,
    CAPSTAN_REQUIRED(CrossVersionObjectReference, "kind", kind),
    CAPSTAN_REQUIRED(CrossVersionObjectReference, "name", name),
    CAPSTAN_FIELD(CrossVersionObjectReference, "apiVersion", api_version))

CAPSTAN_LAYOUT(HorizontalPodAutoscalerSpec,
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerSpec, "scaleTargetRef", scale_target_ref),
    CAPSTAN_FIELD(HorizontalPodAutoscalerSpec, "minReplicas", min_replicas),
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerSpec, "maxReplicas", max_replicas),
    CAPSTAN_FIELD(HorizontalPodAutoscalerSpec, "targetCPUUtilizationPercentage", target_cpu_utilization_percentage))

CAPSTAN_LAYOUT(HorizontalPodAutoscalerStatus,
    CAPSTAN_FIELD(HorizontalPodAutoscalerStatus, "observedGeneration", observed_generation),
    CAPSTAN_FIELD(HorizontalPodAutoscalerStatus, "lastScaleTime", last_scale_time),
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerStatus, "currentReplicas", current_replicas),
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerStatus, "desiredReplicas", desired_replicas),
    CAPSTAN_FIELD(HorizontalPodAutoscalerStatus, "currentCPUUtilizationPercentage", current_cpu_utilization_percentage))

CAPSTAN_LAYOUT(HorizontalPodAutoscaler,
    CAPSTAN_PART(HorizontalPodAutoscaler, "metadata", metadata, kMetadata),
    CAPSTAN_PART(HorizontalPodAutoscaler, "spec", spec, kSpec),
    CAPSTAN_PART(HorizontalPodAutoscaler, "status", status, kStatus))

CAPSTAN_LAYOUT(ScaleSpec,
    CAPSTAN_NUMBER(ScaleSpec, "replicas", replicas))

CAPSTAN_LAYOUT(ScaleStatus,
    CAPSTAN_REQUIRED(ScaleStatus, "replicas", replicas),
    CAPSTAN_FIELD(ScaleStatus, "selector", selector))

CAPSTAN_LAYOUT(Scale,
    CAPSTAN_PART(Scale, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Scale, "spec", spec, kSpec),
    CAPSTAN_PART(Scale, "status", status, kStatus))

}  // namespace capstan::api::autoscaling::v1

