// SPDX-License-Identifier: Apache-2.0
// Tests of scale, eviction, binding, ephemeral containers, resize, finalize and the warnings about
// duplicate fields over HTTP.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCreated =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
    "\n";

class SubresourcesTest : public ServerTest {
 protected:
  void CreateDeployment() {
    const Answer created = client_->Post(
        kDeployments,
        R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"},)"
        R"("matchExpressions":[{"key":"t","operator":"In","values":["x","y"]},)"
        R"({"key":"u","operator":"DoesNotExist"}]},)"
        R"("template":{"metadata":{"labels":{"app":"a","t":"x"}},)"
        R"("spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    EXPECT_EQ(created.code, 201) << created.body;
  }
  void CreatePod() {
    const Answer created = client_->Post(
        kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    EXPECT_EQ(created.code, 201) << created.body;
  }
  Answer Evict(std::string_view body) { return client_->Post(Path(kPods, "/p/eviction"), body); }
  Answer Bind(std::string_view body) { return client_->Post(Path(kPods, "/p/binding"), body); }
  int Replicas() {
    const Answer answer = client_->Get(Path(kDeployments, "/d"));
    const runtime::JsonValue* const replicas = runtime::FindPath(answer.json, {"spec", "replicas"});
    return replicas == nullptr ? -1 : replicas->GetInt();
  }
};

TEST_F(SubresourcesTest, ReturnsScaleOfDeployment) {
  CreateDeployment();

  const Answer scale = client_->Get(Path(kDeployments, "/d/scale"));

  EXPECT_EQ(scale.code, 200);
  EXPECT_THAT(scale.body, HasSubstr(R"({"kind":"Scale","apiVersion":"autoscaling/v1",)"
                                    R"("metadata":{"name":"d","namespace":"default",)"));
  EXPECT_THAT(scale.body, HasSubstr(R"("spec":{"replicas":2},"status":{"replicas":0,)"
                                    R"("selector":"app=a,t in (x,y),!u"}})"));
  EXPECT_EQ(client_->Get(Path(kDeployments, "/none/scale")).message(),
            "deployments.apps \"none\" not found");
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "/a/scale")).code, 404);
}

TEST_F(SubresourcesTest, UpdatesAndPatchesScale) {
  CreateDeployment();
  const std::string target = Path(kDeployments, "/d/scale");

  const Answer updated =
      client_->Do("PUT", target, R"({"metadata":{"name":"d"},"spec":{"replicas":5}})");
  EXPECT_EQ(updated.code, 200);
  EXPECT_THAT(updated.body, HasSubstr(R"("spec":{"replicas":5})"));
  EXPECT_EQ(Replicas(), 5);
  EXPECT_THAT(client_->Get(Path(kDeployments, "/d")).body, HasSubstr(R"("subresource":"scale")"));
  const Answer patched = client_->Patch(target, "merge-patch+json", R"({"spec":{"replicas":0}})");
  EXPECT_EQ(patched.code, 200);
  EXPECT_THAT(patched.body, HasSubstr(R"("spec":{})"));
  EXPECT_EQ(Replicas(), 0);
  const Answer deployment = client_->Get(Path(kDeployments, "/d"));
  EXPECT_EQ(deployment.json["metadata"]["generation"].GetInt(), 3);
  EXPECT_THAT(deployment.body, HasSubstr(R"("containers":[{"name":"c")"));
}

TEST_F(SubresourcesTest, ScaleChecksVersionNameAndRange) {
  CreateDeployment();
  const std::string target = Path(kDeployments, "/d/scale");
  const auto put = [&](const std::string& body) { return client_->Do("PUT", target, body); };

  const Answer stale =
      put(R"({"metadata":{"name":"d","resourceVersion":"1"},"spec":{"replicas":5}})");
  EXPECT_EQ(stale.code, 409);
  EXPECT_THAT(std::string(stale.message()), HasSubstr("deployments.apps \"d\""));
  EXPECT_EQ(put(R"({"metadata":{"name":"e"},"spec":{"replicas":5}})").code, 400);
  EXPECT_EQ(put(R"({"kind":"Secret","metadata":{"name":"d"}})").code, 400);
  EXPECT_EQ(put("{").code, 400);
  EXPECT_EQ(put(R"({"metadata":{"name":"d"},"spec":{"replicas":-1}})").message(),
            "Scale.autoscaling \"d\" is invalid: spec.replicas: Invalid value: -1: must be greater "
            "than or equal to 0");
  EXPECT_EQ(client_->Patch(target, "apply-patch+yaml", "{}").code, 422);
  EXPECT_EQ(client_->Post(target, "{}").code, 405);
  EXPECT_EQ(Replicas(), 2);
}

TEST_F(SubresourcesTest, EvictionDeletesPod) {
  CreatePod();

  EXPECT_EQ(Evict(R"({"metadata":{"name":"q"}})").code, 400);
  EXPECT_EQ(
      Evict(R"({"metadata":{"name":"p"},"deleteOptions":{"preconditions":{"uid":"x"}}})").code,
      409);
  EXPECT_EQ(Evict(R"({"metadata":{"name":"p"},"deleteOptions":{"dryRun":["All"]}})").code, 201);
  EXPECT_EQ(client_->Get(Path(kPods, "/p")).code, 200);
  EXPECT_EQ(Evict(R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"}})").body,
            kCreated);
  EXPECT_EQ(client_->Get(Path(kPods, "/p")).code, 404);
  EXPECT_EQ(Evict(R"({"metadata":{"name":"p"}})").code, 404);
  EXPECT_EQ(client_->Get(Path(kPods, "/p/eviction")).code, 405);
}

