// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/manager_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clientgo/api/api_service.h"
#include "clientgo/api/custom_resource_definition.h"
#include "clientgo/api/decode_testing.h"
#include "clientgo/api/webhook_configuration.h"

namespace clientgo::api {
namespace {

constexpr const char* kManager = "cert-manager-cainjector";

std::string Entry(const std::string& manager, const std::string& operation,
                  const std::string& more = "") {
  return R"({"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{}}},)"
         R"("manager":")" +
         manager + R"(","operation":")" + operation + '"' + more + "}";
}

// As found in what survives the filter: an index must still be that of the whole list.
ManagerEntries Found(const std::string& entries, const std::string& manager = kManager) {
  const auto type = MakeMutatingWebhookConfigurationType(
      {.bundles = std::make_shared<util::Interner>(), .field_manager = manager});
  return MustDecode<WebhookConfiguration>(
             type,
             R"({"kind":"MutatingWebhookConfiguration","metadata":{"name":"n","managedFields":)" +
                 entries + "}}")
      ->manager_entries();
}

TEST(ManagerEntriesTest, AreFoundByManagerAndOperationWhateverStandsBeforeThem) {
  const std::string others = R"([{"fieldsV1":{"f:spec":{}}},{},)" + Entry("kubectl", "Apply") + ",";

  EXPECT_EQ(Found(others + Entry(kManager, "Apply") + "]"), (ManagerEntries{.apply = 3}));
  EXPECT_EQ(Found(others + Entry(kManager, "Update") + "," + Entry("x", "Update") + "]"),
            (ManagerEntries{.update = 3}));
  EXPECT_EQ(Found("[" + Entry(kManager, "Update") + "," + Entry(kManager, "Apply") + "]"),
            (ManagerEntries{.apply = 1, .update = 0}));
}

TEST(ManagerEntriesTest, TheFirstOfSeveralIsTold) {
  EXPECT_EQ(Found("[" + Entry("x", "Apply") + "," + Entry(kManager, "Apply") + "," +
                  Entry(kManager, "Apply") + "]"),
            (ManagerEntries{.apply = 1}));
}

TEST(ManagerEntriesTest, OthersAreNobodysBusiness) {
  for (const std::string& entries : std::vector<std::string>{
           "[]", "null", "{}", "[" + Entry("kubectl", "Apply") + "]",
           "[" + Entry("cert-manager-cainjector2", "Update") + "]",
           "[" + Entry(kManager, "Delete") + "]",
           "[" + Entry(kManager, "Update", R"(,"subresource":"status")") + "]"}) {
    EXPECT_EQ(Found(entries), ManagerEntries{}) << entries;
  }
  EXPECT_EQ(Found("[" + Entry("", "Apply") + "]", ""), ManagerEntries{});
}

TEST(ManagerEntriesTest, AreKnownOfEveryKindWithABundle) {
  const auto bundles = std::make_shared<util::Interner>();
  const std::string metadata =
      R"("metadata":{"name":"n","managedFields":[)" + Entry(kManager, "Apply") + "]}}";

  const auto api_service =
      MustDecode<ApiService>(MakeApiServiceType({.bundles = bundles, .field_manager = kManager}),
                             R"({"kind":"APIService",)" + metadata);
  const auto crd = MustDecode<CustomResourceDefinition>(
      MakeCustomResourceDefinitionType({.bundles = bundles, .field_manager = kManager}),
      R"({"kind":"CustomResourceDefinition",)" + metadata);

  EXPECT_EQ(api_service->fields().manager_entries.apply, 0);
  EXPECT_EQ(crd->fields().manager_entries.apply, 0);
}

}  // namespace
}  // namespace clientgo::api
