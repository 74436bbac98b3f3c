// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "capstan/base64.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/testing/injector_fixture.h"
#include "controllers/cainjector/testing/process.h"

namespace capstan::cainjector {
namespace {

using std::chrono::hours;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using InjectorTest = InjectorFixture;

TEST_F(InjectorTest, InjectsIntoEveryWebhook) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {"", ""});

  MustReconcile();

  const std::string bundle = Base64Encode(ca_);
  EXPECT_THAT(cluster_.PatchBodies(),
              ElementsAre(R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
                          R"("kind":"ValidatingWebhookConfiguration",)"
                          R"("metadata":{"name":"t","uid":"uid-t","resourceVersion":"1"},)"
                          R"("webhooks":[)"
                          R"({"name":"w0","clientConfig":{"caBundle":")" +
                          bundle + R"("}},{"name":"w1","clientConfig":{"caBundle":")" + bundle +
                          R"("}}]})"));
  EXPECT_EQ(cluster_.Count("PATCH /apis/admissionregistration.k8s.io/v1/"
                           "validatingwebhookconfigurations/t?"),
            1U);
  const auto requests = cluster_.transport->requests();
  EXPECT_THAT(requests.back().target, HasSubstr("fieldManager=cert-manager-cainjector"));
  EXPECT_THAT(requests.back().target, HasSubstr("force=true"));
  EXPECT_EQ(transport::FindHeader(requests.back().headers, "Content-Type"),
            "application/apply-patch+yaml");
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre("Normal Injected ValidatingWebhookConfiguration/t: Injected the CA "
                          "bundle of Secret ns/ca in 2 places"));
  EXPECT_EQ(Counted("Injected"), 1);
}

TEST_F(InjectorTest, SendsNoRequestForTheEventOfItsOwnWrite) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {""});
  MustReconcile();
  Put("t", kRef, {ca_});

  MustReconcile();

  EXPECT_EQ(cluster_.Count("GET"), 1U);
  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_THAT(cluster_.events.events(), SizeIs(1));
  EXPECT_EQ(Counted("Unchanged"), 1);
}

TEST_F(InjectorTest, WritesNothingAfterARestart) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  for (int i = 0; i < 20; ++i) Put("t" + std::to_string(i), kRef, {ca_, ca_});

  for (int i = 0; i < 20; ++i) MustReconcile("t" + std::to_string(i));

  EXPECT_EQ(cluster_.Count("PATCH"), 0U);
  EXPECT_EQ(cluster_.Count("GET"), 1U);  // of the Secret
  EXPECT_THAT(cluster_.events.events(), IsEmpty());
}

TEST_F(InjectorTest, SendsOneGetAndOneWritePerTargetAfterARotation) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  for (int i = 0; i < 400; ++i) Put("t" + std::to_string(i), kRef, {ca_});
  const std::string rotated = NewCaPem();
  cluster_.PutSecret(kRef, {.ca_crt = rotated, .version = "2"});

  for (int i = 0; i < 400; ++i) MustReconcile("t" + std::to_string(i));

  EXPECT_EQ(cluster_.Count("GET"), 1U);
  EXPECT_EQ(cluster_.Count("PATCH"), 400U);
  EXPECT_THAT(cluster_.PatchBodies().front(), HasSubstr(Base64Encode(ca_ + rotated)));
}

TEST_F(InjectorTest, KeepsTheOldCertificatesOfEachWebhook) {
  const std::string other = NewCaPem();
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {other, "garbage", ca_});

  MustReconcile();

  ASSERT_THAT(cluster_.PatchBodies(), SizeIs(1));
  const std::string body = cluster_.PatchBodies()[0];
  EXPECT_THAT(body, HasSubstr(R"("w0","clientConfig":{"caBundle":")" + Base64Encode(other + ca_)));
  EXPECT_THAT(body, HasSubstr(R"("w1","clientConfig":{"caBundle":")" + Base64Encode(ca_) + "\""));
  // It is in sync, but the apply would remove a webhook that it does not contain.
  EXPECT_THAT(body, HasSubstr(R"("w2","clientConfig":{"caBundle":")" + Base64Encode(ca_) + "\""));
}

TEST_F(InjectorTest, InjectsIntoAWebhookAddedLater) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {ca_});
  MustReconcile();
  Put("t", kRef, {ca_, ""});

  MustReconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
}

TEST_F(InjectorTest, WritesNothingWithoutWebhooks) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {});

  MustReconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 0U);
}

