// SPDX-License-Identifier: Apache-2.0
// Tests custom resources with a hand-written schema: preserved and unknown fields, list types in
// server-side apply, and fields that the main resource or the status subresource ignores.
#include "e2e/contract/things_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class CustomSchemasTest : public ThingsTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    Serve(Definition(status_));
  }
  explicit CustomSchemasTest(bool status = true) : status_(status) {}
  std::string Definition(bool status) const {
    return DefinitionJson(
        Group(),
        VersionJson(
            R"("spec":{"type":"object","properties":{)"
            R"("raw":{"x-kubernetes-preserve-unknown-fields":true},)"
            R"("size":{"type":"integer"},)"
            R"("tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},)"
            R"("steps":{"type":"array","items":{"type":"object","properties":{)"
            R"("name":{"type":"string"}}}},)"
            R"("env":{"type":"array","items":{"type":"object","properties":{)"
            R"("name":{"type":"string"},"value":{"type":"string"}}}},)"
            R"("shape":{"type":"object","x-kubernetes-map-type":"atomic","properties":{)"
            R"("a":{"type":"string"},"b":{"type":"string"}}},)"
            R"("ports":{"type":"array","x-kubernetes-list-type":"map",)"
            R"("x-kubernetes-list-map-keys":["name","protocol"],"items":{"type":"object",)"
            R"("required":["name"],"properties":{"name":{"type":"string"},)"
            R"("protocol":{"type":"string","default":"TCP"},"port":{"type":"integer"}}}}}},)"
            R"("status":{"type":"object","properties":{"ready":{"type":"boolean"},)"
            R"("conditions":{"type":"array","items":{"type":"object","properties":{)"
            R"("type":{"type":"string"},"status":{"type":"string"}}}}}})",
            status ? R"("subresources":{"status":{}},)" : ""));
  }
  // Returns the JSON of Thing "a" with `members` in addition to apiVersion, kind and metadata.
  // `metadata` starts with a comma.
  std::string Body(const std::string& members, const std::string& metadata = "") const {
    return R"({"apiVersion":")" + Group() + R"(/v1","kind":"Thing","metadata":{"name":"a")" +
           metadata + "}" + (members.empty() ? "" : "," + members) + "}";
  }
  Answer ApplyAs(const std::string& query, const std::string& members) const {
    return Apply(Things("a"), "fieldManager=" + query, Body(members));
  }
  Answer ApplyStatusAs(const std::string& query, const std::string& members,
                       const std::string& metadata = "") const {
    return Apply(Things("a") + "/status", "fieldManager=" + query, Body(members, metadata));
  }
  static std::string Part(const Answer& answer, std::initializer_list<std::string_view> path) {
    const runtime::JsonValue* const value = runtime::FindPath(answer.json, path);
    return value == nullptr ? "none" : Sorted(runtime::ToJson(*value));
  }

 private:
  const bool status_;  // the CRD has the status subresource
};

class WithoutStatusTest : public CustomSchemasTest {
 protected:
  WithoutStatusTest() : CustomSchemasTest(false) {}
};

TEST_F(CustomSchemasTest, KeepsListsOfObjectsBelowPreservedFields) {
  const std::string raw = R"([{"a":1},[{"b":{"c":[{"d":2}]}}]])";

  const Answer created = Post(Things(), Body(R"("spec":{"raw":)" + raw + "}"));
  EXPECT_EQ(Part(created, {"spec", "raw"}), raw) << created.body;
  const Answer applied = ApplyAs("one&force=true", R"("spec":{"raw":[{"a":3}]})");
  EXPECT_EQ(Part(applied, {"spec", "raw"}), R"([{"a":3}])") << applied.body;
}

TEST_F(CustomSchemasTest, DoesNotCreateObjectWhenStatusIsApplied) {
  const Answer applied = ApplyStatusAs("one", R"("status":{"ready":true})");

  EXPECT_EQ(applied.code, 404) << applied.body;
  EXPECT_EQ(applied.message(), "things." + Group() + " \"a\" not found");
  EXPECT_EQ(Get(Things("a")).code, 404);
}

TEST_F(CustomSchemasTest, RejectsMetadataOfTheWrongType) {
  const std::string wrong[] = {R"("finalizers":"x")", R"("finalizers":[5])",
                               R"("ownerReferences":"x")", R"("ownerReferences":[{"uid":5}])",
                               R"("labels":[])"};
  // kube-apiserver ignores these timestamps in an apply, so only POST is tested.
  for (const char* const time : {R"(,"deletionTimestamp":5)", R"(,"creationTimestamp":"x")"}) {
    EXPECT_EQ(Post(Things(), Body("", time)).code, 400) << time;
  }
  EXPECT_EQ(Post(Things(),
                 R"({"apiVersion":")" + Group() + R"(/v1","kind":"Thing","metadata":{"name":"b"}})")
                .code,
            201);
  for (const std::string& member : wrong) {
    const std::string body = Body("", "," + member);
    EXPECT_EQ(Post(Things(), body).code, 400) << member;
    EXPECT_GE(Apply(Things("a"), "fieldManager=one", body).code, 400) << member;
    EXPECT_GE(MergePatch(Things("b"), R"({"metadata":{)" + member + "}}").code, 400) << member;
  }
  EXPECT_EQ(Names(Get(Things())), "b ");
}

