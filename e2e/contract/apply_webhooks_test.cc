// SPDX-License-Identifier: Apache-2.0
// Tests of the requests of a CA injector: it applies a caBundle to a webhook configuration's
// entries, an APIService or a CustomResourceDefinition. Another manager owns the other fields.
#include "capstan/base64.h"
#include "capstan/testing/certificates.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

class ApplyWebhooksTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    CreateWebhooks();
  }
  // Applies `entries`, the items of webhooks.
  Answer Inject(const std::string& query, const std::string& entries,
                const std::string& metadata = "") const {
    return Apply(Webhooks(), "fieldManager=" + query,
                 R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
                 R"("kind":"ValidatingWebhookConfiguration","metadata":{"name":")" +
                     ns() + '"' + metadata + R"(},"webhooks":[)" + entries + "]}");
  }
  static std::string Entry(const std::string& name, const std::string& bundle) {
    return R"({"name":")" + name + R"(","clientConfig":{"caBundle":")" + bundle + R"("}})";
  }
  // Returns each webhook's bundle: "a.x.io=eA== b.x.io=none ".
  static std::string Bundles(const Answer& answer) {
    std::string text;
    for (const runtime::JsonValue& webhook : answer.json["webhooks"].GetArray()) {
      const runtime::JsonValue* const bundle =
          runtime::FindPath(webhook, {"clientConfig", "caBundle"});
      text += std::string(runtime::GetString(webhook, "name")) + "=" +
              (bundle == nullptr ? "none" : bundle->GetString()) + " ";
    }
    return text;
  }
  static std::string Owned(const std::string& names) { return R"({"f:webhooks":{)" + names + "}}"; }
};

constexpr const char* kOwnedA =
    R"("k:{\"name\":\"a.x.io\"}":{".":{},"f:clientConfig":{"f:caBundle":{}},"f:name":{}})";

TEST_F(ApplyWebhooksTest, AddsABundleAndNothingElse) {
  const Answer before = Get(Webhooks());

  const Answer injected = Inject("injector", Entry("a.x.io", "eA=="));

  EXPECT_EQ(injected.code, 200);
  EXPECT_EQ(Bundles(injected), "a.x.io=eA== b.x.io=none ");
  EXPECT_EQ(FieldsOf(injected, "injector"), Owned(kOwnedA));
  EXPECT_EQ(FieldsOf(injected, "helm"), FieldsOf(before, "helm"));
  EXPECT_EQ(injected.json["metadata"]["generation"].GetInt(), 2);
}

TEST_F(ApplyWebhooksTest, SkipsTheWriteForTheSameBundle) {
  const Answer first = Inject("injector", Entry("a.x.io", "eA=="));

  EXPECT_EQ(Sorted(Inject("injector", Entry("a.x.io", "eA==")).body), Sorted(first.body));
}

TEST_F(ApplyWebhooksTest, RotatesAndRemovesItsBundles) {
  Inject("injector", Entry("a.x.io", "eA==") + "," + Entry("b.x.io", "eA=="));

  EXPECT_EQ(Bundles(Inject("injector", Entry("a.x.io", "eQ==") + "," + Entry("b.x.io", "eQ=="))),
            "a.x.io=eQ== b.x.io=eQ== ");
  EXPECT_EQ(Bundles(Inject("injector", Entry("a.x.io", "eQ=="))), "a.x.io=eQ== b.x.io=none ");
  const Answer none = Inject("injector", "");
  EXPECT_EQ(Bundles(none), "a.x.io=none b.x.io=none ");
  EXPECT_EQ(FieldsOf(none, "injector"), "none");
}

TEST_F(ApplyWebhooksTest, ConflictsWithAnotherInjector) {
  Inject("injector", Entry("a.x.io", "eA=="));
  const std::string path = R"(.webhooks[name="a.x.io"].clientConfig.caBundle)";

  EXPECT_REFUSED(
      Inject("other", Entry("a.x.io", "eQ==")),
      {.code = 409,
       .reason = "Conflict",
       .message = "Apply failed with 1 conflict: conflict with \"injector\": " + path,
       .details = R"({"causes":[)" +
                  Cause("FieldManagerConflict", "conflict with \"injector\"", path) + "]}"});
  EXPECT_EQ(Bundles(Inject("other&force=true", Entry("a.x.io", "eQ=="))),
            "a.x.io=eQ== b.x.io=none ");
}

TEST_F(ApplyWebhooksTest, ConflictsWithTheOwnerOfOtherFields) {
  const std::string path = R"(.webhooks[name="a.x.io"].sideEffects)";

  EXPECT_EQ(Inject("injector", R"({"name":"a.x.io","sideEffects":"NoneOnDryRun"})").message(),
            "Apply failed with 1 conflict: conflict with \"helm\" using "
            "admissionregistration.k8s.io/v1: " +
                path);
}

TEST_F(ApplyWebhooksTest, RejectsAnEntryWithOnlyABundle) {
  const Answer refused = Inject("injector", Entry("z.x.io", "eA=="));

  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.message(),
            "ValidatingWebhookConfiguration.admissionregistration.k8s.io \"" + ns() +
                "\" is invalid: [webhooks[2].sideEffects: Required value: must specify one of "
                "None, NoneOnDryRun, webhooks[2].clientConfig: Required value: exactly one of url "
                "or service is required, webhooks[2].admissionReviewVersions: Required value: must "
                "specify one of v1, v1beta1]");
}

