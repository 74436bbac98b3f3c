// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/field_ownership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "clientgo/util/base64.h"
#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::ManagerEntries;
using clientgo::runtime::ObjectPtr;
using clientgo::testing::FakeResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kOurs = "cert-manager-cainjector";
constexpr auto kDetach = FieldOwnership::kDetach;
constexpr auto kKeep = FieldOwnership::kKeep;

TEST(EntriesToDropTest, DetachDropsAllAndKeepOnlyWhatIsBesideAnApplyEntry) {
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

TEST(DropEntriesPatchTest, NamesTheVersionAndRemovesFromTheEnd) {
  const std::string version = R"([{"op":"replace","path":"/metadata/resourceVersion","value":"7"})";
  const std::string remove = R"(,{"op":"remove","path":"/metadata/managedFields/)";

  EXPECT_EQ(DropEntriesPatch("7", {.apply = 3}), version + remove + R"(3"}])");
  EXPECT_EQ(DropEntriesPatch("7", {.apply = 0, .update = 2}),
            version + remove + R"(2"})" + remove + R"(0"}])");
  EXPECT_EQ(DropEntriesPatch("7", {.apply = 2, .update = 0}),
            version + remove + R"(2"})" + remove + R"(0"}])");
}

// "Apply", "Update": an entry of that operation by our manager; "-": somebody else's.
std::string ManagedFields(const std::vector<std::string>& operations) {
  std::string json;
  for (const std::string& operation : operations) {
    json += json.empty() ? R"(,"managedFields":[{"manager":")" : R"(,{"manager":")";
    json += operation == "-" ? "kubectl" : kOurs;
    json += R"(","operation":")" + (operation == "-" ? "Update" : operation) + "\"}";
  }
  return json.empty() ? json : json + "]";
}

FakeResponse Ok(const std::string& json) {
  return {.status = 200, .headers = {{"Content-Type", "application/json"}}, .chunks = {json}};
}

FakeResponse Refused(int code, const std::string& reason) {
  return {.status = code,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","status":"Failure","reason":")" + reason + R"(","code":)" +
                     std::to_string(code) + "}"}};
}

// An object of `target`'s kind, and the answers of an API server, in their order.
class FieldOwnerTest : public ::testing::Test {
 protected:
  std::string Json(const std::string& version, const std::vector<std::string>& operations,
                   const std::vector<std::string>& bundles = {"x"}) const {
    return WebhookJson(target_, "t", "ns/ca", bundles, version, ManagedFields(operations));
  }
  ObjectPtr Object(const std::string& version, const std::vector<std::string>& operations) const {
    return Decode(target_.type(), Json(version, operations));
  }
  void Answers(FakeResponse response) { cluster_.transport->Push(std::move(response)); }
  clientgo::util::Expected<void> Drop(FieldOwnership ownership, const ObjectPtr& object) {
    FieldOwner owner(*cluster_.client, target_, contents_, ownership);
    return owner.DropEntries({}, *object, object);
  }

  FakeCluster cluster_;
  const Target& target_ = ValidatingWebhookTarget();
  TargetContents contents_{*cluster_.client, target_};
};

TEST_F(FieldOwnerTest, SendsNothingWhileAllIsAsItShouldBe) {
  EXPECT_TRUE(Drop(kDetach, Object("1", {"-", "-"})).has_value());
  EXPECT_TRUE(Drop(kKeep, Object("1", {"-", "Apply"})).has_value());
  EXPECT_TRUE(Drop(kKeep, Object("1", {"Update", "-"})).has_value());

  EXPECT_EQ(cluster_.Count(""), 0U);
}

TEST_F(FieldOwnerTest, DropsItsEntryAndRemembersWhatIsLeft) {
  Answers(Ok(Json("8", {"-"})));
  const ObjectPtr before = Object("7", {"-", "Apply"});

  ASSERT_TRUE(Drop(kDetach, before).has_value());

  const auto requests = cluster_.transport->requests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].method, "PATCH");
  EXPECT_EQ(clientgo::transport::FindHeader(requests[0].headers, "Content-Type"),
            "application/json-patch+json");
  EXPECT_EQ(requests[0].body, DropEntriesPatch("7", {.apply = 1}));
  const auto held = contents_.Get({}, before);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ((*held)->resource_version(), "8");
}

TEST_F(FieldOwnerTest, DropsOneEntryAfterTheOtherWhenThereAreMoreOfAKind) {
  Answers(Ok(Json("8", {"Apply", "-"})));  // of another apiVersion
  Answers(Ok(Json("9", {"-"})));

  ASSERT_TRUE(Drop(kDetach, Object("7", {"Apply", "Apply", "-"})).has_value());

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(DropEntriesPatch("7", {.apply = 0}),
                                                  DropEntriesPatch("8", {.apply = 0})));
}

