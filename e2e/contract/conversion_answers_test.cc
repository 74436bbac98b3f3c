// SPDX-License-Identifier: Apache-2.0
// Tests of conversion webhooks that answer wrongly, and of admission webhooks whose rules name
// another version than that of the request (matchPolicy Equivalent).
#include <string>

#include "capstan/base64.h"
#include "capstan/testing/eventually.h"
#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/testing/conversion_server.h"
#include "clientgo/testing/apiserver/testing/webhook_server.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

// A Price has spec.cents in v1, which is stored, and spec.amount in v2.
void ConvertPrice(runtime::JsonDocument& object, std::string_view api_version) {
  const bool v1 = api_version.ends_with("/v1");
  MoveSpec(object, v1 ? "amount" : "cents", v1 ? "cents" : "amount");
}

class PricesTest : public ContractTest {
 protected:
  static std::string Version(const std::string& name, const std::string& field, bool storage) {
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
           R"("properties":{")" +
           field + R"(":{"type":"integer"},"color":{"type":"string"}}}}}}})";
  }
  void SetUp() override {
    ContractTest::SetUp();
    ASSERT_TRUE(conversion_.started());
    DeleteLater(std::string(kDefinitions) + "/prices." + Group());
    const Answer created =
        Post(kDefinitions, R"({"metadata":{"name":"prices.)" + Group() + R"("},"spec":{"group":")" +
                               Group() + R"(","scope":"Namespaced","names":{"plural":"prices",)" +
                               R"("singular":"price","kind":"Price"},"versions":[)" +
                               Version("v1", "cents", true) + "," + Version("v2", "amount", false) +
                               R"(],"conversion":)" + conversion_.Conversion() + "}}");
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_TRUE(Eventually([&] { return Get(Prices("v2")).code == 200; }));
  }
  std::string Prices(const std::string& version, const std::string& name = {}) const {
    return InNamespace("/apis/" + Group() + "/" + version, "prices", name);
  }
  Answer Create(const std::string& version, const std::string& name, const std::string& spec,
                const std::string& query = "") const {
    return Post(Prices(version) + query, R"({"apiVersion":")" + Group() + "/" + version +
                                             R"(","kind":"Price","metadata":{"name":")" + name +
                                             R"("},"spec":)" + spec + "}");
  }
  static std::string Spec(const runtime::JsonValue& object) {
    const runtime::JsonValue* const spec = runtime::Find(object, "spec");
    return spec == nullptr ? "none" : Sorted(runtime::ToJson(*spec));
  }

  ConversionServer conversion_{ConvertPrice};
};

class ConversionAnswersTest : public PricesTest {
 protected:
  // Expects that a read of "a" in v2 fails for this reason. Kubernetes 1.37 says in more words that
  // the object cannot be read.
  void ExpectFailure(const std::string& why) const {
    const Answer answer = Get(Prices("v2", "a"));
    EXPECT_EQ(answer.code, 500);
    EXPECT_THAT(
        std::string(answer.message()),
        ::testing::EndsWith("conversion webhook for " + Group() + "/v1, Kind=Price " + why));
  }
  // Answers with one object that has these members.
  void AnswerWith(const std::string& version, const std::string& metadata) {
    conversion_.SetAnswer(R"("result":{"status":"Success"},"convertedObjects":[{"apiVersion":")" +
                          Group() + "/" + version + R"(","kind":"Price","metadata":)" + metadata +
                          "}]");
  }
};

TEST_F(ConversionAnswersTest, FailsRequestsWithTheMessageOfTheWebhook) {
  ASSERT_EQ(Create("v1", "a", R"({"cents":1})").code, 201);
  conversion_.SetAnswer(R"("result":{"status":"Failure","message":"not today"})");

  ExpectFailure("failed: not today");
  EXPECT_EQ(Get(Prices("v1", "a")).code, 200);
}

TEST_F(ConversionAnswersTest, RejectsAnswersThatAreNoConversion) {
  ASSERT_EQ(Create("v1", "a", R"({"cents":1})").code, 201);

  conversion_.SetAnswer(R"("result":{"status":"Success"},"convertedObjects":[])");
  ExpectFailure("returned 0 objects, expected 1");
  conversion_.SetAnswer(R"("result":{})");
  ExpectFailure("failed: response.result.status was '', not 'Success'");
  AnswerWith("v3", R"({"name":"a"})");
  ExpectFailure("returned invalid object at index 0: invalid groupVersion (expected " + Group() +
                "/v2, received " + Group() + "/v3)");
  AnswerWith("v2", R"({"name":"b"})");
  ExpectFailure("returned invalid object: must have the same name: a != b");
  AnswerWith("v2", R"({"name":"a","namespace":")" + ns() + R"(","uid":"other"})");
  EXPECT_EQ(Get(Prices("v2", "a")).code, 500);
}

TEST_F(ConversionAnswersTest, KeepsTheMetadataExceptLabelsAndAnnotations) {
  const Answer created = Create("v1", "a", R"({"cents":1})");
  ASSERT_EQ(created.code, 201);
  AnswerWith("v2", R"({"name":"a","namespace":")" + ns() + R"(","uid":")" +
                       std::string(created.meta("uid")) +
                       R"(","generation":99,"finalizers":["x.io/f"],"labels":{"a":"b"}})");

  const Answer read = Get(Prices("v2", "a"));

  ASSERT_EQ(read.code, 200) << read.body;
  const runtime::JsonValue& metadata = ObjectAt(read.json, "metadata");
  EXPECT_EQ(runtime::ToJson(ObjectAt(metadata, "labels")), R"({"a":"b"})");
  EXPECT_EQ(runtime::Find(metadata, "finalizers"), nullptr);
  EXPECT_EQ(metadata["generation"].GetInt(), 1);
}

