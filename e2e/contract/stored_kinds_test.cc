// SPDX-License-Identifier: Apache-2.0
// Tests of the kinds that a server stores: their defaults, required fields, rules and columns.
#include <algorithm>
#include <optional>

#include "capstan/testing/eventually.h"
#include "e2e/contract/broken_rules.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPodTemplate =
    R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",)"
    R"("image":"i"}]}})";

// StoredKind is a kind with an object that is valid.
struct StoredKind {
  std::string group;  // empty: the core group
  std::string plural;
  bool namespaced;
  std::string members;  // of the object, beside its metadata
  std::string columns;  // of `kubectl get -o wide`, without the name and the age
  std::string version = "v1";
  int since = 0;  // the minor version of Kubernetes
};

const std::vector<StoredKind>& StoredKinds() {
  static const std::vector<StoredKind> kinds = {
      {"", "endpoints", true,
       R"("subsets":[{"addresses":[{"ip":"10.1.2.3"}],"ports":[{"port":80}]}])", "Endpoints"},
      {"", "persistentvolumes", false,
       R"("spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)"
       R"("hostPath":{"path":"/x"}})",
       "Capacity,Access Modes,Reclaim Policy,Status,Claim,StorageClass,VolumeAttributesClass,"
       "Reason,VolumeMode"},
      {"", "persistentvolumeclaims", true,
       R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}})",
       "Status,Volume,Capacity,Access Modes,StorageClass,VolumeAttributesClass,VolumeMode"},
      {"", "replicationcontrollers", true,
       std::string(R"("spec":{"selector":{"a":"b"},)") + kPodTemplate + "}",
       "Desired,Current,Ready,Containers,Images,Selector"},
      {"", "podtemplates", true, kPodTemplate, "Containers,Images,Pod Labels"},
      {"", "resourcequotas", true, R"("spec":{"hard":{"pods":"5"}})", "Request,Limit"},
      {"", "limitranges", true, R"("spec":{"limits":[{"type":"Container","max":{"cpu":"1"}}]})",
       "Created At"},
      {"apps", "controllerrevisions", true, R"("data":{"a":1},"revision":1)",
       "Controller,Revision"},
      {"autoscaling", "horizontalpodautoscalers", true,
       R"("spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
       R"("name":"d"}})",
       "Reference,Targets,MinPods,MaxPods,Replicas", "v2"},
      {"policy", "poddisruptionbudgets", true,
       R"("spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}})",
       "Min Available,Max Unavailable,Allowed Disruptions"},
      {"networking.k8s.io", "ingresses", true,
       R"("spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}})",
       "Class,Hosts,Address,Ports"},
      {"networking.k8s.io", "ingressclasses", false, R"("spec":{"controller":"x.io/c"})",
       "Controller,Parameters"},
      {"networking.k8s.io", "networkpolicies", true, R"("spec":{"podSelector":{}})",
       "Pod-Selector"},
      {"discovery.k8s.io", "endpointslices", true,
       R"("addressType":"IPv4","endpoints":[{"addresses":["10.1.2.3"]}],"ports":[{"port":80}])",
       "AddressType,Ports,Endpoints"},
      {"scheduling.k8s.io", "priorityclasses", false, R"("value":5)",
       "Value,Global-Default,PreemptionPolicy"},
      {"node.k8s.io", "runtimeclasses", false, R"("handler":"h")", "Handler"},
      {"storage.k8s.io", "storageclasses", false, R"("provisioner":"x.io/p")",
       "Provisioner,ReclaimPolicy,VolumeBindingMode,AllowVolumeExpansion"},
      {"storage.k8s.io", "csidrivers", false, R"("spec":{})",
       "AttachRequired,PodInfoOnMount,StorageCapacity,TokenRequests,RequiresRepublish,Modes"},
      {"storage.k8s.io", "csinodes", false, R"("spec":{"drivers":[{"name":"d","nodeID":"n"}]})",
       "Drivers"},
      {"storage.k8s.io", "volumeattachments", false,
       R"("spec":{"attacher":"a","nodeName":"n","source":{"persistentVolumeName":"v"}})",
       "Attacher,PV,Node,Attached"},
      {"storage.k8s.io", "csistoragecapacities", true, R"("storageClassName":"s")", "Created At"},
      {"storage.k8s.io", "volumeattributesclasses", false,
       R"("driverName":"x.io","parameters":{"a":"b"})", "DriverName", "v1", 34},
      {"flowcontrol.apiserver.k8s.io", "flowschemas", false,
       R"("spec":{"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":9000})",
       "PriorityLevel,MatchingPrecedence,DistinguisherMethod,MissingPL"},
      {"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", false,
       R"("spec":{"type":"Limited","limited":{"limitResponse":{"type":"Reject"}}})",
       "Type,NominalConcurrencyShares,Queues,HandSize,QueueLengthLimit"},
      {"resource.k8s.io", "deviceclasses", false, R"("spec":{})", "", "v1", 34},
      {"admissionregistration.k8s.io", "validatingadmissionpolicybindings", false,
       R"("spec":{"policyName":"contract-none","validationActions":["Deny"]})",
       "PolicyName,ParamRef"},
  };
  return kinds;
}

