// SPDX-License-Identifier: Apache-2.0
// Tests of which parts of a written object the server keeps, and of graceful deletion.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
constexpr std::string_view kCertificates =
    "/apis/cert-manager.io/v1/namespaces/default/certificates";
constexpr std::string_view kTemplate =
    R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",)"
    R"("image":"i"}]}})";

class WritePathTest : public ServerTest {
 protected:
  // Returns the annotations and labels after a patch of the status.
  std::string MetadataAfterStatusPatch(const std::string& object) {
    const Answer patched =
        client_->Patch(object + "/status", "merge-patch+json",
                       R"({"metadata":{"annotations":{"x":"1"},"labels":{"l":"1"}},"status":{}})");
    EXPECT_EQ(patched.code, 200) << patched.body;
    const runtime::JsonValue& metadata = ObjectAt(patched.json, "metadata");
    std::string kept;
    if (ObjectAt(metadata, "annotations").HasMember("x")) kept += "annotation ";
    if (ObjectAt(metadata, "labels").HasMember("l")) kept += "label";
    return kept;
  }
  Answer CreatePod(const std::string& name, const std::string& more = "") {
    return client_->Post(kPods, R"({"metadata":{"name":")" + name +
                                    R"("},"spec":{"containers":[{"name":"c","image":"i"}])" + more +
                                    "}}");
  }
};

TEST_F(WritePathTest, KeepsTheMetadataOfAStatusThatItsKindKeeps) {
  const std::string apps = "/apis/apps/v1/namespaces/default/";
  const std::string spec =
      R"({"metadata":{"name":"w"},"spec":{"selector":{"matchLabels":{"a":"b"}},)" +
      std::string(kTemplate) + "}}";
  for (const char* const plural : {"deployments", "replicasets", "statefulsets", "daemonsets"}) {
    ASSERT_EQ(client_->Post(apps + plural, spec).code, 201) << plural;
  }
  ASSERT_EQ(
      client_
          ->Post(kJobs, R"({"metadata":{"name":"w"},"spec":{"template":{"spec":{)"
                        R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})")
          .code,
      201);

  EXPECT_EQ(MetadataAfterStatusPatch(apps + "deployments/w"), "annotation ");
  for (const char* const plural : {"replicasets", "statefulsets", "daemonsets"}) {
    EXPECT_EQ(MetadataAfterStatusPatch(apps + plural + "/w"), "annotation label") << plural;
  }
  EXPECT_EQ(MetadataAfterStatusPatch(Path(kJobs, "/w")), "annotation label");
}

TEST_F(WritePathTest, IgnoresTheMetadataOfACustomStatus) {
  client_->Post(kCertificates, R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate",)"
                               R"("metadata":{"name":"c"},"spec":{}})");

  EXPECT_EQ(MetadataAfterStatusPatch(Path(kCertificates, "/c")), "");
}

TEST_F(WritePathTest, RejectsAnImpossibleStatusOfAJob) {
  client_->Post(kJobs, R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{)"
                       R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");

  const Answer patched =
      client_->Patch(Path(kJobs, "/j/status"), "merge-patch+json",
                     R"({"status":{"conditions":[{"type":"Complete","status":"True"}]}})");

  EXPECT_EQ(patched.code, 422);
  EXPECT_EQ(patched.message(),
            "Job.batch \"j\" is invalid: [status.completionTime: Required value: completionTime is "
            "required for Complete jobs, status.conditions: Invalid value: cannot set "
            "Complete=True condition without the SuccessCriteriaMet=true condition, "
            "status.startTime: Required value: startTime is required for finished job]");
}

TEST_F(WritePathTest, RejectsAStatusWithMoreReadyThanAllReplicas) {
  client_->Post(kDeployments, R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{)"
                              R"("a":"b"}},)" +
                                  std::string(kTemplate) + "}}");

  EXPECT_EQ(client_
                ->Patch(Path(kDeployments, "/d/status"), "merge-patch+json",
                        R"({"status":{"readyReplicas":2,"replicas":1}})")
                .message(),
            "Deployment.apps \"d\" is invalid: status.readyReplicas: Invalid value: 2: cannot be "
            "greater than status.replicas");
}

TEST_F(WritePathTest, ClearsTheNamespaceOfAClusterScopedObject) {
  const Answer created =
      client_->Post(kRoles, R"({"metadata":{"name":"r","namespace":"default"},"rules":[]})");
  const Answer updated =
      client_->Put(Path(kRoles, "/r"), R"({"metadata":{"name":"r","namespace":"x"},"rules":[]})");

  EXPECT_EQ(created.code, 201);
  EXPECT_EQ(created.meta("namespace"), "");
  EXPECT_EQ(updated.code, 200);
  EXPECT_EQ(updated.meta("namespace"), "");
}

TEST_F(WritePathTest, RejectsTheVersionOfANewObjectLast) {
  const auto body = [](const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"(","resourceVersion":"5"}})";
  };

  const Answer real = client_->Post(kConfigMaps, body("a"));
  EXPECT_EQ(real.code, 500);
  EXPECT_EQ(real.message(), "resourceVersion should not be set on objects to be created");
  EXPECT_EQ(client_->Post(Path(kConfigMaps, "?dryRun=All"), body("a")).code, 201);
  EXPECT_EQ(client_->Post(kConfigMaps, body("A_b")).code, 422);
}

