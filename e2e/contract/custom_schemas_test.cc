// SPDX-License-Identifier: Apache-2.0
// Tests of custom resources with a hand-written schema: unknown fields, list types of server-side
// apply, and the fields that an endpoint does not change.
#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::contract {
namespace {

using capstan::testing::Eventually;
using clientgo::runtime::FindPath;

constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

class CustomSchemasTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    DeleteLater(std::string(kDefinitions) + "/things." + Group());
    const Answer created = Post(kDefinitions, Definition(true));
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_TRUE(Eventually([&] { return Get(Things()).code == 200; }));
  }
  std::string Group() const { return ns() + ".example.com"; }
  std::string Definition(bool status) const {
    return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
           R"("metadata":{"name":"things.)" +
           Group() + R"("},"spec":{"group":")" + Group() +
           R"(","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[)"
           R"({"name":"v1","served":true,"storage":true,)" +
           std::string(status ? R"("subresources":{"status":{}},)" : "") +
           R"("schema":{"openAPIV3Schema":{"type":"object","properties":{)"
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
           R"("type":{"type":"string"},"status":{"type":"string"}}}}}}}}}}]}})";
  }
  std::string Things(std::string_view name = {}) const {
    std::string path = "/apis/" + Group() + "/v1/namespaces/" + ns() + "/things";
    if (!name.empty()) path += "/" + std::string(name);
    return path;
  }
  // Returns a Thing "a" with these members beside kind and metadata.
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
  static std::string Part(const Answer& answer,
                          std::initializer_list<std::string_view> path) {
    const JsonValue* const value = FindPath(answer.json, path);
    return value == nullptr ? "none" : Sorted(clientgo::runtime::ToJson(*value));
  }
};

TEST_F(CustomSchemasTest, KeepsListsOfObjectsBelowPreservedFields) {
  const std::string raw = R"([{"a":1},[{"b":{"c":[{"d":2}]}}]])";

  const Answer created = Post(Things(), Body(R"("spec":{"raw":)" + raw + "}"));
  EXPECT_EQ(Part(created, {"spec", "raw"}), raw) << created.body;
  const Answer applied = ApplyAs("one&force=true", R"("spec":{"raw":[{"a":3}]})");
  EXPECT_EQ(Part(applied, {"spec", "raw"}), R"([{"a":3}])") << applied.body;
}

TEST_F(CustomSchemasTest, DoesNotCreateAnObjectByItsStatus) {
  const Answer applied = ApplyStatusAs("one", R"("status":{"ready":true})");

  EXPECT_EQ(applied.code, 404) << applied.body;
  EXPECT_EQ(applied.message(), "things." + Group() + " \"a\" not found");
  EXPECT_EQ(Get(Things("a")).code, 404);
}

}  // namespace
}  // namespace capstan::contract
