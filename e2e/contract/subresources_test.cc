// SPDX-License-Identifier: Apache-2.0
// Tests of scale, eviction, binding, ephemeral containers, resize and finalize, and of the warnings
// about duplicate fields.
#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class SubresourcesTest : public ContractTest {
 protected:
  std::string Deployment(std::string_view subresource = {}) const {
    return Apps("deployments", "d") + std::string(subresource);
  }
  std::string Pod(std::string_view subresource = {}) const {
    return Core("pods", "p") + std::string(subresource);
  }
  void CreateDeployment() const {
    const Answer created =
        Post(Apps("deployments"),
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

TEST_F(SubresourcesTest, AppliedScaleTakesReplicasFromTheirManager) {
  CreateDeployment();
  const std::string body =
      R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":5}})";
  const auto apply = [&](std::string_view options, std::string_view configuration) {
    return Apply(Deployment("/scale"), options, configuration);
  };

  const Answer refused = apply("fieldManager=foo", body);
  const Answer forced = apply("fieldManager=foo&force=true", body);
  const Answer deployment = Get(Deployment());
  const Answer again = apply("fieldManager=foo", body);
  const Answer other =
      apply("fieldManager=bar",
            R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":6}})");

  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.message(),
            "Apply failed with 1 conflict: conflict with \"contract\" using autoscaling/v1: "
            ".spec.replicas");
  EXPECT_EQ(forced.code, 200) << forced.body;
  EXPECT_EQ(Normal(forced), Sorted(Scale(5)));
  EXPECT_EQ(deployment.json["spec"]["replicas"].GetInt(), 5);
  EXPECT_EQ(FieldsOf(deployment, "foo", "scale"), R"({"f:spec":{"f:replicas":{}}})");
  EXPECT_THAT(FieldsOf(deployment, "contract", ""),
              ::testing::Not(::testing::HasSubstr("f:replicas")));
  EXPECT_EQ(again.meta("resourceVersion"), forced.meta("resourceVersion"));
  EXPECT_EQ(other.message(),
            "Apply failed with 1 conflict: conflict with \"foo\" with subresource \"scale\": "
            ".spec.replicas");
  EXPECT_EQ(apply("fieldManager=foo", R"({"apiVersion":"autoscaling/v1","kind":"Scale"})").code,
            200);
  EXPECT_EQ(Normal(Get(Deployment("/scale"))), Sorted(Scale(0)));
}

TEST_F(SubresourcesTest, AppliedScaleIsChecked) {
  CreateDeployment();
  const auto apply = [&](std::string_view members, std::string_view options = "fieldManager=foo") {
    return Apply(Deployment("/scale"), options,
                 R"({"apiVersion":"autoscaling/v1","kind":"Scale",)" + std::string(members) + "}");
  };

  EXPECT_EQ(apply(R"("metadata":{"name":"e"})").message(),
            "the name of the object (e) does not match the name on the URL (d)");
  EXPECT_EQ(apply(R"("spec":{"replicas":3,"x":1})").message(),
            "failed to create typed patch object (/; autoscaling/v1, Kind=Scale): .spec.x: field "
            "not declared in schema");
  EXPECT_REFUSED(apply(R"("spec":{"replicas":-2})", "fieldManager=foo&force=true"),
                 Invalid("Scale.autoscaling", "d", "spec.replicas", "FieldValueInvalid",
                         "Invalid value: -2: must be greater than or equal to 0"));
  EXPECT_EQ(apply(R"("spec":{"replicas":2})", "dryRun=All").code, 422);
  EXPECT_EQ(apply(R"("metadata":{"resourceVersion":"1"},"spec":{"replicas":8})",
                  "fieldManager=foo&force=true")
                .code,
            409);
  EXPECT_EQ(Normal(Get(Deployment("/scale"))), Sorted(Scale(2)));
}

TEST_F(SubresourcesTest, ScaleToZeroHasNoManager) {
  CreateDeployment();

  MergePatch(Deployment("/scale"), R"({"spec":{"replicas":5}})");
  const Answer five = Get(Deployment());
  MergePatch(Deployment("/scale"), R"({"spec":{"replicas":0}})");
  const Answer zero = Get(Deployment());

  EXPECT_EQ(FieldsOf(five, "contract", "scale"), R"({"f:spec":{"f:replicas":{}}})");
  EXPECT_THAT(FieldsOf(five, "contract", ""), ::testing::Not(::testing::HasSubstr("f:replicas")));
  EXPECT_EQ(FieldsOf(zero, "contract", "scale"), "none");
  EXPECT_EQ(zero.json["spec"]["replicas"].GetInt(), 0);
}

TEST_F(SubresourcesTest, ScaleChecksUid) {
  CreateDeployment();
  const std::string uid(Get(Deployment()).meta("uid"));

  EXPECT_REFUSED(MergePatch(Deployment("/scale"), R"({"metadata":{"uid":"x"}})"),
                 {.code = 409,
                  .reason = "Conflict",
                  .message = "Operation cannot be fulfilled on deployments/scale.apps \"d\": "
                             "Precondition failed: UID in precondition: x, UID in object meta: " +
                             uid,
                  .details = R"({"name":"d","group":"apps","kind":"deployments/scale"})"});
  const Answer updated =
      Put(Deployment("/scale"), R"({"metadata":{"name":"d","uid":"x"},"spec":{"replicas":5}})");
  EXPECT_EQ(updated.code, 409);
  EXPECT_THAT(updated.message(),
              ::testing::HasSubstr("Precondition failed: UID in precondition: x, "));
}

TEST_F(SubresourcesTest, ScaleOfCustomKindIsPatchedAndNotApplied) {
  const std::string group = ns() + ".example.com";
  const std::string definition = std::string(kDefinitions) + "/crews." + group;
  DeleteLater(definition);
  ASSERT_EQ(
      Post(kDefinitions,
           R"({"metadata":{"name":"crews.)" + group + R"("},"spec":{"group":")" + group +
               R"(","scope":"Namespaced","names":{"plural":"crews","kind":"Crew"},"versions":[{)"
               R"("name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{)"
               R"("type":"object","x-kubernetes-preserve-unknown-fields":true}},)"
               R"("subresources":{"scale":{"specReplicasPath":".spec.n",)"
               R"("statusReplicasPath":".status.n"}}}]}})")
          .code,
      201);
  const std::string crews = InNamespace("/apis/" + group + "/v1", "crews");
  ASSERT_TRUE(Eventually([&] { return Get(crews).code == 200; }));
  const std::string start = R"({"apiVersion":")" + group + R"(/v1","kind":"Crew",)";
  Post(crews, start + R"("metadata":{"name":"a"},"spec":{"n":1}})");
  Post(crews, start + R"("metadata":{"name":"b"},"spec":{"x":1}})");
  const std::string body =
      R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":2}})";
  const std::string why =
      " object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an "
      "invalid group/version: autoscaling/v1";

  EXPECT_EQ(Apply(crews + "/a/scale", "fieldManager=foo", body).message(),
            "Apply failed with 1 conflict: conflict with \"contract\" using autoscaling/v1: "
            ".spec.replicas");
  EXPECT_EQ(Apply(crews + "/a/scale", "fieldManager=foo&force=true", body).message(),
            "failed to convert new" + why);
  EXPECT_EQ(Apply(crews + "/b/scale", "fieldManager=foo", body).message(),
            "failed to create manager for existing fields: failed to convert live" + why);
  EXPECT_EQ(MergePatch(crews + "/b/scale", R"({"metadata":{"labels":{"a":"b"}}})").message(),
            "the spec replicas field \".spec.n\" cannot be empty");
  EXPECT_EQ(MergePatch(crews + "/a/scale", R"({"spec":{"replicas":3}})").code, 200);
  const Answer crew = Get(crews + "/a");
  EXPECT_EQ(crew.json["spec"]["n"].GetInt(), 3);
  EXPECT_EQ(FieldsOf(crew, "contract", "scale"), R"({"f:spec":{"f:n":{}}})");
  EXPECT_THAT(FieldsOf(crew, "contract", ""), ::testing::Not(::testing::HasSubstr("f:n")));
  EXPECT_EQ(MergePatch(crews + "/a/scale", R"({"spec":{"replicas":-4}})").code, 422);
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

TEST_F(SubresourcesTest, BindingOfNamespaceAssignsPodOnce) {
  CreatePod();
  const std::string bindings = Core("bindings", "");
  const std::string body = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n1"}})";

  const Answer bound = Post(bindings, body);

  EXPECT_EQ(bound.code, 201) << bound.body;
  EXPECT_EQ(Sorted(bound.body), Sorted(kCreated));
  EXPECT_STREQ(Get(Pod()).json["spec"]["nodeName"].GetString(), "n1");
  EXPECT_REFUSED(Post(bindings, body),
                 {.code = 409,
                  .reason = "Conflict",
                  .message = "Operation cannot be fulfilled on pods/binding \"p\": pod p is "
                             "already assigned to node \"n1\"",
                  .details = R"({"name":"p","kind":"pods/binding"})"});
  EXPECT_EQ(Post(bindings, R"({"metadata":{"name":"q"},"target":{"name":"n"}})").code, 404);
  EXPECT_REFUSED(Post(bindings, R"({"target":{"name":"n"}})"),
                 BadRequest("Name parameter required."));
  EXPECT_EQ(Get(bindings).code, 405);
  EXPECT_EQ(Get(bindings + "/p").code, 404);
  Delete(Pod(), R"({"gracePeriodSeconds":0})");
}

TEST_F(SubresourcesTest, AreNotCreatedWithoutTheNamespace) {
  const std::string missing = "/api/v1/namespaces/" + ns() + "-missing";
  const Refusal not_found{.code = 404,
                          .reason = "NotFound",
                          .message = "namespaces \"" + ns() + "-missing\" not found",
                          .details = R"({"name":")" + ns() + R"(-missing","kind":"namespaces"})"};
  const std::string binding = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})";

  EXPECT_REFUSED(Post(missing + "/bindings", binding), not_found);
  EXPECT_REFUSED(Post(missing + "/bindings", R"({"target":{"name":"n"}})"), not_found);
  EXPECT_REFUSED(Post(missing + "/pods/p/binding", binding), not_found);
  EXPECT_REFUSED(Post(missing + "/pods/p/eviction", R"({"metadata":{"name":"p"}})"), not_found);
  EXPECT_REFUSED(Post(missing + "/serviceaccounts/s/token", "{}"), not_found);
}

