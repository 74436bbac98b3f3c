// SPDX-License-Identifier: Apache-2.0
// The rules of the built-in kinds, to which the table of kinds refers. The texts are those of
// kube-apiserver 1.34. A function whose name ends in Update checks only what an update may change.
#pragma once

#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// Mirror a part of k8s.io/kubernetes/pkg/apis/{core,apiregistration,coordination}/validation.
void CheckApiService(const Place& object, FieldRules& rules);
void CheckConfigMap(const Place& object, FieldRules& rules);
void CheckDataUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckEvent(const Place& object, FieldRules& rules);
void CheckLease(const Place& object, FieldRules& rules);
void CheckSecret(const Place& object, FieldRules& rules);
void CheckSecretUpdate(const Place& live, const Place& next, FieldRules& rules);

// Validation of CustomResourceDefinitions, with the error texts of kube-apiserver: the names, the
// conversion, and in schemas and printer columns the mistakes that authors make most. Mirrors a
// part of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation and of
// pkg/apiserver/schema. Not checked: CEL rules, whether a schema is structural, and the subresource
// scale.
void CheckDefinition(const Place& definition, FieldRules& rules);
void CheckDefinitionUpdate(const Place& live, const Place& next, FieldRules& rules);

// Validation of ClusterTrustBundles. Mirrors ValidateClusterTrustBundle in Kubernetes'
// pkg/apis/certificates/validation and the rules of their names in pkg/apis/core/validation.
// The name must begin with that of the signer.
void CheckTrustBundle(const Place& object, FieldRules& rules);
void CheckTrustBundleUpdate(const Place& live, const Place& next, FieldRules& rules);

// Validation of ValidatingWebhookConfigurations and MutatingWebhookConfigurations, with the error
// texts of kube-apiserver 1.34. Mirrors pkg/apis/admissionregistration/validation of Kubernetes.
// Differs: matchConditions, the segments of a service's path, and the syntax of versions are not
// checked.
void CheckWebhooks(const Place& configuration, FieldRules& rules);

// Validation of the specs of Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs,
// with the error texts of kube-apiserver 1.34. Mirrors a part of k8s.io/kubernetes/pkg/apis/apps
// and batch, folder validation: selectors, templates, numbers, strategies and what is immutable.
// Not checked: schedules and time zones, volumeClaimTemplates, a Job's policies, and a Job's
// selector without manualSelector, which this server does not generate.
void CheckDeployment(const Place& spec, std::vector<Cause>& causes);
void CheckReplicaSet(const Place& spec, std::vector<Cause>& causes);
void CheckStatefulSet(const Place& spec, std::vector<Cause>& causes);
void CheckDaemonSet(const Place& spec, std::vector<Cause>& causes);
void CheckJob(const Place& spec, std::vector<Cause>& causes);
void CheckCronJob(const Place& spec, std::vector<Cause>& causes);
void CheckSelectorUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes);
void CheckStatefulSetUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes);
void CheckJobUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes);

// Validation of Pods and of the PodSpecs in templates, with the error texts of kube-apiserver.
// Mirrors a part of k8s.io/kubernetes/pkg/apis/core/validation: the names, the references between
// the parts of a PodSpec, and what is required. Not checked: resources, probes, lifecycle, security
// contexts, affinity, tolerations, topology, and the members of rare volume types.
void CheckPod(const Place& spec, std::vector<Cause>& causes);
// Checks the template of a workload, without the rules of its kind. `claims` are the
// volumeClaimTemplates of a StatefulSet, whose names are volumes, too.
void CheckPodTemplate(const Place& pod_template, const Place* claims, std::vector<Cause>& causes);
// The image of a container of a Pod has no space at its ends. That of a template may.
void CheckImageSpace(const Place& image, FieldRules& rules);

// What an update may change in a Pod and in the template of a Job. Mirrors ValidatePodUpdate of
// k8s.io/kubernetes/pkg/apis/core/validation. Differs: the error lists the changed members of the
// spec as JSON, not as a diff of Go types, and the node affinity of a gated Pod cannot change.
void CheckPodUpdate(const Place& live, const Place& next, std::vector<Cause>& causes);
// Reports whether two PodSpecs are equal to a kube-apiserver. It sets the defaults of an omitted
// field, and this server does not.
bool SamePodSpec(const runtime::JsonValue& live, const runtime::JsonValue& next);

}  // namespace capstan::testing::apiserver