class StoredKindsTest : public ContractTest {
 protected:
  std::string Collection(const StoredKind& kind) const {
    return (kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/") + kind.version +
           (kind.namespaced ? "/namespaces/" + ns() : "") + "/" + kind.plural;
  }
  // Returns a path in a group of version 1; for a namespaced kind in this test's namespace.
  std::string In(const std::string& group, const std::string& plural,
                 const std::string& version = "v1") const {
    return Collection({.group = group,
                       .plural = plural,
                       .namespaced = true,
                       .members = "",
                       .columns = "",
                       .version = version});
  }
  static std::string Object(const std::string& name, const std::string& members) {
    return R"({"metadata":{"name":")" + name + R"("},)" + members + "}";
  }
  Answer DryRun(const std::string& collection, const std::string& members) const {
    return Post(collection + "?dryRun=All", Object("a", members));
  }
};

TEST_F(StoredKindsTest, StoreEveryKind) {
  for (const StoredKind& kind : StoredKinds()) {
    if (Minor() < kind.since) continue;
    const std::string collection = Collection(kind);
    const std::string object = collection + "/" + ns();
    DeleteLater(object);

    const Answer created = Post(collection, Object(ns(), kind.members));
    EXPECT_EQ(created.code, 201) << kind.plural << created.body;
    const Answer read = Get(object);
    EXPECT_EQ(read.code, 200) << kind.plural;
    EXPECT_EQ(MergePatch(object, R"({"metadata":{"labels":{"l":"1"}}})").code, 200) << kind.plural;
    EXPECT_THAT(Names(Get(collection + "?labelSelector=l%3D1")), HasSubstr(ns())) << kind.plural;
    const Answer deleted = Delete(object);
    EXPECT_EQ(deleted.code, 200) << kind.plural << deleted.body;
    MergePatch(object, R"({"metadata":{"finalizers":null}})");
    EXPECT_EQ(Get(object).code, 404) << kind.plural;
  }
}

TEST_F(StoredKindsTest, HaveTheColumnsOfKubectl) {
  for (const StoredKind& kind : StoredKinds()) {
    if (Minor() < kind.since) continue;
    const Answer table =
        Get(Collection(kind),
            {"Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json"});
    std::string names;
    for (const runtime::JsonValue& column : ListAt(table.json, "columnDefinitions").GetArray()) {
      const std::string name(runtime::GetString(column, "name"));
      if (name == "Name" || name == "Age") continue;
      names += (names.empty() ? "" : ",") + name;
    }
    std::string columns = kind.columns;
    if (Minor() < 34 && kind.plural == "priorityclasses") columns = "Value,Global-Default";
    EXPECT_EQ(names, columns) << kind.plural;
  }
}

TEST_F(StoredKindsTest, SetDefaultsOfVolumes) {
  const Answer volume =
      DryRun("/api/v1/persistentvolumes",
             R"("spec":{"capacity":{"storage":"1024Mi"},"accessModes":["ReadWriteOnce"],)"
             R"("hostPath":{"path":"/x"}})");
  EXPECT_EQ(JsonAt(volume, {"spec", "persistentVolumeReclaimPolicy"}), R"("Retain")");
  EXPECT_EQ(JsonAt(volume, {"spec", "volumeMode"}), R"("Filesystem")");
  EXPECT_EQ(JsonAt(volume, {"spec", "capacity"}), R"({"storage":"1Gi"})");
  EXPECT_EQ(JsonAt(volume, {"spec", "hostPath"}), R"({"path":"/x","type":""})");
  EXPECT_EQ(JsonAt(volume, {"status", "phase"}), R"("Pending")");
  EXPECT_EQ(JsonAt(volume, {"metadata", "finalizers"}), R"(["kubernetes.io/pv-protection"])");
  const Answer claim = DryRun(
      Core("persistentvolumeclaims", ""),
      R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}})");
  EXPECT_EQ(JsonAt(claim, {"spec", "volumeMode"}), R"("Filesystem")");
  EXPECT_EQ(JsonAt(claim, {"status"}), R"({"phase":"Pending"})");
  EXPECT_EQ(JsonAt(claim, {"metadata", "finalizers"}), R"(["kubernetes.io/pvc-protection"])");
  const Answer storage_class =
      DryRun("/apis/storage.k8s.io/v1/storageclasses", R"("provisioner":"x.io/p")");
  EXPECT_EQ(JsonAt(storage_class, {"reclaimPolicy"}), R"("Delete")");
  EXPECT_EQ(JsonAt(storage_class, {"volumeBindingMode"}), R"("Immediate")");
  const Answer driver = DryRun("/apis/storage.k8s.io/v1/csidrivers", R"("spec":{})");
  EXPECT_EQ(JsonAt(driver, {"spec", "attachRequired"}), "true");
  EXPECT_EQ(JsonAt(driver, {"spec", "fsGroupPolicy"}), R"("ReadWriteOnceWithFSType")");
  EXPECT_EQ(JsonAt(driver, {"spec", "volumeLifecycleModes"}), R"(["Persistent"])");
}

