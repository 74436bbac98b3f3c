// SPDX-License-Identifier: Apache-2.0
// Tests of what a server rejects, changes and warns of in new objects:
// volumes, what they are made of, and autoscalers.
#include "e2e/contract/object_cases.h"

namespace capstan::testing::apiserver::contract {
namespace {

using StorageObjectsTest = ObjectCases;

TEST_F(StorageObjectsTest, PersistentVolumes) {
  Expect("v1", "-persistentvolumes",
         {
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1","cpu":"1"},)"
              R"("hostPath":{"path":"/a/../b"}})",
              R"(Invalid spec.hostPath.path: Invalid value: "/a/../b": must not contain '..')"
              "\n"
              R"(NotSupported spec.capacity: Unsupported value: {"cpu":"1","storage":"1"}: )"
              R"(supported values: "storage")",
              "", 34},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"-1"},"hostPath":{)"
              R"("path":"/","type":"x"},"persistentVolumeReclaimPolicy":"Recycle"})",
              "Forbidden spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' "
              "for a hostPath mount of '/'\n"
              R"(Invalid spec.capacity[storage]: Invalid value: "-1": must be greater than zero)"
              "\nInvalid spec.capacity[storage]: Invalid value: -1: must be a valid resource "
              "quantity\n"
              R"(NotSupported spec.hostPath.type: Unsupported value: "x": supported values: "", )"
              R"("BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", )"
              R"("FileOrCreate", "Socket")"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"nfs":{)"
              R"("path":"a"}})",
              R"(Invalid spec.nfs.path: Invalid value: "a": must be an absolute path)"
              "\nRequired spec.nfs.server: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("gcePersistentDisk":{"pdName":"","partition":256}})",
              "Invalid spec.persistentDisk.partition: Invalid value: 256: must be between 1 and "
              "255, inclusive\n"
              "Required spec.persistentDisk.pdName: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("awsElasticBlockStore":{"partition":-1}})",
              "Invalid spec.awsElasticBlockStore.partition: Invalid value: -1: must be between "
              "1 and 255, inclusive\n"
              "Required spec.awsElasticBlockStore.volumeID: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("glusterfs":{"endpointsNamespace":""}})",
              R"(Invalid spec.glusterfs.endpointsNamespace: Invalid value: "": if the )"
              "endpointnamespace is set, it must be a valid namespace name\n"
              "Required spec.glusterfs.endpoints: Required value\n"
              "Required spec.glusterfs.path: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"flocker":{)"
              R"("datasetName":"a/b","datasetUUID":"c"}})",
              R"(Invalid spec.flocker.datasetName: Invalid value: "a/b": must not contain '/')"
              "\n"
              R"(Invalid spec.flocker: Invalid value: "resource": datasetName and datasetUUID can )"
              "not be specified simultaneously"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"flocker":{)"
              "}}",
              "Required spec.flocker: Required value: one of datasetName and datasetUUID is "
              "required"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"rbd":{}})",
              "Required spec.rbd.image: Required value\n"
              "Required spec.rbd.monitors: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"quobyte":{)"
              R"("registry":"a"}})",
              R"(Invalid spec.quobyte.registry: Invalid value: "a": must be a host:port pair or )"
              "multiple pairs separated by commas\n"
              "Required spec.quobyte.volume: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"cephfs":{},)"
              R"("hostPath":{"path":"/a"}})",
              "Forbidden spec.cephFS: Forbidden: may not specify more than 1 volume type"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"iscsi":{)"
              R"("iqn":"x","lun":256,"chapAuthSession":true,"initiatorName":"iqn.y"}})",
              R"(Invalid spec.iscsi.initiatorname: Invalid value: "iqn.y": must be valid format)"
              "\n"
              R"(Invalid spec.iscsi.iqn: Invalid value: "x": must be valid format)"
              "\nInvalid spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive\n"
              "Required spec.iscsi.secretRef: Required value\n"
              "Required spec.iscsi.targetPortal: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"cinder":{)"
              R"("secretRef":{}}})",
              "Required spec.cinder.secretRef.name: Required value\n"
              "Required spec.cinder.secretRef.namespace: Required value\n"
              "Required spec.cinder.volumeID: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"fc":{}})",
              "Required spec.fc.targetWWNs: Required value: must specify either targetWWNs or "
              "wwids, but not both"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"fc":{)"
              R"("targetWWNs":["a"],"wwids":["b"]}})",
              R"(Invalid spec.fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not )"
              "be specified simultaneously\n"
              "Required spec.fc.lun: Required value: lun is required if targetWWNs is specified",
              "", 34},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("flexVolume":{"options":{"a.k8s.io/b":"c"}},"hostPath":{"path":"/a"}})",
              R"(Invalid spec.flexVolume.options[a.k8s.io/b]: Invalid value: "a.k8s.io/b": )"
              "kubernetes.io and k8s.io namespaces are reserved\n"
              "Required spec.flexVolume.driver: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("azureFile":{"secretNamespace":""}})",
              "Required spec.azureFile.secretName: Required value\n"
              "Required spec.azureFile.secretNamespace: Required value\n"
              "Required spec.azureFile.shareName: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("vsphereVolume":{}})",
              "Required spec.vsphereVolume.volumePath: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("photonPersistentDisk":{}})",
              "Required spec.photonPersistentDisk.pdID: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("portworxVolume":{}})",
              "Required spec.portworxVolume.volumeID: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("azureDisk":{"kind":"Managed","cachingMode":"x"}})",
              R"(NotSupported spec.azureDisk.cachingMode: Unsupported value: "x": supported )"
              R"(values: "None", "ReadOnly", "ReadWrite")"
              "\n"
              R"(NotSupported spec.azureDisk.diskURI: Unsupported value: "": supported values: )"
              R"("/subscriptions/{sub-id}/resourcegroups/{)"
              R"(group-name}/providers/microsoft.compute/disks/{disk-id}")"
              "\nRequired spec.azureDisk.diskName: Required value\n"
              "Required spec.azureDisk.diskURI: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("azureDisk":{"diskName":"a","diskURI":"b"}})",
              R"(NotSupported spec.azureDisk.diskURI: Unsupported value: "b": supported values: )"
              R"("https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd")"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"scaleIO":{)"
              "}}",
              "Required spec.scaleIO.gateway: Required value\n"
              "Required spec.scaleIO.system: Required value\n"
              "Required spec.scaleIO.volumeName: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("storageos":{"volumeName":"A","secretRef":{}}})",
              R"(Invalid spec.storageos.volumeName: Invalid value: "A": a lowercase RFC 1123 )"
              "label must consist of lower case alphanumeric characters or '-', and must start "
              "and end with an alphanumeric character\n"
              "Required spec.storageos.secretRef.name: Required value\n"
              "Required spec.storageos.secretRef.namespace: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"local":{)"
              R"("path":"../a"}})",
              R"(Invalid spec.local.path: Invalid value: "../a": must not contain '..')"
              "\nRequired spec.nodeAffinity: Required value: Local volume requires node affinity"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"csi":{)"
              R"("driver":"_","nodePublishSecretRef":{},"nodeExpandSecretRef":{"name":"A",)"
              R"("namespace":"a.b"}}})",
              R"(Invalid spec.csi.driver: Invalid value: "_": a lowercase RFC 1123 subdomain must )"
              "consist of lower case alphanumeric characters, '-' or '.', and must start and "
              "end with an alphanumeric character\n"
              R"(Invalid spec.csi.nodeExpandSecretRef.name: Invalid value: "A": a lowercase RFC )"
              "1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
              "and must start and end with an alphanumeric character\n"
              R"(Invalid spec.csi.nodeExpandSecretRef.namespace: Invalid value: "a.b": must not )"
              "contain dots\n"
              "Required spec.csi.nodePublishSecretRef.name: Required value\n"
              "Required spec.csi.nodePublishSecretRef.namespace: Required value\n"
              "Required spec.csi.volumeHandle: Required value"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{)"
              R"("path":"/a"},"csi":{"driver":"a","volumeHandle":"b"}})",
              "Forbidden spec.csi: Forbidden: may not specify more than 1 volume type"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{)"
              R"("path":"/a"},"volumeAttributesClassName":"A"})",
              R"(Invalid spec.volumeAttributesClassName: Invalid value: "A": a lowercase RFC 1123 )"
              "subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
              "must start and end with an alphanumeric character\n"
              "Required spec.csi: Required value: has to be specified when using "
              "volumeAttributesClassName",
              "", 34},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"csi":{)"
              R"("driver":"a","volumeHandle":"b"},"volumeAttributesClassName":""})",
              "Required spec.volumeAttributesClassName: Required value: an empty string is "
              "disallowed",
              "", 34},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"rbd":{)"
              R"("monitors":["a"],"image":"b"}})",
              R"(warning "spec.rbd: deprecated in v1.28, non-functional in v1.31+")"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
              R"("storageos":{"volumeName":"a"}})",
              R"(warning "spec.storageOS: deprecated in v1.22, non-functional in v1.25+")"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{)"
              R"("path":"/a"},"persistentVolumeReclaimPolicy":"Recycle"})",
              R"(warning "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is )"
              R"(deprecated. Instead, the recommended approach is to use dynamic provisioning.")"},
             {R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{)"
              R"("path":"/a"},"nodeAffinity":{"required":{"nodeSelectorTerms":[{)"
              R"("matchExpressions":[{"key":"beta.kubernetes.io/os","operator":"Exists"}]}]}}})",
              R"(warning "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key:)"
              R"( beta.kubernetes.io/os is deprecated since v1.14; use \"kubernetes.io/os\" )"
              R"(instead")"},
             {R"("metadata":{"annotations":{"volume.beta.kubernetes.io/mount-options":"x"}},)"
              R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{)"
              R"("path":"/a"}})",
              "Forbidden metadata.annotations.volume.beta.kubernetes.io/mount-options: "
              "Forbidden: may not specify mount options for this volume type"},
         });
}

