// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/autoscaling/v2/horizontal_pod_autoscaler.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::autoscaling::v2 {

CAPSTAN_LAYOUT(CrossVersionObjectReference,
    CAPSTAN_REQUIRED(CrossVersionObjectReference, "kind", kind),
    CAPSTAN_REQUIRED(CrossVersionObjectReference, "name", name),
    CAPSTAN_FIELD(CrossVersionObjectReference, "apiVersion", api_version))

CAPSTAN_LAYOUT(MetricTarget,
    CAPSTAN_REQUIRED(MetricTarget, "type", type),
    CAPSTAN_FIELD(MetricTarget, "value", value),
    CAPSTAN_FIELD(MetricTarget, "averageValue", average_value),
    CAPSTAN_FIELD(MetricTarget, "averageUtilization", average_utilization))

CAPSTAN_LAYOUT(MetricIdentifier,
    CAPSTAN_REQUIRED(MetricIdentifier, "name", name),
    CAPSTAN_FIELD(MetricIdentifier, "selector", selector))

CAPSTAN_LAYOUT(ObjectMetricSource,
    CAPSTAN_REQUIRED(ObjectMetricSource, "describedObject", described_object),
    CAPSTAN_REQUIRED(ObjectMetricSource, "target", target),
    CAPSTAN_REQUIRED(ObjectMetricSource, "metric", metric))

CAPSTAN_LAYOUT(PodsMetricSource,
    CAPSTAN_REQUIRED(PodsMetricSource, "metric", metric),
    CAPSTAN_REQUIRED(PodsMetricSource, "target", target))

CAPSTAN_LAYOUT(ResourceMetricSource,
    CAPSTAN_REQUIRED(ResourceMetricSource, "name", name),
    CAPSTAN_REQUIRED(ResourceMetricSource, "target", target))

CAPSTAN_LAYOUT(ContainerResourceMetricSource,
    CAPSTAN_REQUIRED(ContainerResourceMetricSource, "name", name),
    CAPSTAN_REQUIRED(ContainerResourceMetricSource, "target", target),
    CAPSTAN_REQUIRED(ContainerResourceMetricSource, "container", container))

CAPSTAN_LAYOUT(ExternalMetricSource,
    CAPSTAN_REQUIRED(ExternalMetricSource, "metric", metric),
    CAPSTAN_REQUIRED(ExternalMetricSource, "target", target))

CAPSTAN_LAYOUT(MetricSpec,
    CAPSTAN_REQUIRED(MetricSpec, "type", type),
    CAPSTAN_FIELD(MetricSpec, "object", object),
    CAPSTAN_FIELD(MetricSpec, "pods", pods),
    CAPSTAN_FIELD(MetricSpec, "resource", resource),
    CAPSTAN_FIELD(MetricSpec, "containerResource", container_resource),
    CAPSTAN_FIELD(MetricSpec, "external", external))

CAPSTAN_LAYOUT(HPAScalingPolicy,
    CAPSTAN_REQUIRED(HPAScalingPolicy, "type", type),
    CAPSTAN_REQUIRED(HPAScalingPolicy, "value", value),
    CAPSTAN_REQUIRED(HPAScalingPolicy, "periodSeconds", period_seconds))

CAPSTAN_LAYOUT(HPAScalingRules,
    CAPSTAN_FIELD(HPAScalingRules, "stabilizationWindowSeconds", stabilization_window_seconds),
    CAPSTAN_FIELD(HPAScalingRules, "selectPolicy", select_policy),
    CAPSTAN_FIELD(HPAScalingRules, "policies", policies),
    CAPSTAN_FIELD(HPAScalingRules, "tolerance", tolerance))

CAPSTAN_LAYOUT(HorizontalPodAutoscalerBehavior,
    CAPSTAN_FIELD(HorizontalPodAutoscalerBehavior, "scaleUp", scale_up),
    CAPSTAN_FIELD(HorizontalPodAutoscalerBehavior, "scaleDown", scale_down))

CAPSTAN_LAYOUT(HorizontalPodAutoscalerSpec,
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerSpec, "scaleTargetRef", scale_target_ref),
    CAPSTAN_FIELD(HorizontalPodAutoscalerSpec, "minReplicas", min_replicas),
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerSpec, "maxReplicas", max_replicas),
    CAPSTAN_FIELD(HorizontalPodAutoscalerSpec, "metrics", metrics),
    CAPSTAN_FIELD(HorizontalPodAutoscalerSpec, "behavior", behavior))

CAPSTAN_LAYOUT(MetricValueStatus,
    CAPSTAN_FIELD(MetricValueStatus, "value", value),
    CAPSTAN_FIELD(MetricValueStatus, "averageValue", average_value),
    CAPSTAN_FIELD(MetricValueStatus, "averageUtilization", average_utilization))

CAPSTAN_LAYOUT(ObjectMetricStatus,
    CAPSTAN_REQUIRED(ObjectMetricStatus, "metric", metric),
    CAPSTAN_REQUIRED(ObjectMetricStatus, "current", current),
    CAPSTAN_REQUIRED(ObjectMetricStatus, "describedObject", described_object))