TEST_F(StoredKindsTest, SetDefaultsOfOtherKinds) {
  const std::string target =
      R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"})";
  const Answer autoscaler = DryRun(In("autoscaling", "horizontalpodautoscalers", "v2"),
                                   R"("spec":{"maxReplicas":3,)" + target + "}");
  EXPECT_EQ(JsonAt(autoscaler, {"spec", "minReplicas"}), "1");
  EXPECT_EQ(JsonAt(autoscaler, {"spec", "metrics"}),
            R"([{"resource":{"name":"cpu","target":{"averageUtilization":80,)"
            R"("type":"Utilization"}},"type":"Resource"}])");
  const Answer policy = DryRun(In("networking.k8s.io", "networkpolicies"),
                               R"("spec":{"podSelector":{},"ingress":[{"ports":[{"port":80}]}]})");
  EXPECT_EQ(JsonAt(policy, {"spec", "policyTypes"}), R"(["Ingress"])");
  EXPECT_EQ(JsonAt(policy, {"spec", "ingress"}), R"([{"ports":[{"port":80,"protocol":"TCP"}]}])");
  const Answer slice = DryRun(In("discovery.k8s.io", "endpointslices"),
                              R"("addressType":"IPv4","endpoints":[],"ports":[{"port":80}])");
  EXPECT_EQ(JsonAt(slice, {"ports"}), R"([{"name":"","port":80,"protocol":"TCP"}])");
  const Answer endpoints =
      DryRun(Core("endpoints", ""),
             R"("subsets":[{"addresses":[{"ip":"10.1.2.3"}],"ports":[{"port":80}]}])");
  EXPECT_EQ(JsonAt(endpoints, {"subsets"}),
            R"([{"addresses":[{"ip":"10.1.2.3"}],"ports":[{"port":80,"protocol":"TCP"}]}])");
  const Answer priority = DryRun("/apis/scheduling.k8s.io/v1/priorityclasses", R"("value":5)");
  EXPECT_EQ(JsonAt(priority, {"preemptionPolicy"}), R"("PreemptLowerPriority")");
  const Answer range = DryRun(Core("limitranges", ""),
                              R"("spec":{"limits":[{"type":"Container","max":{"cpu":"1000m"}}]})");
  EXPECT_EQ(JsonAt(range, {"spec", "limits"}),
            R"([{"default":{"cpu":"1"},"defaultRequest":{"cpu":"1"},"max":{"cpu":"1"},)"
            R"("type":"Container"}])");
  const Answer controller =
      DryRun(Core("replicationcontrollers", ""), std::string(R"("spec":{)") + kPodTemplate + "}");
  EXPECT_EQ(JsonAt(controller, {"spec", "selector"}), R"({"a":"b"})");
  EXPECT_EQ(JsonAt(controller, {"spec", "replicas"}), "1");
  EXPECT_EQ(JsonAt(controller, {"metadata", "labels"}), R"({"a":"b"})");
}

