// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/kinds/stored_kinds.h"

#include <array>

#include "clientgo/testing/apiserver/decoding/conversions.h"
#include "clientgo/testing/apiserver/decoding/defaults.h"
#include "clientgo/testing/apiserver/decoding/strategies.h"
#include "clientgo/testing/apiserver/printers/printer_columns.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/kind_warnings.h"
#include "clientgo/testing/apiserver/validation/pod_warnings.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kAutoscaling = "autoscaling";
constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";
constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr std::string_view kResource = "resource.k8s.io";
constexpr std::string_view kStorage = "storage.k8s.io";

constexpr std::string_view kNameAndAge = "Name|Age";

const Resource* AutoscalersVersion1() {
  return FindResource(kAutoscaling, "v1", "horizontalpodautoscalers");
}
const Resource* AutoscalersVersion2() {
  return FindResource(kAutoscaling, "v2", "horizontalpodautoscalers");
}
// Returns the row of one version of HorizontalPodAutoscalers.
constexpr Resource Autoscalers(std::string_view version, std::string_view column_text,
                               const Resource* (*twin)(),
                               void (*to_twin)(runtime::JsonDocument& object)) {
  return {.group = kAutoscaling,
          .version = version,
          .plural = "horizontalpodautoscalers",
          .kind = "HorizontalPodAutoscaler",
          .short_names = "hpa",
          .categories = "all",
          .namespaced = true,
          .status = true,
          .column_text = column_text,
          .validate = CheckAutoscaler,
          .twin = twin,
          .to_twin = to_twin,
          .validate_status = CheckAutoscalerStatus};
}
const Resource* CoreEvents() { return FindResource("", "v1", "events"); }

