// SPDX-License-Identifier: Apache-2.0
// Tests of custom resources: what a CustomResourceDefinition from a declared kind makes the server
// serve, validate, default and prune.
#include <cctype>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "capstan/crd.h"
#include "capstan/testing/eventually.h"
#include "clientgo/rest/request_builder.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {

struct Thing {
  ObjectMeta metadata;
  struct Spec {
    std::string name;
    int replicas = 1;
    double ratio = 1;
    bool on = false;
    std::string size = "small";
    std::vector<std::string> list;
    std::map<std::string, int> map;
    std::optional<Time> at;
    std::optional<IntOrString> target;
    std::vector<std::string> set;
    struct Port {
      std::string name;
      int number = 80;
    };
    std::vector<Port> ports;
    std::vector<Port> named;
  } spec;
  struct Status {
    int available = 0;
  } status;
};

constexpr auto MakePort() {
  using Port = Thing::Spec::Port;
  return Fields(Field("name", &Port::name).Required(), Field("number", &Port::number).Default(80));
}

}  // namespace capstan::testing::apiserver::contract

template <>
inline constexpr auto capstan::kFields<capstan::testing::apiserver::contract::Thing::Spec::Port> =
    capstan::testing::apiserver::contract::MakePort();

namespace capstan::testing::apiserver::contract {

constexpr auto MakeThing() {
  using Spec = Thing::Spec;
  using Status = Thing::Status;
  return Kind("GROUP.example.com", "v1alpha1", "Thing", "things")
      .Namespaced()
      .ShortNames("th")
      .Column({.name = "Expiry", .type = "date", .json_path = ".spec.at"})
      .Spec(Field("name", &Spec::name).Required().MinLength(2).MaxLength(5).Pattern("^[a-z]+$"),
            Field("replicas", &Spec::replicas).Minimum(0).Maximum(10).Default(1),
            Field("ratio", &Spec::ratio).Minimum(0.5), Field("on", &Spec::on),
            Field("size", &Spec::size).Enum("small", "large").Default("small"),
            Field("list", &Spec::list).MinItems(1).MaxItems(2), Field("map", &Spec::map),
            Field("at", &Spec::at), Field("target", &Spec::target),
            Field("set", &Spec::set).ListSet(), Field("ports", &Spec::ports).ListMap("name"),
            Field("named", &Spec::named).ListMap("name", "number"))
      .Status(Field("available", &Status::available).Minimum(0));
}

}  // namespace capstan::testing::apiserver::contract

template <>
inline constexpr auto capstan::kKind<capstan::testing::apiserver::contract::Thing> =
    capstan::testing::apiserver::contract::MakeThing();

namespace capstan::testing::apiserver::contract {
namespace {

class CustomResourcesTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    DeleteLater(Definition());
    const Answer created = Post(kDefinitions, Manifest(Group()));
    ASSERT_EQ(created.code, 201) << created.body;
    // A real server serves a new definition, and removes a deleted one, after some time.
    ASSERT_TRUE(Eventually([&] { return Get(Things()).code == 200; }));
  }
  static std::string Manifest(const std::string& group) {
    std::string manifest = CustomResourceDefinition<Thing>();
    const std::string name = "GROUP.example.com";
    for (auto at = manifest.find(name); at != std::string::npos; at = manifest.find(name)) {
      manifest.replace(at, name.size(), group);
    }
    return manifest;
  }
  std::string Definition() const { return std::string(kDefinitions) + "/things." + Group(); }
  std::string Version() const { return "/apis/" + Group() + "/v1alpha1"; }
  std::string Things(std::string_view name = {}) const {
    return InNamespace(Version(), "things", name);
  }
  // Returns a Thing with these members beside kind and metadata.
  std::string Body(const std::string& name, const std::string& members,
                   const std::string& kind = "Thing",
                   const std::string& version = "v1alpha1") const {
    return R"({"apiVersion":")" + Group() + "/" + version + R"(","kind":")" + kind +
           R"(","metadata":{"name":")" + name + R"("},)" + members + "}";
  }
  Answer Create(const std::string& name, const std::string& members) const {
    return Post(Things(), Body(name, members));
  }
  static std::string Part(const Answer& answer, std::string_view member) {
    const runtime::JsonValue* const value = runtime::Find(answer.json, member);
    return value == nullptr ? "none" : Sorted(runtime::ToJson(*value));
  }
  // Expects that a Thing with this spec is rejected for one field.
  void ExpectInvalid(const std::string& spec, const std::string& field, const std::string& reason,
                     const std::string& message) const {
    EXPECT_REFUSED(Create("bad", "\"spec\":" + spec),
                   Invalid("Thing." + Group(), "bad", field, reason, message));
  }
};