TEST_F(StorageObjectsTest, Claims) {
  Expect(
      "v1", "persistentvolumeclaims",
      {
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},)"
           R"("dataSource":{"kind":"A"}})",
           "spec.dataSource none", "spec.dataSource"},
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},)"
           R"("dataSourceRef":{"kind":"A"}})",
           R"(Invalid spec.dataSource: Invalid value: "A": must be 'PersistentVolumeClaim' )"
           "when referencing the default apiGroup\n"
           R"(Invalid spec.dataSourceRef: Invalid value: "A": must be 'PersistentVolumeClaim' )"
           "when referencing the default apiGroup\n"
           "Required spec.dataSource.name: Required value\n"
           "Required spec.dataSourceRef.name: Required value"},
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},)"
           R"("dataSource":{"apiGroup":"A","kind":"A","name":"a"},"dataSourceRef":{)"
           R"("apiGroup":"a","kind":"B","name":"a"}})",
           R"(Invalid spec.dataSource.apiGroup: Invalid value: "A": a lowercase RFC 1123 )"
           "subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
           "must start and end with an alphanumeric character\n"
           "Invalid spec: Invalid value: {}: must match dataSourceRef",
           "", 34},
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},)"
           R"("dataSource":{"kind":"PersistentVolumeClaim","name":"a"}})",
           R"(spec.dataSourceRef.name "a")", "spec.dataSourceRef.name"},
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},)"
           R"("dataSourceRef":{"apiGroup":"a.b","kind":"X","name":"a"}})",
           R"(spec.dataSource {"apiGroup":"a.b","kind":"X","name":"a"})", "spec.dataSource"},
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},)"
           R"("dataSourceRef":{"apiGroup":"a.b","kind":"X","name":"a","namespace":"b"}})",
           "spec.dataSourceRef none", "spec.dataSourceRef"},
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}},)"
           R"("volumeAttributesClassName":"A"})",
           R"(Invalid spec.volumeAttributesClassName: Invalid value: "A": a lowercase RFC 1123 )"
           "subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
           "must start and end with an alphanumeric character",
           "", 34},
          {R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{)"
           R"("storage":"1500m"}}})",
           R"(warning "spec.resources.requests[storage]: fractional byte value \"1500m\" is )"
           R"(invalid, must be an integer")"},
          {R"("metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"x"}},)"
           R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}}})",
           R"(warning "metadata.annotations[volume.beta.kubernetes.io/storage-class]: )"
           R"(deprecated since v1.8; use \"storageClassName\" attribute instead")"},
      });
}