constexpr std::array kKinds = {
    // core
    Resource{.plural = "endpoints",
             .kind = "Endpoints",
             .short_names = "ep",
             .namespaced = true,
             .create_on_update = true,
             .deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 "
                            "EndpointSlice",
             .column_text = "Name|Endpoints!endpoints|Age",
             .validate = CheckEndpoints,
             .warnings = EndpointsWarnings},
    Resource{.plural = "persistentvolumes",
             .kind = "PersistentVolume",
             .short_names = "pv",
             .status = true,
             .returns_deleted = true,
             .column_text =
                 "Name|Capacity=spec.capacity.storage?0|Access Modes!accessModes|"
                 "Reclaim Policy=spec.persistentVolumeReclaimPolicy|Status!phase|Claim!claim|"
                 "StorageClass=spec.storageClassName|"
                 "VolumeAttributesClass=spec.volumeAttributesClassName?<unset>|"
                 "Reason=status.reason|Age|+VolumeMode=spec.volumeMode?<unset>",
             .prepare_for_create = MakeVolumePending,
             .prepare_for_update = StampPhaseOfVolume,
             .validate = CheckPersistentVolume,
             .validate_update = CheckPersistentVolumeUpdate,
             .warnings = PersistentVolumeWarnings},
    Resource{.plural = "persistentvolumeclaims",
             .kind = "PersistentVolumeClaim",
             .short_names = "pvc",
             .namespaced = true,
             .status = true,
             .returns_deleted = true,
             .column_text = "Name|Status!phase|Volume=spec.volumeName|Capacity!boundCapacity|"
                            "Access Modes!boundModes|StorageClass=spec.storageClassName|"
                            "VolumeAttributesClass=spec.volumeAttributesClassName?<unset>|Age|"
                            "+VolumeMode=spec.volumeMode?<unset>",
             .prepare_for_create = MakeClaimPending,
             .prepare_for_update = NameDataSourceOfUpdate,
             .validate = CheckClaim,
             .validate_update = CheckClaimUpdate,
             .warnings = ClaimWarnings},
    Resource{.plural = "replicationcontrollers",
             .kind = "ReplicationController",
             .short_names = "rc",
             .categories = "all",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true,
             .orphans = true,
             .column_text = "Name|Desired#spec.replicas|Current#status.replicas|"
                            "Ready#status.readyReplicas|Age|+Containers!specContainers|"
                            "+Images!specImages|+Selector!selectorLabels",
             .set_defaults = DefaultReplicationController,
             .validate = CheckReplicationController,
             .warnings = ReplicationControllerWarnings,
             .validate_status = CheckReplicaSetStatus},
    Resource{.plural = "podtemplates",
             .kind = "PodTemplate",
             .namespaced = true,
             .generation = true,
             .returns_deleted = true,
             .column_text = "Name|Containers!templateContainers|Images!templateImages|"
                            "Pod Labels!podLabels",
             .validate = CheckPodTemplateKind,
             .warnings = PodTemplateWarnings},
    Resource{.plural = "resourcequotas",
             .kind = "ResourceQuota",
             .short_names = "quota",
             .namespaced = true,
             .status = true,
             .returns_deleted = true,
             .column_text = "Name|Request!quotaRequests|Limit!quotaLimits|Age",
             .validate = CheckResourceQuota,
             .validate_update = CheckResourceQuotaUpdate},
    Resource{.plural = "limitranges",
             .kind = "LimitRange",
             .short_names = "limits",
             .namespaced = true,
             .create_on_update = true,
             .make_columns = CreatedAtColumns,
             .validate = CheckLimitRange},
    // apps
    Resource{.group = "apps",
             .plural = "controllerrevisions",
             .kind = "ControllerRevision",
             .namespaced = true,
             .column_text = "Name|Controller!controller|Revision=revision?0|Age",
             .rules = "data~",
             .validate = CheckControllerRevision},
    // autoscaling
    Autoscalers("v2",
                "Name|Reference!scaleTarget|Targets!metrics|"
                "MinPods%spec.minReplicas?<unset>|MaxPods=spec.maxReplicas?0|"
                "Replicas=status.currentReplicas?0|Age",
                AutoscalersVersion1, AutoscalerToVersion1),
    Autoscalers("v1",
                "Name|Reference!scaleTarget|Targets!cpuUtilization|"
                "MinPods%spec.minReplicas?<unset>|MaxPods=spec.maxReplicas?0|"
                "Replicas=status.currentReplicas?0|Age",
                AutoscalersVersion2, AutoscalerToVersion2),
    // events
    Resource{.group = "events.k8s.io",
             .plural = "events",
             .kind = "Event",
             .short_names = "ev",
             .namespaced = true,
             .create_on_update = true,
             .short_finalizers = true,
             .make_columns = NewEventColumns,
             .validate = CheckNewEvent,
             .validate_update = CheckNewEventUpdate,
             .twin = CoreEvents,
             .to_twin = EventToCoreEvent},
    // policy
    Resource{.group = "policy",
             .plural = "poddisruptionbudgets",
             .kind = "PodDisruptionBudget",
             .short_names = "pdb",
             .namespaced = true,
             .status = true,
             .generation = true,
             .update_needs_version = true,
             .short_finalizers = true,
             .column_text = "Name|Min Available%spec.minAvailable?N/A|"
                            "Max Unavailable%spec.maxUnavailable?N/A|"
                            "Allowed Disruptions#status.disruptionsAllowed|Age",
             .name_errors = PathSegmentErrors,
             .validate = CheckDisruptionBudget},
    // networking
    Resource{.group = kNetworking,
             .plural = "ingresses",
             .kind = "Ingress",
             .short_names = "ing",
             .namespaced = true,
             .status = true,
             .generation = true,
             .column_text = "Name|Class=spec.ingressClassName?<none>|Hosts!hosts|"
                            "Address!balancers|Ports!ingressPorts|Age",
             .validate = CheckIngress,
             .warnings = IngressWarnings,
             .validate_status = CheckIngressStatus},
    Resource{.group = kNetworking,
             .plural = "ingressclasses",
             .kind = "IngressClass",
             .generation = true,
             .column_text = "Name|Controller=spec.controller|Parameters!classParameters|Age",
             .rules = "spec.controller~",
             .validate = CheckIngressClass},
    Resource{.group = kNetworking,
             .plural = "networkpolicies",
             .kind = "NetworkPolicy",
             .short_names = "netpol",
             .namespaced = true,
             .generation = true,
             .column_text = "Name|Pod-Selector!podSelector|Age",
             .validate = CheckNetworkPolicy,
             .warnings = NetworkPolicyWarnings},
    Resource{.group = kNetworking,
             .plural = "servicecidrs",
             .kind = "ServiceCIDR",
             .status = true,
             .status_ignores = "*",
             .column_text = "Name|CIDRs!cidrs|Age",
             .rules = "spec.cidrs! spec.cidrs~"},
    Resource{.group = kNetworking,
             .plural = "ipaddresses",
             .kind = "IPAddress",
             .short_names = "ip",
             .column_text = "Name|ParentRef!parentRef",
             .name_errors = PathSegmentErrors,
             .rules = "spec.parentRef! spec.parentRef.resource! spec.parentRef.name! "
                      "spec.parentRef~"},
    // discovery
    Resource{.group = "discovery.k8s.io",
             .plural = "endpointslices",
             .kind = "EndpointSlice",
             .namespaced = true,
             .generation = true,
             .column_text = "Name|AddressType=addressType|Ports!slicePorts|"
                            "Endpoints!sliceEndpoints|Age",
             .validate = CheckEndpointSlice,
             .validate_update = CheckEndpointSliceUpdate,
             .warnings = EndpointSliceWarnings},
    // scheduling and nodes
    Resource{.group = "scheduling.k8s.io",
             .plural = "priorityclasses",
             .kind = "PriorityClass",
             .short_names = "pc",
             .generation = true,
             .column_text = "Name|Value#value|Global-Default^globalDefault|Age|"
                            "+PreemptionPolicy=preemptionPolicy",
             .validate = CheckPriorityClass,
             .validate_update = CheckPriorityClassUpdate},
    Resource{.group = "node.k8s.io",
             .plural = "runtimeclasses",
             .kind = "RuntimeClass",
             .create_on_update = true,
             .update_needs_version = true,
             .short_finalizers = true,
             .column_text = "Name|Handler=handler|Age",
             .rules = "handler~",
             .validate = CheckRuntimeClass,
             .warnings = RuntimeClassWarnings},
    // certificates
    Resource{.group = "certificates.k8s.io",
             .plural = "certificatesigningrequests",
             .kind = "CertificateSigningRequest",
             .short_names = "csr",
             .status = true,
             .approval = true,
             .column_text = "Name|Age|SignerName=spec.signerName?<none>|Requestor=spec.username|"
                            "RequestedDuration!requestedDuration|Condition!requestStatus",
             .prepare_for_update = PrepareSigningRequest,
             .name_errors = PathSegmentErrors,
             .validate = CheckSigningRequest,
             .validate_status = CheckSigningRequestStatus},
    // storage
    Resource{.group = kStorage,
             .plural = "storageclasses",
             .kind = "StorageClass",
             .short_names = "sc",
             .returns_deleted = true,
             .column_text = "Name!defaultMark|Provisioner=provisioner|ReclaimPolicy=reclaimPolicy|"
                            "VolumeBindingMode=volumeBindingMode|"
                            "AllowVolumeExpansion~allowVolumeExpansion|Age",
             .validate = CheckStorageClass,
             .validate_update = CheckStorageClassUpdate,
             .warnings = StorageClassWarnings},
    Resource{.group = kStorage,
             .plural = "csidrivers",
             .kind = "CSIDriver",
             .update_needs_version = true,
             .returns_deleted = true,
             .column_text = "Name|AttachRequired^spec.attachRequired|"
                            "PodInfoOnMount^spec.podInfoOnMount|"
                            "StorageCapacity^spec.storageCapacity|TokenRequests!audiences|"
                            "RequiresRepublish^spec.requiresRepublish|Modes!lifecycleModes|Age",
             .rules = "spec.volumeLifecycleModes~",
             .validate = CheckCsiDriver},
    Resource{.group = kStorage,
             .plural = "csinodes",
             .kind = "CSINode",
             .update_needs_version = true,
             .returns_deleted = true,
             .column_text = "Name|Drivers@spec.drivers|Age",
             .validate = CheckCsiNode},
    Resource{.group = kStorage,
             .plural = "volumeattachments",
             .kind = "VolumeAttachment",
             .status = true,
             .update_needs_version = true,
             .returns_deleted = true,
             .status_ignores = "*",
             .column_text = "Name|Attacher=spec.attacher|PV=spec.source.persistentVolumeName|"
                            "Node=spec.nodeName|Attached^status.attached|Age",
             .rules = "spec~",
             .validate = CheckVolumeAttachment},
    Resource{.group = kStorage,
             .plural = "csistoragecapacities",
             .kind = "CSIStorageCapacity",
             .namespaced = true,
             .update_needs_version = true,
             .make_columns = CreatedAtColumns,
             .rules = "nodeTopology~ storageClassName~",
             .validate = CheckStorageCapacity,
             .warnings = StorageCapacityWarnings},
    Resource{.group = kStorage,
             .plural = "volumeattributesclasses",
             .kind = "VolumeAttributesClass",
             .short_names = "vac",
             .returns_deleted = true,
             .column_text = "Name|DriverName=driverName|Age",
             .validate = CheckAttributesClass,
             .validate_update = CheckAttributesClassUpdate},
    // flow control
    Resource{.group = kFlowControl,
             .plural = "flowschemas",
             .kind = "FlowSchema",
             .status = true,
             .generation = true,
             .status_ignores = "*",
             .column_text = "Name|PriorityLevel=spec.priorityLevelConfiguration.name|"
                            "MatchingPrecedence=spec.matchingPrecedence|"
                            "DistinguisherMethod=spec.distinguisherMethod.type?<none>|Age|"
                            "MissingPL!dangling",
             .rules = "spec.priorityLevelConfiguration.name! "
                      "spec.distinguisherMethod.type=ByNamespace,ByUser spec.rules[].subjects! "
                      "spec.rules[].subjects[].kind=Group,ServiceAccount,User"},
    Resource{.group = kFlowControl,
             .plural = "prioritylevelconfigurations",
             .kind = "PriorityLevelConfiguration",
             .status = true,
             .generation = true,
             .status_ignores = "*",
             .column_text = "Name|Type=spec.type|"
                            "NominalConcurrencyShares=spec.limited.nominalConcurrencyShares?<none>|"
                            "Queues=spec.limited.limitResponse.queuing.queues?<none>|"
                            "HandSize=spec.limited.limitResponse.queuing.handSize?<none>|"
                            "QueueLengthLimit=spec.limited.limitResponse.queuing.queueLengthLimit"
                            "?<none>|Age",
             .rules = "spec.type! spec.type=Exempt,Limited "
                      "spec.limited.limitResponse.type=Queue,Reject"},
    // dynamic resource allocation
    Resource{.group = kResource,
             .plural = "deviceclasses",
             .kind = "DeviceClass",
             .generation = true,
             .returns_deleted = true,
             .column_text = kNameAndAge},
    Resource{.group = kResource,
             .plural = "resourceclaims",
             .kind = "ResourceClaim",
             .namespaced = true,
             .status = true,
             .returns_deleted = true,
             .status_ignores = "*",
             .column_text = "Name|State!claimState|Age",
             .rules = "spec.devices.requests[].name! spec~"},
    Resource{.group = kResource,
             .plural = "resourceclaimtemplates",
             .kind = "ResourceClaimTemplate",
             .namespaced = true,
             .returns_deleted = true,
             .column_text = kNameAndAge,
             .rules = "spec.spec.devices.requests[].name! spec~"},
    Resource{.group = kResource,
             .plural = "resourceslices",
             .kind = "ResourceSlice",
             .generation = true,
             .returns_deleted = true,
             .column_text = "Name|Node=spec.nodeName|Driver=spec.driver|Pool=spec.pool.name|Age",
             .rules = "spec.driver! spec.driver$ spec.pool.name! spec.nodeName~ spec.driver~"},
    // admission policies
    Resource{.group = kAdmissionGroup,
             .plural = "validatingadmissionpolicies",
             .kind = "ValidatingAdmissionPolicy",
             .categories = "api-extensions",
             .status = true,
             .generation = true,
             .update_needs_version = true,
             .short_finalizers = true,
             .status_ignores = "*",
             .column_text = "Name|Validations@spec.validations|ParamKind!paramKind|Age",
             .validate = CheckAdmissionPolicy},
    Resource{.group = kAdmissionGroup,
             .plural = "validatingadmissionpolicybindings",
             .kind = "ValidatingAdmissionPolicyBinding",
             .categories = "api-extensions",
             .generation = true,
             .update_needs_version = true,
             .short_finalizers = true,
             .column_text = "Name|PolicyName=spec.policyName|ParamRef!paramRef|Age",
             .validate = CheckPolicyBinding},
};

}  // namespace

std::span<const Resource> StoredKinds() { return kKinds; }

}  // namespace capstan::testing::apiserver