TEST_F(CustomResourcesTest, EstablishesDefinition) {
  const auto established = [&] {
    const std::string status = Part(Get(Definition()), "status");
    return status.find(R"("reason":"NoConflicts","status":"True","type":"NamesAccepted")") !=
               std::string::npos &&
           status.find(R"("reason":"InitialNamesAccepted","status":"True","type":"Established")") !=
               std::string::npos;
  };
  EXPECT_TRUE(Eventually(established)) << Get(Definition()).body;
}

TEST_F(CustomResourcesTest, DiscoversResource) {
  ASSERT_TRUE(Eventually([&] { return Get(Version()).code == 200; }));
  const std::string version =
      R"({"groupVersion":")" + Group() + R"(/v1alpha1","version":"v1alpha1"})";
  EXPECT_EQ(Sorted(Get("/apis/" + Group()).body),
            Sorted(R"({"kind":"APIGroup","apiVersion":"v1","name":")" + Group() +
                   R"(","versions":[)" + version + R"(],"preferredVersion":)" + version + "}"));
  const Answer resources = Get(Version());
  EXPECT_THAT(resources.body,
              ::testing::HasSubstr(R"("name":"things","singularName":"thing","namespaced":true)"));
  EXPECT_THAT(resources.body, ::testing::HasSubstr(R"("shortNames":["th"])"));
  EXPECT_THAT(resources.body, ::testing::HasSubstr(R"("name":"things/status")"));
}

