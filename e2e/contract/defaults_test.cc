// SPDX-License-Identifier: Apache-2.0
// Tests of what the server sets in objects of built-in kinds: defaults of Go types, what strategies
// add, and admission plugins that are on by default.
#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr const char* kContainer = R"({"name":"c","image":"i:1"})";

class DefaultsTest : public ContractTest {
 protected:
  std::string Pods(const std::string& name = "") const { return Core("pods", name); }
  std::string Services(const std::string& name = "") const { return Core("services", name); }
  Answer CreatePod(const std::string& spec) const {
    Answer created =
        Post(Pods() + "?dryRun=All", R"({"metadata":{"name":"p"},"spec":{)" + spec + "}}");
    EXPECT_EQ(created.code, 201) << created.body;
    return created;
  }
  // Returns the first container of a Pod with a container of these members.
  std::string ContainerWith(const std::string& members) const {
    const Answer pod = CreatePod(R"("containers":[{"name":"c","image":"i:1",)" + members + "}]");
    return Sorted(runtime::ToJson(ListAt(ObjectAt(pod.json, "spec"), "containers")[0]));
  }
  static std::string Workload(const std::string& more = "") {
    return R"({"metadata":{"name":"w"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
           R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[)" +
           std::string(kContainer) + "]}}" + more + "}}";
  }
};

TEST_F(DefaultsTest, SetsThoseOfAPod) {
  const Answer pod = CreatePod(std::string(R"("containers":[)") + kContainer + "]");

  EXPECT_EQ(JsonAt(pod, {"spec", "containers"}),
            R"([{"image":"i:1","imagePullPolicy":"IfNotPresent","name":"c","resources":{},)"
            R"("terminationMessagePath":"/dev/termination-log",)"
            R"("terminationMessagePolicy":"File"}])");
  EXPECT_EQ(JsonAt(pod, {"spec", "restartPolicy"}), R"("Always")");
  EXPECT_EQ(JsonAt(pod, {"spec", "dnsPolicy"}), R"("ClusterFirst")");
  EXPECT_EQ(JsonAt(pod, {"spec", "terminationGracePeriodSeconds"}), "30");
  EXPECT_EQ(JsonAt(pod, {"spec", "schedulerName"}), R"("default-scheduler")");
  EXPECT_EQ(JsonAt(pod, {"spec", "securityContext"}), "{}");
  EXPECT_EQ(JsonAt(pod, {"spec", "enableServiceLinks"}), "true");
  EXPECT_EQ(JsonAt(pod, {"spec", "priority"}), "0");
  EXPECT_EQ(JsonAt(pod, {"spec", "preemptionPolicy"}), R"("PreemptLowerPriority")");
  EXPECT_EQ(JsonAt(pod, {"spec", "tolerations"}),
            R"([{"effect":"NoExecute","key":"node.kubernetes.io/not-ready","operator":"Exists",)"
            R"("tolerationSeconds":300},{"effect":"NoExecute",)"
            R"("key":"node.kubernetes.io/unreachable","operator":"Exists",)"
            R"("tolerationSeconds":300}])");
  EXPECT_EQ(JsonAt(pod, {"status"}), R"({"phase":"Pending","qosClass":"BestEffort"})");
}

TEST_F(DefaultsTest, SetsThoseOfTheTypesInAPod) {
  EXPECT_EQ(ContainerWith(R"("imagePullPolicy":"Never","terminationMessagePath":"/m",)"
                          R"("terminationMessagePolicy":"File","ports":[{"containerPort":80}],)"
                          R"("resources":{"limits":{"cpu":"1000m","memory":"1024Mi"}},)"
                          R"("readinessProbe":{"httpGet":{"port":80}},)"
                          R"("env":[{"name":"a","valueFrom":{"fieldRef":{)"
                          R"("fieldPath":"metadata.name"}}}])"),
            R"({"env":[{"name":"a","valueFrom":{"fieldRef":{"apiVersion":"v1",)"
            R"("fieldPath":"metadata.name"}}}],"image":"i:1","imagePullPolicy":"Never","name":"c",)"
            R"("ports":[{"containerPort":80,"protocol":"TCP"}],"readinessProbe":{)"
            R"("failureThreshold":3,"httpGet":{"path":"/","port":80,"scheme":"HTTP"},)"
            R"("periodSeconds":10,"successThreshold":1,"timeoutSeconds":1},"resources":{"limits":{)"
            R"("cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}},)"
            R"("terminationMessagePath":"/m","terminationMessagePolicy":"File"})");
}

