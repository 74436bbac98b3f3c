// SPDX-License-Identifier: Apache-2.0
// Tests of the published schemas of custom kinds, in the OpenAPI documents of versions 2 and 3.
#include <string>
#include <vector>

#include "clientgo/runtime/protobuf/wire.h"
#include "e2e/contract/things_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

constexpr const char* kAcceptProtobuf =
    "Accept: application/com.github.proto-openapi.spec.v2@v1.0+protobuf, application/json";

// Returns the values of a field of a message.
std::vector<std::string_view> Fields(std::string_view message, std::uint32_t number) {
  std::vector<std::string_view> values;
  runtime::WireReader reader(message);
  runtime::WireHeader field;
  std::string_view bytes;
  while (reader.Next(field, bytes)) {
    if (field.number == number) values.push_back(bytes);
  }
  EXPECT_EQ(reader.error(), "");
  return values;
}

// Returns the value in a list of named values.
std::string_view NamedValue(const std::vector<std::string_view>& entries, std::string_view name) {
  for (const std::string_view entry : entries) {
    if (Fields(entry, 1) == std::vector{name}) return Fields(entry, 2).at(0);
  }
  return {};
}

class OpenApiTest : public ThingsTest {
 protected:
  // Serves Things whose spec has these properties, and waits until both documents have them.
  void ServeSpec(const std::string& properties, const std::string& version_members = "") {
    Serve(DefinitionJson(
        Group(), VersionJson(R"("spec":{"type":"object","properties":{)" + properties + "}}",
                             version_members)));
    ASSERT_TRUE(Eventually([&] {
      return Get("/openapi/v2").body.find(Name("ThingList")) != std::string::npos &&
             Get(version3_ + Group() + "/v1").code == 200;
    }));
  }
  std::string Name(const std::string& kind) const { return "com.example." + ns() + ".v1." + kind; }
  // Returns the JSON of a kind's schema in the document of version 2 or 3.
  std::string Schema(int version, const std::string& kind) const {
    const Answer document = version == 2 ? Get("/openapi/v2") : Get(version3_ + Group() + "/v1");
    return version == 2 ? JsonAt(document, {"definitions", Name(kind)})
                        : JsonAt(document, {"components", "schemas", Name(kind)});
  }
  // Returns the JSON of a property of the spec.
  std::string Property(int version, const std::string& name) const {
    const std::string schema = Schema(version, "Thing");
    runtime::JsonDocument json;
    json.Parse(schema.data(), schema.size());
    const runtime::JsonValue* const found =
        runtime::FindPath(json, {"properties", "spec", "properties", name});
    return found == nullptr ? "none" : Sorted(runtime::ToJson(*found));
  }
  std::string Kinds(const std::string& kind) const {
    return R"("x-kubernetes-group-version-kind":[{"group":")" + Group() + R"(","kind":")" + kind +
           R"(","version":"v1"}])";
  }

  const std::string version3_ = "/openapi/v3/apis/";
  const std::string more_ =
      "More info: "
      "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
};

TEST_F(OpenApiTest, DescribesAKindAndItsList) {
  ServeSpec(R"("size":{"type":"integer","minimum":1,"default":2,"description":"The size."})",
            R"("selectableFields":[{"jsonPath":".spec.size"}],)");
  const std::string selectable =
      Minor() < 31 ? "" : R"(,"x-kubernetes-selectable-fields":[{"fieldPath":"spec.size"}])";
  const std::string type_members =
      R"("apiVersion":{"description":"APIVersion defines the versioned schema of this )"
      R"(representation of an object. Servers should convert recognized schemas to the latest )"
      R"(internal value, and may reject unrecognized values. )" +
      more_ +
      R"(#resources","type":"string"},"kind":{"description":"Kind is a string value )"
      R"(representing the REST resource this object represents. Servers may infer this from the )"
      R"(endpoint the client submits requests to. Cannot be updated. In CamelCase. )" +
      more_ + R"(#types-kinds","type":"string"})";
  for (const int version : {2, 3}) {
    const bool v2 = version == 2;
    const std::string place = v2 ? "#/definitions/" : "#/components/schemas/";
    const auto metadata = [&](const std::string& text, const std::string& name) {
      const std::string reference =
          R"("$ref":")" + place + "io.k8s.apimachinery.pkg.apis.meta.v1." + name + "\"";
      return R"("metadata":{"description":")" + text + "\"," +
             (v2 ? reference : R"("allOf":[{)" + reference + "}]") + "}";
    };
    EXPECT_EQ(Schema(version, "Thing"),
              Sorted(R"({"type":"object","properties":{)" + type_members + "," +
                     metadata("Standard object's metadata. " + more_ + "#metadata", "ObjectMeta") +
                     R"(,"spec":{"type":"object","properties":{"size":{"type":"integer",)" +
                     R"("minimum":1,)" + (v2 ? "" : R"("default":2,)") +
                     R"("description":"The size."}}}},)" + Kinds("Thing") + selectable + "}"));
    EXPECT_EQ(Schema(version, "ThingList"),
              Sorted(R"({"description":"ThingList is a list of Thing","type":"object",)"
                     R"("required":["items"],"properties":{)" +
                     type_members + "," +
                     metadata("Standard list metadata. " + more_ + "#types-kinds", "ListMeta") +
                     R"(,"items":{"description":"List of things. )" + more_ +
                     R"(","type":"array","items":{"$ref":")" + place + Name("Thing") + R"("}}},)" +
                     Kinds("ThingList") + selectable + "}"));
  }
}

