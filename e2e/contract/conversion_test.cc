// SPDX-License-Identifier: Apache-2.0
// A real API server calls the conversion webhook of controllers/runtime/webhook. The embedded
// server calls none.
#include "capstan/webhook/conversion.h"

#include <charconv>
#include <memory>
#include <string>

#include "capstan/base64.h"
#include "capstan/manager.h"
#include "capstan/testing/eventually.h"
#include "controllers/runtime/webhook/testing/kinds.h"
#include "controllers/runtime/webhook/testing/webhook_client.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

Expected<void> ToHub(const webhook::FooV1& foo, webhook::FooV2& hub) {
  int replicas = 0;
  const std::string& size = foo.spec.size;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), replicas);
  if (error != std::errc()) return Err(ErrorReason::kInvalid, "spec.size must begin with a number");
  hub.spec.replicas = replicas;
  hub.spec.flavor = std::string(end);
  hub.metadata.annotations["converted"] = "from v1";
  return {};
}

void FromHub(const webhook::FooV2& hub, webhook::FooV1& foo) {
  foo.spec.size = std::to_string(hub.spec.replicas.value_or(0)) + hub.spec.flavor;
}

class ConversionTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    if (IsEmbedded()) GTEST_SKIP() << "the embedded API server calls no conversion webhooks";
    manager_ = webhook::Value(Manager::New(config(), {.name = "contract"}));
    server_ = webhook::Value(webhook::AddServer(
        *manager_, {.host = "127.0.0.1", .port = 0, .cert_dir = certificate_.dir()}));
    const auto declared = webhook::ConversionFor<webhook::FooV2>(*manager_)
                              .Spoke<webhook::FooV1>(ToHub, FromHub)
                              .Spoke<webhook::FooV3>(
                                  [](const webhook::FooV3& foo, webhook::FooV2& hub) {
                                    if (!foo.spec.flavors.empty())
                                      hub.spec.flavor = foo.spec.flavors.front();
                                  },
                                  [](const webhook::FooV2& hub, webhook::FooV3& foo) {
                                    foo.spec.flavors = {hub.spec.flavor};
                                  })
                              .Complete();
    ASSERT_TRUE(declared) << declared.error().message;
    const auto listens = server_->Listen();
    ASSERT_TRUE(listens) << listens.error().message;
    Define();
  }
  void Define() {
    DeleteLater(std::string(kDefinitions) + "/foos.foos.example.com");
    const auto version = [](const std::string& name, bool storage) {
      return R"({"name":")" + name + R"(","served":true,"storage":)" +
             (storage ? "true" : "false") +
             R"(,"schema":{"openAPIV3Schema":{"type":"object",)"
             R"("x-kubernetes-preserve-unknown-fields":true}}})";
    };
    const std::string client_config =
        R"({"url":"https://127.0.0.1:)" + std::to_string(server_->port()) +
        R"(/convert","caBundle":")" + Base64Encode(certificate_.ca().cert_pem) + "\"}";
    const std::string definition =
        R"({"metadata":{"name":"foos.foos.example.com"},"spec":{)"
        R"("group":"foos.example.com","scope":"Namespaced",)"
        R"("names":{"plural":"foos","singular":"foo","kind":"Foo"},"versions":[)" +
        version("v1", false) + "," + version("v2", true) + "," + version("v3", false) +
        R"(],"conversion":{"strategy":"Webhook","webhook":{)"
        R"("conversionReviewVersions":["v1"],"clientConfig":)" +
        client_config + "}}}}";
    // The one of the test before is deleted a moment later.
    ASSERT_TRUE(Eventually([&] { return Post(kDefinitions, definition).code == 201; }));
    // The definition is served a moment later.
    ASSERT_TRUE(Eventually([&] { return Get(Foos("v3")).code == 200; }));
  }
  std::string Foos(const std::string& version, const std::string& name = {}) const {
    return "/apis/foos.example.com/" + version + "/namespaces/" + ns() + "/foos" +
           (name.empty() ? "" : "/" + name);
  }
  Answer Create(const std::string& version, const std::string& name,
                const std::string& spec) const {
    return Post(Foos(version), R"({"apiVersion":"foos.example.com/)" + version +
                                   R"(","kind":"Foo","metadata":{"name":")" + name +
                                   R"("},"spec":)" + spec + "}");
  }
  static std::string Spec(const Answer& answer) {
    const auto found = answer.json.FindMember("spec");
    return found == answer.json.MemberEnd() ? "none" : runtime::ToJson(found->value);
  }

  webhook::ServingCertificate certificate_;
  std::unique_ptr<Manager> manager_;
  webhook::Server* server_ = nullptr;
};

TEST_F(ConversionTest, ReadsAnObjectInEachVersion) {
  const Answer created = Create("v1", "a", R"({"size":"3 large"})");

  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Spec(created), R"({"size":"3 large"})");
  EXPECT_EQ(Spec(Get(Foos("v2", "a"))), R"({"flavor":" large","replicas":3})");
  EXPECT_EQ(Spec(Get(Foos("v3", "a"))), R"({"flavors":[" large"]})");
  EXPECT_THAT(Get(Foos("v2", "a")).body, HasSubstr(R"("annotations":{"converted":"from v1"})"));
}

TEST_F(ConversionTest, ListsAndChangesObjectsOfOtherVersions) {
  ASSERT_EQ(Create("v1", "a", R"({"size":"1"})").code, 201);
  ASSERT_EQ(Create("v2", "b", R"({"replicas":2})").code, 201);
  ASSERT_EQ(MergePatch(Foos("v1", "b"), R"({"spec":{"size":"7"}})").code, 200);

  const Answer listed = Get(Foos("v2"));

  ASSERT_EQ(listed.code, 200);
  EXPECT_THAT(listed.body, HasSubstr(R"("spec":{"replicas":1})"));
  EXPECT_THAT(listed.body, HasSubstr(R"("spec":{"replicas":7})"));
}

TEST_F(ConversionTest, TheErrorOfAConversionFailsTheRequest) {
  const Answer refused = Create("v1", "a", R"({"size":"large"})");

  EXPECT_GE(refused.code, 400);
  EXPECT_THAT(refused.body, HasSubstr("spec.size must begin with a number"));
  EXPECT_EQ(Get(Foos("v2", "a")).code, 404);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
