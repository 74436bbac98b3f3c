// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::autoscaling::v1 {

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

// specification of a horizontal pod autoscaler.
struct CAPSTAN_EXPORT HorizontalPodAutoscalerSpec {
  // scaleTargetRef is the reference to scaled resource; horizontal pod autoscaler will learn the
  // current resource consumption and will set the desired number of pods by using its Scale
  // subresource.
  CrossVersionObjectReference scale_target_ref = {};
  // minReplicas is the lower limit for the number of replicas to which the autoscaler can scale
  // down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate
  // HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is
  // active as long as at least one metric value is available.
  std::optional<std::int32_t> min_replicas = {};
  // maxReplicas is the upper limit for the number of pods that can be set by the autoscaler; cannot
  // be smaller than MinReplicas.
  std::int32_t max_replicas = {};
  // targetCPUUtilizationPercentage is the target average CPU utilization (represented as a
  // percentage of requested CPU) over all the pods; if not specified the default autoscaling policy
  // will be used.
  std::optional<std::int32_t> target_cpu_utilization_percentage = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscalerSpec& a,
                               const HorizontalPodAutoscalerSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscalerSpec*);

// current status of a horizontal pod autoscaler
struct CAPSTAN_EXPORT HorizontalPodAutoscalerStatus {
  // observedGeneration is the most recent generation observed by this autoscaler.
  std::optional<std::int64_t> observed_generation = {};
  // lastScaleTime is the last time the HorizontalPodAutoscaler scaled the number of pods; used by
  // the autoscaler to control how often the number of pods is changed.
  std::optional<Time> last_scale_time = {};
  // currentReplicas is the current number of replicas of pods managed by this autoscaler.
  std::int32_t current_replicas = {};
  // desiredReplicas is the  desired number of replicas of pods managed by this autoscaler.
  std::int32_t desired_replicas = {};
  // currentCPUUtilizationPercentage is the current average CPU utilization over all pods,
  // represented as a percentage of requested CPU, e.g. 70 means that an average pod is using now
  // 70% of its requested CPU.
  std::optional<std::int32_t> current_cpu_utilization_percentage = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscalerStatus& a,
                               const HorizontalPodAutoscalerStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscalerStatus*);

// configuration of a horizontal pod autoscaler.
struct CAPSTAN_EXPORT HorizontalPodAutoscaler {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec defines the behaviour of autoscaler. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status.
  HorizontalPodAutoscalerSpec spec = {};
  // status is the current information about the autoscaler.
  HorizontalPodAutoscalerStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const HorizontalPodAutoscaler& a, const HorizontalPodAutoscaler& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HorizontalPodAutoscaler*);

}  // namespace capstan::api::autoscaling::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::autoscaling::v1::HorizontalPodAutoscaler> =
    capstan::Kind("autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();
