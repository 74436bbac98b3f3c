// SPDX-License-Identifier: Apache-2.0
// What is particular to one kind of target, against the embedded API server: the places that take
// no bundle, the GETs of what is not cached whole, and other writers of the same object.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/api_service_target.h"
#include "controllers/cainjector/targets/custom_resource_definition_target.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/process.h"

namespace controllers::cainjector {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kNoConversion =
    R"({"spec":{"conversion":{"strategy":"None","webhook":null}}})";
constexpr const char* kConversion =
    R"({"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
    R"("clientConfig":{"url":"https://x.example.com"}}}}})";

class TargetsServerTest : public ProcessTest {
 protected:
  TargetsServerTest() { Create({StoredSecret(ca_)}); }
  void CreateCrd(const std::string& name) {
    Create({StoredTarget(crd_, name, {{kInjectCaFromSecret, "ns/ca"}})});
  }
  bool EventuallyHolds(const Target& target, const std::string& bundle) {
    return Eventually([&] { return Holds(target, "t", bundle); });
  }
  static bool Told(Process& process, const std::string& text) {
    return Eventually([&] {
      const auto events = process.events.events();
      return std::any_of(events.begin(), events.end(), [&](const std::string& event) {
        return event.find(text) != std::string::npos;
      });
    });
  }
  const Target& crd_ = CustomResourceDefinitionTarget();
  const Target& api_service_ = ApiServiceTarget();
  const Target& webhooks_ = ValidatingWebhookTarget();
};

TEST_F(TargetsServerTest, ACrdWithoutConversionWebhookIsNotWrittenUntilItHasOne) {
  CreateCrd("t");
  MergePatch(crd_, "t", kNoConversion);
  Process process(*client_);
  ASSERT_TRUE(Settled(process));
  EXPECT_THAT(process.events.events(),
              ElementsAre(HasSubstr("Normal NothingToInjectInto CustomResourceDefinition/"
                                    "ts.example.com: spec.conversion.strategy is not Webhook")));
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
  EXPECT_THAT(process.Metrics(), Not(HasSubstr("capstan_injectable_in_sync{")));

  MergePatch(crd_, "t", kConversion);
  EXPECT_TRUE(EventuallyHolds(crd_, ca_));
}

TEST_F(TargetsServerTest, ACrdThatGivesItsConversionWebhookUpIsLeftAlone) {
  CreateCrd("t");
  Process process(*client_);
  ASSERT_TRUE(EventuallyHolds(crd_, ca_));

  MergePatch(crd_, "t", kNoConversion);

  EXPECT_TRUE(Told(process, "NothingToInjectInto"));
  EXPECT_EQ(Writes(), 1U);
  EXPECT_TRUE(Holds(crd_, "t", ""));
}

TEST_F(TargetsServerTest, OneGetOfACrdForEachChangeAndNoneForOurOwn) {
  CreateCrd("t");
  Create({StoredTarget(crd_, "plain", {})});
  Process process(*client_);
  ASSERT_TRUE(EventuallyHolds(crd_, ca_));
  EXPECT_EQ(Gets("customresourcedefinitions"), 1U);

  const std::string rotated = NewCaPem();
  Update("ca", StoredSecret(rotated));
  ASSERT_TRUE(EventuallyHolds(crd_, ca_ + rotated));
  EXPECT_EQ(Gets("customresourcedefinitions"), 1U);

  MergePatch(crd_, "t", R"({"metadata":{"labels":{"somebody":"else"}}})");
  EXPECT_TRUE(Eventually([&] { return Gets("customresourcedefinitions") == 2; }));
  ASSERT_TRUE(Settled(process));
  EXPECT_EQ(Writes(), 2U);
}

TEST_F(TargetsServerTest, ACrdThatCannotBeReadIsToldAndRetried) {
  CreateCrd("t");
  server_.InjectFault({.match = {.verb = "get",
                                 .resource = "customresourcedefinitions",
                                 .user_agent = "under-test"},
                       .code = 500,
                       .message = "etcd is sad",
                       .count = 2});
  Process process(*client_);

  EXPECT_TRUE(EventuallyHolds(crd_, ca_));
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("failed to get CustomResourceDefinition ts.example.com")));
}

