// SPDX-License-Identifier: Apache-2.0
// Tests of conversion webhooks that need the embedded server: how many reviews there are, and
// objects that are stored without a webhook. e2e/contract has the others.
#include "clientgo/testing/apiserver/admission/conversion.h"

#include <string>

#include "clientgo/testing/apiserver/testing/conversion_server.h"
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A Price has spec.cents in v1 and spec.amount in v2, which is stored.
void ConvertPrice(runtime::JsonDocument& object, std::string_view api_version) {
  const bool v1 = api_version == "shop.example.com/v1";
  MoveSpec(object, v1 ? "amount" : "cents", v1 ? "cents" : "amount");
}

class ConversionWebhookTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    ASSERT_TRUE(webhook_.started());
    Define(webhook_.Conversion());
  }
  static std::string Version(const std::string& name, const std::string& field, bool storage) {
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
           R"("properties":{")" +
           field + R"(":{"type":"integer"}}}}}}})";
  }
  static std::string Definition(const std::string& conversion) {
    return R"({"metadata":{"name":"prices.shop.example.com"},"spec":{"group":"shop.example.com",)"
           R"("scope":"Namespaced","names":{"plural":"prices","kind":"Price"},"versions":[)" +
           Version("v1", "cents", false) + "," + Version("v2", "amount", true) +
           R"(],"conversion":)" + conversion + "}}";
  }
  void Define(const std::string& conversion) {
    const Answer created = client_->Post(kDefinitions, Definition(conversion));
    ASSERT_EQ(created.code, 201) << created.body;
  }
  static std::string Prices(const std::string& version, const std::string& name = {}) {
    return "/apis/shop.example.com/" + version + "/namespaces/default/prices" +
           (name.empty() ? "" : "/" + name);
  }
  static std::string Body(const std::string& version, const std::string& name,
                          const std::string& spec) {
    return R"({"apiVersion":"shop.example.com/)" + version + R"(","kind":"Price","metadata":{)" +
           R"("name":")" + name + R"(","namespace":"default"},"spec":)" + spec + "}";
  }
  Answer Create(const std::string& version, const std::string& name, const std::string& spec) {
    return client_->Post(Prices(version), Body(version, name, spec));
  }
  static std::string Spec(const runtime::JsonValue& object) {
    const runtime::JsonValue* const spec = runtime::Find(object, "spec");
    return spec == nullptr ? "none" : runtime::ToJson(*spec);
  }

  ConversionServer webhook_{ConvertPrice};
};

TEST_F(ConversionWebhookTest, ConvertsAListInOneReview) {
  for (const char* const name : {"a", "b", "c"}) {
    ASSERT_EQ(Create("v2", name, R"({"amount":1})").code, 201);
  }
  EXPECT_THAT(webhook_.TakeSizes(), IsEmpty());

  const Answer listed = client_->Get(Prices("v1"));

  ASSERT_EQ(listed.code, 200) << listed.body;
  EXPECT_EQ(listed.items(), 3U);
  EXPECT_THAT(listed.body, HasSubstr(R"("spec":{"cents":1})"));
  EXPECT_THAT(webhook_.TakeSizes(), ElementsAre(3U));
  EXPECT_EQ(client_->Get(Prices("v2")).items(), 3U);
  EXPECT_THAT(webhook_.TakeSizes(), IsEmpty());
}

TEST_F(ConversionWebhookTest, WatchesInOrderWhileObjectsAreConverted) {
  WatchStream watch = Watch("resourceVersion=1", Prices("v1"));
  ASSERT_EQ(Create("v2", "a", R"({"amount":1})").code, 201);
  ASSERT_EQ(Create("v1", "b", R"({"cents":2})").code, 201);
  ASSERT_EQ(client_->Patch(Prices("v2", "a"), "merge-patch+json", R"({"spec":{"amount":3}})").code,
            200);

  const WatchLine first = watch.Next();
  const WatchLine second = watch.Next();
  const WatchLine third = watch.Next();

  EXPECT_EQ(first.Brief() + Spec(first.object), R"(ADDED a{"cents":1})");
  EXPECT_EQ(second.Brief() + Spec(second.object), R"(ADDED b{"cents":2})");
  EXPECT_EQ(third.Brief() + Spec(third.object), R"(MODIFIED a{"cents":3})");
  EXPECT_EQ(runtime::GetString(third.object, "apiVersion"), "shop.example.com/v1");
}