TEST_F(CustomResourcesTest, HaveNoProtobufButThatOfTheirMetadata) {
  Create("a", R"("spec":{"name":"abc"})");
  const std::string protobuf = "Accept: application/vnd.kubernetes.protobuf";

  EXPECT_EQ(Get(Things("a"), {protobuf}).code, 406);
  EXPECT_EQ(Get(Things("a"), {protobuf + ",application/json"}).body, Get(Things("a")).body);
  const Answer metadata =
      Get(Things("a"), {protobuf + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"});
  EXPECT_EQ(metadata.code, 200);
  EXPECT_EQ(metadata.body.substr(0, 4), std::string("k8s\0", 4));
}

TEST_F(CustomResourcesTest, SetsDefaultsAndReplacesNulls) {
  const Answer created = Create("a", R"("spec":{"name":"abc","replicas":null})");
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Part(created, "spec"), R"({"name":"abc","replicas":1,"size":"small"})");
  EXPECT_EQ(Part(Get(Things("a")), "spec"), R"({"name":"abc","replicas":1,"size":"small"})");
}

TEST_F(CustomResourcesTest, RemovesUnknownMetadataWithWarning) {
  std::string body = Body("a", R"("spec":{"name":"abc"})");
  body.insert(body.find(R"("name")"), R"("odd":1,)");
  const Answer created = Post(Things(), body);

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_THAT(created.head, ::testing::HasSubstr(R"(299 - "unknown field \"metadata.odd\"")"));
  EXPECT_EQ(JsonAt(created, {"metadata", "odd"}), "");
  const Answer strict = Post(Things() + "?fieldValidation=Strict", body);
  EXPECT_EQ(strict.code, 400);
  EXPECT_THAT(std::string(strict.message()),
              ::testing::HasSubstr(R"(strict decoding error: unknown field "metadata.odd")"));
}

TEST_F(CustomResourcesTest, RejectsMetadataThatIsNoObject) {
  ASSERT_EQ(Create("a", R"("spec":{"name":"abc"})").code, 201);
  std::string body = Body("b", R"("spec":{"name":"abc"})");
  body.replace(body.find(R"({"name":"b"})"), std::strlen(R"({"name":"b"})"), "null");

  EXPECT_EQ(MergePatch(Things("a"), R"({"metadata":"x"})").code, 422);
  EXPECT_EQ(JsonPatch(Things("a"), R"([{"op":"replace","path":"/metadata","value":[1]}])").code,
            422);
  EXPECT_EQ(Post(Things(), body).code, 422);
}

TEST_F(CustomResourcesTest, RemovesUnknownFieldsWithWarning) {
  const std::string members = R"("spec":{"name":"abc","odd":1},"extra":{})";
  const Answer created = Create("a", members);
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Part(created, "spec"), R"({"name":"abc","replicas":1,"size":"small"})");
  EXPECT_EQ(Part(created, "extra"), "none");
  EXPECT_THAT(created.head, ::testing::HasSubstr(R"(unknown field \"extra\")"));
  EXPECT_THAT(created.head, ::testing::HasSubstr(R"(unknown field \"spec.odd\")"));

  EXPECT_REFUSED(Post(Things() + "?fieldValidation=Strict", Body("b", members)),
                 BadRequest(R"(Thing in version "v1alpha1" cannot be handled as a Thing: strict )"
                            R"(decoding error: unknown field "extra", unknown field "spec.odd")"));
  const Answer patched = MergePatch(Things("a"), R"({"spec":{"odd":1,"on":true}})");
  EXPECT_EQ(Part(patched, "spec"), R"({"name":"abc","on":true,"replicas":1,"size":"small"})");
}

TEST_F(CustomResourcesTest, ShowsAgesOfTimesInAnyYear) {
  const auto age = [&](const std::string& name, const std::string& time) {
    const Answer created = Create(name, R"("spec":{"name":"abc","at":")" + time + "\"}");
    EXPECT_EQ(created.code, 201) << created.body;
    const Answer table =
        Get(Things(name), {"Accept: application/json;as=Table;g=meta.k8s.io;v=v1"});
    EXPECT_EQ(table.code, 200) << table.body;
    return runtime::ToJson(table.json["rows"][0]["cells"]);
  };
  EXPECT_EQ(age("future", "9999-12-31T23:59:59Z"), R"(["future","<invalid>"])");
  EXPECT_EQ(age("past", "0002-01-01T00:00:00Z"), R"(["past","292y"])");
  EXPECT_EQ(age("zero", "0001-01-01T00:00:00Z"), R"(["zero","<unknown>"])");
}

TEST_F(CustomResourcesTest, RejectsMissingAndWrongTypes) {
  ExpectInvalid("{}", "spec.name", "FieldValueRequired", "Required value");
  ExpectInvalid(R"({"name":null})", "spec.name", "FieldValueRequired", "Required value");
  const auto wrong = [&](const std::string& spec, const std::string& field, const std::string& type,
                         const std::string& actual) {
    ExpectInvalid(spec, field, "FieldValueTypeInvalid",
                  "Invalid value: \"" + actual + "\": " + field + " in body must be of type " +
                      type + ": \"" + actual + "\"");
  };
  wrong(R"("x")", "spec", "object", "string");
  wrong(R"({"name":7})", "spec.name", "string", "integer");
  wrong(R"({"name":"abc","replicas":"x"})", "spec.replicas", "integer", "string");
  if (Minor() <= 34) {
    wrong(R"({"name":"abc","replicas":1.5})", "spec.replicas", "integer", "number");
  }
  wrong(R"({"name":"abc","on":"yes"})", "spec.on", "boolean", "string");
  wrong(R"({"name":"abc","list":"x"})", "spec.list", "array", "string");
  wrong(R"({"name":"abc","map":[]})", "spec.map", "object", "array");
  wrong(R"({"name":"abc","map":{"k":"v"}})", "spec.map.k", "integer", "string");
  wrong(R"({"name":"abc","target":true})", "spec.target", "integer,string", "boolean");
  wrong(R"({"name":"abc","at":"never"})", "spec.at", "date-time", "never");
}

