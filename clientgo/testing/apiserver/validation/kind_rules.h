// SPDX-License-Identifier: Apache-2.0
// The rules of the built-in kinds, to which the table of kinds refers. The texts are those of
// kube-apiserver 1.34. A function whose name ends in Update checks only what an update may change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/admission_expressions.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// Mirror a part of k8s.io/kubernetes/pkg/apis/{core,apiregistration,coordination}/validation.
void CheckApiService(const Place& object, FieldRules& rules);
void CheckApiServiceStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckConfigMap(const Place& object, FieldRules& rules);
// The name, and a prefix of it that the request gives, must be `wanted`.
void CheckRequiredName(const Place& metadata, std::string_view wanted, std::string_view detail,
                       FieldRules& rules);
void CheckDataUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckEvent(const Place& object, FieldRules& rules);
void CheckLease(const Place& object, FieldRules& rules);
void CheckNewEvent(const Place& event, FieldRules& rules);  // of events.k8s.io
void CheckNewEventUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckSecret(const Place& object, FieldRules& rules);
void CheckSecretUpdate(const Place& live, const Place& next, FieldRules& rules);

// Validation of CustomResourceDefinitions, with the error texts of kube-apiserver: the names, the
// conversion, and in schemas and printer columns the mistakes that authors make most. Mirrors a
// part of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
void CheckDefinition(const Place& definition, FieldRules& rules);
void CheckDefinitionUpdate(const Place& live, const Place& next, FieldRules& rules);

// Validation of ClusterTrustBundles. Mirrors ValidateClusterTrustBundle in Kubernetes'
// pkg/apis/certificates/validation and the rules of their names in pkg/apis/core/validation.
// The name must begin with that of the signer.
void CheckTrustBundle(const Place& object, FieldRules& rules);
void CheckTrustBundleUpdate(const Place& live, const Place& next, FieldRules& rules);

// The rules of that file about versions: their names, which one is stored, and the conversion. They
// are in the order in which kube-apiserver reports them.
void CheckSchemasExist(const Place& spec, FieldRules& rules);
void CheckVersionList(const Place& versions, FieldRules& rules);
void CheckDefinitionNames(const Place& spec, FieldRules& rules);
void CheckConversion(const Place& conversion, FieldRules& rules);
void CheckSubresources(const Place& subresources, FieldRules& rules);
void CheckDeprecation(const Place& version, FieldRules& rules);
// `schema` is that of the version.
void CheckSelectableFields(const Place& fields, const Place& schema, FieldRules& rules);
void CheckStoredVersions(const Place& live, const Place& next, FieldRules& rules);

// Checks the url or the service of a webhook.
void CheckClient(const Place& client, FieldRules& rules);
// Checks the versions of reviews that a webhook reads. `missing` is the error of an empty list.
void CheckReviewVersions(const Place& versions, std::string_view missing, FieldRules& rules);
// Validation of Roles, ClusterRoles and their bindings. Mirrors
// k8s.io/kubernetes/pkg/apis/rbac/validation.
void CheckRole(const Place& role, FieldRules& rules);
void CheckClusterRole(const Place& role, FieldRules& rules);
void CheckRoleBinding(const Place& binding, FieldRules& rules);
void CheckClusterRoleBinding(const Place& binding, FieldRules& rules);
void CheckRoleBindingUpdate(const Place& live, const Place& next, FieldRules& rules);

// Validation of ValidatingWebhookConfigurations and MutatingWebhookConfigurations, with the error
// texts of kube-apiserver 1.34. Mirrors pkg/apis/admissionregistration/validation of Kubernetes.
void CheckWebhooks(const Place& configuration, FieldRules& rules);
// Checks one of the rules of a webhook or a policy.
void CheckAdmissionRule(const Place& rule, FieldRules& rules);

// Validation of the expressions of webhooks and policies. Mirrors a part of the same file.
void CheckMatchConditions(const Place& conditions, const ExpressionScope& scope, FieldRules& rules);
// Checks `text`, which is the text of the field or a part of it, and returns what it compiles to.
CompiledExpression CheckExpression(const Place& field, std::string_view text, ExpressionType type,
                                   const ExpressionScope& scope, FieldRules& rules);

// Validation of ValidatingAdmissionPolicies and their bindings. Mirrors a part of the same file.
void CheckAdmissionPolicy(const Place& policy, FieldRules& rules);
void CheckPolicyBinding(const Place& binding, FieldRules& rules);

// Validation of Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs and CronJobs, with the
// error texts of kube-apiserver 1.34. Mirrors a part of k8s.io/kubernetes/pkg/apis/apps and batch,
// folder validation.
void CheckDeployment(const Place& object, FieldRules& rules);
void CheckReplicaSet(const Place& object, FieldRules& rules);
void CheckStatefulSet(const Place& object, FieldRules& rules);
void CheckDaemonSet(const Place& object, FieldRules& rules);
// Not checked: the names of time zones in an area, such as those in "Europe/".
void CheckJob(const Place& job, FieldRules& rules);
void CheckNewJob(const Place& job, FieldRules& rules);
// A Job selects its Pods by labels that the server generates, unless the user selects them.
void CheckJobSelector(const Place& job, FieldRules& rules);
void CheckCronJob(const Place& object, FieldRules& rules);
void CheckNewCronJob(const Place& object, FieldRules& rules);
// Reports whether a valid selector matches the labels. One that is not given matches nothing.
bool SelectorMatches(const Place& selector, const Place& labels);
void CheckSelectorUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes);
void CheckStatefulSetUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes);
void CheckJobUpdate(const Place& live, const Place& spec, std::vector<Cause>& causes);