TEST_F(FieldOwnerTest, LooksAgainWhenSomebodyWroteMeanwhile) {
  for (FakeResponse& stale :
       std::vector<FakeResponse>{Refused(409, "Conflict"), Refused(422, "Invalid")}) {
    Answers(std::move(stale));
    Answers(Ok(ListJson(Json("8", {"-", "-", "Apply"}))));
    Answers(Ok(Json("9", {"-", "-"})));

    ASSERT_TRUE(Drop(kDetach, Object("7", {"-", "Apply"})).has_value());
  }

  // A list of one name, for which the right that the cache needs is enough.
  EXPECT_EQ(cluster_.Count("GET"), 2U);
  EXPECT_EQ(
      cluster_.Count("GET " + target_.type().Path("", "") + "?fieldSelector=metadata.name%3Dt"),
      2U);
  EXPECT_THAT(
      cluster_.PatchBodies(),
      ElementsAre(DropEntriesPatch("7", {.apply = 1}), DropEntriesPatch("8", {.apply = 2}),
                  DropEntriesPatch("7", {.apply = 1}), DropEntriesPatch("8", {.apply = 2})));
}

TEST_F(FieldOwnerTest, IsContentWhenTheOtherWriterDroppedIt) {
  Answers(Refused(409, "Conflict"));
  Answers(Ok(ListJson(Json("8", {"-"}))));

  EXPECT_TRUE(Drop(kDetach, Object("7", {"-", "Apply"})).has_value());
}

TEST_F(FieldOwnerTest, GivesUpForNowAfterThreeAttempts) {
  cluster_.Fail("PATCH", 409, "Conflict", "the object has been modified");
  cluster_.PutTarget(target_, "t", Json("8", {"-", "Apply"}));

  const auto dropped = Drop(kDetach, Object("7", {"-", "Apply"}));

  ASSERT_FALSE(dropped.has_value());
  EXPECT_TRUE(IsConflict(dropped.error()));
  EXPECT_EQ(cluster_.Count("PATCH"), 3U);
  EXPECT_EQ(cluster_.Count("GET"), 2U);
}

TEST_F(FieldOwnerTest, AServerThatKeepsTheEntryIsNotAskedForEver) {
  for (int i = 8; i < 12; ++i) Answers(Ok(Json(std::to_string(i), {"Apply"})));

  EXPECT_TRUE(Drop(kDetach, Object("7", {"Apply"})).has_value());

  EXPECT_EQ(cluster_.Count("PATCH"), 3U);
}

TEST_F(FieldOwnerTest, WhatNoLookCanMendIsToldAtOnce) {
  cluster_.Fail("PATCH", 403, "Forbidden", "no");

  const auto dropped = Drop(kDetach, Object("7", {"Apply"}));

  ASSERT_FALSE(dropped.has_value());
  EXPECT_TRUE(IsForbidden(dropped.error()));
  EXPECT_EQ(cluster_.Count(""), 1U);
}

TEST_F(FieldOwnerTest, AnotherObjectOfThatNameIsLeftToItsOwnEvents) {
  Answers(Refused(409, "Conflict"));
  std::string other = Json("8", {"Apply"});
  other.replace(other.find("uid-t"), 5, "uid-u");
  Answers(Ok(ListJson(other)));
  const ObjectPtr before = Object("7", {"Apply"});

  EXPECT_TRUE(Drop(kDetach, before).has_value());

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_EQ((*contents_.Get({}, before))->uid(), "uid-t");
}

// The Injector with it: what is written, and how often, while the cache comes after.
class DetachingInjectorTest : public FieldOwnerTest {
 protected:
  void Start(FieldOwnership ownership) {
    cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
    injector_ = std::make_unique<Injector>(
        *cluster_.client, target_, targets_, std::vector<Source*>{&source_}, reporter_,
        InjectorOptions{.field_ownership = ownership, .clock = cluster_.clock});
  }
  void Cache(const std::string& json) { targets_.Upsert(Decode(target_.type(), json)); }
  void Reconcile() {
    const auto result = injector_->Reconcile({}, {"", "t"});
    EXPECT_TRUE(result.has_value()) << result.error().error.message;
  }

  clientgo::cache::Indexer targets_;
  SecretContents secrets_{*cluster_.client, {}};
  SecretSource source_{secrets_, cluster_.secrets, {}};
  Outcomes outcomes_;
  Reporter reporter_{target_.type(), cluster_.events, cluster_.metrics, outcomes_, cluster_.clock};
  std::unique_ptr<Injector> injector_;
  const std::string ca_ = NewCaPem();
};