TEST_F(CustomResourcesTest, RejectsValuesOutsideTheirLimits) {
  const auto outside = [&](const std::string& spec, const std::string& field,
                           const std::string& value, const std::string& what) {
    ExpectInvalid(spec, field, "FieldValueInvalid",
                  "Invalid value: " + value + ": " + field + " in body " + what);
  };
  outside(R"({"name":"abc","replicas":-1})", "spec.replicas", "-1",
          "should be greater than or equal to 0");
  outside(R"({"name":"abc","replicas":11})", "spec.replicas", "11",
          "should be less than or equal to 10");
  outside(R"({"name":"abc","ratio":0.1})", "spec.ratio", "0.1",
          "should be greater than or equal to 0.5");
  outside(R"({"name":"a"})", "spec.name", "\"a\"", "should be at least 2 chars long");
  outside(R"({"name":"ABC"})", "spec.name", "\"ABC\"", "should match '^[a-z]+$'");
  outside(R"({"name":"abc","list":[]})", "spec.list", "0", "should have at least 1 items");
  ExpectInvalid(R"({"name":"abc","list":["a","b","c"]})", "spec.list", "FieldValueTooMany",
                "Too many: 3: must have at most 2 items");
  ExpectInvalid(R"({"name":"abc","size":"huge"})", "spec.size", "FieldValueNotSupported",
                R"(Unsupported value: "huge": supported values: "small", "large")");
  if (Minor() == 34) {  // versions differ in the text
    ExpectInvalid(R"({"name":"abcdef"})", "spec.name", "FieldValueTooLong",
                  "Too long: may not be more than 5 bytes");
  }
}

TEST_F(CustomResourcesTest, RequiresSpecWithRequiredFields) {
  EXPECT_REFUSED(Create("bad", R"("status":{})"), Invalid("Thing." + Group(), "bad", "spec",
                                                          "FieldValueRequired", "Required value"));
}

TEST_F(CustomResourcesTest, RejectsDuplicatesInListsOfTypeSetAndMap) {
  const auto duplicate = [&](const std::string& members, const std::string& field,
                             const std::string& value) {
    ExpectInvalid(R"({"name":"abc",)" + members + "}", field, "FieldValueDuplicate",
                  "Duplicate value: " + (value.starts_with("{") ? ObjectValue(value) : value));
  };
  duplicate(R"("set":["a","b","a","a"])", "spec.set[2]", R"("a")");
  duplicate(R"("ports":[{"name":"a"},{"name":"b"},{"name":"a","number":1}])", "spec.ports[2]",
            R"({"name":"a"})");
  duplicate(R"("named":[{"number":80,"name":"a"},{"name":"a","number":1},{"name":"a"}])",
            "spec.named[2]", R"({"name":"a","number":80})");

  const Answer created =
      Create("a", R"("spec":{"name":"abc","set":["a","b"],"ports":[{"name":"a"},{"name":"b"}],)"
                  R"("named":[{"name":"a"},{"name":"a","number":1}]})");
  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_REFUSED(
      JsonPatch(Things("a"), R"([{"op":"add","path":"/spec/ports/0","value":{"name":"b"}}])"),
      Invalid("Thing." + Group(), "a", "spec.ports[2]", "FieldValueDuplicate",
              "Duplicate value: " + ObjectValue(R"({"name":"b"})")));
}

