// SPDX-License-Identifier: Apache-2.0
// Validation of Pods and of the PodSpecs in templates, with the error texts of kube-apiserver.
// Mirrors a part of k8s.io/kubernetes/pkg/apis/core/validation: the names, the references between
// the parts of a PodSpec, and what is required. Not checked: resources, probes, lifecycle, security
// contexts, affinity, tolerations, topology, and the members of rare volume types.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// Returns why a Pod is invalid.
std::vector<Cause> ValidatePod(const runtime::JsonValue& pod);
// Checks the template of a workload, without the rules of its kind. `claims` are the
// volumeClaimTemplates of a StatefulSet, whose names are volumes, too.
void CheckPodTemplate(const Place& pod_template, const Place* claims, std::vector<Cause>& causes);
// The image of a container of a Pod has no space at its ends. That of a template may.
void CheckImageSpace(const Place& image, FieldRules& rules);

}  // namespace capstan::testing::apiserver