TEST_F(DetachingInjectorTest, TwoWritesAndNoneWhileTheirEventsComeIn) {
  Start(kDetach);
  ASSERT_TRUE(source_.Get({}, "ns/ca").has_value());  // the script below is for the target
  Cache(Json("1", {"-"}, {""}));
  Answers(Ok(Json("2", {"-", "Apply"}, {ca_})));
  Answers(Ok(Json("3", {"-"}, {ca_})));

  Reconcile();
  EXPECT_EQ(cluster_.Count("PATCH"), 2U);
  Reconcile();  // for another reason, before any event
  Cache(Json("2", {"-", "Apply"}, {ca_}));
  Reconcile();
  Cache(Json("3", {"-"}, {ca_}));
  Reconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 2U);
  EXPECT_EQ(cluster_.Count("GET"), 1U);
  EXPECT_THAT(cluster_.events.events(), ElementsAre(HasSubstr("Normal Injected")));
}

TEST_F(DetachingInjectorTest, AnEntryThatIsFoundIsDroppedOnce) {
  Start(kDetach);
  ASSERT_TRUE(source_.Get({}, "ns/ca").has_value());
  Cache(Json("1", {"Apply", "-"}, {ca_}));
  Answers(Ok(Json("2", {"-"}, {ca_})));

  Reconcile();
  Reconcile();

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(DropEntriesPatch("1", {.apply = 0})));
  EXPECT_THAT(cluster_.events.events(), IsEmpty());
}

TEST_F(DetachingInjectorTest, AnEntryIsDroppedThoughTheSourceIsGone) {
  Start(kDetach);
  cluster_.DeleteSecret("ns/ca");
  Cache(Json("1", {"Apply", "-"}, {ca_}));
  Answers(Ok(Json("2", {"-"}, {ca_})));

  Reconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_THAT(cluster_.events.events(), ElementsAre(HasSubstr("SourceNotFound")));
}

TEST_F(DetachingInjectorTest, ADropThatIsRefusedIsToldAndTriedAgain) {
  Start(kDetach);
  Cache(Json("1", {"Apply"}, {ca_}));
  cluster_.Fail("PATCH", 403, "Forbidden", "may not patch");
  const auto refused = injector_->Reconcile({}, {"", "t"});
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->requeue_after, kSlowRetry);
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("Warning Forbidden ValidatingWebhookConfiguration/t: failed to "
                                    "drop our entry in managedFields of "
                                    "ValidatingWebhookConfiguration t: may not patch")));
  cluster_.FailNoMore();
  Answers(Ok(Json("2", {}, {ca_})));

  Reconcile();

  EXPECT_EQ(cluster_.Count("PATCH"), 2U);
}

TEST_F(DetachingInjectorTest, WhatCertManagerWroteByPutGoesAfterTheFirstApplyNotBefore) {
  Start(kKeep);
  ASSERT_TRUE(source_.Get({}, "ns/ca").has_value());
  Cache(Json("1", {"Update", "-"}, {ca_}));
  Reconcile();
  EXPECT_EQ(cluster_.Count("PATCH"), 0U) << "a takeover with nothing to do";

  const std::string rotated = NewCaPem();
  cluster_.PutSecret("ns/ca", {.ca_crt = rotated, .version = "2"});
  ASSERT_TRUE(source_.Get({}, "ns/ca").has_value());
  Answers(Ok(Json("2", {"Apply", "Update", "-"}, {ca_ + rotated})));
  Answers(Ok(Json("3", {"Apply", "-"}, {ca_ + rotated})));
  Reconcile();

  ASSERT_THAT(cluster_.PatchBodies(), SizeIs(2));
  EXPECT_THAT(cluster_.PatchBodies()[0], HasSubstr(clientgo::util::Base64Encode(ca_ + rotated)));
  EXPECT_EQ(cluster_.PatchBodies()[1], DropEntriesPatch("2", {.update = 1}));
}

TEST_F(DetachingInjectorTest, ALagBehindOurOwnWriteDoesNotLoseACertificate) {
  Start(kKeep);
  ASSERT_TRUE(source_.Get({}, "ns/ca").has_value());
  Cache(Json("1", {}, {""}));
  Answers(Ok(Json("2", {"Apply"}, {ca_})));
  Reconcile();
  const std::string rotated = NewCaPem();
  cluster_.PutSecret("ns/ca", {.ca_crt = rotated, .version = "2"});
  ASSERT_TRUE(source_.Get({}, "ns/ca").has_value());
  Answers(Ok(Json("3", {"Apply"}, {ca_ + rotated})));

  Reconcile();  // the cache still says version 1

  ASSERT_THAT(cluster_.PatchBodies(), SizeIs(2));
  EXPECT_THAT(cluster_.PatchBodies()[1], HasSubstr(clientgo::util::Base64Encode(ca_ + rotated)));
}

}  // namespace
}  // namespace controllers::cainjector
