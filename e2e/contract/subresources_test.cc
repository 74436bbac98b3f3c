// SPDX-License-Identifier: Apache-2.0
// Tests of scale, eviction and binding, and of the warnings about duplicate fields.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class SubresourcesTest : public ContractTest {
 protected:
  std::string Deployment(std::string_view subresource = {}) const {
    return "/apis/apps/v1/namespaces/" + ns() + "/deployments/d" + std::string(subresource);
  }
  std::string Pod(std::string_view subresource = {}) const {
    return Core("pods", "p") + std::string(subresource);
  }
  void CreateDeployment() const {
    const Answer created =
        Post("/apis/apps/v1/namespaces/" + ns() + "/deployments",
             R"({"metadata":{"name":"d"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"},)"
             R"("matchExpressions":[{"key":"t","operator":"In","values":["x","y"]},)"
             R"({"key":"u","operator":"DoesNotExist"}]},)"
             R"("template":{"metadata":{"labels":{"a":"b","t":"x"}},)"
             R"("spec":{"containers":[{"name":"c","image":"i"}]}}}})");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  void CreatePod() const {
    const Answer created =
        Post(Core("pods", ""),
             R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  static std::string Scale(int replicas) {
    const std::string spec =
        replicas == 0 ? "{}" : R"({"replicas":)" + std::to_string(replicas) + "}";
    return R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d",)"
           R"("namespace":"NS","uid":"UID","resourceVersion":"RV","creationTimestamp":"TIME"},)"
           R"("spec":)" +
           spec + R"(,"status":{"replicas":0,"selector":"a=b,t in (x,y),!u"}})";
  }
};

const std::string kCreated =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})";

TEST_F(SubresourcesTest, ReadsUpdatesAndPatchesScale) {
  CreateDeployment();

  const Answer read = Get(Deployment("/scale"));
  const Answer updated =
      Put(Deployment("/scale"), R"({"metadata":{"name":"d"},"spec":{"replicas":5}})");
  const Answer scaled = Get(Deployment());
  const Answer patched = MergePatch(Deployment("/scale"), R"({"spec":{"replicas":0}})");

  EXPECT_EQ(read.code, 200);
  EXPECT_EQ(Normal(read), Sorted(Scale(2)));
  EXPECT_EQ(updated.code, 200);
  EXPECT_EQ(Normal(updated), Sorted(Scale(5)));
  EXPECT_EQ(patched.code, 200);
  EXPECT_EQ(Normal(patched), Sorted(Scale(0)));
  EXPECT_EQ(FieldsOf(scaled, "contract", "scale"), R"({"f:spec":{"f:replicas":{}}})");
  EXPECT_EQ(Get(Deployment()).json["metadata"]["generation"].GetInt(), 3);
}

TEST_F(SubresourcesTest, ScaleChecksVersionNameAndRange) {
  CreateDeployment();

  EXPECT_REFUSED(
      Put(Deployment("/scale"),
          R"({"metadata":{"name":"d","resourceVersion":"1"},"spec":{"replicas":5}})"),
      {.code = 409,
       .reason = "Conflict",
       .message = "Operation cannot be fulfilled on deployments.apps \"d\": the object has been "
                  "modified; please apply your changes to the latest version and try again",
       .details = R"({"name":"d","group":"apps","kind":"deployments"})"});
  EXPECT_REFUSED(Put(Deployment("/scale"), R"({"metadata":{"name":"d"},"spec":{"replicas":-1}})"),
                 Invalid("Scale.autoscaling", "d", "spec.replicas", "FieldValueInvalid",
                         "Invalid value: -1: must be greater than or equal to 0"));
  EXPECT_EQ(Put(Deployment("/scale"), R"({"metadata":{"name":"e"}})").code, 400);
  EXPECT_EQ(Post(Deployment("/scale"), "{}").code, 405);
  EXPECT_EQ(Normal(Get(Deployment("/scale"))), Sorted(Scale(2)));
}