TEST_F(DefaultsTest, SetsThoseOfVolumes) {
  const Answer pod =
      CreatePod(std::string(R"("containers":[)") + kContainer +
                R"(],"serviceAccountName":"default","volumes":[{"name":"a"},)"
                R"({"name":"b","configMap":{"name":"x"}},{"name":"c","hostPath":{"path":"/x"}},)"
                R"({"name":"d","projected":{"sources":[{"serviceAccountToken":{"path":"t"}}]}}])");

  EXPECT_EQ(JsonAt(pod, {"spec", "volumes"}),
            R"([{"emptyDir":{},"name":"a"},{"configMap":{"defaultMode":420,"name":"x"},)"
            R"("name":"b"},{"hostPath":{"path":"/x","type":""},"name":"c"},)"
            R"({"name":"d","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{)"
            R"("expirationSeconds":3600,"path":"t"}}]}}])");
}

TEST_F(DefaultsTest, RanksThePodsByTheirResources) {
  const auto quality = [&](const std::string& resources) {
    const Answer pod =
        CreatePod(R"("containers":[{"name":"c","image":"i","resources":)" + resources + "}]");
    return JsonAt(pod, {"status", "qosClass"});
  };

  EXPECT_EQ(quality("{}"), R"("BestEffort")");
  EXPECT_EQ(quality(R"({"requests":{"cpu":"1"}})"), R"("Burstable")");
  EXPECT_EQ(quality(R"({"limits":{"cpu":"1"}})"), R"("Burstable")");
  EXPECT_EQ(quality(R"({"limits":{"cpu":"1","memory":"1Gi"}})"), R"("Guaranteed")");
}

TEST_F(DefaultsTest, SetsThoseOfPodTemplates) {
  for (const char* const plural : {"deployments", "replicasets", "statefulsets", "daemonsets"}) {
    const Answer created = Post(Apps(plural) + "?dryRun=All", Workload());
    ASSERT_EQ(created.code, 201) << created.body;
    EXPECT_EQ(JsonAt(created, {"spec", "template", "spec"}),
              R"({"containers":[{"image":"i:1","imagePullPolicy":"IfNotPresent","name":"c",)"
              R"("resources":{},"terminationMessagePath":"/dev/termination-log",)"
              R"("terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst",)"
              R"("restartPolicy":"Always","schedulerName":"default-scheduler",)"
              R"("securityContext":{},"terminationGracePeriodSeconds":30})")
        << plural;
  }
}

TEST_F(DefaultsTest, OmitsEmptyListsMapsAndTexts) {
  const auto deployment = [](const std::string& more, const std::string& of_container) {
    return R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":)"
           R"({"metadata":{"labels":{"a":"b"}},"spec":{)" +
           more + R"("containers":[{)" + of_container + R"("name":"c","image":"i"}]}}}})";
  };
  const Answer created = Post(Apps("deployments"), deployment("", ""));

  const Answer updated =
      Put(Apps("deployments", "a"),
          deployment(
              R"("volumes":[],"nodeSelector":{},"hostname":"","hostNetwork":false,)"
              R"("securityContext":{"supplementalGroups":[],"sysctls":null},)",
              R"("env":[],"command":[],"workingDir":"","resources":{"limits":{}},"tty":false,)"));

  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Normal(updated), Normal(created));
  EXPECT_EQ(updated.meta("resourceVersion"), created.meta("resourceVersion"));
}

