// SPDX-License-Identifier: Apache-2.0
// ThingsTest serves the custom kind Thing of this test's group, in version v1.
#pragma once

#include <string>
#include <string_view>

#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {

class ThingsTest : public ContractTest {
 protected:
  // Returns a definition of Things with these versions, separated by commas.
  static std::string DefinitionJson(const std::string& group, const std::string& versions) {
    return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
           R"("metadata":{"name":"things.)" +
           group + R"("},"spec":{"group":")" + group +
           R"(","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[)" +
           versions + "]}}";
  }
  // Returns the version v1. `members` are its further members, `properties` those of an object.
  static std::string VersionJson(const std::string& properties, const std::string& members = "") {
    return R"({"name":"v1","served":true,"storage":true,)" + members +
           R"("schema":{"openAPIV3Schema":{"type":"object","properties":{)" + properties + "}}}}";
  }
  Answer Define(const std::string& definition) {
    DeleteLater(std::string(kDefinitions) + "/things." + Group());
    return Post(kDefinitions, definition);
  }
  // Creates the definition and waits until Things are served.
  void Serve(const std::string& definition) {
    const Answer created = Define(definition);
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_TRUE(Eventually([&] { return Get(Things()).code == 200; }));
  }
  std::string Things(std::string_view name = {}) const {
    return InNamespace("/apis/" + Group() + "/v1", "things", name);
  }
  // Returns the JSON of Thing "a".
  std::string Body(const std::string& spec) const {
    return R"({"apiVersion":")" + Group() + R"(/v1","kind":"Thing","metadata":{"name":"a"},)" +
           R"("spec":)" + spec + "}";
  }
  Answer Create(const std::string& spec) const { return Post(Things(), Body(spec)); }
  Answer Update(const std::string& spec) const {
    return MergePatch(Things("a"), R"({"spec":)" + spec + "}");
  }
};

}  // namespace capstan::testing::apiserver::contract
