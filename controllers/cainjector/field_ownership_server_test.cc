// SPDX-License-Identifier: Apache-2.0
// Who owns what after an injection, against the embedded API server: the entries in managedFields,
// the writes they cost, and what a user who applies may remove.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/util/base64.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/api_service_target.h"
#include "controllers/cainjector/targets/custom_resource_definition_target.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/process.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::ManagerEntries;
using clientgo::rest::PatchType;
using ::testing::HasSubstr;

const CaInjectorOptions kDetach = {.field_ownership = FieldOwnership::kDetach};

class FieldOwnershipServerTest : public ProcessTest {
 protected:
  FieldOwnershipServerTest() { Create({StoredSecret(ca_)}); }

  // As `kubectl apply --server-side` of it, and no more.
  clientgo::util::Expected<clientgo::runtime::ObjectPtr> Apply(const Target& target,
                                                               const std::string& manifest) {
    return observer_->Patch({}, target.content_type(), {"", TargetName(target, "t")},
                            PatchType::kApply, manifest, {.field_manager = "kubectl"});
  }
  void MustApply(const Target& target) {
    const auto applied = Apply(target, StoredTarget(target, "t", {{kInjectCaFromSecret, "ns/ca"}}));
    ASSERT_TRUE(applied.has_value()) << applied.error().message;
  }
  ManagerEntries Entries(const Target& target) {
    const auto object = observer_->Get({}, target.content_type(), {"", TargetName(target, "t")});
    EXPECT_TRUE(object.has_value()) << object.error().message;
    return target.Entries(**object);
  }
  bool EventuallyHolds(const Target& target, const std::string& bundle) {
    return Eventually([&] { return Holds(target, "t", bundle); });
  }
  // All that it was going to do is done: a restart finds the same, and writes nothing.
  void ExpectNothingToDo(const CaInjectorOptions& options) {
    const auto before = Writes();
    Process process(*client_, options);
    EXPECT_TRUE(Settled(process));
    EXPECT_EQ(Writes(), before);
  }
};

class EveryKindTest : public FieldOwnershipServerTest,
                      public ::testing::WithParamInterface<const Target*> {};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKindTest,
                         ::testing::Values(&ValidatingWebhookTarget(), &MutatingWebhookTarget(),
                                           &ApiServiceTarget(), &CustomResourceDefinitionTarget()),
                         [](const auto& test) { return test.param->type().kind; });

TEST_P(EveryKindTest, DetachedAfterEachBundleItWrites) {
  const Target& target = *GetParam();
  MustApply(target);
  const std::string rotated = NewCaPem();
  {
    const Process process(*client_, kDetach);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
    EXPECT_TRUE(Eventually([&] { return Entries(target) == ManagerEntries{}; }));
    Update("ca", StoredSecret(rotated));
    ASSERT_TRUE(EventuallyHolds(target, ca_ + rotated));
    EXPECT_TRUE(Eventually([&] { return Entries(target) == ManagerEntries{}; }));
    EXPECT_EQ(Writes(), 4U);
  }
  ExpectNothingToDo(kDetach);
}

TEST_P(EveryKindTest, KeptByDefaultWithOneWriteForABundle) {
  const Target& target = *GetParam();
  MustApply(target);
  {
    const Process process(*client_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  EXPECT_NE(Entries(target).apply, ManagerEntries::kNone);
  EXPECT_EQ(Writes(), 1U);
  ExpectNothingToDo({});
}

TEST_P(EveryKindTest, ASwitchToDetachDropsTheEntryWithOneWrite) {
  const Target& target = *GetParam();
  MustApply(target);
  {
    const Process keeping(*client_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  {
    const Process detaching(*client_, kDetach);
    EXPECT_TRUE(Eventually([&] { return Entries(target) == ManagerEntries{}; }));
  }
  EXPECT_EQ(Writes(), 2U);
  EXPECT_TRUE(Holds(target, "t", ca_));
  ExpectNothingToDo(kDetach);
}

// A patch that sets the bundle in every place of StoredTarget.
std::string BundlePatch(const Target& target, const std::string& bundle) {
  const std::string field = R"("caBundle":")" + clientgo::util::Base64Encode(bundle) + '"';
  if (target.type().kind == "APIService") return R"({"spec":{)" + field + "}}";
  const std::string config = R"("clientConfig":{)" + field + "}";
  if (target.type().kind == "CustomResourceDefinition") {
    return R"({"spec":{"conversion":{"webhook":{)" + config + "}}}}";
  }
  return R"({"webhooks":[{"name":"url.example.com",)" + config +
         R"(},{"name":"service.example.com",)" + config + "}]}";
}

// An "Update" entry is what the PUT of cert-manager up to 1.20 left.
TEST_P(EveryKindTest, AnEntryOfAPutGoesWithTheFirstBundleThatIsWritten) {
  const Target& target = *GetParam();
  MustApply(target);
  const bool webhooks = target.type().kind.ends_with("WebhookConfiguration");
  const auto put =
      observer_->Patch({}, target.content_type(), {"", TargetName(target, "t")},
                       webhooks ? PatchType::kStrategicMerge : PatchType::kMerge,
                       BundlePatch(target, ca_), {.field_manager = std::string(kFieldManager)});
  ASSERT_TRUE(put.has_value()) << put.error().message;
  ASSERT_TRUE(Holds(target, "t", ca_));
  ASSERT_NE(Entries(target).update, ManagerEntries::kNone);
  ExpectNothingToDo({});

  const std::string rotated = NewCaPem();
  Update("ca", StoredSecret(rotated));
  {
    const Process process(*client_);
    ASSERT_TRUE(EventuallyHolds(target, ca_ + rotated));
    EXPECT_TRUE(Eventually([&] { return Entries(target).update == ManagerEntries::kNone; }));
  }
  EXPECT_NE(Entries(target).apply, ManagerEntries::kNone);
  EXPECT_EQ(Writes(), 1U) << "the apply changed, and so took, all that the entry owned";
  ExpectNothingToDo({});
}

std::string Hooks(const std::string& webhooks) {
  return R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":)"
         R"("ValidatingWebhookConfiguration","metadata":{"name":"t","annotations":)"
         R"({"cert-manager.io/inject-ca-from-secret":"ns/ca"}},"webhooks":[)" +
         webhooks + "]}";
}
const std::string kHookA =
    R"({"name":"a.example.com","sideEffects":"None","admissionReviewVersions":["v1"],)"
    R"("clientConfig":{"url":"https://x.example.com"}})";
const std::string kHookB =
    R"({"name":"b.example.com","sideEffects":"None","admissionReviewVersions":["v1"],)"
    R"("clientConfig":{"url":"https://x.example.com"}})";

TEST_F(FieldOwnershipServerTest, WhatAnApplyDoesNotTakeOfAPutIsDroppedWithASecondWrite) {
  const Target& target = ValidatingWebhookTarget();
  ASSERT_TRUE(Apply(target, Hooks(kHookA + "," + kHookB)).has_value());
  const auto put =
      observer_->Patch({}, target.type(), {"", "t"}, PatchType::kStrategicMerge,
                       R"({"webhooks":[{"name":"a.example.com","clientConfig":{"caBundle":")" +
                           clientgo::util::Base64Encode(ca_) + R"("}}]})",
                       {.field_manager = std::string(kFieldManager)});
  ASSERT_TRUE(put.has_value()) << put.error().message;
  {
    const Process process(*client_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
    EXPECT_TRUE(Eventually([&] { return Entries(target).update == ManagerEntries::kNone; }));
  }
  EXPECT_NE(Entries(target).apply, ManagerEntries::kNone);
  EXPECT_EQ(Writes(), 2U);
  ExpectNothingToDo({});
}