CAPSTAN_LAYOUT(PodsMetricStatus,
    CAPSTAN_REQUIRED(PodsMetricStatus, "metric", metric),
    CAPSTAN_REQUIRED(PodsMetricStatus, "current", current))

CAPSTAN_LAYOUT(ResourceMetricStatus,
    CAPSTAN_REQUIRED(ResourceMetricStatus, "name", name),
    CAPSTAN_REQUIRED(ResourceMetricStatus, "current", current))

CAPSTAN_LAYOUT(ContainerResourceMetricStatus,
    CAPSTAN_REQUIRED(ContainerResourceMetricStatus, "name", name),
    CAPSTAN_REQUIRED(ContainerResourceMetricStatus, "current", current),
    CAPSTAN_REQUIRED(ContainerResourceMetricStatus, "container", container))

CAPSTAN_LAYOUT(ExternalMetricStatus,
    CAPSTAN_REQUIRED(ExternalMetricStatus, "metric", metric),
    CAPSTAN_REQUIRED(ExternalMetricStatus, "current", current))

CAPSTAN_LAYOUT(MetricStatus,
    CAPSTAN_REQUIRED(MetricStatus, "type", type),
    CAPSTAN_FIELD(MetricStatus, "object", object),
    CAPSTAN_FIELD(MetricStatus, "pods", pods),
    CAPSTAN_FIELD(MetricStatus, "resource", resource),
    CAPSTAN_FIELD(MetricStatus, "containerResource", container_resource),
    CAPSTAN_FIELD(MetricStatus, "external", external))

CAPSTAN_LAYOUT(HorizontalPodAutoscalerCondition,
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerCondition, "type", type),
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerCondition, "status", status),
    CAPSTAN_FIELD(HorizontalPodAutoscalerCondition, "lastTransitionTime", last_transition_time),
    CAPSTAN_FIELD(HorizontalPodAutoscalerCondition, "reason", reason),
    CAPSTAN_FIELD(HorizontalPodAutoscalerCondition, "message", message),
    CAPSTAN_FIELD(HorizontalPodAutoscalerCondition, "observedGeneration", observed_generation))

CAPSTAN_LAYOUT(HorizontalPodAutoscalerStatus,
    CAPSTAN_FIELD(HorizontalPodAutoscalerStatus, "observedGeneration", observed_generation),
    CAPSTAN_FIELD(HorizontalPodAutoscalerStatus, "lastScaleTime", last_scale_time),
    CAPSTAN_NUMBER(HorizontalPodAutoscalerStatus, "currentReplicas", current_replicas),
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerStatus, "desiredReplicas", desired_replicas),
    CAPSTAN_REQUIRED(HorizontalPodAutoscalerStatus, "currentMetrics", current_metrics),
    CAPSTAN_FIELD(HorizontalPodAutoscalerStatus, "conditions", conditions))

CAPSTAN_LAYOUT(HorizontalPodAutoscaler,
    CAPSTAN_PART(HorizontalPodAutoscaler, "metadata", metadata, kMetadata),
    CAPSTAN_PART(HorizontalPodAutoscaler, "spec", spec, kSpec),
    CAPSTAN_PART(HorizontalPodAutoscaler, "status", status, kStatus))

}  // namespace capstan::api::autoscaling::v2

template class capstan::Boxed<capstan::api::autoscaling::v2::ObjectMetricSource>;
template class capstan::Boxed<capstan::api::autoscaling::v2::PodsMetricSource>;
template class capstan::Boxed<capstan::api::autoscaling::v2::ResourceMetricSource>;
template class capstan::Boxed<capstan::api::autoscaling::v2::ContainerResourceMetricSource>;
template class capstan::Boxed<capstan::api::autoscaling::v2::ExternalMetricSource>;
template class capstan::List<capstan::api::autoscaling::v2::MetricSpec>;
template class capstan::List<capstan::api::autoscaling::v2::HPAScalingPolicy>;
template class capstan::Boxed<capstan::api::autoscaling::v2::HPAScalingRules>;
template class capstan::Boxed<capstan::api::autoscaling::v2::HorizontalPodAutoscalerBehavior>;
template class capstan::Boxed<capstan::api::autoscaling::v2::ObjectMetricStatus>;
template class capstan::Boxed<capstan::api::autoscaling::v2::PodsMetricStatus>;
template class capstan::Boxed<capstan::api::autoscaling::v2::ResourceMetricStatus>;
template class capstan::Boxed<capstan::api::autoscaling::v2::ContainerResourceMetricStatus>;
template class capstan::Boxed<capstan::api::autoscaling::v2::ExternalMetricStatus>;
template class capstan::List<capstan::api::autoscaling::v2::MetricStatus>;
template class capstan::List<capstan::api::autoscaling::v2::HorizontalPodAutoscalerCondition>;