TEST_F(StorageObjectsTest, StorageClasses) {
  Expect("storage.k8s.io/v1", "-storageclasses",
         {
             {R"("provisioner":"A b","volumeBindingMode":"")",
              R"(Invalid provisioner: Invalid value: "a b": name part must consist of )"
              "alphanumeric characters, '-', '_' or '.', and must start and end with an "
              "alphanumeric character\n"
              R"(NotSupported volumeBindingMode: Unsupported value: "": supported values: )"
              R"("Immediate", "WaitForFirstConsumer")"},
             {R"("provisioner":"a","parameters":{"":"x"})",
              R"(Invalid parameters: Invalid value: "": field can not be empty.)"},
             {R"("provisioner":"a","allowedTopologies":[{"matchLabelExpressions":[{"key":"a",)"
              R"("values":["b","b"]},{"key":"a","values":[]}]}])",
              "Duplicate allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate "
              R"(value: "b")"
              "\n"
              R"(Duplicate allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "a")"
              "\nRequired allowedTopologies[0].matchLabelExpressions[1].values: Required value"},
             {R"("provisioner":"a","allowedTopologies":[{"matchLabelExpressions":[{"key":"a",)"
              R"("values":["b"]}]},{"matchLabelExpressions":[{"key":"a","values":["b"]}]}])",
              R"(Duplicate allowedTopologies[1].matchLabelExpressions: Duplicate value: "")"},
             {R"("provisioner":"a","allowedTopologies":[{"matchLabelExpressions":[{)"
              R"("key":"beta.kubernetes.io/arch","values":["b"]}]}])",
              R"(warning "allowedTopologies[0].matchLabelExpressions[0].key: deprecated since )"
              R"(v1.14; use \"kubernetes.io/arch\" instead")"},
         });
}

