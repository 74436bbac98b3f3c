// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>

#include "capstan/clientgo/runtime/json_writer.h"

namespace capstan::testing::apiserver {
namespace {

std::string Patched(std::string_view api_version, std::string_view kind, std::string_view target,
                    std::string_view patch) {
  JsonDocument object;
  object.Parse(target.data(), target.size());
  JsonDocument change;
  change.Parse(patch.data(), patch.size());
  ApplyStrategicMergePatch(*FindMessage(api_version, kind), object, change, object.GetAllocator());
  return clientgo::runtime::ToJson(object);
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

}  // namespace
}  // namespace capstan::testing::apiserver
