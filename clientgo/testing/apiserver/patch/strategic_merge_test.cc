// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "clientgo/runtime/testing/must_parse.h"

namespace capstan::testing::apiserver {
namespace {

std::string Patched(std::string_view api_version, std::string_view kind, std::string_view target,
                    std::string_view patch) {
  runtime::JsonDocument object = runtime::MustParse(target);
  const runtime::JsonDocument change = runtime::MustParse(patch);
  const auto patched = ApplyStrategicMergePatch(*runtime::FindMessage(api_version, kind), object,
                                                change, object.GetAllocator());
  return patched ? runtime::ToJson(object) : patched.error().message;
}

std::string PatchedPod(std::string_view spec, std::string_view patch) {
  return Patched("v1", "Pod", R"({"spec":)" + std::string(spec) + "}",
                 R"({"spec":)" + std::string(patch) + "}");
}

TEST(StrategicMergePatchTest, MergesKeyedListsItemByItem) {
  EXPECT_EQ(Patched("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
                    R"({"webhooks":[{"name":"a","timeoutSeconds":1},)"
                    R"({"name":"b","timeoutSeconds":2},{"name":"c"}]})",
                    R"({"webhooks":[{"name":"b","rules":[]},{"name":"c","$patch":"delete"},)"
                    R"({"name":"d"}],"gone":null})"),
            R"({"webhooks":[{"name":"a","timeoutSeconds":1},)"
            R"({"name":"b","timeoutSeconds":2,"rules":[]},{"name":"d"}]})");
}

TEST(StrategicMergePatchTest, MergesPortsByTheirNumber) {
  EXPECT_EQ(PatchedPod(R"({"containers":[{"name":"c","ports":[{"containerPort":80}]}]})",
                       R"({"containers":[{"name":"c","ports":[{"containerPort":81}]}]})"),
            R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":81},)"
            R"({"containerPort":80}]}]}})");
}

TEST(StrategicMergePatchTest, ReplacesListsWithoutAStrategy) {
  EXPECT_EQ(PatchedPod(R"({"containers":[{"name":"c","args":["a","b"]}]})",
                       R"({"containers":[{"name":"c","args":["x"]}]})"),
            R"({"spec":{"containers":[{"name":"c","args":["x"]}]}})");
}

TEST(StrategicMergePatchTest, OrdersAndDeletesItems) {
  EXPECT_EQ(PatchedPod(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                       R"({"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],)"
                       R"("containers":[{"name":"b","$patch":"delete"}]})"),
            R"({"spec":{"containers":[{"name":"c"},{"name":"a"}]}})");
  EXPECT_EQ(Patched("v1", "Secret", R"({"metadata":{"finalizers":["a","b"]}})",
                    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],)"
                    R"("finalizers":["c"]}})"),
            R"({"metadata":{"finalizers":["c","b"]}})");
}

TEST(StrategicMergePatchTest, RetainsOnlyTheNamedKeys) {
  EXPECT_EQ(Patched("apps/v1", "Deployment",
                    R"({"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{}}}})",
                    R"({"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}})"),
            R"({"spec":{"strategy":{"type":"Recreate"}}})");
}

TEST(StrategicMergePatchTest, ReplacesWholeObjectsAndLists) {
  EXPECT_EQ(PatchedPod(R"({"nodeSelector":{"a":"b"},"containers":[{"name":"a"}]})",
                       R"({"nodeSelector":{"$patch":"replace","c":"d"},)"
                       R"("containers":[{"$patch":"replace"},{"name":"b"}]})"),
            R"({"spec":{"nodeSelector":{"c":"d"},"containers":[{"name":"b"}]}})");
}

TEST(StrategicMergePatchTest, TakesNewValuesWithoutMergingThem) {
  EXPECT_EQ(
      PatchedPod("{}", R"({"containers":[{"name":"a","image":null},{"image":"i"},{"name":"a"}],)"
                       R"("nodeSelector":{"$retainKeys":["a"],"b":"c"}})"),
      R"({"spec":{"containers":[{"name":"a"},{"image":"i"},{"name":"a"}],)"
      R"("nodeSelector":{"$retainKeys":["a"],"b":"c"}}})");
  EXPECT_EQ(
      PatchedPod(R"({"containers":[]})", R"({"containers":[{"name":"a","env":[{"$patch":"x"}]}]})"),
      R"({"spec":{"containers":[{"name":"a","env":[{"$patch":"x"}]}]}})");
}

TEST(StrategicMergePatchTest, RemovesDirectivesFromNewValues) {
  EXPECT_EQ(PatchedPod("{}", R"({"containers":[{"name":"a","$patch":"delete"},{"name":"b"}],)"
                             R"("nodeSelector":{"$patch":"replace","b":"c"},"hostname":"h"})"),
            R"({"spec":{"containers":[{"name":"b"}],"hostname":"h"}})");
}