TEST_F(CustomSchemasTest, RejectsAppliedFieldsOfTheWrongType) {
  const auto config_map = [&](const std::string& member) {
    return Apply(
        ConfigMaps("a"), "fieldManager=one",
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},)" + member + "}");
  };
  for (const char* const member :
       {R"("binaryData":{"a":5})", R"("data":[])", R"("immutable":"x")"}) {
    const Answer refused = config_map(member);
    EXPECT_EQ(refused.code, 500) << member << refused.body;
    EXPECT_THAT(refused.message(), ::testing::StartsWith("failed to create typed patch object"));
  }
  const std::string other = "others." + Group();
  DeleteLater(std::string(kDefinitions) + "/" + other);
  const Answer definition = Apply(
      std::string(kDefinitions) + "/" + other, "fieldManager=one",
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{)"
      R"("name":")" +
          other + R"("},"spec":{"group":")" + Group() +
          R"(","scope":"Namespaced","names":{"plural":"others","kind":"Other","shortNames":[5]},)"
          R"("versions":[{"name":"v1","served":true,"storage":true,)"
          R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  EXPECT_EQ(definition.code, 500) << definition.body;
  EXPECT_EQ(Names(Get(Things())), "");
}

TEST_F(CustomSchemasTest, RejectsAppliedValuesThatDoNotFitTheSchema) {
  const auto why = [&](const std::string& spec) {
    const Answer refused = ApplyAs("one", R"("spec":)" + spec);
    EXPECT_EQ(refused.code, 500) << refused.body;
    const std::string message(refused.message());
    return message.substr(message.find("): ") + 3);
  };
  EXPECT_EQ(why(R"({"size":"x"})"), ".spec.size: expected numeric (int or float), got string");
  EXPECT_EQ(why(R"({"tags":["a","a"]})"), ".spec.tags: duplicate entries for key [=\"a\"]");
  EXPECT_EQ(why(R"({"steps":[{"odd":1}]})"), ".spec.steps[0].odd: field not declared in schema");
}

// Other requests lose the nulls that the schema does not allow.
TEST_F(CustomSchemasTest, RejectsAppliedNullsThatTheSchemaDoesNotAllow) {
  const auto applied = [&](const std::string& spec) {
    return std::string(ApplyAs("m", R"("spec":)" + spec).message());
  };
  const auto invalid = [&](const std::string& field, const std::string& type) {
    return "Thing." + Group() + R"( "a" is invalid: )" + field + R"(: Invalid value: "null": )" +
           field + " in body must be of type " + type + R"(: "null")";
  };

  EXPECT_EQ(applied("null"), invalid("spec", "object"));
  EXPECT_EQ(applied(R"({"size":null})"), invalid("spec.size", "integer"));
  EXPECT_EQ(applied(R"({"steps":null})"), invalid("spec.steps", "array"));
  EXPECT_EQ(applied(R"({"steps":[{"name":null}]})"), invalid("spec.steps[0].name", "string"));

  const Answer kept = ApplyAs("m", R"("spec":{"raw":{"n":null},"ports":[)"
                                   R"({"name":"p","protocol":null}]})");
  EXPECT_EQ(Part(kept, {"spec"}), R"({"ports":[{"name":"p","protocol":"TCP"}],"raw":{"n":null}})")
      << kept.body;
  EXPECT_EQ(
      Part(MergePatch(Things("a"), R"({"spec":{"steps":[{"name":null}]}})"), {"spec", "steps"}),
      "[{}]");
}

TEST_F(CustomSchemasTest, IgnoresStatusOnMainResourceAndOtherFieldsOnStatus) {
  const std::string both = R"("spec":{"size":1},"status":{"ready":true})";
  const Answer created = ApplyAs("one", both);
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Part(created, {"status"}), "none");
  EXPECT_EQ(FieldsOf(created, "one"), R"({"f:spec":{"f:size":{}}})");

  const Answer status = ApplyStatusAs("two", R"("spec":{"size":2},"status":{"ready":true})",
                                      R"(,"labels":{"l":"1"})");
  EXPECT_EQ(status.code, 200) << status.body;
  EXPECT_EQ(Part(status, {"spec"}), R"({"size":1})");
  EXPECT_EQ(Part(status, {"metadata", "labels"}), "none");
  // kube-apiserver 1.34 also lists the ignored labels in managedFields.
  EXPECT_THAT(
      FieldsOf(status, "two", "status"),
      ::testing::AnyOf(R"({"f:status":{"f:ready":{}}})",
                       R"({"f:metadata":{"f:labels":{"f:l":{}}},"f:status":{"f:ready":{}}})"));
  // Applying another status to the main resource neither conflicts nor changes anything.
  const Answer again = ApplyAs("one", R"("spec":{"size":1},"status":{"ready":false})");
  EXPECT_EQ(again.code, 200) << again.body;
  EXPECT_EQ(Part(again, {"status"}), R"({"ready":true})");
}

