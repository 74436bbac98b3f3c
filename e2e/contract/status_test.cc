// SPDX-License-Identifier: Apache-2.0
// Tests of writes to the subresource status: which metadata they change, and which status is valid.
#include "e2e/contract/broken_rules.h"

namespace capstan::testing::apiserver::contract {
namespace {

class StatusTest : public ContractTest {
 protected:
  std::string Jobs() const { return "/apis/batch/v1/namespaces/" + ns() + "/jobs"; }
  void Create(const std::string& collection, const std::string& spec) const {
    const Answer created = Post(collection, R"({"metadata":{"name":"w"},"spec":{)" + spec + "}}");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  // Creates an object of this kind of the group apps.
  void CreateWorkload(const std::string& plural) const {
    Create(Apps(plural),
           R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{)"
           R"("labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  }
  void CreateJob() const {
    Create(Jobs(), R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",)"
                   R"("image":"i"}]}})");
  }
  // Patches the status, and returns which metadata of the patch is in the object.
  std::string Kept(const std::string& object) const {
    const Answer patched = MergePatch(
        object + "/status",
        R"({"metadata":{"annotations":{"x":"1"},"labels":{"l":"1"}},"status":{"x":null}})");
    EXPECT_EQ(patched.code, 200) << patched.body;
    std::string kept;
    for (const auto& [map, key] : {std::pair("annotations", "x"), std::pair("labels", "l")}) {
      if (runtime::FindPath(patched.json, {"metadata", map, key}) != nullptr) {
        kept += std::string(map) + " ";
      }
    }
    return kept;
  }
};

TEST_F(StatusTest, ChangesTheMetadataThatTheKindKeeps) {
  for (const char* const plural : {"deployments", "replicasets", "statefulsets", "daemonsets"}) {
    CreateWorkload(plural);
  }
  CreateJob();
  Create("/apis/batch/v1/namespaces/" + ns() + "/cronjobs",
         R"("schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{)"
         R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  Create(Core("services", ""), R"("ports":[{"port":80}])");

  EXPECT_EQ(Kept(Apps("deployments", "w")), "annotations ");
  for (const char* const plural : {"replicasets", "statefulsets", "daemonsets"}) {
    EXPECT_EQ(Kept(Apps(plural, "w")), "annotations labels ") << plural;
  }
  EXPECT_EQ(Kept(Jobs() + "/w"), "annotations labels ");
  EXPECT_EQ(Kept("/apis/batch/v1/namespaces/" + ns() + "/cronjobs/w"), "annotations labels ");
  EXPECT_EQ(Kept(Core("services", "w")), "annotations labels ");
}

TEST_F(StatusTest, RejectsACompleteJobWithoutTimes) {
  if (Minor() < 34) GTEST_SKIP() << "The version has no such rules.";
  CreateJob();

  EXPECT_REFUSED(MergePatch(Jobs() + "/w/status",
                            R"({"status":{"conditions":[{"type":"Complete","status":"True"}]}})"),
                 RefusalFor("Job", "batch", "w",
                            {{"Required", "status.completionTime",
                              "Required value: completionTime is required for Complete jobs"},
                             {"Invalid", "status.conditions",
                              "Invalid value: cannot set Complete=True condition without the "
                              "SuccessCriteriaMet=true condition"},
                             {"Required", "status.startTime",
                              "Required value: startTime is required for finished job"}}));
}

TEST_F(StatusTest, RejectsAJobThatIsRunningAgain) {
  if (Minor() < 34) GTEST_SKIP() << "The version has no such rules.";
  CreateJob();
  const Answer failed = MergePatch(
      Jobs() + "/w/status",
      R"({"status":{"startTime":"2026-01-02T03:04:05Z","failed":1,"conditions":[)"
      R"({"type":"FailureTarget","status":"True"},{"type":"Failed","status":"True"}]}})");
  ASSERT_EQ(failed.code, 200) << failed.body;

  EXPECT_REFUSED(
      MergePatch(Jobs() + "/w/status", R"({"status":{"failed":0,"conditions":[]}})"),
      RefusalFor(
          "Job", "batch", "w",
          {{"Invalid", "status.conditions",
            "Invalid value: cannot disable the terminal Failed=True condition"},
           {"Invalid", "status.conditions",
            "Invalid value: cannot disable the terminal FailureTarget=True condition"},
           {"Invalid", "status.failed", "Invalid value: 0: cannot decrease the failed counter"}}));
}

TEST_F(StatusTest, RejectsMorePartsThanTheWhole) {
  CreateWorkload("deployments");

  EXPECT_REFUSED(MergePatch(Apps("deployments") + "/w/status",
                            R"({"status":{"replicas":1,"readyReplicas":2}})"),
                 Invalid("Deployment.apps", "w", "status.readyReplicas", "FieldValueInvalid",
                         "Invalid value: 2: cannot be greater than status.replicas"));
  EXPECT_REFUSED(
      MergePatch(Apps("deployments") + "/w/status", R"({"status":{"updatedReplicas":-1}})"),
      Invalid("Deployment.apps", "w", "status.updatedReplicas", "FieldValueInvalid",
              "Invalid value: -1: must be greater than or equal to 0"));
}

TEST_F(StatusTest, ChecksWhatALoadBalancerGives) {
  const std::string service = Core("services", "a");
  const auto set_status = [](const std::string& ingress) {
    return R"({"status":{"loadBalancer":{"ingress":[)" + ingress + "]}}}";
  };
  const std::string field = "status.loadBalancer.ingress";
  ASSERT_EQ(
      Post(Core("services", ""), R"({"metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}})")
          .code,
      201);
  EXPECT_REFUSED(MergePatch(service + "/status", set_status(R"({"ip":"1.2.3.4"})")),
                 Invalid("Service", "a", field, "FieldValueForbidden",
                         "Forbidden: may only be used when `spec.type` is 'LoadBalancer'"));
  ASSERT_EQ(MergePatch(service, R"({"spec":{"type":"LoadBalancer"}})").code, 200);
  EXPECT_REFUSED(MergePatch(service + "/status", set_status(R"({"hostname":"1.2.3.4"})")),
                 Invalid("Service", "a", field + "[0].hostname", "FieldValueInvalid",
                         R"(Invalid value: "1.2.3.4": must be a DNS name, not an IP address)"));
  EXPECT_REFUSED(
      MergePatch(service + "/status", set_status(R"({"hostname":"a.b","ipMode":"VIP"})")),
      Invalid("Service", "a", field + "[0].ipMode", "FieldValueForbidden",
              "Forbidden: may not be specified when `ip` is not set"));
  EXPECT_EQ(MergePatch(service + "/status", set_status(R"({"ip":"1.2.3.4"})")).code, 200);

  const std::string ingresses = InNamespace("/apis/networking.k8s.io/v1", "ingresses");
  ASSERT_EQ(Post(ingresses, R"({"metadata":{"name":"a"},"spec":{"defaultBackend":{"service":)"
                            R"({"name":"s","port":{"number":80}}}}})")
                .code,
            201);
  EXPECT_REFUSED(
      MergePatch(ingresses + "/a/status", set_status(R"({"hostname":"1.2.3.4"})")),
      Invalid("Ingress.networking.k8s.io", "a", field + "[0].hostname", "FieldValueInvalid",
              R"(Invalid value: "1.2.3.4": must be a DNS name, not an IP address)"));
}

TEST_F(StatusTest, ChecksTheStatusOfAnAutoscaler) {
  const std::string autoscalers = InNamespace("/apis/autoscaling/v2", "horizontalpodautoscalers");
  ASSERT_EQ(Post(autoscalers,
                 R"({"metadata":{"name":"a"},"spec":{"maxReplicas":1,)"
                 R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})")
                .code,
            201);
  EXPECT_REFUSED(
      MergePatch(autoscalers + "/a/status", R"({"status":{"currentReplicas":-1}})"),
      Invalid("HorizontalPodAutoscaler.autoscaling", "a", "status.currentReplicas",
              "FieldValueInvalid", "Invalid value: -1: must be greater than or equal to 0"));
}

TEST_F(StatusTest, KeepsTheNamespaceActiveWithoutAPhase) {
  const Answer updated =
      Put("/api/v1/namespaces/" + ns() + "/status", R"({"metadata":{"name":")" + ns() + R"("}})");
  EXPECT_EQ(updated.code, 200) << updated.body;
  EXPECT_EQ(JsonAt(updated, {"status", "phase"}), R"("Active")");
}

TEST_F(StatusTest, SetsThePhaseOfAVolumeThatAnUpdateClears) {
  const std::string volumes = "/api/v1/persistentvolumes";
  const std::string volume = volumes + "/" + ns();
  DeleteLater(volume);
  ASSERT_EQ(Post(volumes, R"({"metadata":{"name":")" + ns() +
                              R"("},"spec":{"capacity":{"storage":"1Gi"},"accessModes":)"
                              R"(["ReadWriteOnce"],"hostPath":{"path":"/a"}}})")
                .code,
            201);
  const Answer pending = Put(volume + "/status", R"({"metadata":{"name":")" + ns() + R"("}})");
  EXPECT_EQ(pending.code, 200) << pending.body;
  EXPECT_EQ(JsonAt(pending, {"status", "phase"}), R"("Pending")");
  const Answer available = MergePatch(volume + "/status", R"({"status":{"phase":"Available"}})");
  EXPECT_EQ(JsonAt(available, {"status", "phase"}), R"("Available")");
  if (Minor() >= 34) {
    EXPECT_NE(JsonAt(pending, {"status", "lastPhaseTransitionTime"}), "");
    EXPECT_NE(JsonAt(available, {"status", "lastPhaseTransitionTime"}), "");
  }
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