TEST(StrategicMergePatchTest, KeepsDirectivesAndNullsInReplacedValues) {
  EXPECT_EQ(PatchedPod(R"({"containers":[{"name":"c","args":["a"]}]})",
                       R"({"containers":[{"name":"c","args":[null,{"$patch":"delete"}]}]})"),
            R"({"spec":{"containers":[{"name":"c","args":[null,{"$patch":"delete"}]}]}})");
}

TEST(StrategicMergePatchTest, MergesListsOfScalarsWithoutRepeatedItems) {
  EXPECT_EQ(Patched("v1", "Pod", R"({"metadata":{"finalizers":["x","y","x","z"]}})",
                    R"({"metadata":{"finalizers":["w","y"]}})"),
            R"({"metadata":{"finalizers":["w","x","y","z"]}})");
}

TEST(StrategicMergePatchTest, DeletesItemsBeforeItAddsOthers) {
  EXPECT_EQ(
      Patched("v1", "Pod", R"({"metadata":{"finalizers":["a","b"]}})",
              R"({"metadata":{"finalizers":["a"],"$deleteFromPrimitiveList/finalizers":["a"]}})"),
      R"({"metadata":{"finalizers":["a","b"]}})");
  EXPECT_EQ(Patched("v1", "Pod", R"({"metadata":{"finalizers":["a","b"]}})",
                    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":null}})"),
            R"({"metadata":{}})");
}

TEST(StrategicMergePatchTest, FindsFieldsWithoutRegardToCase) {
  EXPECT_EQ(Patched("v1", "Pod", R"({"Spec":{"CONTAINERS":[{"name":"a"}]}})",
                    R"({"Spec":{"CONTAINERS":[{"name":"b"}]}})"),
            R"({"Spec":{"CONTAINERS":[{"name":"b"},{"name":"a"}]}})");
}

TEST(StrategicMergePatchTest, RejectsListsOfDifferentTypes) {
  constexpr const char* kError = "list element types are not identical: ";
  const auto patched = [](const std::string& items) {
    return Patched("v1", "Pod", R"({"metadata":{"finalizers":["a"]}})",
                   R"({"metadata":{"finalizers":)" + items + "}}");
  };
  EXPECT_EQ(patched(R"([1])"), std::string(kError) + "[[a] [1]]");
  EXPECT_EQ(patched(R"(["b",null])"), std::string(kError) + "[[a] [b <nil>]]");
  EXPECT_EQ(patched(R"([{"name":"a"}])"), std::string(kError) + "[[a] [map[name:a]]]");
}

TEST(StrategicMergePatchTest, RejectsFieldsThatTheTypeDoesNotHave) {
  EXPECT_EQ(Patched("v1", "Pod", R"({"spec":{"x":{}}})", R"({"spec":{"x":{}}})"),
            "unable to find api field in struct PodSpec for the json field \"x\"");
  EXPECT_EQ(PatchedPod(R"({"nodeSelector":{"a":{}}})", R"({"nodeSelector":{"a":{}}})"),
            "merging an object in json but data type is not struct, instead is: map");
}

TEST(StrategicMergePatchTest, RejectsInvalidDirectives) {
  constexpr const char* kOne = R"({"containers":[{"name":"a"}],"nodeSelector":{"a":"b"}})";
  const std::pair<const char*, const char*> patches[] = {
      {R"({"nodeSelector":{"$patch":"merge"}})",
       "unknown patch type: merge in map: map[$patch:merge]"},
      {R"({"containers":[{"$patch":"merge"}]})",
       "merging lists cannot yet be specified in the patch"},
      {R"({"containers":[{"$patch":"delete"}]})",
       "map: map[$patch:delete] does not contain declared merge key: name"},
      {R"({"nodeSelector":{"$retainKeys":["a"],"c":"d"}})", "invalid patch format of retainKeys"},
      {R"({"$setElementOrder/containers":{}})",
       "expected a []interface {}, but received a map[string]interface {}"},
      {R"({"$setElementOrder":[]})", "invalid patch format of setElementOrder list"},
      {R"({"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"c"}]})",
       "The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n"
       "[map[name:b]]\n"},
      {R"({"containers":[{"name":{}}],"$setElementOrder/containers":[{"name":{}}]})",
       "the patch compares maps or lists; a merge key is a text or a number"}};
  for (const auto& [patch, error] : patches) EXPECT_EQ(PatchedPod(kOne, patch), error) << patch;
}

TEST(StrategicMergePatchTest, OrdersItemsThatOnlyTheServerHas) {
  EXPECT_EQ(PatchedPod(R"({"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]})",
                       R"({"containers":[{"name":"d"},{"name":"a","$patch":"delete"}],)"
                       R"("$setElementOrder/containers":[{"name":"d"}]})"),
            R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"d"}]}})");
}

}  // namespace
}  // namespace capstan::testing::apiserver
