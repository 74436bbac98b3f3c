// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/field_ownership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "capstan/base64.h"
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/injector_fixture.h"
#include "controllers/cainjector/testing/process.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kOurs = "cert-manager-cainjector";
constexpr auto kDetach = FieldOwnership::kDetach;
constexpr auto kKeep = FieldOwnership::kKeep;

TEST(EntriesToDropTest, AreAllWithDetachAndUpdateBesideApplyWithKeep) {
  const ManagerEntries none;
  const ManagerEntries apply = {.apply = 1};
  const ManagerEntries update = {.update = 2};
  const ManagerEntries both = {.apply = 1, .update = 2};
  for (const ManagerEntries& found : {none, apply, update, both}) {
    EXPECT_EQ(EntriesToDrop(kDetach, found), found);
  }
  for (const ManagerEntries& found : {none, apply, update}) {
    EXPECT_EQ(EntriesToDrop(kKeep, found), none);
  }
  EXPECT_EQ(EntriesToDrop(kKeep, both), update);
}

TEST(DropEntriesPatchTest, ContainsTheVersionAndRemovesFromTheEnd) {
  const std::string version = R"([{"op":"replace","path":"/metadata/resourceVersion","value":"7"})";
  const std::string remove = R"(,{"op":"remove","path":"/metadata/managedFields/)";

  EXPECT_EQ(DropEntriesPatch("7", {.apply = 3}), version + remove + R"(3"}])");
  EXPECT_EQ(DropEntriesPatch("7", {.apply = 0, .update = 2}),
            version + remove + R"(2"})" + remove + R"(0"}])");
  EXPECT_EQ(DropEntriesPatch("7", {.apply = 2, .update = 0}),
            version + remove + R"(2"})" + remove + R"(0"}])");
}

// Returns managedFields. "Apply" and "Update" are entries of our manager, "-" is one of another.
std::string ManagedFields(const std::vector<std::string>& operations) {
  std::string json;
  for (const std::string& operation : operations) {
    json += json.empty() ? R"(,"managedFields":[{"manager":")" : R"(,{"manager":")";
    json += operation == "-" ? "kubectl" : kOurs;
    json += R"(","operation":")" + (operation == "-" ? "Update" : operation) + "\"}";
  }
  return json.empty() ? json : json + "]";
}

testing::FakeResponse Ok(const std::string& json) {
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .chunks = {json}};
}

testing::FakeResponse Refused(int code, const std::string& reason) {
  return {.status = code,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","status":"Failure","reason":")" + reason + R"(","code":)" +
                     std::to_string(code) + "}"}};
}

// An object of the kind of `target_`, and the responses of an API server in order.
class FieldOwnerTest : public InjectorFixture {
 protected:
  std::string Json(const std::string& version, const std::vector<std::string>& operations,
                   const std::vector<std::string>& bundles = {"x"}) const {
    return WebhookJson(target_, "t", "ns/ca", bundles, version, ManagedFields(operations));
  }
  runtime::ObjectPtr Object(const std::string& version,
                            const std::vector<std::string>& operations) const {
    return Decode(target_.type(), Json(version, operations));
  }
  void Answers(testing::FakeResponse response) { cluster_.transport->Push(std::move(response)); }
  Expected<void> Drop(FieldOwnership ownership, const runtime::ObjectPtr& object) {
    FieldOwner owner(*cluster_.client, target_, contents_, ownership);
    return owner.DropEntries({}, *object, object);
  }

  MutationCache contents_{*cluster_.client, target_};
};

TEST_F(FieldOwnerTest, SendsNothingWithoutEntriesToDrop) {
  EXPECT_TRUE(Drop(kDetach, Object("1", {"-", "-"})).has_value());
  EXPECT_TRUE(Drop(kKeep, Object("1", {"-", "Apply"})).has_value());
  EXPECT_TRUE(Drop(kKeep, Object("1", {"Update", "-"})).has_value());

  EXPECT_EQ(cluster_.Count(""), 0U);
}

TEST_F(FieldOwnerTest, DropsItsEntryAndHoldsTheResult) {
  Answers(Ok(Json("8", {"-"})));
  const runtime::ObjectPtr before = Object("7", {"-", "Apply"});

  ASSERT_TRUE(Drop(kDetach, before).has_value());

  const auto requests = cluster_.transport->requests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].method, "PATCH");
  EXPECT_EQ(transport::FindHeader(requests[0].headers, "Content-Type"),
            "application/json-patch+json");
  EXPECT_EQ(requests[0].body, DropEntriesPatch("7", {.apply = 1}));
  const auto held = contents_.Get({}, before);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ((*held)->resource_version(), "8");
}