TEST_F(WritePathTest, WarnsOfShortFinalizersOfCustomObjects) {
  const auto create = [&](const std::string& name, const std::string& finalizer) {
    return client_->Post(kCertificates,
                         R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{)"
                         R"("name":")" +
                             name + R"(","finalizers":[")" + finalizer + R"("]}})");
  };

  const Answer warned = create("a", "machine-test");
  EXPECT_EQ(warned.code, 201);
  EXPECT_THAT(warned.head, HasSubstr("prefer a domain-qualified finalizer name to avoid"));
  EXPECT_THAT(create("b", "x.io/held").head, Not(HasSubstr("Warning")));
  EXPECT_EQ(client_
                ->Post("/apis/coordination.k8s.io/v1/namespaces/default/leases",
                       R"({"metadata":{"name":"l","finalizers":["machine-test"]}})")
                .code,
            201);
  EXPECT_EQ(
      client_->Post(kConfigMaps, R"({"metadata":{"name":"m","finalizers":["machine-test"]}})").code,
      422);
  EXPECT_THAT(
      client_
          ->Post(kConfigMaps,
                 R"({"metadata":{"name":"m","finalizers":["orphan","foregroundDeletion"]}})")
          .message(),
      HasSubstr("finalizer orphan and foregroundDeletion cannot be both set"));
}

TEST_F(WritePathTest, ReportsAMissingObjectForUnknownSubresourcesOfCustomKinds) {
  for (const char* const subresource : {"scale", "nothing"}) {
    const Answer answer = client_->Get(Path(kCertificates, "/nope/") + subresource);
    EXPECT_EQ(answer.code, 404);
    EXPECT_EQ(answer.message(), "certificates.cert-manager.io \"nope\" not found");
  }
}

TEST_F(WritePathTest, ReturnsADeletedPod) {
  CreatePod("p");

  const Answer deleted = client_->Delete(Path(kPods, "/p"));

  EXPECT_EQ(runtime::GetString(deleted.json, "kind"), "Pod");
  EXPECT_EQ(ObjectAt(deleted.json, "metadata")["deletionGracePeriodSeconds"].GetInt(), 0);
  EXPECT_EQ(client_->Get(Path(kPods, "/p")).code, 404);
}

TEST_F(WritePathTest, KeepsADeletedPodOfANodeForItsGracePeriod) {
  CreatePod("p", R"(,"nodeName":"n")");

  const Answer deleted = client_->Delete(Path(kPods, "/p"));
  const auto period = [](const Answer& pod) {
    return ObjectAt(pod.json, "metadata")["deletionGracePeriodSeconds"].GetInt();
  };
  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(period(deleted), 30);
  EXPECT_EQ(period(client_->Delete(Path(kPods, "/p"))), 30);
  EXPECT_EQ(period(client_->Delete(Path(kPods, "/p"), R"({"gracePeriodSeconds":10})")), 10);
  EXPECT_EQ(
      client_
          ->Patch(Path(kPods, "/p/status"), "merge-patch+json", R"({"status":{"phase":"Running"}})")
          .code,
      200);
  EXPECT_EQ(client_->Get(Path(kPods, "/p")).code, 200);
  EXPECT_EQ(client_->Delete(Path(kPods, "/p?gracePeriodSeconds=0")).code, 200);
  EXPECT_EQ(client_->Get(Path(kPods, "/p")).code, 404);
}

TEST_F(WritePathTest, DeletesAnEndedPodAtOnce) {
  CreatePod("p", R"(,"nodeName":"n","restartPolicy":"Never")");
  client_->Patch(Path(kPods, "/p/status"), "merge-patch+json",
                 R"({"status":{"phase":"Succeeded"}})");

  client_->Delete(Path(kPods, "/p"));

  EXPECT_EQ(client_->Get(Path(kPods, "/p")).code, 404);
}

}  // namespace
}  // namespace capstan::testing::apiserver