TEST_F(OpenApiTest, DropsWhatVersion2CannotExpress) {
  ServeSpec(R"("any":{"type":"object","properties":{"x":{"type":"string"}},)"
            R"("anyOf":[{"required":["x"]}],"oneOf":[{"required":["x"]}],"not":{"required":["y"]},)"
            R"("allOf":[{"properties":{"x":{"maxLength":3}}}]},)"
            R"("port":{"x-kubernetes-int-or-string":true},)"
            R"("ports":{"x-kubernetes-int-or-string":true,"anyOf":[{"pattern":"a"}]},)"
            R"("usual":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},)"
            R"({"type":"string"}],"pattern":"a"},)"
            R"("null":{"type":"object","required":["x"],"properties":{"x":{"type":"string",)"
            R"("nullable":true},"y":{"type":"array","nullable":true,"items":{"type":"string"}}}},)"
            R"("map":{"type":"object","required":["x"],"additionalProperties":{"type":"string",)"
            R"("nullable":true}},)"
            R"("raw":{"type":"object","x-kubernetes-preserve-unknown-fields":true,)"
            R"("properties":{"x":{"type":"string"}},"required":["x"]},)"
            R"("raws":{"type":"array","x-kubernetes-preserve-unknown-fields":true,)"
            R"("items":{"type":"string"}})");
  const std::string types = R"([{"type":"integer"},{"type":"string"}])";
  const auto expect = [&](const char* name, const std::string& v2, const std::string& v3) {
    EXPECT_EQ(Property(2, name), Sorted(v2)) << name;
    EXPECT_EQ(Property(3, name), Sorted(v3)) << name;
  };

  expect("any", R"({"type":"object","properties":{"x":{"type":"string"}}})",
         R"({"type":"object","properties":{"x":{"type":"string"}},)"
         R"("anyOf":[{"required":["x"]}],"oneOf":[{"required":["x"]}],"not":{"required":["y"]},)"
         R"("allOf":[{"properties":{"x":{"maxLength":3}}}]})");
  expect("port", R"({"x-kubernetes-int-or-string":true})",
         R"({"x-kubernetes-int-or-string":true,"anyOf":)" + types + "}");
  expect("ports", R"({"x-kubernetes-int-or-string":true})",
         R"({"x-kubernetes-int-or-string":true,"anyOf":[{"pattern":"a"}],"allOf":[{"anyOf":)" +
             types + "}]}");
  expect("usual", R"({"x-kubernetes-int-or-string":true,"pattern":"a"})",
         R"({"x-kubernetes-int-or-string":true,"pattern":"a","anyOf":)" + types + "}");
  expect("null", R"({"type":"object","properties":{"x":{},"y":{}}})",
         R"({"type":"object","required":["x"],"properties":{"x":{"type":"string",)"
         R"("nullable":true},"y":{"type":"array","nullable":true,"items":{"type":"string"}}}})");
  expect("map", R"({"type":"object","additionalProperties":{}})",
         R"({"type":"object","required":["x"],"additionalProperties":{"type":"string",)"
         R"("nullable":true}})");
  expect("raw", R"({"x-kubernetes-preserve-unknown-fields":true,"required":["x"]})",
         R"({"type":"object","x-kubernetes-preserve-unknown-fields":true,)"
         R"("properties":{"x":{"type":"string"}},"required":["x"]})");
  expect("raws", R"({"x-kubernetes-preserve-unknown-fields":true})",
         R"({"type":"array","x-kubernetes-preserve-unknown-fields":true,)"
         R"("items":{"type":"string"}})");
}

