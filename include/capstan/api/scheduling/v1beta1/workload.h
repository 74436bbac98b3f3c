// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capstan/api/scheduling/v1beta1/disruption_mode.h"
#include "capstan/api/scheduling/v1beta1/pod_group_resource_claim.h"
#include "capstan/api/scheduling/v1beta1/pod_group_scheduling_constraints.h"
#include "capstan/api/scheduling/v1beta1/pod_group_scheduling_policy.h"
#include "capstan/api/scheduling/v1beta1/topology_constraint.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::scheduling::v1beta1 {

// TypedLocalObjectReference allows to reference typed object inside the same namespace.
struct CAPSTAN_EXPORT TypedLocalObjectReference {
  // apiGroup is the group for the resource being referenced. If apiGroup is empty, the specified
  // Kind must be in the core API group. For any other third-party types, setting apiGroup is
  // required. It must be a DNS subdomain.
  std::string api_group = {};
  // kind is the type of resource being referenced. It must be a path segment name.
  std::string kind = {};
  // name is the name of resource being referenced. It must be a path segment name.
  std::string name = {};
};
CAPSTAN_EXPORT bool operator==(const TypedLocalObjectReference& a,
                               const TypedLocalObjectReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const TypedLocalObjectReference*);

// PodGroupTemplate represents a template for a set of pods with a scheduling policy.
struct CAPSTAN_EXPORT PodGroupTemplate {
  // name is a unique identifier for the PodGroupTemplate within the Workload. It must be a DNS
  // label. This field is immutable.
  std::string name = {};
  // schedulingPolicy defines the scheduling policy for this PodGroupTemplate.
  PodGroupSchedulingPolicy scheduling_policy = {};
  // schedulingConstraints defines optional scheduling constraints (e.g. topology) for this
  // PodGroupTemplate. This field is only available when the TopologyAwareWorkloadScheduling feature
  // gate is enabled. This field is immutable.
  Boxed<PodGroupSchedulingConstraints> scheduling_constraints = {};
  // resourceClaims defines which ResourceClaims may be shared among Pods in the group. Pods consume
  // the devices allocated to a PodGroup's claim by defining a claim in its own Spec.ResourceClaims
  // that matches the PodGroup's claim exactly. The claim must have the same name and refer to the
  // same ResourceClaim or ResourceClaimTemplate.
  // This is a beta-level field and requires that the DRAWorkloadResourceClaims feature gate is
  // enabled.
  // This field is immutable.
  List<PodGroupResourceClaim> resource_claims = {};
  // disruptionMode defines the mode in which a given PodGroup can be disrupted. One of Single, All.
  // This field is immutable.
  Boxed<DisruptionMode> disruption_mode = {};
  // priorityClassName indicates the priority that should be considered when scheduling a pod group
  // created from this template. This field is immutable.
  std::string priority_class_name = {};
  // priority is the value of priority of pod groups created from this template. Various system
  // components use this field to find the priority of the pod group. The higher the value, the
  // higher the priority. This field is immutable.
  std::optional<std::int32_t> priority = {};
  // preemptionPolicy is the Policy for preempting pods/podgroups with lower priority. One of Never,
  // PreemptLowerPriority. This field is immutable. This field is available only when the
  // PodGroupPreemptionPolicy feature gate is enabled.
  std::optional<std::string> preemption_policy = {};
};
CAPSTAN_EXPORT bool operator==(const PodGroupTemplate& a, const PodGroupTemplate& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PodGroupTemplate*);

// CompositeBasicSchedulingPolicy indicates that the groups belonging to the composite group should
// be scheduled independently.
struct CAPSTAN_EXPORT CompositeBasicSchedulingPolicy {};
CAPSTAN_EXPORT bool operator==(const CompositeBasicSchedulingPolicy& a,
                               const CompositeBasicSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CompositeBasicSchedulingPolicy*);