TEST_F(FieldOwnershipServerTest, WhoseEntryIsKeptKeepsAWebhookThatItsOwnerRemoves) {
  const Target& target = ValidatingWebhookTarget();
  ASSERT_TRUE(Apply(target, Hooks(kHookA + "," + kHookB)).has_value());
  const Process process(*client_);
  ASSERT_TRUE(EventuallyHolds(target, ca_));

  const auto removed = Apply(target, Hooks(kHookA));

  ASSERT_FALSE(removed.has_value());
  EXPECT_EQ(removed.error().http_code, 422);
  EXPECT_THAT(removed.error().message, HasSubstr("webhooks[1].sideEffects: Required value"));
}

TEST_F(FieldOwnershipServerTest, DetachedItsOwnerRemovesAWebhookAndTheOtherKeepsItsBundle) {
  const Target& target = ValidatingWebhookTarget();
  ASSERT_TRUE(Apply(target, Hooks(kHookA + "," + kHookB)).has_value());
  const Process process(*client_, kDetach);
  ASSERT_TRUE(EventuallyHolds(target, ca_));
  ASSERT_TRUE(Eventually([&] { return Entries(target) == ManagerEntries{}; }));

  const auto removed = Apply(target, Hooks(kHookA));

  ASSERT_TRUE(removed.has_value()) << removed.error().message;
  EXPECT_EQ(target.Bundles(**removed), std::vector<std::string>{ca_});
}

TEST_F(FieldOwnershipServerTest, AConversionCanBeRemovedOnlyWhenDetached) {
  const Target& target = CustomResourceDefinitionTarget();
  const std::string manifest = StoredTarget(target, "t", {{kInjectCaFromSecret, "ns/ca"}});
  const std::string without = manifest.substr(0, manifest.find(R"(,"conversion")")) + "}}";
  MustApply(target);
  {
    const Process keeping(*client_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  const auto refused = Apply(target, without);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("spec.conversion.strategy: Required value"));

  const Process detaching(*client_, kDetach);
  ASSERT_TRUE(Eventually([&] { return Entries(target) == ManagerEntries{}; }));
  const auto removed = Apply(target, without);

  ASSERT_TRUE(removed.has_value()) << removed.error().message;
  EXPECT_TRUE(target.Refusal(**removed).has_value()) << "the strategy is None";
}

TEST_F(FieldOwnershipServerTest, WhatACrashLeftBetweenTheTwoWritesIsDropped) {
  const Target& target = MutatingWebhookTarget();
  MustApply(target);
  {
    const Process keeping(*client_);  // as if killed after the first write
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  server_.InjectFault({.match = {.verb = "patch", .user_agent = "under-test"},
                       .code = 500,
                       .message = "etcd is sad",
                       .count = 1});
  {
    const Process process(*client_, kDetach);
    EXPECT_TRUE(Eventually([&] { return Entries(target) == ManagerEntries{}; }));
  }
  EXPECT_EQ(Writes(), 3U);  // one of them failed
  ExpectNothingToDo(kDetach);
}

TEST_F(FieldOwnershipServerTest, AppliedAgainItsOwnerChangesNothingOfTheBundle) {
  for (const Target* target : {&ValidatingWebhookTarget(), &CustomResourceDefinitionTarget()}) {
    MustApply(*target);
  }
  const Process process(*client_, kDetach);
  for (const Target* target : {&ValidatingWebhookTarget(), &CustomResourceDefinitionTarget()}) {
    ASSERT_TRUE(EventuallyHolds(*target, ca_));
    MustApply(*target);
    EXPECT_TRUE(Holds(*target, "t", ca_));
  }
}

}  // namespace
}  // namespace controllers::cainjector