// Go decodes a null in a map or a list as the zero value of the type.
TEST_F(DefaultsTest, KeepsNullsInMapsAndListsAsZeroValues) {
  const std::string map =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"l":null},)"
      R"("annotations":{"n":null}},"data":{"k":null},"binaryData":{"b":null}})";
  const Answer created = Post(ConfigMaps(), map);
  EXPECT_EQ(created.code, 201) << created.body;
  const Answer applied =
      Apply(ConfigMaps("b"), "fieldManager=m",
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"k":null}})");
  EXPECT_EQ(JsonAt(applied, {"data"}), R"({"k":""})") << applied.body;

  EXPECT_EQ(JsonAt(created, {"data"}), R"({"k":""})");
  EXPECT_EQ(JsonAt(created, {"binaryData"}), R"({"b":""})");
  EXPECT_EQ(JsonAt(created, {"metadata", "labels"}), R"({"l":""})");
  EXPECT_EQ(JsonAt(created, {"metadata", "annotations"}), R"({"n":""})");
  EXPECT_EQ(JsonAt(CreatePod(R"("nodeSelector":{"n":null},"containers":[)"
                             R"({"name":"c","image":"i","args":["a",null]}])"),
                   {"spec", "nodeSelector"}),
            R"({"n":""})");
  const Answer refused =
      Post(ConfigMaps(), R"({"metadata":{"name":"c","ownerReferences":[null]}})");
  EXPECT_EQ(refused.code, 422) << refused.body;
}

TEST_F(DefaultsTest, SetsTheDivisorOfResources) {
  const Answer pod =
      CreatePod(R"("containers":[{"name":"c","image":"i","env":[{"name":"E","valueFrom":{)"
                R"("resourceFieldRef":{"resource":"limits.cpu"}}}]}])");
  const auto& container = ListAt(ObjectAt(pod.json, "spec"), "containers")[0];
  EXPECT_EQ(Sorted(runtime::ToJson(ListAt(container, "env"))),
            R"([{"name":"E","valueFrom":{"resourceFieldRef":{"divisor":"0",)"
            R"("resource":"limits.cpu"}}}])");
}

TEST_F(DefaultsTest, SetsBothNamesOfTheServiceAccount) {
  for (const char* const given : {"serviceAccountName", "serviceAccount"}) {
    const Answer created =
        Post(Core("podtemplates", "") + "?dryRun=All",
             R"({"metadata":{"name":"a"},"template":{"metadata":{},"spec":{")" +
                 std::string(given) + R"(":"robot","containers":[)" + kContainer + "]}}}");

    EXPECT_EQ(created.code, 201) << created.body;
    for (const char* const member : {"serviceAccountName", "serviceAccount"}) {
      EXPECT_EQ(JsonAt(created, {"template", "spec", member}), R"("robot")") << given;
    }
  }
}

TEST_F(DefaultsTest, SetsThoseOfClaimTemplates) {
  const Answer created =
      Post(Apps("statefulsets") + "?dryRun=All",
           Workload(R"(,"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":)"
                    R"(["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}])"));

  ASSERT_EQ(created.code, 201) << created.body;
  const runtime::JsonValue& claim =
      ListAt(ObjectAt(created.json, "spec"), "volumeClaimTemplates")[0];
  EXPECT_EQ(runtime::GetString(claim, "kind"), "PersistentVolumeClaim");
  EXPECT_EQ(runtime::GetString(claim, "apiVersion"), "v1");
  EXPECT_EQ(runtime::GetString(ObjectAt(claim, "spec"), "volumeMode"), "Filesystem");
  EXPECT_EQ(Sorted(runtime::ToJson(claim["status"])), R"({"phase":"Pending"})");
}

TEST_F(DefaultsTest, CountsTheTemplatesOfADaemonSet) {
  const Answer created = Post(Apps("daemonsets"), Workload());
  ASSERT_EQ(created.code, 201) << created.body;
  const std::string set = Apps("daemonsets") + "/w";
  const auto count = [](const Answer& answer) {
    return JsonAt(answer, {"metadata", "annotations", "deprecated.daemonset.template.generation"});
  };

  EXPECT_EQ(count(created), R"("1")");
  EXPECT_EQ(count(MergePatch(set, R"({"spec":{"minReadySeconds":1}})")), R"("1")");
  EXPECT_EQ(count(MergePatch(set, R"({"spec":{"template":{"metadata":{"labels":{"c":"d"}}}}})")),
            R"("2")");
}

