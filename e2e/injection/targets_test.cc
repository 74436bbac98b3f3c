// SPDX-License-Identifier: Apache-2.0
// Tests of behaviour specific to one kind of target: targets without a place for a bundle, GETs of
// objects that are only partly cached, and other writers of the same object.
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/targets/target.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kNoConversion =
    R"({"spec":{"conversion":{"strategy":"None","webhook":null}}})";
constexpr const char* kConversion =
    R"({"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
    R"("clientConfig":{"url":"https://x.example.com"}}}}})";

class TargetsTest : public InjectionTest {
 protected:
  void SetUp() override {
    InjectionTest::SetUp();
    Create({cainjector::StoredSecret(ca_)});
  }
  void CreateAnnotated(const cainjector::Target& target, const std::string& name) {
    CreateTarget(target, name, {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  }
  // Returns whether a definition is established, or is refused because another one has its names.
  // A real API server changes a new definition until then.
  bool HasFinalStatus(const std::string& crd) const {
    const std::string name = TargetName(crd_, Own(crd));
    const auto body = observer_->GetRaw({}, crd_.type().Path("", name));
    if (!body) return false;
    return body->body.find(R"("reason":"InitialNamesAccepted")") != std::string::npos ||
           body->body.find(R"("reason":"NotAccepted")") != std::string::npos;
  }
  // Applies the configuration `t` with these webhooks, as a GitOps tool does.
  Expected<runtime::ObjectPtr> Apply(const std::vector<std::string>& webhooks) {
    std::string list;
    for (const std::string& name : webhooks) {
      list += std::string(list.empty() ? "" : ",") + R"({"name":")" + name +
              R"(.x.example.com","sideEffects":"None","admissionReviewVersions":["v1"],)"
              R"("clientConfig":{"url":"https://x.example.com"}})";
    }
    return observer_->Patch(
        {}, webhooks_.type(), {"", Own("t")}, rest::PatchType::kApply,
        Moved(R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
              R"("kind":"ValidatingWebhookConfiguration","metadata":{"name":")" +
              Own("t") +
              R"(","annotations":{"cert-manager.io/inject-ca-from-secret":"ns/ca"}},)"
              R"("webhooks":[)" +
              list + "]}"),
        {.field_manager = "gitops", .force = true});
  }
  void CreateApplied(const std::vector<std::string>& webhooks) {
    CreateTarget(webhooks_, "t", {});  // deletes it when the test ends
    Delete(webhooks_.type(), Own("t"));
    const auto applied = Apply(webhooks);
    ASSERT_TRUE(applied.has_value()) << applied.error().message;
  }
  const cainjector::Target& crd_ = cainjector::CustomResourceDefinitionTarget();
  const cainjector::Target& api_service_ = cainjector::ApiServiceTarget();
  const cainjector::Target& webhooks_ = cainjector::ValidatingWebhookTarget();
};

TEST_F(TargetsTest, WritesACrdOnlyWithAConversionWebhook) {
  CreateAnnotated(crd_, "t");
  MergePatch(crd_, "t", kNoConversion);
  cainjector::Process process(connection_);
  ASSERT_TRUE(Settled(process));
  EXPECT_THAT(Events(process),
              ElementsAre(HasSubstr("Normal NothingToInjectInto CustomResourceDefinition/"
                                    "ts.example.com: spec.conversion.strategy is not Webhook")));
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
  EXPECT_THAT(Metrics(process), Not(HasSubstr("name=\"ts.example.com\"")));

  MergePatch(crd_, "t", kConversion);
  EXPECT_TRUE(ComesToHold(crd_, "t", ca_));
}

TEST_F(TargetsTest, StopsWritingACrdWithoutItsConversionWebhook) {
  CreateAnnotated(crd_, "t");
  cainjector::Process process(connection_);
  ASSERT_TRUE(ComesToHold(crd_, "t", ca_));

  MergePatch(crd_, "t", kNoConversion);

  EXPECT_TRUE(GetsEvent(process, "NothingToInjectInto"));
  EXPECT_EQ(Writes(), 1U);
  EXPECT_TRUE(Holds(crd_, "t", ""));
}

