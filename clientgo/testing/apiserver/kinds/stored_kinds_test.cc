// SPDX-License-Identifier: Apache-2.0
// Tests of the kinds without a behaviour of their own, of quotas and limits, and of two forms of
// the same objects. The contract suite has those that a real server passes, too.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "capstan/file.h"
#include "capstan/testing/eventually.h"
#include "clientgo/testing/apiserver/kinds/stored_kinds.h"
#include "clientgo/testing/apiserver/printers/printer_columns.h"
#include "clientgo/testing/apiserver/testing/server_fixture.h"
#include "clientgo/testing/apiserver/types/built_in.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";

using StoredKindsTest = ServerTest;

std::string Collection(const Resource& resource) {
  return (resource.group.empty() ? "/api/" : "/apis/") + resource.ApiVersion() +
         (resource.namespaced ? "/namespaces/default/" : "/") + std::string(resource.plural);
}

TEST_F(StoredKindsTest, HaveFieldsAndColumns) {
  for (const Resource& resource : StoredKinds()) {
    EXPECT_NE(FindMessage(resource), nullptr) << resource.Qualified();
    const Answer table = client_->Get(Collection(resource),
                                      "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n");
    EXPECT_EQ(table.code, 200) << resource.Qualified();
    EXPECT_EQ(runtime::GetString(table.json, "kind"), "Table") << resource.Qualified();
    const auto& columns = *FindResource(resource.group, resource.version, resource.plural)->columns;
    for (const PrinterColumn& column : columns) {
      runtime::JsonDocument cell;
      const std::string text = column.cell(runtime::JsonDocument(rapidjson::kObjectType));
      cell.Parse(text.data(), text.size());
      EXPECT_FALSE(cell.HasParseError()) << resource.Qualified() << column.name << text;
    }
  }
}

TEST(KindsDocumentTest, ListsTheKindsOfEachGroup) {
  const auto document = ReadFile(std::string(DOCS_DIR) + "/library/testing.md");
  ASSERT_TRUE(document) << document.error().message;
  std::map<std::string_view, std::set<std::string_view>> groups;
  for (const Resource& resource : Resources()) groups[resource.group].insert(resource.kind);

  for (const auto& [group, kinds] : groups) {
    std::string row = group.empty() ? "| core | " : "| `" + std::string(group) + "` | ";
    for (const std::string_view kind : kinds) {
      row += (kind == *kinds.begin() ? "" : ", ") + std::string(kind);
    }
    EXPECT_THAT(*document, HasSubstr(row + " |\n"));
  }
}

TEST_F(StoredKindsTest, ShowAnEventInBothGroups) {
  const std::string events = "/apis/events.k8s.io/v1/namespaces/default/events";
  client_->Post("/api/v1/namespaces/default/events",
                R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"default"},)"
                R"("message":"m","count":3})");

  const Answer event = client_->Get(events + "/e");

  EXPECT_EQ(event.code, 200);
  EXPECT_EQ(runtime::GetString(event.json, "note"), "m");
  EXPECT_EQ(event.json["deprecatedCount"].GetInt(), 3);
  EXPECT_EQ(runtime::GetString(event.json, "apiVersion"), "events.k8s.io/v1");
  EXPECT_EQ(client_->Delete(events + "/e").code, 200);
  EXPECT_EQ(client_->Get("/api/v1/namespaces/default/events/e").code, 404);
}

TEST_F(StoredKindsTest, KeepWhatVersion1OfAnAutoscalerLacks) {
  const std::string path = "/namespaces/default/horizontalpodautoscalers";
  const Answer created = client_->Post(
      "/apis/autoscaling/v2" + path,
      R"({"metadata":{"name":"a"},"spec":{"maxReplicas":3,"scaleTargetRef":{)"
      R"("apiVersion":"x/v1","kind":"X",)"
      R"("name":"x"},"metrics":[{"type":"Pods","pods":{"metric":{"name":"m"},"target":{)"
      R"("type":"AverageValue","averageValue":"5"}}}]}})");
  ASSERT_EQ(created.code, 201) << created.body;

  const Answer patched = client_->Patch("/apis/autoscaling/v1" + path + "/a", "merge-patch+json",
                                        R"({"spec":{"maxReplicas":4}})");
  ASSERT_EQ(patched.code, 200) << patched.body;

  const Answer read = client_->Get("/apis/autoscaling/v2" + path + "/a");
  EXPECT_EQ(read.json["spec"]["maxReplicas"].GetInt(), 4);
  EXPECT_THAT(read.body, HasSubstr(R"("metric":{"name":"m"})"));
}

TEST_F(StoredKindsTest, RejectWhatExceedsAQuota) {
  client_->Post("/api/v1/namespaces/default/resourcequotas",
                R"({"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"1"}}})");
  ASSERT_TRUE(Eventually([&] {
    return client_->Get("/api/v1/namespaces/default/resourcequotas/q")
               .body.find(R"("used":{"configmaps":"0"})") != std::string::npos;
  }));
  CreateConfigMap("a");

  const Answer refused = client_->Post(kConfigMaps, R"({"metadata":{"name":"b"}})");

  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.message(),
            "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: "
            "configmaps=1, limited: configmaps=1");
}

TEST_F(StoredKindsTest, CountWhatIsInTheScopesOfAQuota) {
  const std::string quotas = "/api/v1/namespaces/default/resourcequotas";
  const auto uses = [&](const char* used) {
    return Eventually([&] {
      return client_->Get(quotas + "/q").body.find(R"("used":{"pods":")" + std::string(used)) !=
             std::string::npos;
    });
  };
  client_->Post(quotas, R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"5"},)"
                        R"("scopes":["Terminating"]}})");
  ASSERT_TRUE(uses("0"));
  for (const char* const name : {"a", "b", "c"}) {
    client_->Post(kPods, R"({"metadata":{"name":")" + std::string(name) +
                             R"("},"spec":{"containers":[{"name":"c","image":"i"}])" +
                             (name[0] == 'a' ? "" : R"(,"activeDeadlineSeconds":5)") + "}}");
  }

  EXPECT_TRUE(uses("2"));
}

TEST_F(StoredKindsTest, LimitContainers) {
  client_->Post("/api/v1/namespaces/default/limitranges",
                R"({"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{)"
                R"("cpu":"1"},"default":{"cpu":"500m"}}]}})");
  const auto create = [&](const std::string& resources) {
    return client_->Post(Path(kPods, "?dryRun=All"),
                         R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                         R"("image":"i","resources":)" +
                             resources + "}]}}");
  };

  EXPECT_THAT(create("{}").body,
              HasSubstr(R"("resources":{"limits":{"cpu":"500m"},"requests":{"cpu":"500m"}})"));
  EXPECT_EQ(create(R"({"limits":{"cpu":"2"}})").message(),
            "pods \"p\" is forbidden: maximum cpu usage per Container is 1, but limit is 2");
}

TEST_F(StoredKindsTest, ReleaseADeletedClaimThatNoPodUses) {
  const std::string claim = Path(kClaims, "/c");
  client_->Post(kClaims, R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],)"
                         R"("resources":{"requests":{"storage":"1Gi"}}}})");
  client_->Post(kPods,
                R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)"
                R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]}})");

  client_->Delete(claim);
  EXPECT_EQ(client_->Get(claim).code, 200);
  client_->Delete(Path(kPods, "/p"));

  EXPECT_TRUE(Eventually([&] { return client_->Get(claim).code == 404; }));
}

}  // namespace
}  // namespace capstan::testing::apiserver