TEST_F(DefaultsTest, SetsThoseOfAJob) {
  const Answer job =
      Post("/apis/batch/v1/namespaces/" + ns() + "/jobs",
           R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",)"
           R"("containers":[{"name":"c","image":"i"}]}}}})");

  ASSERT_EQ(job.code, 201) << job.body;
  const std::string uid(job.meta("uid"));
  EXPECT_EQ(JsonAt(job, {"spec", "selector"}),
            R"({"matchLabels":{"batch.kubernetes.io/controller-uid":")" + uid + "\"}}");
  EXPECT_EQ(JsonAt(job, {"spec", "template", "metadata", "labels"}),
            R"({"batch.kubernetes.io/controller-uid":")" + uid +
                R"(","batch.kubernetes.io/job-name":"j","controller-uid":")" + uid +
                R"(","job-name":"j"})");
  for (const auto& [member, value] :
       {std::pair("completions", "1"), std::pair("parallelism", "1"),
        std::pair("backoffLimit", "6"), std::pair("completionMode", R"("NonIndexed")"),
        std::pair("suspend", "false")}) {
    EXPECT_EQ(JsonAt(job, {"spec", member}), value) << member;
  }
}

TEST_F(DefaultsTest, SetsTrafficPoliciesOfServices) {
  const auto create = [&](const std::string& members) {
    return Post(Services() + "?dryRun=All",
                R"({"metadata":{"name":"s"},"spec":{"ports":[{"port":80}])" + members + "}}");
  };
  const Answer internal = create("");
  const Answer balanced = create(R"(,"type":"LoadBalancer","sessionAffinity":"ClientIP")");
  const Answer external = create(R"(,"type":"ExternalName","externalName":"x.io")");

  EXPECT_EQ(JsonAt(internal, {"spec", "internalTrafficPolicy"}), R"("Cluster")");
  EXPECT_EQ(JsonAt(internal, {"spec", "externalTrafficPolicy"}), "");
  EXPECT_EQ(JsonAt(balanced, {"spec", "externalTrafficPolicy"}), R"("Cluster")");
  EXPECT_EQ(JsonAt(balanced, {"spec", "allocateLoadBalancerNodePorts"}), "true");
  EXPECT_EQ(JsonAt(balanced, {"spec", "sessionAffinityConfig"}),
            R"({"clientIP":{"timeoutSeconds":10800}})");
  EXPECT_EQ(JsonAt(external, {"spec", "internalTrafficPolicy"}), "");
}

TEST_F(DefaultsTest, TaintsNewNodes) {
  const std::string name = "/api/v1/nodes/" + ns();
  DeleteLater(name);
  const Answer node = Post("/api/v1/nodes", R"({"metadata":{"name":")" + ns() +
                                                R"("},"status":{"capacity":{"cpu":"2000m"}}})");

  ASSERT_EQ(node.code, 201) << node.body;
  EXPECT_EQ(JsonAt(node, {"spec", "taints"}),
            R"([{"effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}])");
  EXPECT_EQ(JsonAt(node, {"status", "allocatable"}), R"({"cpu":"2"})");
}

TEST_F(DefaultsTest, RejectsAPriorityThatIsNotThatOfTheClass) {
  const Answer other = Post(Pods(), R"({"metadata":{"name":"p"},"spec":{"priority":5,)"
                                    R"("containers":[{"name":"c","image":"i"}]}})");
  const Answer none = Post(Pods(), R"({"metadata":{"name":"p"},"spec":{)"
                                   R"("priorityClassName":"contract-none",)"
                                   R"("containers":[{"name":"c","image":"i"}]}})");

  EXPECT_EQ(other.code, 403);
  EXPECT_EQ(other.message(),
            "pods \"p\" is forbidden: the integer value of priority (5) must not be provided in "
            "pod spec; priority admission controller computed 0 from the given PriorityClass name");
  EXPECT_EQ(none.code, 403);
  EXPECT_EQ(none.message(),
            "pods \"p\" is forbidden: no PriorityClass with name contract-none was found");
}

TEST_F(DefaultsTest, HasTheServiceOfTheApiServer) {
  // A real server makes it some time after its start.
  ASSERT_TRUE(Eventually(
      [&] { return Get("/api/v1/namespaces/default/services/kubernetes").code == 200; }));
  const Answer service = Get("/api/v1/namespaces/default/services/kubernetes");

  EXPECT_EQ(JsonAt(service, {"metadata", "labels"}),
            R"({"component":"apiserver","provider":"kubernetes"})");
  EXPECT_EQ(JsonAt(service, {"spec", "type"}), R"("ClusterIP")");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