// CompositeGangSchedulingPolicy indicates that the groups belonging to the composite group should
// be scheduled using all-or-nothing semantics.
struct CAPSTAN_EXPORT CompositeGangSchedulingPolicy {
  // minGroupCount is the minimum number of child groups that must be schedulable or scheduled at
  // the same time for the scheduler to admit the entire group. It must be a positive integer.
  std::int32_t min_group_count = {};
};
CAPSTAN_EXPORT bool operator==(const CompositeGangSchedulingPolicy& a,
                               const CompositeGangSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CompositeGangSchedulingPolicy*);

// CompositePodGroupSchedulingPolicy defines the scheduling configuration for a CompositePodGroup.
// Exactly one policy must be set.
struct CAPSTAN_EXPORT CompositePodGroupSchedulingPolicy {
  // basic specifies that the groups of this composite group should be scheduled independently. This
  // field is immutable.
  Boxed<CompositeBasicSchedulingPolicy> basic = {};
  // gang specifies that the groups of this composite group should be scheduled using all-or-nothing
  // semantics.
  Boxed<CompositeGangSchedulingPolicy> gang = {};
};
CAPSTAN_EXPORT bool operator==(const CompositePodGroupSchedulingPolicy& a,
                               const CompositePodGroupSchedulingPolicy& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CompositePodGroupSchedulingPolicy*);

// CompositePodGroupSchedulingConstraints defines scheduling constraints (e.g. topology) for a
// CompositePodGroup.
struct CAPSTAN_EXPORT CompositePodGroupSchedulingConstraints {
  // topology defines the topology constraints for the composite pod group. Currently only a single
  // topology constraint can be specified. This may change in the future.
  List<TopologyConstraint> topology = {};
};
CAPSTAN_EXPORT bool operator==(const CompositePodGroupSchedulingConstraints& a,
                               const CompositePodGroupSchedulingConstraints& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CompositePodGroupSchedulingConstraints*);

// SingleCompositeDisruptionMode means that individual children of a CompositePodGroup can be
// disrupted or preempted independently.
struct CAPSTAN_EXPORT SingleCompositeDisruptionMode {};
CAPSTAN_EXPORT bool operator==(const SingleCompositeDisruptionMode& a,
                               const SingleCompositeDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SingleCompositeDisruptionMode*);

// AllCompositeDisruptionMode means that children of a CompositePodGroup can only be disrupted or
// preempted together.
struct CAPSTAN_EXPORT AllCompositeDisruptionMode {};
CAPSTAN_EXPORT bool operator==(const AllCompositeDisruptionMode& a,
                               const AllCompositeDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const AllCompositeDisruptionMode*);

// CompositeDisruptionMode defines how individual entities within a composite pod group can be
// disrupted. Exactly one mode must be set.
struct CAPSTAN_EXPORT CompositeDisruptionMode {
  // single specifies that children groups can be disrupted independently from each other.
  Boxed<SingleCompositeDisruptionMode> single = {};
  // all specifies that all children groups can only be disrupted together.
  Boxed<AllCompositeDisruptionMode> all = {};
};
CAPSTAN_EXPORT bool operator==(const CompositeDisruptionMode& a, const CompositeDisruptionMode& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CompositeDisruptionMode*);