TEST_F(InjectorTest, InjectsASecretCreatedLater) {
  Put("t", kRef, {""});
  const auto early = Reconcile();
  ASSERT_TRUE(early.has_value());
  EXPECT_EQ(early->requeue_after, std::nullopt);  // the event of the Secret follows
  cluster_.PutSecret(kRef, {.ca_crt = ca_});

  MustReconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("Warning SourceNotFound"), HasSubstr("Normal Injected")));
}

TEST_F(InjectorTest, NeverWritesTextThatIsNotABundle) {
  Put("t", kRef, {ca_});
  int version = 0;
  const std::string key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  for (const std::string& bad :
       {std::string("garbage"), std::string(), ca_.substr(0, 200), ca_ + std::string(400'000, ' '),
        ca_ + key, NewCaPem(hours(-24 * 365 * 2))}) {
    cluster_.PutSecret(kRef, {.ca_crt = bad, .version = std::to_string(++version)});
    const auto result = Reconcile();
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->requeue_after, std::nullopt);
  }

  EXPECT_EQ(cluster_.Count("PATCH"), 0U);
  EXPECT_EQ(Counted("InvalidBundle"), 4);
  EXPECT_EQ(Counted("NoCaData"), 1);
  EXPECT_EQ(Counted("Expired"), 1);
}

TEST_F(InjectorTest, ReportsAFailureOnceAndCountsItAlways) {
  Put("t", kRef, {""});
  for (int i = 0; i < 3; ++i) (void)Reconcile();
  EXPECT_THAT(cluster_.events.events(), SizeIs(1));
  EXPECT_EQ(Counted("SourceNotFound"), 3);

  cluster_.PutSecret(kRef, {.ca_crt = ca_, .allow = "no"});
  (void)Reconcile();
  cluster_.DeleteSecret(kRef);
  (void)Reconcile();

  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("SourceNotFound"), HasSubstr("NotAllowed"),
                          HasSubstr("SourceNotFound")));
}

TEST_F(InjectorTest, IgnoresUnannotatedAndDeletedTargets) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("plain", nullptr, {""});
  Put("dying", kRef, {""}, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");

  for (const std::string name : {"plain", "dying", "absent"}) {
    const auto result = Reconcile(name);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->requeue_after, std::nullopt);
  }

  EXPECT_EQ(cluster_.Count(""), 0U);
  EXPECT_THAT(cluster_.events.events(), IsEmpty());
}

TEST_F(InjectorTest, ReportsAnEmptyAnnotation) {
  Put("t", "", {""});

  MustReconcile();

  EXPECT_THAT(cluster_.events.events(), ElementsAre(HasSubstr("Warning BadAnnotation")));
}

TEST_F(InjectorTest, RejectsOtherNamespacesWithoutRetry) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Restart({}, {.namespaces = {"elsewhere"}});
  Put("t", kRef, {""});

  const auto result = Reconcile();

  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->requeue_after, std::nullopt);
  EXPECT_EQ(Counted("OutsideNamespace"), 1);
  EXPECT_EQ(cluster_.in_sync->Value({"ValidatingWebhookConfiguration", "t"}), std::nullopt)
      << "what is excluded on purpose is no alert";
}

TEST_F(InjectorTest, RetriesARejectedWriteSlowlyAndReportsItOnce) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {""});
  cluster_.Fail("PATCH", 422, "Invalid", "spec is wrong");

  for (int i = 0; i < 3; ++i) {
    const auto result = Reconcile();
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->requeue_after, kSlowRetry);
  }

  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("Warning Rejected ValidatingWebhookConfiguration/t: failed to "
                                    "apply ValidatingWebhookConfiguration t: spec is wrong")));
}

TEST_F(InjectorTest, ReportsWhyAWriteWasDeniedAndNotTheBundle) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {""});
  cluster_.Fail("PATCH", 403, "Forbidden",
                "admission webhook \"deny.example.com\" denied the request: bad \"" +
                    Base64Encode(ca_) + "\": not today");

  EXPECT_EQ(Reconcile()->requeue_after, kSlowRetry);

  EXPECT_EQ(Counted("Rejected"), 1) << "no right is missing";
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(AllOf(HasSubstr("Warning Rejected"), HasSubstr("denied the request"),
                                EndsWith("not today"), Not(HasSubstr("LS0tLS1")))));
}

TEST_F(InjectorTest, RetriesForbiddenRequestsSlowly) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {""});
  cluster_.Fail("GET", 403, "Forbidden", "no");
  EXPECT_EQ(Reconcile()->requeue_after, kSlowRetry);
  cluster_.FailNoMore();
  cluster_.Fail("PATCH", 403, "Forbidden", "no");
  EXPECT_EQ(Reconcile()->requeue_after, kSlowRetry);
  EXPECT_EQ(Counted("Forbidden"), 2);
}