TEST_F(CustomSchemasTest, ServesReadsButNoWritesAcrossAllNamespaces) {
  EXPECT_EQ(Post(Things(), Body("")).code, 201);
  const std::string all = "/apis/" + Group() + "/v1/things";

  EXPECT_EQ(Names(Get(all)), "a ");
  EXPECT_EQ(Delete(all).code, 404);
  EXPECT_EQ(Post(all, Body("")).code, 404);
  EXPECT_EQ(Names(Get(all)), "a ");
}

TEST_F(CustomSchemasTest, MergesListsByTheirDeclaredKeys) {
  ApplyAs("one", R"("spec":{"ports":[{"name":"a","port":1}],"tags":["x"]})");

  const Answer both = ApplyAs("two", R"("spec":{"ports":[{"name":"a","protocol":"UDP","port":2},)"
                                     R"({"name":"b","protocol":"TCP","port":3}],"tags":["y"]})");

  EXPECT_EQ(both.code, 200) << both.body;
  EXPECT_EQ(Part(both, {"spec", "ports"}), R"([{"name":"a","port":1,"protocol":"TCP"},)"
                                           R"({"name":"a","port":2,"protocol":"UDP"},)"
                                           R"({"name":"b","port":3,"protocol":"TCP"}])");
  EXPECT_EQ(Part(both, {"spec", "tags"}), R"(["x","y"])");
  EXPECT_EQ(FieldsOf(both, "one"),
            R"({"f:spec":{"f:ports":{"k:{\"name\":\"a\",\"protocol\":\"TCP\"}":{".":{},)"
            R"("f:name":{},"f:port":{}}},"f:tags":{"v:\"x\"":{}}}})");
  const Answer refused = ApplyAs("two", R"("spec":{"ports":[{"name":"a","port":9}]})");
  EXPECT_EQ(refused.message(),
            "Apply failed with 1 conflict: conflict with \"one\": "
            ".spec.ports[name=\"a\",protocol=\"TCP\"].port");
  const Answer less = ApplyAs("one", R"("spec":{"size":1})");
  EXPECT_EQ(Part(less, {"spec", "ports"}), R"([{"name":"a","port":2,"protocol":"UDP"},)"
                                           R"({"name":"b","port":3,"protocol":"TCP"}])");
  EXPECT_EQ(Part(less, {"spec", "tags"}), R"(["y"])");
}

TEST_F(CustomSchemasTest, TreatsListWithoutListTypeAsAtomic) {
  ApplyAs("main", R"("spec":{"env":[{"name":"a","value":"1"}],"shape":{"a":"1"}})");
  ApplyStatusAs("one", R"("status":{"conditions":[{"type":"A","status":"True"}]})");
  const std::string other = R"("status":{"conditions":[{"type":"B","status":"True"}]})";

  EXPECT_EQ(ApplyStatusAs("two", other).message(),
            "Apply failed with 1 conflict: conflict with \"one\" with subresource \"status\": "
            ".status.conditions");
  const Answer replaced = ApplyStatusAs("two&force=true", other);
  EXPECT_EQ(Part(replaced, {"status", "conditions"}), R"([{"status":"True","type":"B"}])");
  EXPECT_EQ(FieldsOf(replaced, "two", "status"), R"({"f:status":{"f:conditions":{}}})");
  EXPECT_EQ(FieldsOf(replaced, "main"), R"({"f:spec":{"f:env":{},"f:shape":{}}})");
  EXPECT_EQ(ApplyAs("three", R"("spec":{"shape":{"b":"1"}})").code, 409);
}

TEST_F(WithoutStatusTest, IncrementsGenerationWhenStatusChanges) {
  EXPECT_EQ(Post(Things(), Body(R"("status":{"ready":false})")).code, 201);

  const Answer changed = MergePatch(Things("a"), R"({"status":{"ready":true}})");
  const Answer labeled = MergePatch(Things("a"), R"({"metadata":{"labels":{"l":"1"}}})");

  EXPECT_EQ(Part(changed, {"metadata", "generation"}), "2");
  EXPECT_EQ(Part(labeled, {"metadata", "generation"}), "2");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