TEST_F(SubresourcesTest, ScaleOfMissingObjectIsNotFound) {
  const std::string resource = Minor() < 34 ? "deployments/scale.apps" : "deployments.apps";
  EXPECT_EQ(Get(Deployment("/scale")).message(), resource + " \"d\" not found");
  EXPECT_EQ(Get(ConfigMaps("a") + "/scale").code, 404);
}

TEST_F(SubresourcesTest, EvictionDeletesPod) {
  CreatePod();
  const std::string start = R"({"metadata":{"name":"p"},"deleteOptions":)";

  EXPECT_EQ(Post(Pod("/eviction"), R"({"metadata":{"name":"q"}})").code, 400);
  EXPECT_EQ(Post(Pod("/eviction"), start + R"({"preconditions":{"uid":"x"}}})").code, 409);
  EXPECT_EQ(Post(Pod("/eviction"), start + R"({"dryRun":["All"]}})").code, 201);
  EXPECT_EQ(Get(Pod()).code, 200);
  const Answer evicted = Post(
      Pod("/eviction"), R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p"}})");

  EXPECT_EQ(evicted.code, 201);
  EXPECT_EQ(Sorted(evicted.body), Sorted(kCreated));
  EXPECT_EQ(Get(Pod()).code, 404);
  EXPECT_EQ(Post(Pod("/eviction"), R"({"metadata":{"name":"p"}})").code, 404);
}

TEST_F(SubresourcesTest, BindingAssignsPodOnce) {
  CreatePod();
  const std::string body = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n1"}})";

  const Answer bound = Post(Pod("/binding"), body);
  const Answer again = Post(Pod("/binding"), body);

  EXPECT_EQ(bound.code, 201);
  EXPECT_EQ(Sorted(bound.body), Sorted(kCreated));
  const Answer pod = Get(Pod());
  EXPECT_STREQ(pod.json["spec"]["nodeName"].GetString(), "n1");
  EXPECT_STREQ(pod.json["status"]["conditions"][0]["type"].GetString(), "PodScheduled");
  EXPECT_STREQ(pod.json["status"]["conditions"][0]["status"].GetString(), "True");
  EXPECT_REFUSED(again, {.code = 409,
                         .reason = "Conflict",
                         .message = "Operation cannot be fulfilled on pods/binding \"p\": pod p is "
                                    "already assigned to node \"n1\"",
                         .details = R"({"name":"p","kind":"pods/binding"})"});
  EXPECT_REFUSED(Post(Pod("/binding"), R"({"metadata":{"name":"p"}})"),
                 {.code = 500, .message = "target.name: Required value"});
  EXPECT_REFUSED(Post(Pod("/binding"), R"({"metadata":{"name":"q"},"target":{"name":"n"}})"),
                 BadRequest("name in URL does not match name in Binding object"));
  Delete(Pod(), R"({"gracePeriodSeconds":0})");
}

TEST_F(SubresourcesTest, WarnsAboutDuplicateFields) {
  const std::string body = R"({"metadata":{"name":"a"},"data":{"k":"1","k":"2"}})";
  const std::string warning = "warning: 299 - \"duplicate field \\\"data.k\\\"\"\r\n";

  const Answer warned = Post(ConfigMaps(), body);
  EXPECT_EQ(warned.code, 201);
  EXPECT_THAT(warned.head, ::testing::HasSubstr(warning));
  EXPECT_STREQ(warned.json["data"]["k"].GetString(), "2");
  EXPECT_THAT(Put(ConfigMaps("a") + "?fieldValidation=Warn", body).head,
              ::testing::HasSubstr(warning));
  const Answer ignored = Put(ConfigMaps("a") + "?fieldValidation=Ignore", body);
  EXPECT_EQ(ignored.code, 200);
  EXPECT_THAT(ignored.head, ::testing::Not(::testing::HasSubstr("warning")));
  EXPECT_REFUSED(Put(ConfigMaps("a") + "?fieldValidation=Strict", body),
                 BadRequest("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict "
                            "decoding error: duplicate field \"data.k\""));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
