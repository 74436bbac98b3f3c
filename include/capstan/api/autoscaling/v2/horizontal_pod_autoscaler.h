// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/api/meta/v1/label_selector.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"
#include "capstan/time.h"

namespace capstan::api::autoscaling::v2 {

// CrossVersionObjectReference contains enough information to let you identify the referred
// resource.
struct CAPSTAN_EXPORT CrossVersionObjectReference {
  // kind is the kind of the referent; More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds
  std::string kind = {};
  // name is the name of the referent; More info:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names
  std::string name = {};
  // apiVersion is the API version of the referent
  std::string api_version = {};
};
CAPSTAN_EXPORT bool operator==(const CrossVersionObjectReference& a,
                               const CrossVersionObjectReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CrossVersionObjectReference*);

// MetricTargetType specifies the type of metric being targeted, and should be either "Value",
// "AverageValue", or "Utilization"
// UtilizationMetricType declares a MetricTarget is an AverageUtilization value
inline constexpr std::string_view kUtilizationMetricType = "Utilization";
// ValueMetricType declares a MetricTarget is a raw value
inline constexpr std::string_view kValueMetricType = "Value";
// AverageValueMetricType declares a MetricTarget is an
inline constexpr std::string_view kAverageValueMetricType = "AverageValue";

// MetricTarget defines the target value, average value, or average utilization of a specific metric
struct CAPSTAN_EXPORT MetricTarget {
  // type represents whether the metric type is Utilization, Value, or AverageValue
  std::string type = {};
  // value is the target value of the metric (as a quantity).
  std::optional<Quantity> value = {};
  // averageValue is the target value of the average of the metric across all relevant pods (as a
  // quantity)
  std::optional<Quantity> average_value = {};
  // averageUtilization is the target value of the average of the resource metric across all
  // relevant pods, represented as a percentage of the requested value of the resource for the pods.
  // Currently only valid for Resource metric source type
  std::optional<std::int32_t> average_utilization = {};
};
CAPSTAN_EXPORT bool operator==(const MetricTarget& a, const MetricTarget& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const MetricTarget*);

// MetricIdentifier defines the name and optionally selector for a metric
struct CAPSTAN_EXPORT MetricIdentifier {
  // name is the name of the given metric
  std::string name = {};
  // selector is the string-encoded form of a standard kubernetes label selector for the given
  // metric When set, it is passed as an additional parameter to the metrics server for more
  // specific metrics scoping. When unset, just the metricName will be used to gather metrics.
  Boxed<meta::v1::LabelSelector> selector = {};
};
CAPSTAN_EXPORT bool operator==(const MetricIdentifier& a, const MetricIdentifier& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const MetricIdentifier*);

// ObjectMetricSource indicates how to scale on a metric describing a kubernetes object (for
// example, hits-per-second on an Ingress object).
struct CAPSTAN_EXPORT ObjectMetricSource {
  // describedObject specifies the descriptions of a object,such as kind,name apiVersion
  CrossVersionObjectReference described_object = {};
  // target specifies the target value for the given metric
  MetricTarget target = {};
  // metric identifies the target metric by name and selector
  MetricIdentifier metric = {};
};
CAPSTAN_EXPORT bool operator==(const ObjectMetricSource& a, const ObjectMetricSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ObjectMetricSource*);

// PodsMetricSource indicates how to scale on a metric describing each pod in the current scale
// target (for example, transactions-processed-per-second). The values will be averaged together
// before being compared to the target value.
struct CAPSTAN_EXPORT PodsMetricSource {
  // metric identifies the target metric by name and selector
  MetricIdentifier metric = {};
  // target specifies the target value for the given metric
  MetricTarget target = {};
};
CAPSTAN_EXPORT bool operator==(const PodsMetricSource& a, const PodsMetricSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodsMetricSource*);

// ResourceMetricSource indicates how to scale on a resource metric known to Kubernetes, as
// specified in requests and limits, describing each pod in the current scale target (e.g. CPU or
// memory).  The values will be averaged together before being compared to the target.  Such metrics
// are built in to Kubernetes, and have special scaling options on top of those available to normal
// per-pod metrics using the "pods" source.  Only one "target" type should be set.
struct CAPSTAN_EXPORT ResourceMetricSource {
  // name is the name of the resource in question.
  std::string name = {};
  // target specifies the target value for the given metric
  MetricTarget target = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceMetricSource& a, const ResourceMetricSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceMetricSource*);

// ContainerResourceMetricSource indicates how to scale on a resource metric known to Kubernetes, as
// specified in requests and limits, describing each pod in the current scale target (e.g. CPU or
// memory).  The values will be averaged together before being compared to the target.  Such metrics
// are built in to Kubernetes, and have special scaling options on top of those available to normal
// per-pod metrics using the "pods" source.  Only one "target" type should be set.
struct CAPSTAN_EXPORT ContainerResourceMetricSource {
  // name is the name of the resource in question.
  std::string name = {};
  // target specifies the target value for the given metric
  MetricTarget target = {};
  // container is the name of the container in the pods of the scaling target
  std::string container = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerResourceMetricSource& a,
                               const ContainerResourceMetricSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerResourceMetricSource*);

// ExternalMetricSource indicates how to scale on a metric not associated with any Kubernetes object
// (for example length of queue in cloud messaging service, or QPS from loadbalancer running outside
// of cluster).
struct CAPSTAN_EXPORT ExternalMetricSource {
  // metric identifies the target metric by name and selector
  MetricIdentifier metric = {};
  // target specifies the target value for the given metric
  MetricTarget target = {};
};
CAPSTAN_EXPORT bool operator==(const ExternalMetricSource& a, const ExternalMetricSource& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ExternalMetricSource*);

// MetricSourceType indicates the type of metric.
// ObjectMetricSourceType is a metric describing a kubernetes object (for example, hits-per-second
// on an Ingress object).
inline constexpr std::string_view kObjectMetricSourceType = "Object";
// PodsMetricSourceType is a metric describing each pod in the current scale target (for example,
// transactions-processed-per-second).  The values will be averaged together before being compared
// to the target value.
inline constexpr std::string_view kPodsMetricSourceType = "Pods";
// ResourceMetricSourceType is a resource metric known to Kubernetes, as specified in requests and
// limits, describing each pod in the current scale target (e.g. CPU or memory).  Such metrics are
// built in to Kubernetes, and have special scaling options on top of those available to normal
// per-pod metrics (the "pods" source).
inline constexpr std::string_view kResourceMetricSourceType = "Resource";
// ContainerResourceMetricSourceType is a resource metric known to Kubernetes, as specified in
// requests and limits, describing a single container in each pod in the current scale target (e.g.
// CPU or memory).  Such metrics are built in to Kubernetes, and have special scaling options on top
// of those available to normal per-pod metrics (the "pods" source).
inline constexpr std::string_view kContainerResourceMetricSourceType = "ContainerResource";
// ExternalMetricSourceType is a global metric that is not associated with any Kubernetes object. It
// allows autoscaling based on information coming from components running outside of cluster (for
// example length of queue in cloud messaging service, or QPS from loadbalancer running outside of
// cluster).
inline constexpr std::string_view kExternalMetricSourceType = "External";

// MetricSpec specifies how to scale based on a single metric (only `type` and one other matching
// field should be set at once).
struct CAPSTAN_EXPORT MetricSpec {
  // type is the type of metric source.  It should be one of "ContainerResource", "External",
  // "Object", "Pods" or "Resource", each mapping to a matching field in the object.
  std::string type = {};
  // object refers to a metric describing a single kubernetes object (for example, hits-per-second
  // on an Ingress object).
  Boxed<ObjectMetricSource> object = {};
  // pods refers to a metric describing each pod in the current scale target (for example,
  // transactions-processed-per-second).  The values will be averaged together before being compared
  // to the target value.
  Boxed<PodsMetricSource> pods = {};
  // resource refers to a resource metric (such as those specified in requests and limits) known to
  // Kubernetes describing each pod in the current scale target (e.g. CPU or memory). Such metrics
  // are built in to Kubernetes, and have special scaling options on top of those available to
  // normal per-pod metrics using the "pods" source.
  Boxed<ResourceMetricSource> resource = {};
  // containerResource refers to a resource metric (such as those specified in requests and limits)
  // known to Kubernetes describing a single container in each pod of the current scale target (e.g.
  // CPU or memory). Such metrics are built in to Kubernetes, and have special scaling options on
  // top of those available to normal per-pod metrics using the "pods" source.
  Boxed<ContainerResourceMetricSource> container_resource = {};
  // external refers to a global metric that is not associated with any Kubernetes object. It allows
  // autoscaling based on information coming from components running outside of cluster (for example
  // length of queue in cloud messaging service, or QPS from loadbalancer running outside of
  // cluster).
  Boxed<ExternalMetricSource> external = {};
};
CAPSTAN_EXPORT bool operator==(const MetricSpec& a, const MetricSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const MetricSpec*);

// HPAScalingPolicyType is the type of the policy which could be used while making scaling
// decisions.
// PodsScalingPolicy is a policy used to specify a change in absolute number of pods.
inline constexpr std::string_view kPodsScalingPolicy = "Pods";
// PercentScalingPolicy is a policy used to specify a relative amount of change with respect to the
// current number of pods.
inline constexpr std::string_view kPercentScalingPolicy = "Percent";

// HPAScalingPolicy is a single policy which must hold true for a specified past interval.
struct CAPSTAN_EXPORT HPAScalingPolicy {
  // type is used to specify the scaling policy.
  std::string type = {};
  // value contains the amount of change which is permitted by the policy. It must be greater than
  // zero
  std::int32_t value = {};
  // periodSeconds specifies the window of time for which the policy should hold true. PeriodSeconds
  // must be greater than zero and less than or equal to 1800 (30 min).
  std::int32_t period_seconds = {};
};
CAPSTAN_EXPORT bool operator==(const HPAScalingPolicy& a, const HPAScalingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HPAScalingPolicy*);

// ScalingPolicySelect is used to specify which policy should be used while scaling in a certain
// direction
// MaxChangePolicySelect  selects the policy with the highest possible change.
inline constexpr std::string_view kMaxChangePolicySelect = "Max";
// MinChangePolicySelect selects the policy with the lowest possible change.
inline constexpr std::string_view kMinChangePolicySelect = "Min";
// DisabledPolicySelect disables the scaling in this direction.
inline constexpr std::string_view kDisabledPolicySelect = "Disabled";

// HPAScalingRules configures the scaling behavior for one direction via scaling Policy Rules and a
// configurable metric tolerance.
// Scaling Policy Rules are applied after calculating DesiredReplicas from metrics for the HPA. They
// can limit the scaling velocity by specifying scaling policies. They can prevent flapping by
// specifying the stabilization window, so that the number of replicas is not set instantly,
// instead, the safest value from the stabilization window is chosen.
// The tolerance is applied to the metric values and prevents scaling too eagerly for small metric
// variations.
struct CAPSTAN_EXPORT HPAScalingRules {
  // stabilizationWindowSeconds is the number of seconds for which past recommendations should be
  // considered while scaling up or scaling down. StabilizationWindowSeconds must be greater than or
  // equal to zero and less than or equal to 3600 (one hour). If not set, use the default values:
  // - For scale up: 0 (i.e. no stabilization is done).
  // - For scale down: 300 (i.e. the stabilization window is 300 seconds long).
  std::optional<std::int32_t> stabilization_window_seconds = {};
  // selectPolicy is used to specify which policy should be used. If not set, the default value Max
  // is used.
  std::optional<std::string> select_policy = {};
  // policies is a list of potential scaling polices which can be used during scaling. If not set,
  // use the default values:
  // - For scale up: allow doubling the number of pods, or an absolute change of 4 pods in a 15s
  // window.
  // - For scale down: allow all pods to be removed in a 15s window.
  List<HPAScalingPolicy> policies = {};
  // tolerance is the tolerance on the ratio between the current and desired metric value under
  // which no updates are made to the desired number of replicas (e.g. 0.01 for 1%). Must be greater
  // than or equal to zero. If not set, the default cluster-wide tolerance is applied (by default
  // 10%).
  // For example, if autoscaling is configured with a memory consumption target of 100Mi, and
  // scale-down and scale-up tolerances of 5% and 1% respectively, scaling will be triggered when
  // the actual consumption falls below 95Mi or exceeds 101Mi.
  std::optional<Quantity> tolerance = {};
};
CAPSTAN_EXPORT bool operator==(const HPAScalingRules& a, const HPAScalingRules& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HPAScalingRules*);

// HorizontalPodAutoscalerBehavior configures the scaling behavior of the target in both Up and Down
// directions (scaleUp and scaleDown fields respectively).
struct CAPSTAN_EXPORT HorizontalPodAutoscalerBehavior {
  // scaleUp is scaling policy for scaling Up. If not set, the default value is the higher of:
  // * increase no more than 4 pods per 60 seconds
  // * double the number of pods per 60 seconds No stabilization is used.
  Boxed<HPAScalingRules> scale_up = {};
  // scaleDown is scaling policy for scaling Down. If not set, the default value is to allow to
  // scale down to minReplicas pods, with a 300 second stabilization window (i.e., the highest
  // recommendation for the last 300sec is used).
  Boxed<HPAScalingRules> scale_down = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscalerBehavior& a,
                               const HorizontalPodAutoscalerBehavior& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscalerBehavior*);

// HorizontalPodAutoscalerSpec describes the desired functionality of the HorizontalPodAutoscaler.
struct CAPSTAN_EXPORT HorizontalPodAutoscalerSpec {
  // scaleTargetRef points to the target resource to scale, and is used to the pods for which
  // metrics should be collected, as well as to actually change the replica count.
  CrossVersionObjectReference scale_target_ref = {};
  // minReplicas is the lower limit for the number of replicas to which the autoscaler can scale
  // down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate
  // HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is
  // active as long as at least one metric value is available.
  std::optional<std::int32_t> min_replicas = {};
  // maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up.
  // It cannot be less that minReplicas.
  std::int32_t max_replicas = {};
  // metrics contains the specifications for which to use to calculate the desired replica count
  // (the maximum replica count across all metrics will be used).  The desired replica count is
  // calculated multiplying the ratio between the target value and the current value by the current
  // number of pods.  Ergo, metrics used must decrease as the pod count is increased, and
  // vice-versa.  See the individual metric source types for more information about how each type of
  // metric must respond. If not set, the default metric will be set to 80% average CPU utilization.
  List<MetricSpec> metrics = {};
  // behavior configures the scaling behavior of the target in both Up and Down directions (scaleUp
  // and scaleDown fields respectively). If not set, the default HPAScalingRules for scale up and
  // scale down are used.
  Boxed<HorizontalPodAutoscalerBehavior> behavior = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscalerSpec& a,
                               const HorizontalPodAutoscalerSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscalerSpec*);

// MetricValueStatus holds the current value for a metric
struct CAPSTAN_EXPORT MetricValueStatus {
  // value is the current value of the metric (as a quantity).
  std::optional<Quantity> value = {};
  // averageValue is the current value of the average of the metric across all relevant pods (as a
  // quantity)
  std::optional<Quantity> average_value = {};
  // averageUtilization is the current value of the average of the resource metric across all
  // relevant pods, represented as a percentage of the requested value of the resource for the pods.
  std::optional<std::int32_t> average_utilization = {};
};
CAPSTAN_EXPORT bool operator==(const MetricValueStatus& a, const MetricValueStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const MetricValueStatus*);

// ObjectMetricStatus indicates the current value of a metric describing a kubernetes object (for
// example, hits-per-second on an Ingress object).
struct CAPSTAN_EXPORT ObjectMetricStatus {
  // metric identifies the target metric by name and selector
  MetricIdentifier metric = {};
  // current contains the current value for the given metric
  MetricValueStatus current = {};
  // describedObject specifies the descriptions of a object,such as kind,name apiVersion
  CrossVersionObjectReference described_object = {};
};
CAPSTAN_EXPORT bool operator==(const ObjectMetricStatus& a, const ObjectMetricStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ObjectMetricStatus*);

// PodsMetricStatus indicates the current value of a metric describing each pod in the current scale
// target (for example, transactions-processed-per-second).
struct CAPSTAN_EXPORT PodsMetricStatus {
  // metric identifies the target metric by name and selector
  MetricIdentifier metric = {};
  // current contains the current value for the given metric
  MetricValueStatus current = {};
};
CAPSTAN_EXPORT bool operator==(const PodsMetricStatus& a, const PodsMetricStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodsMetricStatus*);

// ResourceMetricStatus indicates the current value of a resource metric known to Kubernetes, as
// specified in requests and limits, describing each pod in the current scale target (e.g. CPU or
// memory).  Such metrics are built in to Kubernetes, and have special scaling options on top of
// those available to normal per-pod metrics using the "pods" source.
struct CAPSTAN_EXPORT ResourceMetricStatus {
  // name is the name of the resource in question.
  std::string name = {};
  // current contains the current value for the given metric
  MetricValueStatus current = {};
};
CAPSTAN_EXPORT bool operator==(const ResourceMetricStatus& a, const ResourceMetricStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ResourceMetricStatus*);

// ContainerResourceMetricStatus indicates the current value of a resource metric known to
// Kubernetes, as specified in requests and limits, describing a single container in each pod in the
// current scale target (e.g. CPU or memory).  Such metrics are built in to Kubernetes, and have
// special scaling options on top of those available to normal per-pod metrics using the "pods"
// source.
struct CAPSTAN_EXPORT ContainerResourceMetricStatus {
  // name is the name of the resource in question.
  std::string name = {};
  // current contains the current value for the given metric
  MetricValueStatus current = {};
  // container is the name of the container in the pods of the scaling target
  std::string container = {};
};
CAPSTAN_EXPORT bool operator==(const ContainerResourceMetricStatus& a,
                               const ContainerResourceMetricStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ContainerResourceMetricStatus*);

// ExternalMetricStatus indicates the current value of a global metric not associated with any
// Kubernetes object.
struct CAPSTAN_EXPORT ExternalMetricStatus {
  // metric identifies the target metric by name and selector
  MetricIdentifier metric = {};
  // current contains the current value for the given metric
  MetricValueStatus current = {};
};
CAPSTAN_EXPORT bool operator==(const ExternalMetricStatus& a, const ExternalMetricStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ExternalMetricStatus*);

// MetricStatus describes the last-read state of a single metric.
struct CAPSTAN_EXPORT MetricStatus {
  // type is the type of metric source.  It will be one of "ContainerResource", "External",
  // "Object", "Pods" or "Resource", each corresponds to a matching field in the object.
  std::string type = {};
  // object refers to a metric describing a single kubernetes object (for example, hits-per-second
  // on an Ingress object).
  Boxed<ObjectMetricStatus> object = {};
  // pods refers to a metric describing each pod in the current scale target (for example,
  // transactions-processed-per-second).  The values will be averaged together before being compared
  // to the target value.
  Boxed<PodsMetricStatus> pods = {};
  // resource refers to a resource metric (such as those specified in requests and limits) known to
  // Kubernetes describing each pod in the current scale target (e.g. CPU or memory). Such metrics
  // are built in to Kubernetes, and have special scaling options on top of those available to
  // normal per-pod metrics using the "pods" source.
  Boxed<ResourceMetricStatus> resource = {};
  // containerResource refers to a resource metric (such as those specified in requests and limits)
  // known to Kubernetes describing a single container in each pod in the current scale target (e.g.
  // CPU or memory). Such metrics are built in to Kubernetes, and have special scaling options on
  // top of those available to normal per-pod metrics using the "pods" source.
  Boxed<ContainerResourceMetricStatus> container_resource = {};
  // external refers to a global metric that is not associated with any Kubernetes object. It allows
  // autoscaling based on information coming from components running outside of cluster (for example
  // length of queue in cloud messaging service, or QPS from loadbalancer running outside of
  // cluster).
  Boxed<ExternalMetricStatus> external = {};
};
CAPSTAN_EXPORT bool operator==(const MetricStatus& a, const MetricStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const MetricStatus*);

// HorizontalPodAutoscalerConditionType are the valid conditions of a HorizontalPodAutoscaler.
// ScalingActive indicates that the HPA controller is able to scale if necessary: it's correctly
// configured, can fetch the desired metrics, and isn't disabled.
inline constexpr std::string_view kScalingActive = "ScalingActive";
// AbleToScale indicates a lack of transient issues which prevent scaling from occurring, such as
// being in a backoff window, or being unable to access/update the target scale.
inline constexpr std::string_view kAbleToScale = "AbleToScale";
// ScalingLimited indicates that the calculated scale based on metrics would be above or below the
// range for the HPA, and has thus been capped.
inline constexpr std::string_view kScalingLimited = "ScalingLimited";
// ScaledToZero indicates that the HPA controller scaled the workload to zero.
inline constexpr std::string_view kScaledToZero = "ScaledToZero";

// HorizontalPodAutoscalerCondition describes the state of a HorizontalPodAutoscaler at a certain
// point.
struct CAPSTAN_EXPORT HorizontalPodAutoscalerCondition {
  // type describes the current condition
  std::string type = {};
  // status is the status of the condition (True, False, Unknown)
  std::string status = {};
  // lastTransitionTime is the last time the condition transitioned from one status to another
  std::optional<Time> last_transition_time = {};
  // reason is the reason for the condition's last transition.
  std::string reason = {};
  // message is a human-readable explanation containing details about the transition
  std::string message = {};
  // observedGeneration represents the .metadata.generation that the condition was set based upon.
  // For instance, if .metadata.generation is currently 12, but the
  // .status.conditions[x].observedGeneration is 9, the condition is out of date with respect to the
  // current state of the instance.
  std::optional<std::int64_t> observed_generation = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscalerCondition& a,
                               const HorizontalPodAutoscalerCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscalerCondition*);

// HorizontalPodAutoscalerStatus describes the current status of a horizontal pod autoscaler.
struct CAPSTAN_EXPORT HorizontalPodAutoscalerStatus {
  // observedGeneration is the most recent generation observed by this autoscaler.
  std::optional<std::int64_t> observed_generation = {};
  // lastScaleTime is the last time the HorizontalPodAutoscaler scaled the number of pods, used by
  // the autoscaler to control how often the number of pods is changed.
  std::optional<Time> last_scale_time = {};
  // currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen
  // by the autoscaler.
  std::int32_t current_replicas = {};
  // desiredReplicas is the desired number of replicas of pods managed by this autoscaler, as last
  // calculated by the autoscaler.
  std::int32_t desired_replicas = {};
  // currentMetrics is the last read state of the metrics used by this autoscaler.
  List<MetricStatus> current_metrics = {};
  // conditions is the set of conditions required for this autoscaler to scale its target, and
  // indicates whether or not those conditions are met.
  List<HorizontalPodAutoscalerCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscalerStatus& a,
                               const HorizontalPodAutoscalerStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscalerStatus*);

// HorizontalPodAutoscaler is the configuration for a horizontal pod autoscaler, which automatically
// manages the replica count of any resource implementing the scale subresource based on the metrics
// specified.
struct CAPSTAN_EXPORT HorizontalPodAutoscaler {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec is the specification for the behaviour of the autoscaler. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status.
  HorizontalPodAutoscalerSpec spec = {};
  // status is the current information about the autoscaler.
  HorizontalPodAutoscalerStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscaler& a, const HorizontalPodAutoscaler& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscaler*);

}  // namespace capstan::api::autoscaling::v2

extern template class capstan::Boxed<capstan::api::autoscaling::v2::ObjectMetricSource>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::PodsMetricSource>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::ResourceMetricSource>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::ContainerResourceMetricSource>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::ExternalMetricSource>;
extern template class capstan::List<capstan::api::autoscaling::v2::MetricSpec>;
extern template class capstan::List<capstan::api::autoscaling::v2::HPAScalingPolicy>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::HPAScalingRules>;
extern template class capstan::Boxed<
    capstan::api::autoscaling::v2::HorizontalPodAutoscalerBehavior>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::ObjectMetricStatus>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::PodsMetricStatus>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::ResourceMetricStatus>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::ContainerResourceMetricStatus>;
extern template class capstan::Boxed<capstan::api::autoscaling::v2::ExternalMetricStatus>;
extern template class capstan::List<capstan::api::autoscaling::v2::MetricStatus>;
extern template class capstan::List<
    capstan::api::autoscaling::v2::HorizontalPodAutoscalerCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::autoscaling::v2::HorizontalPodAutoscaler> =
    capstan::Kind("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();