TEST_F(CustomResourcesTest, WritesStatusApartFromSpec) {
  ASSERT_EQ(Create("a", R"("spec":{"name":"abc"},"status":{"available":7})").code, 201);
  EXPECT_EQ(Part(Get(Things("a")), "status"), "none");

  const Answer status =
      MergePatch(Things("a") + "/status", R"({"spec":{"name":"zzz"},"status":{"available":3}})");
  EXPECT_EQ(status.code, 200) << status.body;
  EXPECT_EQ(Part(status, "spec"), R"({"name":"abc","replicas":1,"size":"small"})");
  EXPECT_EQ(Part(status, "status"), R"({"available":3})");

  const Answer spec =
      MergePatch(Things("a"), R"({"spec":{"replicas":3},"status":{"available":9}})");
  EXPECT_EQ(Part(spec, "status"), R"({"available":3})");
  EXPECT_THAT(Sorted(spec.body), ::testing::HasSubstr(R"("generation":2)"));
  EXPECT_REFUSED(MergePatch(Things("a") + "/status", R"({"status":{"available":-3}})"),
                 Invalid("Thing." + Group(), "a", Minor() < 34 ? "available" : "status.available",
                         "FieldValueInvalid",
                         "Invalid value: -3: available in body should be greater than or equal to "
                         "0"));
}

// karpenter's tests set creationTimestamp themselves.
TEST_F(CustomResourcesTest, WriteOfStatusIgnoresMetadata) {
  ASSERT_EQ(Create("a", R"("spec":{"name":"abc"})").code, 201);

  const Answer status =
      MergePatch(Things("a") + "/status",
                 R"({"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z","labels":{"l":"1"}},)"
                 R"("status":{"available":3}})");

  EXPECT_EQ(status.code, 200) << status.body;
  EXPECT_EQ(Part(status, "status"), R"({"available":3})");
  EXPECT_THAT(status.body, ::testing::Not(::testing::HasSubstr("2001-01-01")));

  const Answer whole =
      MergePatch(Things("a"), R"({"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z"}})");
  EXPECT_EQ(whole.code, 200) << whole.body;
  EXPECT_THAT(whole.body, ::testing::Not(::testing::HasSubstr("2001-01-01")));
}

TEST_F(CustomResourcesTest, AppliesDeclaredFieldsOnly) {
  const Answer applied =
      Apply(Things("a"), "fieldManager=m", Body("a", R"("spec":{"name":"abc"})"));
  EXPECT_EQ(applied.code, 201) << applied.body;
  EXPECT_EQ(Part(applied, "spec"), R"({"name":"abc","replicas":1,"size":"small"})");
  EXPECT_EQ(
      Apply(Things("a"), "fieldManager=m", Body("a", R"("spec":{"name":"abc","odd":1})")).message(),
      "failed to create typed patch object (" + std::string("/a; ") + Group() +
          "/v1alpha1, Kind=Thing): .spec.odd: field not declared in schema");
}

TEST_F(CustomResourcesTest, RejectsOtherKindAndVersion) {
  EXPECT_REFUSED(Post(Things(), Body("o", R"("spec":{"name":"abc"})", "Other")),
                 Invalid("Other." + Group(), "o", "kind", "FieldValueInvalid",
                         R"(Invalid value: "Other": must be Thing)"));
  EXPECT_REFUSED(
      Post(Things(), Body("o", R"("spec":{"name":"abc"})", "Thing", "v2")),
      BadRequest("the API version in the data (" + Group() +
                 "/v2) does not match the expected API version (" + Group() + "/v1alpha1)"));
}