TEST_F(InjectorTest, RetriesTransientErrorsWithBackoff) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {""});
  cluster_.PutTarget(target_, "t", WebhookJson(target_, "t", kRef, {""}, "2"));
  cluster_.Fail("PATCH", 409, "Conflict", "the object has been modified");
  auto result = Reconcile();
  ASSERT_FALSE(result.has_value());
  EXPECT_FALSE(result.error().terminal);
  EXPECT_EQ(cluster_.Count("PATCH"), static_cast<std::size_t>(kApplyAttempts));

  cluster_.FailNoMore();
  cluster_.Fail("PATCH", 500, "InternalError", "etcd is sad");
  EXPECT_FALSE(Reconcile().has_value());

  cluster_.FailNoMore();
  MustReconcile();
  EXPECT_EQ(Counted("Error"), 2);
  EXPECT_EQ(Counted("Injected"), 1);
  EXPECT_EQ(cluster_.Count("GET /api/v1/namespaces/ns/secrets/ca"), 1U);
}

TEST_F(InjectorTest, IgnoresADeletedTarget) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {""});
  cluster_.Fail("PATCH", 404, "NotFound", "not found");

  MustReconcile();

  EXPECT_THAT(cluster_.events.events(), IsEmpty());
}

TEST_F(InjectorTest, ReconcilesAgainWhenACertificateExpires) {
  const std::string old_ca = NewCaPem(hours(1));
  const auto certificates = ParseBundle(old_ca + ca_);
  ASSERT_TRUE(certificates.has_value());
  cluster_.clock.StepWall(certificates->front().not_after - hours(3) - cluster_.clock.WallNow());
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put("t", kRef, {old_ca});
  const auto first = Reconcile();
  ASSERT_TRUE(first.has_value());
  EXPECT_GT(first->requeue_after, hours(3));
  EXPECT_LE(first->requeue_after, hours(3) + std::chrono::seconds(1));
  Put("t", kRef, {old_ca + ca_});

  cluster_.clock.StepWall(hours(3) + std::chrono::seconds(2));
  const auto second = Reconcile();

  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->requeue_after, kResyncPeriod);
  ASSERT_THAT(cluster_.PatchBodies(), SizeIs(2));
  EXPECT_THAT(cluster_.PatchBodies()[1], HasSubstr("\"" + Base64Encode(ca_) + "\""));
}

TEST_F(InjectorTest, WritesOnlyTheSourcesCertificatesWithoutMerging) {
  Restart({.merge_bundles = false});
  const std::string expired = NewCaPem(hours(-1));
  cluster_.PutSecret(kRef, {.ca_crt = "password: hunter2\n" + ca_ + "between\n" + expired + "end"});
  Put("t", kRef, {NewCaPem()});

  MustReconcile();

  ASSERT_THAT(cluster_.PatchBodies(), SizeIs(1));
  EXPECT_THAT(cluster_.PatchBodies()[0], HasSubstr("\"" + Base64Encode(ca_ + expired) + "\""));
  Put("t", kRef, {ca_ + expired});
  MustReconcile();
  EXPECT_EQ(cluster_.Count("PATCH"), 1U);

  cluster_.PutSecret(kRef, {.ca_crt = "garbage", .version = "2"});
  MustReconcile();
  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_EQ(Counted("InvalidBundle"), 1);
}

TEST_F(InjectorTest, InjectsWhatIsLeftOfAListAndReportsTheRestOnce) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  PutWithList("secret/ns/absent, secret/ns/ca", "");
  MustReconcile();
  PutWithList("secret/ns/absent, secret/ns/ca", ca_);

  MustReconcile();

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(HasSubstr(Base64Encode(ca_))));
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("Normal Injected ValidatingWebhookConfiguration/t: Injected "
                                    "the CA bundle of Secret ns/absent, Secret ns/ca in 1 place, "
                                    "without the sources that failed"),
                          "Warning SourcesIncomplete ValidatingWebhookConfiguration/t: 1 of 2 "
                          "sources failed: secret/ns/absent: SourceNotFound: Secret ns/absent does "
                          "not exist"));
  const std::vector<std::string> incomplete = {"ValidatingWebhookConfiguration", "Union",
                                               "SourcesIncomplete"};
  EXPECT_EQ(cluster_.injections->Value(incomplete), 2);
  EXPECT_EQ(cluster_.in_sync->Value({"ValidatingWebhookConfiguration", "t"}), 0);
}