TEST_F(StorageObjectsTest, Drivers) {
  Expect("storage.k8s.io/v1", "-csidrivers",
         {
             {R"("spec":{"volumeLifecycleModes":["a"],"fsGroupPolicy":""})",
              R"(NotSupported spec.fsGroupPolicy: Unsupported value: "": supported values: )"
              R"("File", "None", "ReadWriteOnceWithFSType")"
              "\n"
              R"(NotSupported spec.volumeLifecycleModes: Unsupported value: "a": supported )"
              R"(values: "Persistent", "Ephemeral")"},
             {R"("spec":{"tokenRequests":[{"audience":"a","expirationSeconds":599},{)"
              R"("audience":"a"}]})",
              R"(Duplicate spec.tokenRequests[1].audience: Duplicate value: "a")"
              "\nInvalid spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not "
              "specify a duration less than 10 minutes"},
             {R"("spec":{"tokenRequests":[{"audience":"a","expirationSeconds":4294967297}]})",
              "Invalid spec.tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may "
              "not specify a duration larger than 2^32 seconds"},
         });
}

TEST_F(StorageObjectsTest, Capacities) {
  Expect("storage.k8s.io/v1", "csistoragecapacities",
         {
             {R"("storageClassName":"")",
              R"(Invalid storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain must )"
              "consist of lower case alphanumeric characters, '-' or '.', and must start and "
              "end with an alphanumeric character"},
             {R"("storageClassName":"a","capacity":"-1")",
              R"(Invalid capacity: Invalid value: "-1": must be greater than or equal to 0)"},
             {R"("storageClassName":"a","nodeTopology":{"matchLabels":{)"
              R"("beta.kubernetes.io/os":"a"}})",
              R"(warning "nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; )"
              R"(use \"kubernetes.io/os\" instead")"},
         });
}