TEST_F(ApplyWebhooksTest, RejectsDuplicateEntries) {
  EXPECT_REFUSED(
      Inject("injector", R"({"name":"a.x.io"},{"name":"a.x.io"})"),
      {.code = 500,
       .message = "failed to create typed patch object (/" + ns() +
                  "; admissionregistration.k8s.io/v1, Kind=ValidatingWebhookConfiguration): "
                  ".webhooks: duplicate entries for key [name=\"a.x.io\"]"});
}

TEST_F(ApplyWebhooksTest, RejectsTheUidOfAnEarlierObject) {
  const std::string uid = "11111111-1111-1111-1111-111111111111";
  const std::string uid_member = R"(,"uid":")" + uid + '"';

  EXPECT_REFUSED(
      Inject("injector", Entry("a.x.io", "eA=="), uid_member),
      Invalid("ValidatingWebhookConfiguration.admissionregistration.k8s.io", ns(), "metadata.uid",
              "FieldValueInvalid", "Invalid value: \"" + uid + "\": field is immutable"));
  Delete(Webhooks());
  EXPECT_EQ(Inject("injector", Entry("a.x.io", "eA=="), uid_member).code, 409);
  EXPECT_EQ(Get(Webhooks()).code, 404);
}

TEST_F(ApplyWebhooksTest, LosesItsBundleToAnUpdateByTheOwner) {
  Inject("injector", Entry("a.x.io", "eA=="));
  Answer live = Get(Webhooks());
  runtime::JsonDocument next;
  next.CopyFrom(live.json, next.GetAllocator());
  next["webhooks"][0]["clientConfig"].RemoveMember("caBundle");
  next["metadata"].RemoveMember("managedFields");

  const Answer updated = Put(Webhooks() + "?fieldManager=helm", runtime::ToJson(next));

  EXPECT_EQ(Bundles(updated), "a.x.io=none b.x.io=none ");
  EXPECT_EQ(FieldsOf(updated, "injector"),
            Owned(R"("k:{\"name\":\"a.x.io\"}":{".":{},"f:name":{}})"));
  EXPECT_EQ(Bundles(Inject("injector", Entry("a.x.io", "eA=="))), "a.x.io=eA== b.x.io=none ");
}

TEST_F(ApplyWebhooksTest, InjectsIntoAnApiService) {
  const std::string group = ns() + ".contract.io";
  const std::string collection = "/apis/apiregistration.k8s.io/v1/apiservices";
  const std::string name = "v1." + group;
  DeleteLater(collection + "/" + name);
  const Answer created =
      Post(collection + "?fieldManager=helm",
           R"({"metadata":{"name":")" + name + R"("},"spec":{"group":")" + group +
               R"(","version":"v1","groupPriorityMinimum":1,"versionPriority":1,)"
               R"("service":{"name":"s","namespace":"d"}}})");
  ASSERT_EQ(created.code, 201) << created.body;

  const Answer injected = Apply(
      collection + "/" + name, "fieldManager=injector",
      R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":")" +
          name + R"("},"spec":{"caBundle":"eA=="}})");

  EXPECT_EQ(injected.code, 200);
  EXPECT_EQ(Sorted(runtime::ToJson(injected.json["spec"])),
            R"({"caBundle":"eA==","group":")" + group +
                R"(","groupPriorityMinimum":1,"service":{"name":"s","namespace":"d","port":443},)"
                R"("version":"v1","versionPriority":1})");
  EXPECT_EQ(FieldsOf(injected, "injector"), R"({"f:spec":{"f:caBundle":{}}})");
  EXPECT_EQ(FieldsOf(injected, "helm"),
            R"({"f:spec":{"f:group":{},"f:groupPriorityMinimum":{},"f:service":{".":{},)"
            R"("f:name":{},"f:namespace":{},"f:port":{}},"f:version":{},"f:versionPriority":{}}})");
}

TEST_F(ApplyWebhooksTest, InjectsIntoACustomResourceDefinition) {
  const std::string group = ns() + ".contract.io";
  const std::string collection(kDefinitions);
  const std::string name = "things." + group;
  DeleteLater(collection + "/" + name);
  const Answer created =
      Post(collection + "?fieldManager=helm",
           R"({"metadata":{"name":")" + name + R"("},"spec":{"group":")" + group +
               R"(","names":{"plural":"things","kind":"Thing"},"scope":"Namespaced",)"
               R"("conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
               R"("clientConfig":{"url":"https://x/y"}}},)"
               R"("versions":[{"name":"v1","served":true,"storage":true,"schema":{)"
               R"("openAPIV3Schema":{"type":"object"}}}]}})");
  ASSERT_EQ(created.code, 201) << created.body;

  // The server requires valid certificates only in definitions.
  const auto ca = MakeCa({.common_name = "contract"});
  ASSERT_TRUE(ca.has_value()) << ca.error().message;
  const std::string bundle = Base64Encode(ca->cert_pem);

  const Answer injected =
      Apply(collection + "/" + name, "fieldManager=injector",
            R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
            R"("metadata":{"name":")" +
                name + R"("},"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":")" +
                bundle + R"("}}}}})");
  ASSERT_EQ(injected.code, 200) << injected.body;
  EXPECT_EQ(Sorted(runtime::ToJson(injected.json["spec"]["conversion"])),
            R"({"strategy":"Webhook","webhook":{"clientConfig":{"caBundle":")" + bundle +
                R"(","url":"https://x/y"},"conversionReviewVersions":["v1"]}})");
  EXPECT_EQ(FieldsOf(injected, "injector"),
            R"({"f:spec":{"f:conversion":{"f:webhook":{"f:clientConfig":{"f:caBundle":{}}}}}})");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