TEST_F(OpenApiTest, AddsTheTypeOfEmbeddedObjects) {
  ServeSpec(R"("whole":{"type":"object","x-kubernetes-embedded-resource":true,"required":["kind"],)"
            R"("properties":{"spec":{"type":"object"}}},)"
            R"("open":{"type":"object","x-kubernetes-embedded-resource":true,)"
            R"("x-kubernetes-preserve-unknown-fields":true})");

  const std::string whole = Property(2, "whole");
  EXPECT_THAT(whole, HasSubstr(R"("required":["kind","apiVersion"])"));
  EXPECT_THAT(whole, HasSubstr("apiVersion defines the versioned schema of this representation"));
  EXPECT_THAT(whole, HasSubstr("v1.ObjectMeta"));
  EXPECT_EQ(Property(2, "open"), Sorted(R"({"x-kubernetes-embedded-resource":true,)"
                                        R"("x-kubernetes-preserve-unknown-fields":true})"));
  EXPECT_THAT(Property(3, "open"), HasSubstr(R"("required":["kind","apiVersion"])"));
}

TEST_F(OpenApiTest, DeclaresNoFieldsOfAnOpenKindInVersion2) {
  Serve(DefinitionJson(Group(),
                       R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{)"
                       R"("type":"object","description":"x",)"
                       R"("x-kubernetes-preserve-unknown-fields":true}}})"));

  ASSERT_TRUE(Eventually([&] { return !Schema(2, "Thing").empty(); }));
  EXPECT_EQ(Schema(2, "Thing"), Sorted(R"({"type":"object",)" + Kinds("Thing") + "}"));
}

TEST_F(OpenApiTest, HasTheSameSchemaInProtobuf) {
  ServeSpec(R"("size":{"type":"integer","minimum":1.5,"maximum":70000,"maxLength":300,)"
            R"("exclusiveMinimum":true,"description":"The size."})");
  const Answer answer = Get("/openapi/v2", {kAcceptProtobuf});
  ASSERT_EQ(answer.code, 200);
  EXPECT_THAT(answer.head, HasSubstr("application/com.github.proto-openapi.spec.v2.v1.0+protobuf"));

  EXPECT_EQ(Fields(answer.body, 1), std::vector<std::string_view>{"2.0"});
  const std::string_view thing = NamedValue(Fields(Fields(answer.body, 9).at(0), 1), Name("Thing"));
  ASSERT_NE(thing, "");
  const std::string_view kinds = NamedValue(Fields(thing, 31), "x-kubernetes-group-version-kind");
  EXPECT_THAT(std::string(Fields(kinds, 2).at(0)), HasSubstr("Thing"));
  const auto property = [](std::string_view schema, std::string_view name) {
    return NamedValue(Fields(Fields(schema, 25).at(0), 1), name);
  };
  const std::string_view metadata = property(thing, "metadata");
  EXPECT_EQ(Fields(metadata, 1),
            std::vector<std::string_view>{
                "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"});
  const std::string_view size = property(property(thing, "spec"), "size");
  EXPECT_EQ(Fields(size, 4), std::vector<std::string_view>{"The size."});
  EXPECT_EQ(Fields(Fields(size, 22).at(0), 1), std::vector<std::string_view>{"integer"});
  std::string error;
  const auto integer = [&](std::uint32_t number, runtime::WireType type) {
    return runtime::OneField(size, number, type, error).integer;
  };
  EXPECT_EQ(integer(9, runtime::WireType::kFixed64), 0x3ff8000000000000U);  // 1.5
  EXPECT_EQ(integer(7, runtime::WireType::kFixed64), 0x40f1170000000000U);  // 70000
  EXPECT_EQ(integer(11, runtime::WireType::kVarint), 300U);
  EXPECT_EQ(integer(10, runtime::WireType::kVarint), 1U);
  EXPECT_EQ(error, "");
}