TEST_F(FieldOwnerTest, DropsSeveralEntriesOneByOne) {
  Answers(Ok(Json("8", {"Apply", "-"})));  // an entry for another apiVersion
  Answers(Ok(Json("9", {"-"})));

  ASSERT_TRUE(Drop(kDetach, Object("7", {"Apply", "Apply", "-"})).has_value());

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(DropEntriesPatch("7", {.apply = 0}),
                                                  DropEntriesPatch("8", {.apply = 0})));
}

TEST_F(FieldOwnerTest, ReadsAgainAfterAConcurrentWrite) {
  for (testing::FakeResponse& stale :
       std::vector<testing::FakeResponse>{Refused(409, "Conflict"), Refused(422, "Invalid")}) {
    Answers(std::move(stale));
    Answers(Ok(ListJson(Json("8", {"-", "-", "Apply"}))));
    Answers(Ok(Json("9", {"-", "-"})));

    ASSERT_TRUE(Drop(kDetach, Object("7", {"-", "Apply"})).has_value());
  }

  // It lists one name, which needs no right that the cache does not need.
  EXPECT_EQ(cluster_.Count("GET"), 2U);
  EXPECT_EQ(
      cluster_.Count("GET " + target_.type().Path("", "") + "?fieldSelector=metadata.name%3Dt"),
      2U);
  EXPECT_THAT(
      cluster_.PatchBodies(),
      ElementsAre(DropEntriesPatch("7", {.apply = 1}), DropEntriesPatch("8", {.apply = 2}),
                  DropEntriesPatch("7", {.apply = 1}), DropEntriesPatch("8", {.apply = 2})));
}

TEST_F(FieldOwnerTest, SucceedsWhenAnotherWriterDroppedTheEntry) {
  Answers(Refused(409, "Conflict"));
  Answers(Ok(ListJson(Json("8", {"-"}))));

  EXPECT_TRUE(Drop(kDetach, Object("7", {"-", "Apply"})).has_value());
}

TEST_F(FieldOwnerTest, ReturnsTheConflictAfterThreeAttempts) {
  cluster_.Fail("PATCH", 409, "Conflict", "the object has been modified");
  cluster_.PutTarget(target_, "t", Json("8", {"-", "Apply"}));

  const auto dropped = Drop(kDetach, Object("7", {"-", "Apply"}));

  ASSERT_FALSE(dropped.has_value());
  EXPECT_TRUE(IsConflict(dropped.error()));
  EXPECT_EQ(cluster_.Count("PATCH"), 3U);
  EXPECT_EQ(cluster_.Count("GET"), 2U);
}

TEST_F(FieldOwnerTest, StopsAfterThreeAttemptsWhenTheServerKeepsTheEntry) {
  for (int i = 8; i < 12; ++i) Answers(Ok(Json(std::to_string(i), {"Apply"})));

  EXPECT_TRUE(Drop(kDetach, Object("7", {"Apply"})).has_value());

  EXPECT_EQ(cluster_.Count("PATCH"), 3U);
}

TEST_F(FieldOwnerTest, ReturnsOtherErrorsAtOnce) {
  cluster_.Fail("PATCH", 403, "Forbidden", "no");

  const auto dropped = Drop(kDetach, Object("7", {"Apply"}));

  ASSERT_FALSE(dropped.has_value());
  EXPECT_TRUE(IsForbidden(dropped.error()));
  EXPECT_EQ(cluster_.Count(""), 1U);
}

TEST_F(FieldOwnerTest, IgnoresAnotherObjectOfThatName) {
  Answers(Refused(409, "Conflict"));
  std::string other = Json("8", {"Apply"});
  other.replace(other.find("uid-t"), 5, "uid-u");
  Answers(Ok(ListJson(other)));
  const runtime::ObjectPtr before = Object("7", {"Apply"});

  EXPECT_TRUE(Drop(kDetach, before).has_value());

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_EQ((*contents_.Get({}, before))->uid(), "uid-t");
}

// The writes of an Injector with a FieldOwner, while the cache lags.
class DetachingInjectorTest : public FieldOwnerTest {
 protected:
  void Start(FieldOwnership ownership) {
    cluster_.PutSecret(kRef, {.ca_crt = ca_});
    Restart({.field_ownership = ownership});
  }
  void Cache(const std::string& json) { targets_.Upsert(Decode(target_.type(), json)); }
};