TEST_F(SubresourcesTest, AreNotCreatedInTerminatingNamespaces) {
  const std::string ending = "/api/v1/namespaces/" + ns() + "-ending";
  ASSERT_EQ(Post("/api/v1/namespaces",
                 R"({"metadata":{"name":")" + ns() + R"(-ending","finalizers":["x.io/held"]}})")
                .code,
            201);
  ASSERT_EQ(Delete(ending).code, 200);
  const auto terminating = [&](const std::string& kind, const std::string& name) {
    const std::string in = "namespace " + ns() + "-ending";
    const std::string cause =
        Cause("NamespaceTerminating", in + " is being terminated", "metadata.namespace");
    return Refusal{.code = 403,
                   .reason = "Forbidden",
                   .message = kind + " \"" + name + "\" is forbidden: unable to create new " +
                              "content in " + in + " because it is being terminated",
                   .details = R"({"name":")" + name + R"(","kind":")" + kind + R"(","causes":[)" +
                              cause + "]}"};
  };
  const std::string binding = R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})";

  EXPECT_REFUSED(Post(ending + "/bindings", binding), terminating("bindings", "p"));
  EXPECT_REFUSED(Post(ending + "/bindings", R"({"target":{"name":"n"}})"),
                 terminating("bindings", "Unknown"));
  EXPECT_REFUSED(Post(ending + "/pods/p/binding", binding), terminating("pods", "p"));
  EXPECT_REFUSED(Post(ending + "/pods/p/eviction", R"({"metadata":{"name":"p"}})"),
                 terminating("pods", "p"));

  MergePatch(ending, R"({"metadata":{"finalizers":null}})");
}

