// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/merge_type.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/types/schema.h"

namespace capstan::testing::apiserver {
namespace {

MergeType TypeAt(MergeType type, std::initializer_list<std::string_view> path) {
  for (const std::string_view name : path) type = name == "[]" ? type.Items() : type.Member(name);
  return type;
}

std::string ElementOf(const MergeType& list, std::string_view item) {
  const auto [path, error] = list.ItemElement(runtime::MustParse(item));
  return error.empty() ? path : error;
}

TEST(MergeTypeTest, TakesTypesOfBuiltInKindsFromGo) {
  const MergeType pod(*FindResource("", "v1", "pods"));

  EXPECT_TRUE(TypeAt(pod, {"spec", "nodeSelector"}).IsAtomicMap());
  EXPECT_FALSE(TypeAt(pod, {"metadata", "labels"}).IsAtomicMap());
  EXPECT_TRUE(TypeAt(pod, {"spec", "containers", "[]", "args"}).IsAtomicList());
  EXPECT_FALSE(TypeAt(pod, {"spec", "containers"}).IsAtomicList());
  EXPECT_TRUE(TypeAt(pod, {"metadata", "ownerReferences", "[]"}).IsAtomicMap());
  EXPECT_TRUE(TypeAt(pod, {"spec", "imagePullSecrets", "[]"}).IsAtomicMap());
  EXPECT_TRUE(TypeAt(pod, {"status", "hostIPs"}).IsAtomicList());  // although a patch merges it
}

TEST(MergeTypeTest, FindsItemsByTheirKeysAndTheDefaultsOfKeys) {
  const MergeType pod(*FindResource("", "v1", "pods"));
  const MergeType containers = TypeAt(pod, {"spec", "containers"});

  EXPECT_EQ(ElementOf(containers, R"({"name":"a","image":"i"})"), R"(k:{"name":"a"})");
  EXPECT_EQ(ElementOf(containers, "{}"), R"(k:{"name":""})");
  EXPECT_EQ(ElementOf(containers, R"({"name":"<a>"})"), R"(k:{"name":"\u003ca\u003e"})");
  EXPECT_EQ(ElementOf(containers, "1"), "associative list with keys may not have non-map elements");
  EXPECT_EQ(ElementOf(TypeAt(containers, {"[]", "ports"}), R"({"containerPort":80.0})"),
            R"(k:{"containerPort":80,"protocol":"TCP"})");
  EXPECT_EQ(ElementOf(TypeAt(pod, {"metadata", "finalizers"}), R"("x")"), R"(v:"x")");
}

TEST(MergeTypeTest, AllowsOnlyDeclaredMembers) {
  const MergeType config_map(*FindResource("", "v1", "configmaps"));

  EXPECT_EQ(config_map.Member("odd").FormOf(nullptr), MergeType::Form::kNone);
  EXPECT_EQ(TypeAt(config_map, {"data", "odd"}).scalar(), MergeType::Scalar::kString);
}

TEST(MergeTypeTest, TakesTypesOfCustomKindsFromSchema) {
  const runtime::JsonDocument json = runtime::MustParse(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{)"
      R"("sizes":{"type":"array","items":{"type":"integer"}},)"
      R"("names":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},)"
      R"("rules":{"type":"array","x-kubernetes-list-type":"map",)"
      R"("x-kubernetes-list-map-keys":["id","kind"],"items":{"type":"object","properties":{)"
      R"("id":{"type":"string"},"kind":{"type":"string","default":"K"}}}},)"
      R"("whole":{"type":"object","x-kubernetes-map-type":"atomic",)"
      R"("additionalProperties":{"type":"string"}},)"
      R"("free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})");
  const Schema schema(&json);
  const MergeType type(Resource{.custom = true, .schema = &schema});
  const MergeType spec = type.Member("spec");

  EXPECT_TRUE(spec.Member("sizes").IsAtomicList());
  EXPECT_EQ(ElementOf(spec.Member("names"), R"("a")"), R"(v:"a")");
  EXPECT_EQ(ElementOf(spec.Member("rules"), R"({"id":"a"})"), R"(k:{"id":"a","kind":"K"})");
  EXPECT_TRUE(spec.Member("whole").IsAtomicMap());
  EXPECT_EQ(spec.Member("odd").FormOf(nullptr), MergeType::Form::kNone);
  EXPECT_EQ(TypeAt(spec, {"free", "odd"}).FormOf(nullptr), MergeType::Form::kMap);
  EXPECT_EQ(ElementOf(TypeAt(type, {"metadata", "ownerReferences"}), R"({"uid":"u"})"),
            R"(k:{"uid":"u"})");
}

TEST(MergeTypeTest, KnowsOnlyMetadataOfKindsWithoutSchema) {
  const MergeType type(Resource{.custom = true});

  EXPECT_EQ(ElementOf(TypeAt(type, {"metadata", "finalizers"}), R"("x")"), R"(v:"x")");
  EXPECT_TRUE(TypeAt(type, {"status", "conditions"}).IsAtomicList());
}

TEST(MergeTypeTest, TakesValuesOfUnknownTypeAsTheyAre) {
  const MergeType type;

  EXPECT_FALSE(type.IsAtomicMap());
  EXPECT_TRUE(TypeAt(type, {"spec", "items"}).IsAtomicList());
  EXPECT_TRUE(TypeAt(type, {"spec", "items", "[]"}).IsAtomicMap());
}

}  // namespace
}  // namespace capstan::testing::apiserver