// Validation of volumes and what belongs to them. Mirrors a part of pkg/apis/core/validation and
// pkg/apis/storage/validation, and pkg/volume/validation.
void CheckAttributesClassUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckClaim(const Place& claim, FieldRules& rules);
void CheckClaimUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckCsiDriver(const Place& driver, FieldRules& rules);
void CheckCsiNode(const Place& node, FieldRules& rules);
void CheckPersistentVolume(const Place& volume, FieldRules& rules);
void CheckPersistentVolumeUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckStorageCapacity(const Place& capacity, FieldRules& rules);
void CheckStorageClass(const Place& storage_class, FieldRules& rules);
void CheckStorageClassUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckAttributesClass(const Place& attributes_class, FieldRules& rules);
void CheckVolumeAttachment(const Place& attachment, FieldRules& rules);
// Parts of CheckPersistentVolume: the members that name its type, which it has one of.
std::vector<Place> VolumeSourcesOf(const Place& spec);
void CheckVolumeSources(const Place& spec, FieldRules& rules);
void CheckDriverName(const Place& name, FieldRules& rules);

// Validation of the kinds about networks. Mirrors pkg/apis/networking/validation,
// pkg/apis/discovery/validation and a part of pkg/apis/core/validation. Not checked: how many ports
// and endpoints there are.
void CheckEndpoints(const Place& endpoints, FieldRules& rules);
void CheckEndpointSlice(const Place& slice, FieldRules& rules);
void CheckEndpointSliceUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckIngress(const Place& ingress, FieldRules& rules);
void CheckIngressStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckIngressClass(const Place& ingress_class, FieldRules& rules);
void CheckNetworkPolicy(const Place& policy, FieldRules& rules);

// Validation of Nodes and Namespaces. Mirrors a part of pkg/apis/core/validation. Not checked: the
// annotations of a Node, and its addresses.
void CheckNode(const Place& node, FieldRules& rules);
void CheckNodeUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckNamespace(const Place& ns, FieldRules& rules);
void CheckNamespaceStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckFinalizedNamespace(const Place& ns, FieldRules& rules);  // of the subresource
void CheckSpecFinalizer(const Place& finalizer, FieldRules& rules);

// Validation of Services. Mirrors ValidateService{Create,Update} of pkg/apis/core/validation.
void CheckService(const Place& service, FieldRules& rules);
void CheckServiceStatus(const Place& live, const Place& next, FieldRules& rules);
// The part of the addresses, which is also checked before any is allocated.
void CheckClusterAddresses(const Place& spec, FieldRules& rules);
void CheckServiceUpdate(const Place& live, const Place& next, FieldRules& rules);

// Validation of policies, limits and requests. Mirrors folder validation of pkg/apis/autoscaling,
// policy, scheduling, node, apps and certificates, and a part of pkg/apis/core/validation. Not
// checked: of a CertificateSigningRequest the request in its PEM block, usages and the certificate.
void CheckAutoscaler(const Place& autoscaler, FieldRules& rules);
void CheckAutoscalerStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckControllerRevision(const Place& revision, FieldRules& rules);
void CheckDisruptionBudget(const Place& budget, FieldRules& rules);
void CheckLimitRange(const Place& range, FieldRules& rules);
void CheckPriorityClass(const Place& priority_class, FieldRules& rules);
void CheckPriorityClassUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckReplicationController(const Place& controller, FieldRules& rules);
void CheckResourceQuota(const Place& quota, FieldRules& rules);
void CheckQuotaScopes(const Place& spec, FieldRules& rules);
void CheckResourceQuotaUpdate(const Place& live, const Place& next, FieldRules& rules);
void CheckRuntimeClass(const Place& runtime_class, FieldRules& rules);
void CheckSigningRequest(const Place& request, FieldRules& rules);
void CheckSigningRequestApproval(const Place& live, const Place& next, FieldRules& rules);
void CheckSigningRequestStatus(const Place& live, const Place& next, FieldRules& rules);

// Validation of an update of the status of workloads and Pods, with the error texts of
// kube-apiserver 1.34. Mirrors Validate*StatusUpdate in folder validation of k8s.io/kubernetes'
// pkg/apis/{apps,batch,core}. Not checked: the conditions, addresses and resources of a Pod.
void CheckDaemonSetStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckDeploymentStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckJobStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckPodStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckReplicaSetStatus(const Place& live, const Place& next, FieldRules& rules);
void CheckStatefulSetStatus(const Place& live, const Place& next, FieldRules& rules);

// Validation of Pods and of the PodSpecs in templates, with the error texts of kube-apiserver.
// Mirrors a part of k8s.io/kubernetes/pkg/apis/core/validation. Its parts are in pod_rules.h.
void CheckPod(const Place& pod, FieldRules& rules);
void CheckNewPod(const Place& pod, FieldRules& rules);  // what only a new Pod must be
// Parts of CheckPod: what the scheduler reads. Differs: the values of a Pod's labels for its
// matchLabelKeys are not added to a labelSelector.
void CheckPodAffinities(const Place& affinity, FieldRules& rules);
void CheckPodSpreading(const Place& constraints, FieldRules& rules);
void CheckPodTolerations(const Place& tolerations, FieldRules& rules);
// Checks a selector of Nodes, of a Pod or of a PersistentVolume.
void CheckNodeSelector(const Place& selector, FieldRules& rules);
// Checks the template of a workload, without the rules of its kind.
void CheckPodTemplate(const Place& pod_template, FieldRules& rules);
// The part of it about the labels and annotations.
void CheckTemplateMetadata(const Place& pod_template, FieldRules& rules);
// Checks an object of kind PodTemplate.
void CheckPodTemplateKind(const Place& object, FieldRules& rules);
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
