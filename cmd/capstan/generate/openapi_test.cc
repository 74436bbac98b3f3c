// SPDX-License-Identifier: Apache-2.0
// Tests of definitions from OpenAPI: references are followed, and what repeats itself ends.
#include "cmd/capstan/generate/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/runtime/parsed_json.h"

namespace capstan::cmd::generate {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDocument = R"({"components":{"schemas":{
  "io.x.Foo":{"type":"object",
    "x-kubernetes-group-version-kind":[{"group":"x.io","version":"v1","kind":"Foo"}],
    "properties":{
      "metadata":{"allOf":[{"$ref":"#/x/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]},
      "spec":{"allOf":[{"$ref":"#/x/io.x.FooSpec"}],"default":{}}}},
  "io.x.FooSpec":{"type":"object","required":["size"],"properties":{
      "size":{"$ref":"#/x/io.k8s.apimachinery.pkg.api.resource.Quantity"},
      "port":{"$ref":"#/x/io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
      "parts":{"type":"array","items":{"$ref":"#/x/io.x.Part"}}}},
  "io.x.Part":{"type":"object","properties":{"name":{"type":"string"},
      "below":{"additionalProperties":{"$ref":"#/x/io.x.Part"},"type":"object"}}}}}})";

Expected<std::string> Definition(const std::string& kind) {
  const auto document = runtime::ParsedJson::Parse(kDocument);
  return DefinitionOf({.group = "x.io",
                       .version = "v1",
                       .kind = kind,
                       .plural = "foos",
                       .namespaced = false,
                       .has_status = true},
                      document->root());
}

TEST(OpenApiTest, FollowsReferences) {
  const auto definition = Definition("Foo");
  ASSERT_TRUE(definition.has_value()) << definition.error().message;
  EXPECT_THAT(*definition,
              HasSubstr(R"("scope":"Cluster","names":{"plural":"foos","kind":"Foo"})"));
  EXPECT_THAT(*definition, HasSubstr(R"("subresources":{"status":{}})"));
  EXPECT_THAT(*definition, HasSubstr(R"("metadata":{"type":"object"})"));
  EXPECT_THAT(*definition, HasSubstr(R"("size":{"x-kubernetes-int-or-string":true,"pattern":)"));
  EXPECT_THAT(*definition, HasSubstr(R"("port":{"x-kubernetes-int-or-string":true})"));
  EXPECT_THAT(*definition, HasSubstr(R"("items":{"type":"object","properties":{"name":)"));
}

TEST(OpenApiTest, AStructInsideOfItselfMayHaveAnyFields) {
  EXPECT_THAT(
      *Definition("Foo"),
      HasSubstr(
          R"("below":{"additionalProperties":{"x-kubernetes-preserve-unknown-fields":true})"));
}

TEST(OpenApiTest, NamesTheKindThatIsMissing) {
  EXPECT_EQ(Definition("Bar").error().message, "the API server describes no Bar of x.io/v1");
}

}  // namespace
}  // namespace capstan::cmd::generate