TEST_F(StorageObjectsTest, Autoscalers) {
  Expect("autoscaling/v2", "horizontalpodautoscalers",
         {
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"behavior":{"scaleUp":{"selectPolicy":"x",)"
              R"("stabilizationWindowSeconds":-1,"policies":[{"type":"x","value":0,)"
              R"("periodSeconds":1801}]}}})",
              "Invalid spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: "
              "must be less than or equal to 1800\n"
              "Invalid spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be "
              "greater than zero\n"
              "Invalid spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: "
              "must be greater than or equal to zero\n"
              R"(NotSupported spec.behavior.scaleUp.policies[0].type: Unsupported value: "x": )"
              R"(supported values: "Percent", "Pods")"
              "\n"
              R"(NotSupported spec.behavior.scaleUp.selectPolicy: Unsupported value: "x": )"
              R"(supported values: "Disabled", "Max", "Min")"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"behavior":{"scaleDown":{)"
              R"("stabilizationWindowSeconds":3601,"policies":[{"type":"Pods","value":1,)"
              R"("periodSeconds":0}]}}})",
              "Invalid spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 0: "
              "must be greater than zero\n"
              "Invalid spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: "
              "must be less than or equal to 3600"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"x"}]})",
              R"(NotSupported spec.metrics[0].type: Unsupported value: "x": supported values: )"
              R"("ContainerResource", "External", "Object", "Pods", "Resource")"
              "\n"
              R"(NotSupported spec.metrics[0].type: Unsupported value: "x": supported values: )"
              R"("ContainerResource", "External", "Object", "Pods", "Resource")",
              "", 0, 34},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"x"}]})",
              R"(NotSupported spec.metrics[0].type: Unsupported value: "x": supported values: )"
              R"("ContainerResource", "External", "Object", "Pods", "Resource")",
              "", 37},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"Pods"}]})",
              "Required spec.metrics[0].pods: Required value: must populate information for the "
              "given metric source"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"Pods","pods":{"metric":{)"
              R"("name":"a/b"},"target":{"type":"x"}}}]})",
              R"(Invalid spec.metrics[0].pods.metric.name: Invalid value: "a/b": may not contain )"
              "'/'\n"
              R"(Invalid spec.metrics[0].pods.target.type: Invalid value: "x": must be either )"
              "Utilization, Value, or AverageValue\n"
              "Required spec.metrics[0].pods.target.averageValue: Required value: must specify "
              "a positive target averageValue"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"Object","object":{)"
              R"("describedObject":{"apiVersion":"a/b/c","kind":"","name":"%"},"metric":{)"
              R"("name":""},"target":{"type":"Value"}}}]})",
              "Invalid spec.metrics[0].object.describedObject.apiVersion: Invalid value: "
              R"("a/b/c": unexpected GroupVersion string: a/b/c)"
              "\n"
              R"(Invalid spec.metrics[0].object.describedObject.name: Invalid value: "%": may not )"
              "contain '%'\n"
              "Required spec.metrics[0].object.describedObject.kind: Required value\n"
              "Required spec.metrics[0].object.metric.name: Required value: must specify a "
              "metric name\n"
              "Required spec.metrics[0].object.target.averageValue: Required value: must set "
              "either a target value or averageValue",
              "", 34},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"External","external":{)"
              R"("metric":{"name":"a"},"target":{"type":"Value","value":"1",)"
              R"("averageValue":"0"}}}]})",
              "Forbidden spec.metrics[0].external.target.value: Forbidden: may not set both a "
              "target value for metric and a per-pod target\n"
              R"(Invalid spec.metrics[0].external.target.averageValue: Invalid value: "0": must )"
              "be positive",
              "", 34},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"Resource","resource":{)"
              R"("name":"cpu","target":{"type":"Utilization"}}}]})",
              "Required spec.metrics[0].resource.target.averageUtilization: Required value: "
              "must set either a target raw value or a target utilization"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"Resource","resource":{)"
              R"("name":"cpu","target":{"type":"Utilization","averageUtilization":0,)"
              R"("averageValue":"1"}}}]})",
              "Forbidden spec.metrics[0].resource.target.averageValue: Forbidden: may not set "
              "both a target raw value and a target utilization\n"
              "Invalid spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: "
              "must be greater than 0"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"ContainerResource",)"
              R"("containerResource":{"name":"b","container":"A","target":{"type":"Utilization",)"
              R"("averageUtilization":1}}}]})",
              R"(Invalid spec.metrics[0].containerResource.container: Invalid value: "A": a )"
              "lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
              "'-', and must start and end with an alphanumeric character\n"
              R"(Invalid spec.metrics[0].containerResource.name: Invalid value: "b": must be a )"
              "standard resource for containers\n"
              R"(Invalid spec.metrics[0].containerResource.name: Invalid value: "b": must be a )"
              "standard resource type or fully qualified",
              "", 34},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"metrics":[{"type":"Resource","resource":{)"
              R"("name":"cpu","target":{"type":"Utilization","averageUtilization":1}},"pods":{)"
              R"("metric":{"name":"a"},"target":{"type":"AverageValue","averageValue":"1"}}}]})",
              "Forbidden spec.metrics[0].pods: Forbidden: must populate the given metric source "
              "only"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"minReplicas":0})",
              "Forbidden spec.metrics: Forbidden: must specify at least one Object or External "
              "metric to support scaling to zero replicas\n"
              "Invalid spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
              "", 0, 34},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"minReplicas":0})",
              "Forbidden spec.metrics: Forbidden: must specify at least one Object or External "
              "metric to support scaling to zero replicas",
              "", 37},
         });
}

TEST_F(StorageObjectsTest, OldAutoscalers) {
  Expect("autoscaling/v1", "horizontalpodautoscalers",
         {
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1",)"
              R"("kind":"Deployment","name":"a"},"targetCPUUtilizationPercentage":-1})",
              "Invalid spec.metrics[0].resource.target.averageUtilization: Invalid value: -1: "
              "must be greater than 0"},
             {R"("spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"/v1","kind":"Deployment",)"
              R"("name":"a"}})",
              R"(Invalid spec.scaleTargetRef.apiVersion: Invalid value: "/v1": apiVersion must )"
              "specify API group",
              "", 34},
         });
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