TEST_F(OpenApiTest, DescribesBuiltInKinds) {
  const Answer document = Get("/openapi/v2");
  const auto at = [&](const char* name, const char* property) {
    const runtime::JsonValue* const schema =
        runtime::FindPath(document.json, {"definitions", name, "properties", property});
    if (schema == nullptr) return std::string("none");
    runtime::JsonDocument copy;
    copy.CopyFrom(*schema, copy.GetAllocator());
    copy.RemoveMember("description");
    copy.RemoveMember("default");
    return Sorted(runtime::ToJson(copy));
  };

  EXPECT_EQ(at("io.k8s.api.core.v1.PersistentVolumeClaim", "spec"),
            R"({"$ref":"#/definitions/io.k8s.api.core.v1.PersistentVolumeClaimSpec"})");
  EXPECT_EQ(JsonAt(document, {"definitions", "io.k8s.api.core.v1.PersistentVolumeClaim",
                              "x-kubernetes-group-version-kind"}),
            R"([{"group":"","kind":"PersistentVolumeClaim","version":"v1"}])");
  EXPECT_EQ(at("io.k8s.api.apps.v1.DeploymentSpec", "strategy"),
            Sorted(R"({"$ref":"#/definitions/io.k8s.api.apps.v1.DeploymentStrategy",)"
                   R"("x-kubernetes-patch-strategy":"retainKeys"})"));
  EXPECT_EQ(at("io.k8s.api.core.v1.ServicePort", "targetPort"),
            R"({"$ref":"#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString"})");
  EXPECT_EQ(at("io.k8s.api.core.v1.ServicePort", "port"), R"({"format":"int32","type":"integer"})");
  EXPECT_EQ(JsonAt(document, {"definitions", "io.k8s.api.core.v1.PodList", "required"}),
            R"(["items"])");
  EXPECT_EQ(JsonAt(document,
                   {"definitions", "io.k8s.api.core.v1.PodList", "properties", "items", "items"}),
            R"({"$ref":"#/definitions/io.k8s.api.core.v1.Pod"})");
  EXPECT_EQ(JsonAt(document, {"definitions", "io.k8s.api.core.v1.PodList",
                              "x-kubernetes-group-version-kind"}),
            R"([{"group":"","kind":"PodList","version":"v1"}])");
}

// Returns the actions of a path, each with the schema that it returns.
std::string Operations(const runtime::JsonValue& document, std::string_view path) {
  std::string all;
  for (const char* const method : {"get", "post", "put", "patch", "delete"}) {
    const runtime::JsonValue* const found = runtime::FindPath(document, {"paths", path, method});
    if (found == nullptr) continue;
    const runtime::JsonValue& ok = ObjectAt(ObjectAt(*found, "responses"), "200");
    const runtime::JsonValue* schema = runtime::Find(ok, "schema");
    if (schema == nullptr)
      schema = runtime::FindPath(ok, {"content", "application/json", "schema"});
    const std::string_view name =
        schema == nullptr ? std::string_view() : runtime::GetString(*schema, "$ref");
    const runtime::JsonValue& kind = ObjectAt(*found, "x-kubernetes-group-version-kind");
    all.append(runtime::GetString(*found, "x-kubernetes-action"))
        .append(":")
        .append(name.substr(name.rfind('.') + 1))
        .append(runtime::GetString(kind, "kind") == name.substr(name.rfind('.') + 1) ? " " : "! ");
  }
  return all;
}

TEST_F(OpenApiTest, ReturnsTheSchemasOfOperations) {
  ServeSpec(R"("size":{"type":"integer"})", R"("subresources":{"status":{}},)");
  const Answer all = Get("/openapi/v2");
  const std::string core = "/api/v1/namespaces/{namespace}/";
  const std::string things = "/apis/" + Group() + "/v1/namespaces/{namespace}/things";
  const Answer index = Get("/openapi/v3");
  const auto expect = [&](const std::string& prefix, const std::string& path,
                          const std::string& operations) {
    EXPECT_EQ(Operations(all.json, path), operations) << path;
    const runtime::JsonValue& found = ObjectAt(ObjectAt(index.json, "paths"), prefix);
    EXPECT_EQ(Operations(Get(runtime::GetString(found, "serverRelativeURL")).json, path),
              operations)
        << path;
  };

  expect("api/v1", core + "configmaps",
         "list:ConfigMapList! post:ConfigMap deletecollection:Status! ");
  expect("api/v1", core + "configmaps/{name}",
         "get:ConfigMap put:ConfigMap patch:ConfigMap delete:Status! ");
  expect("api/v1", core + "pods/{name}", "get:Pod put:Pod patch:Pod delete:Pod ");
  expect("api/v1", core + "pods/{name}/status", "get:Pod put:Pod patch:Pod ");
  expect("apis/authentication.k8s.io/v1", "/apis/authentication.k8s.io/v1/tokenreviews",
         "post:TokenReview ");
  const std::string custom = "apis/" + Group() + "/v1";
  expect(custom, things, "list:ThingList! post:Thing deletecollection:Status! ");
  expect(custom, things + "/{name}", "get:Thing put:Thing patch:Thing delete:Status! ");
  expect(custom, things + "/{name}/status", "get:Thing put:Thing patch:Thing ");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