TEST_F(StoredKindsTest, RejectIncompleteObjects) {
  const auto expect = [&](const std::string& collection, const std::string& members,
                          const std::string& kind, const std::vector<Broken>& rules) {
    const std::size_t dot = kind.find('.');
    EXPECT_REFUSED(DryRun(collection, members),
                   RefusalFor(kind.substr(0, dot),
                              dot == std::string::npos ? "" : kind.substr(dot + 1), "a", rules))
        << members;
  };
  expect(Core("persistentvolumeclaims", ""), R"("spec":{})", "PersistentVolumeClaim",
         {{"Required", "spec.accessModes", "Required value: at least 1 access mode is required"},
          {"Required", "spec.resources[storage]", "Required value"}});
  const std::string volume =
      R"("spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},)"
      R"("local":{"path":"/d"})";
  expect(
      "/api/v1/persistentvolumes", volume + "}", "PersistentVolume",
      {{"Required", "spec.nodeAffinity", "Required value: Local volume requires node affinity"}});
  expect("/api/v1/persistentvolumes", volume + R"(,"nodeAffinity":{}})", "PersistentVolume",
         {{"Required", "spec.nodeAffinity.required",
           "Required value: must specify required node constraints"}});
  expect("/api/v1/persistentvolumes",
         volume + R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[]}}})", "PersistentVolume",
         {{"Required", "spec.nodeAffinity.required.nodeSelectorTerms",
           "Required value: must have at least one node selector term"}});
  expect(Core("endpoints", ""), R"("subsets":[{"ports":[{"port":80}]}])", "Endpoints",
         {{"Required", "subsets[0]",
           "Required value: must specify `addresses` or `notReadyAddresses`"}});
  expect(In("networking.k8s.io", "ingresses"), R"("spec":{})", "Ingress.networking.k8s.io",
         {{"Invalid", "spec",
           "Invalid value: null: either `defaultBackend` or `rules` must be specified"}});
  expect(In("networking.k8s.io", "ingresses"),
         R"("spec":{"rules":[{"http":{"paths":[{"path":"/","backend":{"service":{"name":"s",)"
         R"("port":{"number":80}}}}]}}]})",
         "Ingress.networking.k8s.io",
         {{"Required", "spec.rules[0].http.paths[0].pathType",
           "Required value: pathType must be specified"}});
  expect(In("policy", "poddisruptionbudgets"), R"("spec":{"minAvailable":"x"})",
         "PodDisruptionBudget.policy",
         {{"Invalid", "spec.minAvailable",
           "Invalid value: \"x\": a valid percent string must be a numeric string followed by an "
           "ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"}});
  expect("/apis/scheduling.k8s.io/v1/priorityclasses", R"("value":1000000001)",
         "PriorityClass.scheduling.k8s.io",
         {{"Forbidden", "value",
           "Forbidden: maximum allowed value of a user defined priority is 1000000000"}});
  expect("/apis/storage.k8s.io/v1/storageclasses", R"("parameters":{})",
         "StorageClass.storage.k8s.io", {{"Required", "provisioner", "Required value"}});
  // The causes differ between versions.
  const Answer autoscaler =
      DryRun(In("autoscaling", "horizontalpodautoscalers", "v2"),
             R"("spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"Deployment","name":"d"}})");
  if (Minor() < 34) {
    EXPECT_EQ(autoscaler.code, 201) << autoscaler.body;
    return;
  }
  EXPECT_EQ(autoscaler.code, 422);
  EXPECT_THAT(autoscaler.message(), HasSubstr("apiVersion must specify API group"));
}