TEST_F(SubresourcesTest, EphemeralContainersAreAddedAndStay) {
  CreatePod();
  const std::string target = Pod("/ephemeralcontainers");
  const auto add = [&](const std::string& container) {
    return StrategicPatch(target, R"({"spec":{"ephemeralContainers":[)" + container + "]}}");
  };

  const Answer added =
      StrategicPatch(target, R"({"metadata":{"labels":{"x":"y"}},"spec":{"nodeName":"n",)"
                             R"("ephemeralContainers":[{"name":"d","image":"i"}]}})");

  EXPECT_EQ(added.code, 200) << added.body;
  EXPECT_EQ(Sorted(runtime::ToJson(added.json["spec"]["ephemeralContainers"])),
            Sorted(R"([{"name":"d","image":"i","resources":{},"imagePullPolicy":"Always",)"
                   R"("terminationMessagePath":"/dev/termination-log",)"
                   R"("terminationMessagePolicy":"File"}])"));
  EXPECT_EQ(runtime::Find(added.json["metadata"], "labels"), nullptr);
  EXPECT_EQ(runtime::Find(added.json["spec"], "nodeName"), nullptr);
  EXPECT_REFUSED(MergePatch(target, R"({"spec":{"ephemeralContainers":[]}})"),
                 Invalid("Pod", "p", "spec.ephemeralContainers", "FieldValueForbidden",
                         "Forbidden: existing ephemeral containers \"d\" may not be removed\n"));
  EXPECT_EQ(add(R"({"name":"d","image":"other"})").code, 422);
  EXPECT_REFUSED(add(R"({"name":"c","image":"i"})"),
                 Invalid("Pod", "p", "spec.ephemeralContainers[0].name", "FieldValueDuplicate",
                         "Duplicate value: \"c\""));
  EXPECT_REFUSED(add(R"({"name":"e"})"), Invalid("Pod", "p", "spec.ephemeralContainers[0].image",
                                                 "FieldValueRequired", "Required value"));
  EXPECT_EQ(add(R"({"name":"e","image":"i","targetContainerName":"c"})").code, 200);
  EXPECT_EQ(Get(target).json["spec"]["ephemeralContainers"].Size(), 2U);
  EXPECT_EQ(Post(target, "{}").code, 405);
}