TEST_F(TargetsServerTest, NoWriteThatTheServerMustRefuse) {
  Create({StoredTarget(api_service_, "local", {{kInjectCaFromSecret, "ns/ca"}}),
          StoredTarget(api_service_, "skip", {{kInjectCaFromSecret, "ns/ca"}})});
  MergePatch(api_service_, "local", R"({"spec":{"service":null}})");
  MergePatch(api_service_, "skip", R"({"spec":{"insecureSkipTLSVerify":true}})");
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
  EXPECT_THAT(process.events.events(),
              ::testing::UnorderedElementsAre(
                  HasSubstr("Normal NothingToInjectInto APIService/v1.local.example.com"),
                  HasSubstr("Warning TLSVerifyDisabled APIService/v1.skip.example.com")));

  MergePatch(api_service_, "skip", R"({"spec":{"insecureSkipTLSVerify":false}})");
  EXPECT_TRUE(Eventually([&] { return Holds(api_service_, "skip", ca_); }));
}

TEST_F(TargetsServerTest, ATargetThatIsRefusedIsWrittenOnce) {
  Create({StoredTarget(webhooks_, "t", {{kInjectCaFromSecret, "ns/ca"}})});
  server_.InjectFault(
      {.match = {.verb = "patch"}, .code = 422, .message = "a policy says no", .count = -1});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(), ElementsAre(HasSubstr("a policy says no")));
  EXPECT_EQ(Writes(), 1U);
}

TEST_F(TargetsServerTest, AWebhookThatAnotherManagerAddsIsInjected) {
  const auto apply = [&](const std::string& webhooks) {
    const auto applied = observer_->Patch(
        {}, webhooks_.type(), {"", "t"}, clientgo::rest::PatchType::kApply,
        R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
        R"("kind":"ValidatingWebhookConfiguration",)"
        R"("metadata":{"name":"t","annotations":{"cert-manager.io/inject-ca-from-secret":)"
        R"("ns/ca"}},"webhooks":[)" +
            webhooks + "]}",
        {.field_manager = "gitops", .force = true});
    ASSERT_TRUE(applied.has_value()) << applied.error().message;
  };
  const auto webhook = [](const std::string& name) {
    return R"({"name":")" + name +
           R"(.example.com","sideEffects":"None","admissionReviewVersions":["v1"],)"
           R"("clientConfig":{"url":"https://x.example.com"}})";
  };
  apply(webhook("a"));
  const Process process(*client_);
  ASSERT_TRUE(EventuallyHolds(webhooks_, ca_));

  apply(webhook("a") + "," + webhook("b"));

  EXPECT_TRUE(Eventually([&] {
    return BundlesOf(webhooks_, "t") == std::vector<std::string>{ca_, ca_};
  }));
}

TEST_F(TargetsServerTest, ABundleNobodyAskedForStillHasAnExpiry) {
  Create({StoredTarget(webhooks_, "t", {}, ca_), StoredTarget(api_service_, "t", {}, ca_)});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  const std::string metrics = process.Metrics();
  const std::string family = "capstan_cabundle_expiration_timestamp_seconds{kind=\"";
  EXPECT_THAT(metrics, HasSubstr(family + "ValidatingWebhookConfiguration\",name=\"t\"} 1"));
  EXPECT_THAT(metrics, HasSubstr(family + "APIService\",name=\"v1.t.example.com\"} 1"));
  EXPECT_THAT(metrics, Not(HasSubstr("capstan_injectable_in_sync{")));
  EXPECT_THAT(process.events.events(), IsEmpty());

  Delete(webhooks_.type(), "t");
  EXPECT_TRUE(Eventually([&] {
    return process.Metrics().find(family + "ValidatingWebhookConfiguration") == std::string::npos;
  }));
}

}  // namespace
}  // namespace controllers::cainjector