TEST_F(SubresourcesTest, BindingAssignsPodOnce) {
  CreatePod();
  const std::string body = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n1"}})";

  EXPECT_EQ(Bind(R"({"metadata":{"name":"p"}})").message(), "target.name: Required value");
  EXPECT_EQ(Bind(R"({"metadata":{"name":"q"},"target":{"name":"n1"}})").code, 400);
  EXPECT_EQ(Bind(R"({"metadata":{"name":"p","uid":"x"},"target":{"name":"n1"}})").code, 409);
  EXPECT_EQ(Bind(body).body, kCreated);
  const Answer pod = client_->Get(Path(kPods, "/p"));
  EXPECT_THAT(pod.body, HasSubstr(R"("nodeName":"n1")"));
  EXPECT_THAT(pod.body, HasSubstr(R"("type":"PodScheduled","status":"True")"));
  EXPECT_EQ(Bind(body).message(),
            "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to "
            "node \"n1\"");
}

TEST_F(SubresourcesTest, EphemeralContainersNeedNameImageAndTarget) {
  CreatePod();
  const std::string target = Path(kPods, "/p/ephemeralcontainers");
  const auto message = [&](const std::string& container) {
    const Answer answer = client_->Patch(target, "strategic-merge-patch+json",
                                         R"({"spec":{"ephemeralContainers":[)" + container + "]}}");
    return std::string(answer.message());
  };

  EXPECT_THAT(message(R"({"image":"i"})"), HasSubstr("name"));
  EXPECT_THAT(message(R"({"name":"d","image":"i","targetContainerName":"none"})"),
              HasSubstr("spec.ephemeralContainers[0].targetContainerName: Not found: \"none\""));
  EXPECT_THAT(message(R"({"name":"d","image":"i","ports":[{"containerPort":80}]})"),
              HasSubstr("spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an "
                        "Ephemeral Container"));
  EXPECT_EQ(message(R"({"name":"d","image":"i"})"), "");
  EXPECT_THAT(message(R"({"name":"d","image":"j"})"),
              HasSubstr("existing ephemeral containers \"d\" may not be changed"));
}

TEST_F(SubresourcesTest, ResizeKeepsContainersAndKindsOfRequests) {
  const Answer created = client_->Post(
      kPods, R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
             R"("image":"i","resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}})");
  ASSERT_EQ(created.code, 201) << created.body;
  const std::string target = Path(kPods, "/p/resize");

  const Answer removed = client_->Patch(
      target, "strategic-merge-patch+json",
      R"({"spec":{"containers":[{"name":"c","resources":{"requests":{"memory":null}}}]}})");
  const Answer added = client_->Patch(target, "strategic-merge-patch+json",
                                      R"({"spec":{"containers":[{"name":"x","image":"i"}]}})");

  EXPECT_THAT(std::string(removed.message()),
              HasSubstr("spec.containers[0].resources.requests: Forbidden: resource requests "
                        "cannot be removed"));
  EXPECT_THAT(std::string(added.message()),
              HasSubstr("spec.containers: Forbidden: containers may not be added or removed on "
                        "resize"));
}

TEST_F(SubresourcesTest, FinalizeRemovesATerminatingNamespace) {
  Start({.garbage_collection = false});  // the contents of a namespace stay
  ASSERT_EQ(client_->Post("/api/v1/namespaces", R"({"metadata":{"name":"n"}})").code, 201);
  ASSERT_EQ(client_->Do("DELETE", "/api/v1/namespaces/n").code, 200);
  EXPECT_EQ(client_->Get("/api/v1/namespaces/n").code, 200);

  EXPECT_EQ(
      client_->Do("PUT", "/api/v1/namespaces/n/finalize", R"({"metadata":{"name":"n"}})").code,
      200);

  EXPECT_EQ(client_->Get("/api/v1/namespaces/n").code, 404);
  EXPECT_EQ(client_->Get("/api/v1/namespaces/default/finalize").code, 405);
}

TEST_F(SubresourcesTest, WarnsAboutDuplicateFields) {
  const std::string body = R"({"metadata":{"name":"a"},"data":{"k":"1","k":"2"}})";

  const Answer warned = client_->Post(kConfigMaps, body);
  EXPECT_EQ(warned.code, 201);
  EXPECT_THAT(warned.head, HasSubstr(R"(Warning: 299 - "duplicate field \"data.k\"")"));
  EXPECT_THAT(warned.body, HasSubstr(R"("data":{"k":"2"})"));
  const Answer ignored = client_->Do("PUT", Path(kConfigMaps, "/a?fieldValidation=Ignore"), body);
  EXPECT_EQ(ignored.code, 200);
  EXPECT_THAT(ignored.head, Not(HasSubstr("Warning")));
  const Answer strict = client_->Do("PUT", Path(kConfigMaps, "/a?fieldValidation=Strict"), body);
  EXPECT_EQ(strict.code, 400);
  EXPECT_EQ(strict.message(),
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
            "duplicate field \"data.k\"");
}

}  // namespace
}  // namespace capstan::testing::apiserver