TEST_F(DetachingInjectorTest, WritesTwiceAndNotForItsOwnEvents) {
  Start(kDetach);
  ASSERT_TRUE(
      source_->Get({}, "ns/ca")
          .has_value());  // loads the Secret, so that all responses below are for the target
  Cache(Json("1", {"-"}, {""}));
  Answers(Ok(Json("2", {"-", "Apply"}, {ca_})));
  Answers(Ok(Json("3", {"-"}, {ca_})));

  MustReconcile();
  EXPECT_EQ(cluster_.Count("PATCH"), 2U);
  MustReconcile();  // before the event of its own write
  Cache(Json("2", {"-", "Apply"}, {ca_}));
  MustReconcile();
  Cache(Json("3", {"-"}, {ca_}));
  MustReconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 2U);
  EXPECT_EQ(cluster_.Count("GET"), 1U);
  EXPECT_THAT(cluster_.events.events(), ElementsAre(HasSubstr("Normal Injected")));
}

TEST_F(DetachingInjectorTest, DropsAFoundEntryOnce) {
  Start(kDetach);
  ASSERT_TRUE(source_->Get({}, "ns/ca").has_value());
  Cache(Json("1", {"Apply", "-"}, {ca_}));
  Answers(Ok(Json("2", {"-"}, {ca_})));

  MustReconcile();
  MustReconcile();

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(DropEntriesPatch("1", {.apply = 0})));
  EXPECT_THAT(cluster_.events.events(), IsEmpty());
}

TEST_F(DetachingInjectorTest, DropsItsEntryWithoutASource) {
  Start(kDetach);
  cluster_.DeleteSecret("ns/ca");
  Cache(Json("1", {"Apply", "-"}, {ca_}));
  Answers(Ok(Json("2", {"-"}, {ca_})));

  MustReconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_THAT(cluster_.events.events(), ElementsAre(HasSubstr("SourceNotFound")));
}

TEST_F(DetachingInjectorTest, ReportsAndRetriesAForbiddenDrop) {
  Start(kDetach);
  Cache(Json("1", {"Apply"}, {ca_}));
  cluster_.Fail("PATCH", 403, "Forbidden", "may not patch");
  const auto refused = Reconcile();
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->requeue_after, kSlowRetry);
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("Warning Forbidden ValidatingWebhookConfiguration/t: failed to "
                                    "drop our entry in managedFields of "
                                    "ValidatingWebhookConfiguration t: may not patch")));
  cluster_.FailNoMore();
  Answers(Ok(Json("2", {}, {ca_})));

  MustReconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 2U);
}

TEST_F(DetachingInjectorTest, DropsTheEntryOfAPutAfterTheFirstApply) {
  Start(kKeep);
  ASSERT_TRUE(source_->Get({}, "ns/ca").has_value());
  Cache(Json("1", {"Update", "-"}, {ca_}));
  MustReconcile();
  EXPECT_EQ(cluster_.Count("PATCH"), 0U) << "a takeover with nothing to do";

  const std::string rotated = NewCaPem();
  cluster_.PutSecret("ns/ca", {.ca_crt = rotated, .version = "2"});
  ASSERT_TRUE(source_->Get({}, "ns/ca").has_value());
  Answers(Ok(Json("2", {"Apply", "Update", "-"}, {ca_ + rotated})));
  Answers(Ok(Json("3", {"Apply", "-"}, {ca_ + rotated})));
  MustReconcile();

  ASSERT_THAT(cluster_.PatchBodies(), SizeIs(2));
  EXPECT_THAT(cluster_.PatchBodies()[0], HasSubstr(Base64Encode(ca_ + rotated)));
  EXPECT_EQ(cluster_.PatchBodies()[1], DropEntriesPatch("2", {.update = 1}));
}

TEST_F(DetachingInjectorTest, KeepsCertificatesWhenTheCacheLags) {
  Start(kKeep);
  ASSERT_TRUE(source_->Get({}, "ns/ca").has_value());
  Cache(Json("1", {}, {""}));
  Answers(Ok(Json("2", {"Apply"}, {ca_})));
  MustReconcile();
  const std::string rotated = NewCaPem();
  cluster_.PutSecret("ns/ca", {.ca_crt = rotated, .version = "2"});
  ASSERT_TRUE(source_->Get({}, "ns/ca").has_value());
  Answers(Ok(Json("3", {"Apply"}, {ca_ + rotated})));

  MustReconcile();  // the cache still holds version 1

  ASSERT_THAT(cluster_.PatchBodies(), SizeIs(2));
  EXPECT_THAT(cluster_.PatchBodies()[1], HasSubstr(Base64Encode(ca_ + rotated)));
}