TEST_F(StoredKindsTest, RejectChangesOfWhatIsFixed) {
  const std::string classes = "/apis/storage.k8s.io/v1/storageclasses";
  DeleteLater(classes + "/" + ns());
  ASSERT_EQ(Post(classes, Object(ns(), R"("provisioner":"x.io/p")")).code, 201);
  const Answer storage = MergePatch(classes + "/" + ns(), R"({"provisioner":"x.io/q"})");
  EXPECT_EQ(storage.code, 422) << storage.body;
  EXPECT_THAT(storage.message(), HasSubstr("provisioner: "));
  const std::string priorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
  DeleteLater(priorities + "/" + ns());
  ASSERT_EQ(Post(priorities, Object(ns(), R"("value":5)")).code, 201);
  EXPECT_REFUSED(MergePatch(priorities + "/" + ns(), R"({"value":6})"),
                 Invalid("PriorityClass.scheduling.k8s.io", ns(), "value", "FieldValueForbidden",
                         "Forbidden: may not be changed in an update."));
  ASSERT_EQ(Post(Core("persistentvolumeclaims", ""),
                 Object("c", R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{)"
                             R"("storage":"1Gi"}}})"))
                .code,
            201);
  const Answer claim = MergePatch(Core("persistentvolumeclaims", "c"),
                                  R"({"spec":{"accessModes":["ReadOnlyMany"]}})");
  EXPECT_EQ(claim.code, 422);
  EXPECT_THAT(claim.message(), HasSubstr("spec is immutable after creation except "
                                         "resources.requests"));
}

TEST_F(StoredKindsTest, ShowEventsInBothGroups) {
  const std::string events = In("events.k8s.io", "events");
  const Answer core = Post(
      Events(), R"({"metadata":{"name":"a"},"involvedObject":{"kind":"Pod","name":"p",)"
                R"("namespace":")" +
                    ns() +
                    R"("},"message":"m","reason":"R","type":"Normal","source":{"component":"c"},)"
                    R"("count":2})");
  ASSERT_EQ(core.code, 201) << core.body;
  const Answer other =
      Post(events,
           R"({"metadata":{"name":"b"},"regarding":{"kind":"Pod","name":"p","namespace":")" + ns() +
               R"("},"note":"n","reason":"R","type":"Normal","action":"A",)"
               R"("eventTime":"2026-01-02T03:04:05.000000Z",)"
               R"("reportingController":"x.io/c","reportingInstance":"i"})");
  ASSERT_EQ(other.code, 201) << other.body;

  const Answer first = Get(events + "/a");
  EXPECT_EQ(runtime::GetString(first.json, "note"), "m");
  EXPECT_EQ(JsonAt(first, {"regarding", "name"}), R"("p")");
  EXPECT_EQ(JsonAt(first, {"deprecatedCount"}), "2");
  EXPECT_EQ(first.meta("resourceVersion"), core.meta("resourceVersion"));
  const Answer second = Get(Events("b"));
  EXPECT_EQ(runtime::GetString(second.json, "message"), "n");
  EXPECT_EQ(runtime::GetString(second.json, "reportingComponent"), "x.io/c");
  EXPECT_EQ(Names(Get(events)), "a b ");
  WatchStream watch =
      Watch(events, "resourceVersion=" + std::string(other.meta("resourceVersion")));
  EXPECT_EQ(Delete(Events("a")).code, 200);
  EXPECT_EQ(watch.NextBrief(), "DELETED a");
  EXPECT_EQ(Get(events + "/a").code, 404);
}

TEST_F(StoredKindsTest, ShowAutoscalersInBothVersions) {
  const std::string one = In("autoscaling", "horizontalpodautoscalers", "v1");
  const std::string two = In("autoscaling", "horizontalpodautoscalers", "v2");
  const Answer created =
      Post(one, Object("a", R"("spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":50,)"
                            R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment",)"
                            R"("name":"d"}})"));
  ASSERT_EQ(created.code, 201) << created.body;

  const Answer read = Get(two + "/a");
  EXPECT_EQ(JsonAt(read, {"spec", "metrics"}),
            R"([{"resource":{"name":"cpu","target":{"averageUtilization":50,)"
            R"("type":"Utilization"}},"type":"Resource"}])");
  EXPECT_EQ(MergePatch(two + "/a", R"({"spec":{"maxReplicas":4}})").code, 200);
  EXPECT_EQ(JsonAt(Get(one + "/a"), {"spec", "maxReplicas"}), "4");
  EXPECT_EQ(JsonAt(Get(one + "/a"), {"spec", "targetCPUUtilizationPercentage"}), "50");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