TEST_F(ConversionWebhookTest, EndsAWatchWhoseObjectsCannotBeConverted) {
  webhook_.SetAnswer(R"("result":{"status":"Failure","message":"no"})");
  WatchStream watch = Watch("resourceVersion=1", Prices("v1"));
  ASSERT_EQ(Create("v2", "a", R"({"amount":1})").code, 201);

  const WatchLine error = watch.Next();

  EXPECT_EQ(error.type, "ERROR");
  EXPECT_EQ(runtime::GetString(error.object, "message"),
            "conversion webhook for shop.example.com/v2, Kind=Price failed: no");
  EXPECT_EQ(watch.Next().type, "EOF");
}

TEST_F(ConversionWebhookTest, StoresObjectsOfTheProcessWithoutTheWebhook) {
  const auto created =
      server_->CreateObjects({Body("v1", "a", R"({"cents":1})"), Body("v2", "b", "{}")});
  ASSERT_TRUE(created.has_value()) << created.error().message;
  EXPECT_THAT(webhook_.TakeSizes(), IsEmpty());

  EXPECT_EQ(Spec(client_->Get(Prices("v1", "a")).json), R"({"cents":1})");
  EXPECT_THAT(webhook_.TakeSizes(), IsEmpty());
  EXPECT_EQ(Spec(client_->Get(Prices("v2", "a")).json), R"({"amount":1})");
  EXPECT_THAT(webhook_.TakeSizes(), ElementsAre(1U));
}

TEST_F(ConversionWebhookTest, DoesNotStoreAnObjectThatCannotBeReadBack) {
  webhook_.SetAnswer(R"("result":{"status":"Success"},"convertedObjects":[])");

  const Answer refused = Create("v1", "a", R"({"cents":1})");

  EXPECT_EQ(refused.code, 500);
  EXPECT_EQ(
      refused.message(),
      "conversion webhook for shop.example.com/v1, Kind=Price returned 0 objects, expected 1");
  EXPECT_EQ(client_->Get(Prices("v2", "a")).code, 404);
}

TEST_F(ConversionWebhookTest, CollectsDependentsWithoutTheWebhook) {
  const Answer owner = Create("v2", "owner", "{}");
  ASSERT_EQ(owner.code, 201) << owner.body;
  const auto created = server_->CreateObjects(
      {R"({"apiVersion":"shop.example.com/v1","kind":"Price","metadata":{"name":"a","namespace":)"
       R"("default","ownerReferences":[{"apiVersion":"shop.example.com/v1","kind":"Price",)"
       R"("name":"owner","uid":")" +
       std::string(owner.meta("uid")) + R"("}]},"spec":{"cents":1}})"});
  ASSERT_TRUE(created.has_value()) << created.error().message;
  webhook_.TakeSizes();
  WatchStream watch = Watch("resourceVersion=" + std::string(owner.meta("resourceVersion")) +
                                "&fieldSelector=metadata.name%3Da",
                            "/apis/shop.example.com/v1/namespaces/default/prices");

  ASSERT_EQ(client_->Delete(Prices("v1", "owner")).code, 200);

  EXPECT_EQ(watch.Next().Brief(), "ADDED a");
  EXPECT_EQ(watch.Next().Brief(), "DELETED a");
  EXPECT_THAT(webhook_.TakeSizes(), IsEmpty());
}

TEST_F(ConversionWebhookTest, SendsReviewsOfV1Beta1IfTheDefinitionPrefersThem) {
  ASSERT_EQ(
      client_
          ->Patch(std::string(kDefinitions) + "/prices.shop.example.com", "merge-patch+json",
                  R"({"spec":{"conversion":)" + webhook_.Conversion(R"(["v2","v1beta1"])") + "}}")
          .code,
      200);

  ASSERT_EQ(Create("v1", "a", R"({"cents":1})").code, 201);

  EXPECT_THAT(webhook_.LastReview(), HasSubstr("apiextensions.k8s.io/v1beta1"));
}

TEST_F(ConversionWebhookTest, FailsRequestsForAServiceWithoutAnAddress) {
  ASSERT_EQ(client_
                ->Patch(std::string(kDefinitions) + "/prices.shop.example.com", "merge-patch+json",
                        R"({"spec":{"conversion":{"webhook":{"clientConfig":{"url":null,)"
                        R"("service":{"namespace":"shop","name":"converter","path":"/c"}}}}}})")
                .code,
            200);

  const Answer refused = Create("v1", "a", R"({"cents":1})");

  EXPECT_EQ(refused.code, 500);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr(R"(failed: Post "https://converter.shop.svc:443/c?timeout=30s": )"
                        R"(service "converter" not found)"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