TEST_F(CustomResourcesTest, RequiresStatementOnReviewForGroupsOfKubernetes) {
  const std::string group = ns() + ".k8s.io";
  const std::string name = "things." + group;
  const auto invalid = [&](const std::string& reason, const std::string& message) {
    return Invalid("CustomResourceDefinition.apiextensions.k8s.io", name,
                   "metadata.annotations[api-approved.kubernetes.io]", reason, message);
  };
  const auto with = [&](const std::string& state) {
    std::string manifest = Manifest(group);
    return manifest.insert(manifest.find(R"("name":"things.)"),
                           R"("annotations":{"api-approved.kubernetes.io":")" + state + R"("},)");
  };
  const std::string why = R"(protected groups must have approval annotation )"
                          R"("api-approved.kubernetes.io")";
  const std::string see = ", see https://github.com/kubernetes/enhancements/pull/1111";
  EXPECT_REFUSED(Post(kDefinitions, Manifest(group)),
                 invalid("FieldValueRequired", "Required value: " + why + see));
  EXPECT_REFUSED(Post(kDefinitions, with("yes")),
                 invalid("FieldValueInvalid",
                         R"(Invalid value: "yes": )" + why +
                             R"( with either a URL or a reason starting with "unapproved")" + see));

  DeleteLater(std::string(kDefinitions) + "/" + name);
  const Answer created = Post(kDefinitions, with("unapproved, experimental-only"));
  EXPECT_EQ(created.code, 201) << created.body;

  const auto approval = [&]() -> std::string {
    const Answer definition = Get(std::string(kDefinitions) + "/" + name);
    for (const auto& one : ListAt(ObjectAt(definition.json, "status"), "conditions").GetArray()) {
      if (runtime::GetString(one, "type") != "KubernetesAPIApprovalPolicyConformant") continue;
      std::string shown(runtime::GetString(one, "status"));
      shown.append(" ").append(runtime::GetString(one, "reason"));
      return shown.append(" ").append(runtime::GetString(one, "message"));
    }
    return "";
  };
  const std::string unapproved = "False UnapprovedAnnotation not approved: ";
  EXPECT_TRUE(Eventually([&] {
    return approval() == unapproved + R"("unapproved, experimental-only")";
  })) << approval();
  EXPECT_EQ(MergePatch(std::string(kDefinitions) + "/" + name,
                       R"({"metadata":{"annotations":{"api-approved.kubernetes.io":)"
                       R"("https://example.com/1"}}})")
                .code,
            200);
  EXPECT_TRUE(Eventually([&] {
    return approval() == "True ApprovedAnnotation approved in https://example.com/1";
  })) << approval();
}

// Knative's Service is such a kind: nothing of the built-in one may apply to it.
TEST_F(CustomResourcesTest, AddsNothingToKindsNamedLikeBuiltInOnes) {
  const std::string group = "alike." + Group();
  for (const std::string kind :
       {"ConfigMap", "Deployment", "Lease", "Namespace", "Pod", "Secret", "Service"}) {
    SCOPED_TRACE(kind);
    std::string plural = kind + "s";
    for (char& c : plural) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string name = plural + "." + group;
    DeleteLater(std::string(kDefinitions) + "/" + name);
    const Answer defined =
        Post(kDefinitions,
             R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
             R"("metadata":{"name":")" +
                 name + R"("},"spec":{"group":")" + group +
                 R"(","scope":"Namespaced","names":{"kind":")" + kind + R"(","plural":")" + plural +
                 R"("},"versions":[{"name":"v1","served":true,"storage":true,"schema":{)"
                 R"("openAPIV3Schema":{"type":"object",)"
                 R"("x-kubernetes-preserve-unknown-fields":true}}}]}})");
    ASSERT_EQ(defined.code, 201) << defined.body;
    const std::string version = "/apis/" + group + "/v1";
    const std::string all = version + "/namespaces/" + ns() + "/" + plural;
    ASSERT_TRUE(Eventually([&] { return Get(all).code == 200; }));

    const std::string members = R"("data":{"a":1},"spec":{"b":1},"type":"c")";
    const auto body = [&](const std::string& object) {
      return R"({"apiVersion":")" + group + R"(/v1","kind":")" + kind +
             R"(","metadata":{"name":")" + object + R"("},)" + members + "}";
    };
    const Answer created = Post(all, body("a"));
    ASSERT_EQ(created.code, 201) << created.body;
    EXPECT_EQ(Part(created, "data"), R"({"a":1})");
    EXPECT_EQ(Part(created, "spec"), R"({"b":1})");
    EXPECT_EQ(Part(created, "status"), "none");
    const Answer patched = MergePatch(all + "/a", R"({"type":"d","spec":{"b":"2"}})");
    EXPECT_EQ(patched.code, 200) << patched.body;
    EXPECT_EQ(Part(patched, "spec"), R"({"b":"2"})");
    const Answer applied = Apply(all + "/b", "fieldManager=one", body("b"));
    EXPECT_EQ(applied.code, 201) << applied.body;
    EXPECT_THAT(Get(version).body, ::testing::Not(::testing::HasSubstr(plural + "/")));
    EXPECT_EQ(Post(all + "/a/eviction", "{}").code, 404);
  }
}