const CaInjectorOptions kDetachOptions = {.field_ownership = FieldOwnership::kDetach};

class FieldOwnershipServerTest : public ProcessTest {
 protected:
  FieldOwnershipServerTest() { Create({StoredSecret(ca_)}); }

  // Applies the manifest as `kubectl apply --server-side` does.
  Expected<runtime::ObjectPtr> Apply(const Target& target, const std::string& manifest) {
    return observer_->Patch({}, target.content_type(), {"", TargetName(target, "t")},
                            rest::PatchType::kApply, manifest, {.field_manager = "kubectl"});
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
    return testing::Eventually([&] { return Holds(target, "t", bundle); });
  }
  // Expects that a new process writes nothing.
  void ExpectNothingToDo(const CaInjectorOptions& options) {
    const auto before = Writes();
    Process process(connection_, options);
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

TEST_P(EveryKindTest, DetachesAfterEachBundle) {
  const Target& target = *GetParam();
  MustApply(target);
  const std::string rotated = NewCaPem();
  {
    const Process process(connection_, kDetachOptions);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
    EXPECT_TRUE(testing::Eventually([&] { return Entries(target) == ManagerEntries{}; }));
    Update("ca", StoredSecret(rotated));
    ASSERT_TRUE(EventuallyHolds(target, ca_ + rotated));
    EXPECT_TRUE(testing::Eventually([&] { return Entries(target) == ManagerEntries{}; }));
    EXPECT_EQ(Writes(), 4U);
  }
  ExpectNothingToDo(kDetachOptions);
}

TEST_P(EveryKindTest, KeepsItsEntryByDefault) {
  const Target& target = *GetParam();
  MustApply(target);
  {
    const Process process(connection_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  EXPECT_NE(Entries(target).apply, ManagerEntries::kNone);
  EXPECT_EQ(Writes(), 1U);
  ExpectNothingToDo({});
}

TEST_P(EveryKindTest, DropsTheEntryAfterASwitchToDetach) {
  const Target& target = *GetParam();
  MustApply(target);
  {
    const Process keeping(connection_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  {
    const Process detaching(connection_, kDetachOptions);
    EXPECT_TRUE(testing::Eventually([&] { return Entries(target) == ManagerEntries{}; }));
  }
  EXPECT_EQ(Writes(), 2U);
  EXPECT_TRUE(Holds(target, "t", ca_));
  ExpectNothingToDo(kDetachOptions);
}

// Returns a patch that sets the bundle in every place of StoredTarget.
std::string BundlePatch(const Target& target, const std::string& bundle) {
  const std::string field = R"("caBundle":")" + Base64Encode(bundle) + '"';
  if (target.type().kind == "APIService") return R"({"spec":{)" + field + "}}";
  const std::string config = R"("clientConfig":{)" + field + "}";
  if (target.type().kind == "CustomResourceDefinition") {
    return R"({"spec":{"conversion":{"webhook":{)" + config + "}}}}";
  }
  return R"({"webhooks":[{"name":"url.example.com",)" + config +
         R"(},{"name":"service.example.com",)" + config + "}]}";
}

// The PUT of cert-manager up to 1.20 left an "Update" entry.
TEST_P(EveryKindTest, DropsTheEntryOfAPutWithTheFirstBundle) {
  const Target& target = *GetParam();
  MustApply(target);
  const bool webhooks = target.type().kind.ends_with("WebhookConfiguration");
  const auto put =
      observer_->Patch({}, target.content_type(), {"", TargetName(target, "t")},
                       webhooks ? rest::PatchType::kStrategicMerge : rest::PatchType::kMerge,
                       BundlePatch(target, ca_), {.field_manager = std::string(kFieldManager)});
  ASSERT_TRUE(put.has_value()) << put.error().message;
  ASSERT_TRUE(Holds(target, "t", ca_));
  ASSERT_NE(Entries(target).update, ManagerEntries::kNone);
  ExpectNothingToDo({});

  const std::string rotated = NewCaPem();
  Update("ca", StoredSecret(rotated));
  {
    const Process process(connection_);
    ASSERT_TRUE(EventuallyHolds(target, ca_ + rotated));
    EXPECT_TRUE(
        testing::Eventually([&] { return Entries(target).update == ManagerEntries::kNone; }));
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

TEST_F(FieldOwnershipServerTest, DropsTheRestOfAPutWithASecondWrite) {
  const Target& target = ValidatingWebhookTarget();
  ASSERT_TRUE(Apply(target, Hooks(kHookA + "," + kHookB)).has_value());
  const auto put =
      observer_->Patch({}, target.type(), {"", "t"}, rest::PatchType::kStrategicMerge,
                       R"({"webhooks":[{"name":"a.example.com","clientConfig":{"caBundle":")" +
                           Base64Encode(ca_) + R"("}}]})",
                       {.field_manager = std::string(kFieldManager)});
  ASSERT_TRUE(put.has_value()) << put.error().message;
  {
    const Process process(connection_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
    EXPECT_TRUE(
        testing::Eventually([&] { return Entries(target).update == ManagerEntries::kNone; }));
  }
  EXPECT_NE(Entries(target).apply, ManagerEntries::kNone);
  EXPECT_EQ(Writes(), 2U);
  ExpectNothingToDo({});
}

TEST_F(FieldOwnershipServerTest, BlocksTheRemovalOfAWebhookWhenKept) {
  const Target& target = ValidatingWebhookTarget();
  ASSERT_TRUE(Apply(target, Hooks(kHookA + "," + kHookB)).has_value());
  const Process process(connection_);
  ASSERT_TRUE(EventuallyHolds(target, ca_));

  const auto removed = Apply(target, Hooks(kHookA));

  ASSERT_FALSE(removed.has_value());
  EXPECT_EQ(removed.error().http_code, 422);
  EXPECT_THAT(removed.error().message, HasSubstr("webhooks[1].sideEffects: Required value"));
}

TEST_F(FieldOwnershipServerTest, AllowsTheRemovalOfAWebhookWhenDetached) {
  const Target& target = ValidatingWebhookTarget();
  ASSERT_TRUE(Apply(target, Hooks(kHookA + "," + kHookB)).has_value());
  const Process process(connection_, kDetachOptions);
  ASSERT_TRUE(EventuallyHolds(target, ca_));
  ASSERT_TRUE(testing::Eventually([&] { return Entries(target) == ManagerEntries{}; }));

  const auto removed = Apply(target, Hooks(kHookA));

  ASSERT_TRUE(removed.has_value()) << removed.error().message;
  EXPECT_EQ(target.Bundles(**removed), std::vector<std::string>{ca_});
}

TEST_F(FieldOwnershipServerTest, AllowsTheRemovalOfAConversionWhenDetached) {
  const Target& target = CustomResourceDefinitionTarget();
  const std::string manifest = StoredTarget(target, "t", {{kInjectCaFromSecret, "ns/ca"}});
  const std::string without = manifest.substr(0, manifest.find(R"(,"conversion")")) + "}}";
  MustApply(target);
  {
    const Process keeping(connection_);
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  const auto refused = Apply(target, without);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("spec.conversion.strategy: Required value"));

  const Process detaching(connection_, kDetachOptions);
  ASSERT_TRUE(testing::Eventually([&] { return Entries(target) == ManagerEntries{}; }));
  const auto removed = Apply(target, without);

  ASSERT_TRUE(removed.has_value()) << removed.error().message;
  EXPECT_TRUE(target.Refusal(**removed).has_value()) << "the strategy is None";
}

TEST_F(FieldOwnershipServerTest, DropsAnEntryLeftByACrash) {
  const Target& target = MutatingWebhookTarget();
  MustApply(target);
  {
    const Process keeping(connection_);  // as if killed after the first write
    ASSERT_TRUE(EventuallyHolds(target, ca_));
  }
  server_.InjectFault({.match = {.verb = "patch", .user_agent = "under-test"},
                       .code = 500,
                       .message = "etcd is sad",
                       .count = 1});
  {
    const Process process(connection_, kDetachOptions);
    EXPECT_TRUE(testing::Eventually([&] { return Entries(target) == ManagerEntries{}; }));
  }
  EXPECT_EQ(Writes(), 3U);  // one of them failed
  ExpectNothingToDo(kDetachOptions);
}

TEST_F(FieldOwnershipServerTest, KeepsTheBundleWhenTheAuthorAppliesAgain) {
  for (const Target* target : {&ValidatingWebhookTarget(), &CustomResourceDefinitionTarget()}) {
    MustApply(*target);
  }
  const Process process(connection_, kDetachOptions);
  for (const Target* target : {&ValidatingWebhookTarget(), &CustomResourceDefinitionTarget()}) {
    ASSERT_TRUE(EventuallyHolds(*target, ca_));
    MustApply(*target);
    EXPECT_TRUE(Holds(*target, "t", ca_));
  }
}

}  // namespace
}  // namespace capstan::cainjector
