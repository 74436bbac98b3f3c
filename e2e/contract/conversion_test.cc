// SPDX-License-Identifier: Apache-2.0
// Tests of conversion webhooks: API servers call the one of controllers/runtime/webhook.
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
    // The one of the test before is deleted a moment later, and served for another moment.
    ASSERT_TRUE(Eventually([&] { return Get(Foos("v3")).code == 404; }));
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
    return found == answer.json.MemberEnd() ? "none" : Sorted(runtime::ToJson(found->value));
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

TEST_F(ConversionTest, WatchesObjectsOfOtherVersions) {
  ASSERT_EQ(Create("v2", "a", R"({"replicas":1})").code, 201);
  const std::string version(Get(Foos("v1")).meta("resourceVersion"));
  WatchStream watch = Watch(Foos("v1"), "resourceVersion=" + version);

  ASSERT_EQ(Create("v2", "b", R"({"replicas":2})").code, 201);
  ASSERT_EQ(Create("v1", "c", R"({"size":"3"})").code, 201);
  ASSERT_EQ(Delete(Foos("v2", "a")).code, 200);

  const auto next = [&] {
    const WatchLine line = watch.Next();
    const runtime::JsonValue* const spec = runtime::Find(line.object, "spec");
    return line.Brief() + (spec == nullptr ? "" : runtime::ToJson(*spec));
  };
  EXPECT_EQ(next(), R"(ADDED b{"size":"2"})");
  EXPECT_EQ(next(), R"(ADDED c{"size":"3"})");
  EXPECT_EQ(next(), R"(DELETED a{"size":"1"})");
}

TEST_F(ConversionTest, ComparesTheFieldsOfAManagerInItsVersion) {
  const auto apply = [&](const std::string& manager, const std::string& version,
                         const std::string& spec) {
    return Apply(Foos(version, "a"), "fieldManager=" + manager,
                 R"({"apiVersion":"foos.example.com/)" + version +
                     R"(","kind":"Foo","metadata":{"name":"a"},"spec":)" + spec + "}");
  };
  ASSERT_EQ(apply("one", "v1", R"({"size":"3"})").code, 201);

  // The same size in other words is no conflict.
  const Answer same = apply("two", "v2", R"({"replicas":3})");
  const Answer conflict = apply("three", "v2", R"({"replicas":4})");

  EXPECT_EQ(same.code, 200) << same.body;
  EXPECT_THAT(FieldsOf(same, "one"), HasSubstr(R"("f:size":{})"));
  EXPECT_EQ(conflict.code, 409) << conflict.body;
  EXPECT_THAT(std::string(conflict.message()), HasSubstr("conflicts with \"one\":\n- .spec.size"));
}

TEST_F(ConversionTest, ShowsADeletedObjectThatAFinalizerKeeps) {
  ASSERT_EQ(Post(Foos("v2"), R"({"apiVersion":"foos.example.com/v2","kind":"Foo","metadata":{)"
                             R"("name":"a","finalizers":["x.io/f"]},"spec":{"replicas":1}})")
                .code,
            201);

  const Answer deleted = Delete(Foos("v1", "a"));

  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(Spec(deleted), R"({"size":"1"})");
  EXPECT_NE(deleted.meta("deletionTimestamp"), "");
  EXPECT_EQ(MergePatch(Foos("v1", "a"), R"({"metadata":{"finalizers":null}})").code, 200);
  EXPECT_EQ(Get(Foos("v2", "a")).code, 404);
}

TEST_F(ConversionTest, TheErrorOfAConversionFailsTheRequest) {
  const Answer refused = Create("v1", "a", R"({"size":"large"})");

  EXPECT_GE(refused.code, 400);
  EXPECT_THAT(refused.body, HasSubstr("spec.size must begin with a number"));
  EXPECT_EQ(Get(Foos("v2", "a")).code, 404);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
