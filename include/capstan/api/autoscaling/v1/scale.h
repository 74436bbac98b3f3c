// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/object_meta.h"

namespace capstan::api::autoscaling::v1 {

// ScaleSpec describes the attributes of a scale subresource.
struct CAPSTAN_EXPORT ScaleSpec {
  // replicas is the desired number of instances for the scaled object.
  std::int32_t replicas = {};
};
CAPSTAN_EXPORT bool operator==(const ScaleSpec& a, const ScaleSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ScaleSpec*);

// ScaleStatus represents the current status of a scale subresource.
struct CAPSTAN_EXPORT ScaleStatus {
  // replicas is the actual number of observed instances of the scaled object.
  std::int32_t replicas = {};
  // selector is the label query over pods that should match the replicas count. This is same as the
  // label selector but in the string format to avoid introspection by clients. The string will be
  // in the same format as the query-param syntax. More info about label selectors:
  // https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
  std::string selector = {};
};
CAPSTAN_EXPORT bool operator==(const ScaleStatus& a, const ScaleStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ScaleStatus*);

// Scale represents a scaling request for a resource.
struct CAPSTAN_EXPORT Scale {
  // metadata is the standard object metadata; More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata.
  ObjectMeta metadata = {};
  // spec defines the behavior of the scale. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status.
  ScaleSpec spec = {};
  // status is the current status of the scale. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status.
  // Read-only.
  ScaleStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Scale& a, const Scale& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Scale*);

}  // namespace capstan::api::autoscaling::v1
