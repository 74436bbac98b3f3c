// SPDX-License-Identifier: Apache-2.0
// Tests of ResourceQuotas on a server without controllers, as envtest's is. All of these hold on
// kube-apiserver 1.37.2. The contract tests have what also holds beside a controller.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

class QuotaStatusTest : public ServerTest {
 protected:
  void SetUp() override { Start({.garbage_collection = false}); }
  // Creates a quota of three ConfigMaps. `used`: its status.used.
  void LimitConfigMaps(const std::string& used) {
    const std::string hard = R"("hard":{"configmaps":"3"})";
    ASSERT_EQ(client_->Post(kQuotas, R"({"metadata":{"name":"q"},"spec":{)" + hard + "}}").code,
              201);
    ASSERT_EQ(client_
                  ->Patch(Path(kQuotas, "/q/status"), "merge-patch+json",
                          R"({"status":{)" + hard + R"(,"used":)" + used + "}}")
                  .code,
              200);
  }
  Answer Create(const std::string& name) {
    return client_->Post(kConfigMaps, R"({"metadata":{"name":")" + name + R"("}})");
  }
  std::string Used() {
    const Answer quota = client_->Get(Path(kQuotas, "/q"));
    return runtime::ToJson(ObjectAt(ObjectAt(quota.json, "status"), "used"));
  }

  static constexpr const char* kQuotas = "/api/v1/namespaces/default/resourcequotas";
};

TEST_F(QuotaStatusTest, CountsWithTheStatusAndNotWithWhatIsStored) {
  ASSERT_EQ(Create("before").code, 201);
  LimitConfigMaps(R"({"configmaps":"2"})");

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_EQ(Used(), R"({"configmaps":"3"})");
  EXPECT_EQ(Create("b").message(),
            "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: "
            "configmaps=3, limited: configmaps=3");
}

TEST_F(QuotaStatusTest, KeepsCountedWhatIsDeletedOrWasNeverStored) {
  LimitConfigMaps(R"({"configmaps":"0"})");
  ASSERT_EQ(Create("a").code, 201);

  EXPECT_EQ(Create("a").code, 409);
  EXPECT_EQ(Used(), R"({"configmaps":"2"})");
  EXPECT_EQ(client_->Delete(Path(kConfigMaps, "/a")).code, 200);
  EXPECT_EQ(Used(), R"({"configmaps":"2"})");
}

TEST_F(QuotaStatusTest, RejectsWhatNobodyHasCounted) {
  LimitConfigMaps("{}");

  EXPECT_EQ(Create("a").message(),
            "configmaps \"a\" is forbidden: status unknown for quota: q, resources: configmaps");
}

}  // namespace
}  // namespace capstan::testing::apiserver