TEST_F(InjectorTest, RetriesAListAsItsMostUrgentBrokenSource) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  cluster_.PutSecret("ns/other", {.ca_crt = ca_});
  PutWithList("secret/ns/absent, secret/ns/other, secret/ns/ca", ca_);
  EXPECT_EQ(Reconcile()->requeue_after, kResyncPeriod);

  cluster_.Fail("GET /api/v1/namespaces/ns/secrets/other", 403, "Forbidden", "no RBAC");
  cluster_.PutSecret("ns/other", {.ca_crt = ca_, .version = "2"});
  EXPECT_EQ(Reconcile()->requeue_after, kSlowRetry);

  cluster_.FailNoMore();
  cluster_.Fail("GET /api/v1/namespaces/ns/secrets/other", 500, "InternalError", "no answer");
  const auto result = Reconcile();
  ASSERT_FALSE(result.has_value());  // backoff
  EXPECT_THAT(result.error().error.message, HasSubstr("no answer"));
}

const Annotations kAsks = {{kInjectCaFromSecret, "ns/ca"}};

class ApplyVersionTest : public ProcessTest, public ::testing::WithParamInterface<const Target*> {
 protected:
  ApplyVersionTest() {
    Create({StoredSecret(ca_), StoredTarget(target_, "t", kAsks)});
    if (target_.cached_whole()) {  // as with the rights of the chart
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
                                   reporter_, CaInjectorOptions{.field_ownership = ownership});
  }
  // Copies the current objects into the caches.
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
  // Reads the target, so that its content is old at the next write.
  void LookBeforeTheSourceIsThere() {
    Reconcile();
    EXPECT_THAT(events_.events(), ElementsAre(HasSubstr("SourceNotFound")));
    EXPECT_EQ(Writes(), 0U);
  }
  ManagerEntries Entries() {
    return target_.Entries(
        **observer_->Get({}, target_.content_type(), {"", TargetName(target_, "t")}));
  }

  const std::unique_ptr<rest::Client> client_ = rest::Client::New(connection_.config).value();
  const Target& target_ = *GetParam();
  cache::Indexer targets_;
  cache::Indexer secrets_;
  CacheResolver listed_{secrets_};
  CaCertLoader contents_{*client_, listed_};
  SecretSource source_{contents_, {}};
  metrics::Metrics metrics_{{}};
  TargetMetrics target_metrics_ = NewTargetMetrics(metrics_);
  record::EventLines events_;
  Outcomes outcomes_;
  Reporter reporter_{target_.type(), events_, target_metrics_, outcomes_, Clock::Real()};
  std::unique_ptr<Injector> injector_;
};

constexpr auto kKindOf = [](const auto& test) { return test.param->type().kind; };

class AnyKindTest : public ApplyVersionTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, AnyKindTest,
                         ::testing::Values(&ValidatingWebhookTarget(), &MutatingWebhookTarget(),
                                           &ApiServiceTarget(), &CustomResourceDefinitionTarget()),
                         kKindOf);

TEST_P(AnyKindTest, KeepsACaAddedByAConcurrentWrite) {
  LookBeforeTheSourceIsThere();
  const std::string theirs = NewCaPem();
  MergePatch(target_, "t", StoredTarget(target_, "t", kAsks, theirs));
  CacheSecret();

  Reconcile();

  EXPECT_THAT(BundlesOf(target_, "t"), Each(theirs + ca_));
  EXPECT_EQ(Writes(), 2U) << "one that is refused, one that is not";
  EXPECT_THAT(events_.events(),
              ElementsAre(HasSubstr("SourceNotFound"), HasSubstr("Normal Injected")));
  Reconcile();  // before the event of its own write
  EXPECT_EQ(Writes(), 2U);
}

TEST_P(AnyKindTest, KeepsACaAddedByAConcurrentWriteAndDetaches) {
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

TEST_P(CachedWholeTest, DropsItsEntryAfterAConcurrentWriteWithoutTheRightToGet) {
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

TEST_P(CachedWholeTest, WritesNothingWhenTheAnnotationWasRemoved) {
  CacheSecret();
  MergePatch(target_, "t",
             R"({"metadata":{"annotations":{"cert-manager.io/inject-ca-from-secret":null}}})");

  Reconcile();

  EXPECT_THAT(BundlesOf(target_, "t"), Each(IsEmpty()));
  EXPECT_THAT(events_.events(), IsEmpty());
}

TEST_P(CachedWholeTest, IgnoresAnotherObjectOfThatName) {
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

TEST_P(WebhooksTest, DoesNotRestoreARemovedWebhook) {
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
}  // namespace capstan::cainjector