TEST_F(ConversionAnswersTest, PrunesWhatTheSchemaOfTheVersionDoesNotHave) {
  ASSERT_EQ(Create("v1", "a", R"({"cents":1})").code, 201);
  const Answer created = Get(Prices("v1", "a"));
  conversion_.SetAnswer(R"("result":{"status":"Success"},"convertedObjects":[{"apiVersion":")" +
                        Group() + R"(/v2","kind":"Price","metadata":)" +
                        runtime::ToJson(ObjectAt(created.json, "metadata")) +
                        R"(,"spec":{"amount":1,"color":null,"odd":true},"odd":1}])");

  EXPECT_EQ(Spec(Get(Prices("v2", "a")).json), R"({"amount":1})");
}

TEST_F(ConversionAnswersTest, AFailureForTheVersionOfAManagerFailsOnlyApplies) {
  const auto apply = [&](const std::string& manager, const std::string& version,
                         const std::string& spec) {
    return Apply(Prices(version, "a"), "fieldManager=" + manager,
                 R"({"apiVersion":")" + Group() + "/" + version +
                     R"(","kind":"Price","metadata":{"name":"a"},"spec":)" + spec + "}");
  };
  ASSERT_EQ(apply("one", "v2", R"({"amount":1})").code, 201);
  conversion_.SetAnswer(R"("result":{"status":"Failure","message":"not today"})");

  const Answer applied = apply("two", "v1", R"({"color":"red"})");
  const Answer patched = MergePatch(Prices("v1", "a"), R"({"spec":{"cents":2}})");

  EXPECT_EQ(applied.code, 500);
  EXPECT_EQ(std::string(applied.message()),
            "conversion webhook for " + Group() + "/v1, Kind=Price failed: not today");
  EXPECT_EQ(patched.code, 200) << patched.body;
  EXPECT_EQ(Spec(patched.json), R"({"cents":2})");
  EXPECT_EQ(Managers(patched), LosesManagers() ? 0U : 1U);
}

class EquivalentTest : public PricesTest {
 protected:
  // Configures a webhook for version v2 and waits until it is called. `members` are further members
  // of it.
  void Configure(WebhookServer& server, const std::string& kind, const std::string& members = "") {
    ASSERT_TRUE(server.started());
    const std::string collection =
        "/apis/admissionregistration.k8s.io/v1/" + kind + "webhookconfigurations";
    DeleteLater(collection + "/" + ns());
    const Answer created =
        Post(collection,
             R"({"metadata":{"name":")" + ns() + R"("},"webhooks":[{"name":"a.x.io",)" +
                 R"("clientConfig":{)" + server.ClientConfig() +
                 R"(},"rules":[{"operations":["*"],"apiGroups":[")" + Group() +
                 R"("],"apiVersions":["v2"],"resources":["prices"]}],"sideEffects":"None",)" +
                 R"("admissionReviewVersions":["v1"])" + members + "}]}");
    ASSERT_EQ(created.code, 201) << created.body;
    ASSERT_TRUE(Eventually([&] {
      Create("v2", "is-it-called", "{}", "?dryRun=All");
      return !server.Requests().empty();
    }));
    server.Forget();
  }
};

TEST_F(EquivalentTest, AWebhookGetsObjectsInTheVersionOfItsRule) {
  WebhookServer server([](std::string_view, const runtime::JsonValue&,
                          const WebhookServer::Respond& respond) { respond(R"("allowed":true)"); });
  Configure(server, "validating");

  ASSERT_EQ(Create("v1", "a", R"({"cents":5})").code, 201);
  const runtime::JsonDocument request = runtime::MustParse(server.LastRequest());

  EXPECT_EQ(runtime::GetString(request["kind"], "version"), "v2");
  EXPECT_EQ(runtime::GetString(request["resource"], "version"), "v2");
  EXPECT_EQ(runtime::GetString(request["requestKind"], "version"), "v1");
  EXPECT_EQ(runtime::GetString(request["requestResource"], "version"), "v1");
  EXPECT_EQ(runtime::GetString(request["object"], "apiVersion"), Group() + "/v2");
  EXPECT_EQ(Spec(request["object"]), R"({"amount":5})");

  ASSERT_EQ(MergePatch(Prices("v1", "a"), R"({"spec":{"cents":6}})").code, 200);
  const runtime::JsonDocument update = runtime::MustParse(server.LastRequest());
  EXPECT_EQ(Spec(update["object"]), R"({"amount":6})");
  EXPECT_EQ(Spec(update["oldObject"]), R"({"amount":5})");
}

TEST_F(EquivalentTest, ThePatchOfAWebhookIsConvertedBack) {
  WebhookServer server(
      [](std::string_view, const runtime::JsonValue&, const WebhookServer::Respond& respond) {
        respond(R"("allowed":true,"patchType":"JSONPatch","patch":")" +
                Base64Encode(R"([{"op":"add","path":"/spec/amount","value":9}])") + "\"");
      });
  Configure(server, "mutating");

  const Answer created = Create("v1", "a", R"({"cents":5,"color":"red"})");

  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(Spec(created.json), R"({"cents":9,"color":"red"})");
}

TEST_F(EquivalentTest, AWebhookWithMatchPolicyExactGetsOnlyItsVersion) {
  WebhookServer server(
      [](std::string_view, const runtime::JsonValue&, const WebhookServer::Respond& respond) {
        respond(R"("allowed":false)");
      });
  Configure(server, "validating", R"(,"matchPolicy":"Exact")");

  EXPECT_EQ(Create("v1", "a", "{}").code, 201);
  EXPECT_EQ(Create("v2", "b", "{}").code, 400);
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