// CompositePodGroupTemplate represents a template for a CompositePodGroup with a scheduling policy.
struct CAPSTAN_EXPORT CompositePodGroupTemplate {
  // name is a unique identifier for the CompositePodGroupTemplate within the Workload. It must be a
  // DNS label. This field is required.
  std::string name = {};
  // schedulingPolicy defines the scheduling policy for this template.
  CompositePodGroupSchedulingPolicy scheduling_policy = {};
  // schedulingConstraints defines optional scheduling constraints (e.g. topology) for this
  // CompositePodGroupTemplate. This field is immutable.
  Boxed<CompositePodGroupSchedulingConstraints> scheduling_constraints = {};
  // disruptionMode defines the mode in which a given CompositePodGroup can be disrupted. One of
  // Single, All. This field is immutable.
  Boxed<CompositeDisruptionMode> disruption_mode = {};
  // priorityClassName indicates the priority that should be considered when scheduling a composite
  // pod group created from this template. If no priority class is specified, admission control can
  // set this to the global default priority class if it exists. Otherwise, composite pod groups
  // created from this template will have the priority set to zero. This field is immutable.
  std::string priority_class_name = {};
  // priority is the value of priority of composite pod groups created from this template. Various
  // system components use this field to find the priority of the composite pod group. When Priority
  // Admission Controller is enabled, it prevents users from setting this field. The admission
  // controller populates this field from PriorityClassName. The higher the value, the higher the
  // priority. This field is immutable.
  std::optional<std::int32_t> priority = {};
  // preemptionPolicy is the Policy for preempting pods/podgroups with lower priority. One of Never,
  // PreemptLowerPriority. This field is immutable. This field is available only when the
  // PodGroupPreemptionPolicy feature gate is enabled.
  std::optional<std::string> preemption_policy = {};
  // podGroupTemplates is the list of templates for children PodGroups. The maximum number of
  // templates is 8. At least one entry in CompositePodGroupTemplates or PodGroupTemplates must be
  // set.
  List<PodGroupTemplate> pod_group_templates = {};
  // compositePodGroupTemplates is the list of templates for children CompositePodGroups. The
  // maximum number of templates is 8. At least one entry in CompositePodGroupTemplates or
  // PodGroupTemplates must be set.
  List<CompositePodGroupTemplate> composite_pod_group_templates = {};
};
CAPSTAN_EXPORT bool operator==(const CompositePodGroupTemplate& a,
                               const CompositePodGroupTemplate& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CompositePodGroupTemplate*);

// WorkloadSpec defines the desired state of a Workload.
struct CAPSTAN_EXPORT WorkloadSpec {
  // controllerRef is an optional reference to the controlling object, such as a Deployment or Job.
  // This field is intended for use by tools like CLIs to provide a link back to the original
  // workload definition. This field is immutable.
  Boxed<TypedLocalObjectReference> controller_ref = {};
  // podGroupTemplates is the list of templates that make up the Workload. The maximum number of
  // templates is 8. Templates cannot be added or removed after the workload is created. Existing
  // templates may still be updated where their individual fields allow it. Exactly one of
  // CompositePodGroupTemplates and PodGroupTemplates must be set.
  List<PodGroupTemplate> pod_group_templates = {};
  // compositePodGroupTemplates is the list of CompositePodGroup templates that make up the
  // Workload. The maximum number of templates is 8. This field is immutable. Exactly one of
  // CompositePodGroupTemplates and PodGroupTemplates must be set.
  // This field is used only when the CompositePodGroup feature gate is enabled.
  List<CompositePodGroupTemplate> composite_pod_group_templates = {};
};
CAPSTAN_EXPORT bool operator==(const WorkloadSpec& a, const WorkloadSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WorkloadSpec*);

// Workload allows for expressing scheduling constraints that should be used when managing the
// lifecycle of workloads from the scheduling perspective, including scheduling, preemption,
// eviction and other phases. Workload API enablement is toggled by the GenericWorkload feature
// gate.
struct CAPSTAN_EXPORT Workload {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec defines the desired behavior of a Workload.
  WorkloadSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const Workload& a, const Workload& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Workload*);

}  // namespace capstan::api::scheduling::v1beta1

extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::TypedLocalObjectReference>;
extern template class capstan::List<capstan::api::scheduling::v1beta1::PodGroupTemplate>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1beta1::CompositeBasicSchedulingPolicy>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1beta1::CompositeGangSchedulingPolicy>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1beta1::CompositePodGroupSchedulingConstraints>;
extern template class capstan::Boxed<
    capstan::api::scheduling::v1beta1::SingleCompositeDisruptionMode>;
extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::AllCompositeDisruptionMode>;
extern template class capstan::Boxed<capstan::api::scheduling::v1beta1::CompositeDisruptionMode>;
extern template class capstan::List<capstan::api::scheduling::v1beta1::CompositePodGroupTemplate>;

template <>
inline constexpr auto capstan::kKind<capstan::api::scheduling::v1beta1::Workload> =
    capstan::Kind("scheduling.k8s.io", "v1beta1", "Workload", "workloads")
        .Namespaced()
        .Whole()
        .Spec();
