// SPDX-License-Identifier: Apache-2.0
// Somebody else writes a target between our read and our write, against the embedded API server:
// nothing of theirs is lost, nothing of ours either, and no right is needed that the caches do not
// need. The cache is a plain Indexer, which lags for as long as the test wants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/targets/api_service_target.h"
#include "controllers/cainjector/targets/custom_resource_definition_target.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/process.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::ManagerEntries;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Annotations kAsks = {{kInjectCaFromSecret, "ns/ca"}};

class ApplyVersionTest : public ProcessTest, public ::testing::WithParamInterface<const Target*> {
 protected:
  ApplyVersionTest() {
    Create({StoredSecret(ca_), StoredTarget(target_, "t", kAsks)});
    if (target_.cached_whole()) {  // as RBAC answers with the rights of the chart
      server_.InjectFault({.match = {.verb = "get",
                                     .resource = target_.type().gvr.resource,
                                     .user_agent = "under-test"},
                           .code = 403,
                           .message = "no such right",
                           .count = -1});
    }
    Start(FieldOwnership::kKeep);
    CacheTarget();
  }
  void Start(FieldOwnership ownership) {
    injector_ =
        std::make_unique<Injector>(*client_, target_, targets_, std::vector<Source*>{&source_},
                                   reporter_, InjectorOptions{.field_ownership = ownership});
  }
  // The caches see what is there now.
  void CacheTarget() {
    const auto object = observer_->Get({}, target_.type(), {"", TargetName(target_, "t")});
    ASSERT_TRUE(object.has_value()) << object.error().message;
    targets_.Upsert(*object);
  }
  void CacheSecret() {
    const auto secret = observer_->Get({}, SecretMetadataType(), {"ns", "ca"});
    ASSERT_TRUE(secret.has_value()) << secret.error().message;
    secrets_.Upsert(*secret);
  }
  void Reconcile() {
    const auto result = injector_->Reconcile({}, {"", TargetName(target_, "t")});
    ASSERT_TRUE(result.has_value()) << result.error().error.message;
    EXPECT_NE(result->requeue_after, kSlowRetry);
  }
  // What the first look reads of the target is old when the second one writes.
  void LookBeforeTheSourceIsThere() {
    Reconcile();
    EXPECT_THAT(events_.events(), ElementsAre(HasSubstr("SourceNotFound")));
    EXPECT_EQ(Writes(), 0U);
  }
  ManagerEntries Entries() {
    return target_.Entries(
        **observer_->Get({}, target_.content_type(), {"", TargetName(target_, "t")}));
  }

  const Target& target_ = *GetParam();
  clientgo::cache::Indexer targets_;
  clientgo::cache::Indexer secrets_;
  ListedSecrets listed_{secrets_};
  SecretContents contents_{*client_, {}};
  SecretSource source_{contents_, listed_, {}};
  metrics::Metrics metrics_{{}};
  TargetMetrics target_metrics_{metrics_};
  FakeRecorder events_;
  Outcomes outcomes_;
  Reporter reporter_{target_.type(), events_, target_metrics_, outcomes_,
                     clientgo::util::Clock::Real()};
  std::unique_ptr<Injector> injector_;
};

constexpr auto kKindOf = [](const auto& test) { return test.param->type().kind; };

class AnyKindTest : public ApplyVersionTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, AnyKindTest,
                         ::testing::Values(&ValidatingWebhookTarget(), &MutatingWebhookTarget(),
                                           &ApiServiceTarget(), &CustomResourceDefinitionTarget()),
                         kKindOf);

TEST_P(AnyKindTest, KeepsACaThatSomebodyAddedMeanwhile) {
  LookBeforeTheSourceIsThere();
  const std::string theirs = NewCaPem();
  MergePatch(target_, "t", StoredTarget(target_, "t", kAsks, theirs));
  CacheSecret();

  Reconcile();

  EXPECT_THAT(BundlesOf(target_, "t"), Each(theirs + ca_));
  EXPECT_EQ(Writes(), 2U) << "one that is refused, one that is not";
  EXPECT_THAT(events_.events(),
              ElementsAre(HasSubstr("SourceNotFound"), HasSubstr("Normal Injected")));
  Reconcile();  // before any event
  EXPECT_EQ(Writes(), 2U);
}

TEST_P(AnyKindTest, KeepsACaThatSomebodyAddedMeanwhileAndDetaches) {
  Start(FieldOwnership::kDetach);
  LookBeforeTheSourceIsThere();
  const std::string theirs = NewCaPem();
  MergePatch(target_, "t", StoredTarget(target_, "t", kAsks, theirs));
  CacheSecret();

  Reconcile();

  EXPECT_THAT(BundlesOf(target_, "t"), Each(theirs + ca_));
  EXPECT_EQ(Entries(), ManagerEntries{});
  EXPECT_EQ(Writes(), 3U);
}

class CachedWholeTest : public ApplyVersionTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, CachedWholeTest,
                         ::testing::Values(&ValidatingWebhookTarget(), &MutatingWebhookTarget(),
                                           &ApiServiceTarget()),
                         kKindOf);

TEST_P(CachedWholeTest, DropsItsEntryAfterSomebodyElsesWriteWithoutTheRightToGet) {
  CacheSecret();
  Reconcile();
  CacheTarget();
  ASSERT_NE(Entries().apply, ManagerEntries::kNone);
  MergePatch(target_, "t", R"({"metadata":{"labels":{"somebody":"else"}}})");
  Start(FieldOwnership::kDetach);

  Reconcile();

  EXPECT_EQ(Entries(), ManagerEntries{});
  EXPECT_THAT(events_.events(), ElementsAre(HasSubstr("Normal Injected"))) << "no Forbidden";
}

TEST_P(CachedWholeTest, WritesNothingWhenTheAnnotationWentMeanwhile) {
  CacheSecret();
  MergePatch(target_, "t",
             R"({"metadata":{"annotations":{"cert-manager.io/inject-ca-from-secret":null}}})");

  Reconcile();

  EXPECT_THAT(BundlesOf(target_, "t"), Each(IsEmpty()));
  EXPECT_THAT(events_.events(), IsEmpty());
}

TEST_P(CachedWholeTest, LeavesAnotherObjectOfThatNameToItsOwnEvents) {
  CacheSecret();
  Delete(target_.type(), TargetName(target_, "t"));
  Create({StoredTarget(target_, "t", kAsks)});

  Reconcile();

  EXPECT_THAT(BundlesOf(target_, "t"), Each(IsEmpty()));
  EXPECT_THAT(events_.events(), IsEmpty());
  CacheTarget();
  Reconcile();
  EXPECT_THAT(BundlesOf(target_, "t"), Each(ca_));
}

class WebhooksTest : public ApplyVersionTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, WebhooksTest,
                         ::testing::Values(&ValidatingWebhookTarget(), &MutatingWebhookTarget()),
                         kKindOf);

TEST_P(WebhooksTest, AWebhookThatWasRemovedMeanwhileStaysAway) {
  CacheSecret();
  MergePatch(
      target_, "t",
      R"({"webhooks":[{"name":"url.example.com","sideEffects":"None",)"
      R"("admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x.example.com"}}]})");

  Reconcile();

  EXPECT_THAT(BundlesOf(target_, "t"), ElementsAre(ca_));
  EXPECT_THAT(events_.events(), ElementsAre(HasSubstr("Normal Injected"))) << "no Rejected";
}

}  // namespace
}  // namespace controllers::cainjector
