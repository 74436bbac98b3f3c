// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <string>

#include "capstan/api/core/v1/toleration.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"

namespace capstan::api::node::v1 {

// Overhead structure represents the resource overhead associated with running a pod.
struct CAPSTAN_EXPORT Overhead {
  // podFixed represents the fixed resource overhead associated with running a pod.
  std::map<std::string, Quantity> pod_fixed = {};
};
CAPSTAN_EXPORT bool operator==(const Overhead& a, const Overhead& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Overhead*);

// Scheduling specifies the scheduling constraints for nodes supporting a RuntimeClass.
struct CAPSTAN_EXPORT Scheduling {
  // nodeSelector lists labels that must be present on nodes that support this RuntimeClass. Pods
  // using this RuntimeClass can only be scheduled to a node matched by this selector. The
  // RuntimeClass nodeSelector is merged with a pod's existing nodeSelector. Any conflicts will
  // cause the pod to be rejected in admission.
  std::map<std::string, std::string> node_selector = {};
  // tolerations are appended (excluding duplicates) to pods running with this RuntimeClass during
  // admission, effectively unioning the set of nodes tolerated by the pod and the RuntimeClass.
  List<core::v1::Toleration> tolerations = {};
};
CAPSTAN_EXPORT bool operator==(const Scheduling& a, const Scheduling& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Scheduling*);

// RuntimeClass defines a class of container runtime supported in the cluster. The RuntimeClass is
// used to determine which container runtime is used to run all containers in a pod. RuntimeClasses
// are manually defined by a user or cluster provisioner, and referenced in the PodSpec. The Kubelet
// is responsible for resolving the RuntimeClassName reference before running the pod.  For more
// details, see https://kubernetes.io/docs/concepts/containers/runtime-class/
struct CAPSTAN_EXPORT RuntimeClass {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // handler specifies the underlying runtime and configuration that the CRI implementation will use
  // to handle pods of this class. The possible values are specific to the node & CRI configuration.
  // It is assumed that all handlers are available on every node, and handlers of the same name are
  // equivalent on every node. For example, a handler called "runc" might specify that the runc OCI
  // runtime (using native Linux containers) will be used to run the containers in a pod. The
  // Handler must be lowercase, conform to the DNS Label (RFC 1123) requirements, and is immutable.
  std::string handler = {};
  // overhead represents the resource overhead associated with running a pod for a given
  // RuntimeClass. For more details, see
  // https://kubernetes.io/docs/concepts/scheduling-eviction/pod-overhead/
  Boxed<Overhead> overhead = {};
  // scheduling holds the scheduling constraints to ensure that pods running with this RuntimeClass
  // are scheduled to nodes that support it. If scheduling is nil, this RuntimeClass is assumed to
  // be supported by all nodes.
  Boxed<Scheduling> scheduling = {};
};
CAPSTAN_EXPORT bool operator==(const RuntimeClass& a, const RuntimeClass& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const RuntimeClass*);

}  // namespace capstan::api::node::v1

extern template class capstan::Boxed<capstan::api::node::v1::Overhead>;
extern template class capstan::Boxed<capstan::api::node::v1::Scheduling>;

template <>
inline constexpr auto capstan::kKind<capstan::api::node::v1::RuntimeClass> =
    capstan::Kind("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses").ClusterScoped().Whole();