TEST_F(SubresourcesTest, ResizeChangesResourcesAlone) {
  if (Minor() < 33) GTEST_SKIP() << "there is no resize";
  const Answer created =
      Post(Core("pods", ""), R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                             R"("image":"i","resources":{"requests":{"cpu":"100m"}}}]}})");
  ASSERT_EQ(created.code, 201) << created.body;
  const std::string target = Pod("/resize");
  const auto resize = [&](const std::string& resources) {
    return StrategicPatch(target, R"({"metadata":{"labels":{"x":"y"}},"spec":{"containers":[)"
                                  R"({"name":"c","image":"k","resources":)" +
                                      resources + "}]}}");
  };

  const Answer resized = resize(R"({"requests":{"cpu":"200m"}})");

  EXPECT_EQ(resized.code, 200) << resized.body;
  const runtime::JsonValue& container = resized.json["spec"]["containers"][0];
  EXPECT_EQ(runtime::ToJson(container["resources"]), R"({"requests":{"cpu":"200m"}})");
  EXPECT_STREQ(container["image"].GetString(), "i");
  EXPECT_EQ(runtime::Find(resized.json["metadata"], "labels"), nullptr);
  EXPECT_REFUSED(resize(R"({"limits":{"example.com/gpu":"1"}})"),
                 Invalid("Pod", "p", "spec", "FieldValueForbidden",
                         "Forbidden: only cpu and memory resources are mutable"));
  EXPECT_REFUSED(
      resize(R"({"requests":{"cpu":"1","memory":"1Gi"},)"
             R"("limits":{"cpu":"1","memory":"1Gi"}})"),
      Invalid("Pod", "p", "spec", "FieldValueInvalid",
              "Invalid value: \"Burstable\": Pod QOS Class may not change as a result of "
              "resizing"));
}

TEST_F(SubresourcesTest, FinalizeSetsTheFinalizersOfANamespace) {
  const std::string name = ns() + "-finalized";
  const std::string target = "/api/v1/namespaces/" + name;
  const auto finalize = [&](const std::string& finalizers) {
    return Put(target + "/finalize", R"({"metadata":{"name":")" + name +
                                         R"("},"spec":{"finalizers":)" + finalizers +
                                         R"(},"status":{"phase":"Terminating"}})");
  };
  ASSERT_EQ(Post("/api/v1/namespaces", R"({"metadata":{"name":")" + name + R"("}})").code, 201);

  // The controllers of namespaces do not know this finalizer, so the namespace stays.
  const Answer set = finalize(R"(["kubernetes","example.com/x"])");

  EXPECT_EQ(set.code, 200) << set.body;
  EXPECT_EQ(runtime::ToJson(set.json["spec"]), R"({"finalizers":["kubernetes","example.com/x"]})");
  EXPECT_STREQ(set.json["status"]["phase"].GetString(), "Active");
  EXPECT_EQ(FieldsOf(set, "contract", "finalize"), R"({"f:spec":{"f:finalizers":{}}})");
  EXPECT_REFUSED(
      finalize(R"(["short"])"),
      Invalid("Namespace", name, "spec.finalizers[0]", "FieldValueInvalid",
              "Invalid value: \"short\": name is neither a standard finalizer name nor is "
              "it fully qualified"));
  EXPECT_REFUSED(Put(target + "/finalize", R"({"metadata":{"name":"other"}})"),
                 BadRequest("the name of the object (other) does not match the name on the URL (" +
                            name + ")"));
  EXPECT_EQ(Delete(target).code, 200);
  EXPECT_STREQ(Get(target).json["status"]["phase"].GetString(), "Terminating");
  EXPECT_EQ(finalize("[]").code, 200);
  EXPECT_EQ(Get(target).code, 404);
}

TEST_F(SubresourcesTest, FinalizeIsOnlyUpdated) {
  const std::string target = "/api/v1/namespaces/" + ns() + "/finalize";

  EXPECT_EQ(Get(target).code, 405);
  EXPECT_EQ(Post(target, "{}").code, 405);
  EXPECT_EQ(MergePatch(target, "{}").code, 405);
  EXPECT_EQ(Delete(target).code, 405);
  EXPECT_EQ(Put("/api/v1/namespaces/none/finalize", R"({"metadata":{"name":"none"}})").code, 404);
  // Beside it, no other resource has such a method.
  EXPECT_EQ(Delete("/api/v1/namespaces").code, 405);
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