TEST_F(TargetsTest, DoesNotGetUnchangedCrds) {
  CreateAnnotated(crd_, "t");
  CreateTarget(crd_, "plain", {});
  cainjector::Process process(connection_);
  ASSERT_TRUE(ComesToHold(crd_, "t", ca_));
  ASSERT_TRUE(testing::Eventually([this] { return HasFinalStatus("t"); }));
  PassFence(process);
  // Counts the GETs of `t` only, because the fence's status may still change.
  const auto gets = [this] {
    return recorder_.Count("GET", {"/customresourcedefinitions/", Own("t")});
  };
  const std::uint64_t before = gets();

  const std::string rotated = cainjector::NewCaPem();
  Update("ca", cainjector::StoredSecret(rotated));
  ASSERT_TRUE(ComesToHold(crd_, "t", ca_ + rotated));

  EXPECT_EQ(gets(), before);
  EXPECT_EQ(recorder_.Count("GET", {"/customresourcedefinitions/", Own("plain")}), 0U);
  EXPECT_EQ(Writes(), 2U);
}

TEST_F(TargetsTest, SkipsWritesThatTheServerWouldReject) {
  CreateAnnotated(api_service_, "local");
  CreateAnnotated(api_service_, "skip");
  MergePatch(api_service_, "local", R"({"spec":{"service":null}})");
  MergePatch(api_service_, "skip", R"({"spec":{"insecureSkipTLSVerify":true}})");
  cainjector::Process process(connection_);
  ASSERT_TRUE(Settled(process));

  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(Gets("secrets"), 0U);
  EXPECT_THAT(Events(process),
              ::testing::UnorderedElementsAre(
                  HasSubstr("Normal NothingToInjectInto APIService/v1.local.example.com"),
                  HasSubstr("Warning TLSVerifyDisabled APIService/v1.skip.example.com")));

  MergePatch(api_service_, "skip", R"({"spec":{"insecureSkipTLSVerify":false}})");
  EXPECT_TRUE(ComesToHold(api_service_, "skip", ca_));
}

TEST_F(TargetsTest, InjectsAWebhookAddedByAnotherManager) {
  CreateApplied({"a"});
  const cainjector::Process process(connection_);
  ASSERT_TRUE(ComesToHold(webhooks_, "t", ca_));

  const auto applied = Apply({"a", "b"});
  ASSERT_TRUE(applied.has_value()) << applied.error().message;

  EXPECT_TRUE(testing::Eventually([&] {
    return BundlesOf(webhooks_, "t") == std::vector<std::string>{ca_, ca_};
  }));
}

TEST_F(TargetsTest, BlocksTheRemovalOfAnInjectedWebhook) {
  CreateApplied({"a", "b"});
  cainjector::Process process(connection_);
  ASSERT_TRUE(ComesToHold(webhooks_, "t", ca_));

  const auto applied = Apply({"a"});

  ASSERT_FALSE(applied.has_value());
  EXPECT_EQ(applied.error().http_code, 422);
  EXPECT_THAT(applied.error().message, HasSubstr("webhooks[1].sideEffects: Required value"));
  PassFence(process);
  EXPECT_EQ(BundlesOf(webhooks_, "t"), (std::vector<std::string>{ca_, ca_}));
}

TEST_F(TargetsTest, ReportsTheExpiryOfUnannotatedBundles) {
  CreateTargets("t", {}, ca_);
  cainjector::Process process(connection_);
  ASSERT_TRUE(Settled(process));

  const std::string family = "capstan_cabundle_expiration_timestamp_seconds{kind=\"";
  const std::string metrics = Metrics(process);
  EXPECT_THAT(metrics, HasSubstr(family + "ValidatingWebhookConfiguration\",name=\"t\"} 1"));
  EXPECT_THAT(metrics, HasSubstr(family + "APIService\",name=\"v1.t.example.com\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("capstan_cabundle_last_expiration_timestamp_seconds{kind="
                                 "\"APIService\",name=\"v1.t.example.com\"} 1"));
  EXPECT_THAT(metrics, Not(HasSubstr("capstan_injectable_in_sync{kind=\"APIService\","
                                     "name=\"v1.t.example.com\"")));
  EXPECT_THAT(Events(process), IsEmpty());

  Delete(webhooks_.type(), Own("t"));
  EXPECT_TRUE(testing::Eventually([&] {
    return Metrics(process).find(family + "ValidatingWebhookConfiguration\",name=\"t\"") ==
           std::string::npos;
  }));
}

}  // namespace
}  // namespace capstan::injection
