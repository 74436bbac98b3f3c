// SPDX-License-Identifier: Apache-2.0
// Tests of the versions of AdmissionReviews, and of what a response of each version may be.
#include "capstan/base64.h"
#include "capstan/testing/eventually.h"
#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/testing/webhook_server.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;

class AdmissionReviewsTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    ASSERT_TRUE(server_.started());
  }
  // Configures a webhook for the ConfigMaps of this test that accepts these versions, and waits
  // until the server calls it.
  void Configure(bool mutating, const std::string& versions) {
    DeleteLater(Configurations(mutating) + "/" + ns());
    const Answer created =
        Post(Configurations(mutating),
             R"({"metadata":{"name":")" + ns() + R"("},"webhooks":[{"name":"a.x.io",)" +
                 R"("clientConfig":{)" + server_.ClientConfig() + R"(},"rules":[{)" +
                 R"("operations":["*"],"apiGroups":[""],"apiVersions":["v1"],)" +
                 R"("resources":["configmaps"]}],"sideEffects":"None",)" +
                 R"("admissionReviewVersions":)" + versions + R"(,"namespaceSelector":{)" +
                 R"("matchLabels":{"kubernetes.io/metadata.name":")" + ns() + "\"}}}]}");
    ASSERT_EQ(created.code, 201) << created.body;
    const auto called = [&] {
      Post(ConfigMaps() + "?dryRun=All", R"({"metadata":{"name":"is-it-called"}})");
      return !server_.Requests().empty();
    };
    ASSERT_TRUE(Eventually(called));
  }
  // Creates a ConfigMap whose webhook responds with this AdmissionReview.
  Answer CreateWith(const std::string& review) {
    server_.FailNext({{.code = 200, .body = review, .content_type = "application/json"}});
    return Post(ConfigMaps(), R"({"metadata":{"generateName":"a"}})");
  }
  static Refusal FailedCalling(const std::string& why) {
    const std::string what = "failed calling webhook \"a.x.io\": " + why;
    return {.code = 500,
            .reason = "InternalError",
            .message = "Internal error occurred: " + what,
            .details = R"({"causes":[)" + Sorted(R"({"message":)" + Quote(what) + "}") + "]}"};
  }

  WebhookServer server_{
      [](std::string_view, const runtime::JsonValue&, const WebhookServer::Respond& respond) {
        respond(R"("allowed":true)");
      }};
};

TEST_F(AdmissionReviewsTest, SendsTheFirstVersionThatItKnows) {
  Configure(false, R"(["v2","v1beta1","v1"])");
  EXPECT_EQ(server_.LastVersion(), "admission.k8s.io/v1beta1");

  EXPECT_EQ(Post(ConfigMaps(), R"({"metadata":{"name":"a"}})").code, 201);
  const runtime::JsonDocument request = runtime::MustParse(server_.LastRequest());
  EXPECT_EQ(runtime::GetString(request, "operation"), "CREATE");
  EXPECT_EQ(Sorted(runtime::ToJson(request["requestResource"])),
            Sorted(R"({"group":"","version":"v1","resource":"configmaps"})"));
  EXPECT_EQ(Sorted(runtime::ToJson(request["options"])),
            Sorted(R"({"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions"})"));
}

TEST_F(AdmissionReviewsTest, ChecksNeitherUidNorPatchTypeOfV1Beta1) {
  Configure(true, R"(["v1beta1"])");
  const std::string patch = Base64Encode(R"([{"op":"add","path":"/data","value":{"a":"b"}}])");
  const std::string response =
      R"("response":{"uid":"other","allowed":true,"patch":")" + patch + "\"";

  for (const std::string& kind :
       {std::string(), std::string(R"("kind":"AdmissionReview","apiVersion":)"
                                   R"("admission.k8s.io/v1beta1",)")}) {
    const Answer created = CreateWith("{" + kind + response + R"(,"patchType":"Merge"}})");
    ASSERT_EQ(created.code, 201) << created.body;
    EXPECT_STREQ(created.json["data"]["a"].GetString(), "b");
    EXPECT_EQ(CreateWith("{" + kind + response + "}}").code, 201);
  }
}

TEST_F(AdmissionReviewsTest, IgnoresThePatchOfAValidatingWebhookOfV1Beta1) {
  Configure(false, R"(["v1beta1"])");

  const Answer created =
      CreateWith(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{)"
                 R"("allowed":true,"patchType":"JSONPatch","patch":"W10="}})");
  EXPECT_EQ(created.code, 201) << created.body;
}

TEST_F(AdmissionReviewsTest, RejectsReviewsWithoutAResponse) {
  Configure(false, R"(["v1beta1"])");

  EXPECT_REFUSED(
      CreateWith(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"})"),
      FailedCalling("received invalid webhook response: webhook response was absent"));
}

TEST_F(AdmissionReviewsTest, RejectsReviewsOfTheOtherVersion) {
  Configure(false, R"(["v1beta1","v1"])");

  EXPECT_REFUSED(CreateWith(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",)"
                            R"("response":{"allowed":true}})"),
                 FailedCalling("failed to call webhook: converting (v1.AdmissionReview) to "
                               "(v1beta1.AdmissionReview): unknown conversion"));
}

TEST_F(AdmissionReviewsTest, RejectsReviewsThatAreNotV1) {
  Configure(false, R"(["v1"])");

  EXPECT_REFUSED(CreateWith(R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1",)"
                            R"("response":{"allowed":true}})"),
                 FailedCalling("failed to call webhook: converting (v1beta1.AdmissionReview) to "
                               "(v1.AdmissionReview): unknown conversion"));
  // The rest of the text is a line of Go's source.
  EXPECT_THAT(CreateWith(R"({"kind":"Review","apiVersion":"admission.k8s.io/v1"})").message(),
              HasSubstr(R"(failed to call webhook: no kind "Review" is registered for version )"
                        R"("admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:)"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