TEST_F(CustomResourcesTest, RemovesObjectsWithTheirDefinition) {
  ASSERT_EQ(Create("a", R"("spec":{"name":"abc"})").code, 201);
  EXPECT_EQ(Delete(Definition()).code, 200);
  EXPECT_TRUE(Eventually([&] { return Get(Definition()).code == 404; }));
  EXPECT_TRUE(Eventually([&] { return Get(Things("a")).code == 404; }));
  EXPECT_TRUE(Eventually([&] { return Get(Version()).code == 404; }));
}

TEST_F(CustomResourcesTest, SelectsBySelectableFields) {
  if (Minor() < 31) GTEST_SKIP() << "selectableFields are off by default";
  const std::string group = ns() + ".example.com";
  DeleteLater(std::string(kDefinitions) + "/paints." + group);
  ASSERT_EQ(
      Post(kDefinitions,
           R"({"metadata":{"name":"paints.)" + group + R"("},"spec":{"group":")" + group +
               R"(","scope":"Namespaced","names":{"plural":"paints","kind":"Paint"},"versions":[{)"
               R"("name":"v1","served":true,"storage":true,"selectableFields":[{"jsonPath":)"
               R"(".spec.color"},{"jsonPath":".spec.coats"},{"jsonPath":".spec.dry"}],)"
               R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{)"
               R"("type":"object","properties":{"color":{"type":"string"},)"
               R"("coats":{"type":"integer"},"dry":{"type":"boolean"}}}}}}}]}})")
          .code,
      201);
  const std::string paints = InNamespace("/apis/" + group + "/v1", "paints");
  ASSERT_TRUE(Eventually([&] { return Get(paints).code == 200; }));
  const std::string start = R"({"apiVersion":")" + group + R"(/v1","kind":"Paint",)";
  Post(paints, start + R"("metadata":{"name":"a"},"spec":{"color":"red","coats":3,"dry":true}})");
  Post(paints, start + R"("metadata":{"name":"b"},"spec":{}})");
  const auto select = [&](const std::string& selector) {
    const Answer answer = Get(paints + "?fieldSelector=" + rest::QueryEscape(selector));
    return answer.code == 200 ? Names(answer) : std::string(answer.message());
  };

  EXPECT_EQ(select("spec.color=red"), "a ");
  EXPECT_EQ(select("spec.color!=red"), "b ");
  EXPECT_EQ(select("spec.coats=3,spec.dry=true"), "a ");
  EXPECT_EQ(select("spec.coats=0"), "");
  EXPECT_EQ(select("spec.dry=,metadata.namespace=" + ns()), "b ");
  EXPECT_EQ(select("spec.x=1"), "field label not supported: spec.x");
}

TEST_F(CustomResourcesTest, WarnsOfAShortFinalizer) {
  const Answer created = Post(Things(), R"({"apiVersion":")" + Group() +
                                            R"(/v1alpha1","kind":"Thing","metadata":{"name":"a",)"
                                            R"("finalizers":["machine-test"]},)"
                                            R"("spec":{"name":"abc"}})");

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_THAT(created.head,
              ::testing::HasSubstr("prefer a domain-qualified finalizer name to avoid accidental "
                                   "conflicts with other finalizer writers"));
  MergePatch(Things("a"), R"({"metadata":{"finalizers":null}})");
}

TEST_F(CustomResourcesTest, ReportsAMissingObjectForSubresourcesThatTheKindLacks) {
  for (const char* const subresource : {"scale", "nothing"}) {
    const Answer answer = Get(Things("nope") + "/" + subresource);
    EXPECT_EQ(answer.code, 404);
    EXPECT_EQ(answer.message(), "things." + Group() + " \"nope\" not found");
  }
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
