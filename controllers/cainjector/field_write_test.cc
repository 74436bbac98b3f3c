// SPDX-License-Identifier: Apache-2.0
// Tests of how the Injector writes the fields of additional targets when others write them, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/base64.h"
#include "controllers/cainjector/targets/field_target.h"
#include "controllers/cainjector/testing/injector_fixture.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Target& Backends() {
  static const FieldTarget backends{{.gvr = {"example.com", "v1", "backends"},
                                     .kind = "Backend",
                                     .fields = {ParseFieldPath("spec.providers[*].ca").value()}}};
  return backends.target;
}

class FieldWriteTest : public InjectorFixture {
 protected:
  FieldWriteTest() : InjectorFixture(Backends()) { cluster_.PutSecret(kRef, {.ca_crt = ca_}); }

  static std::string Backend(const std::string& version, const std::string& providers) {
    return R"({"apiVersion":"example.com/v1","kind":"Backend","metadata":{"namespace":"ns",)"
           R"("name":"b","uid":"uid-b","resourceVersion":")" +
           version +
           R"(","annotations":{"cert-manager.io/inject-ca-from-secret":"ns/ca"}},"spec":)"
           R"({"providers":)" +
           providers + "}}";
  }
  std::string InSync() const { return R"([{"name":"a","ca":")" + Base64Encode(ca_) + R"("}])"; }
  // Puts the object into the cache, and sets what a read returns.
  void Put(const std::string& json) {
    targets_.Upsert(Decode(target_.type(), json));
    cluster_.PutObject(kRead, ListJson(json));
  }
  // Sets what the second read returns.
  void PutNext(const std::string& json) { cluster_.PutNextObject(kRead, ListJson(json)); }
  auto Reconcile() { return injector_->Reconcile({}, {"ns", "b"}); }

  static constexpr const char* kRead =
      "/apis/example.com/v1/namespaces/ns/backends?fieldSelector=metadata.name%3Db";
  static constexpr const char* kAtLeast = "&resourceVersion=";
  static constexpr const char* kMatch = "&resourceVersionMatch=NotOlderThan";
};

// The API server asks etcd when a client reads the newest version. When every target was read in
// this way, a start with 1,000 targets took up to two minutes.
TEST_F(FieldWriteTest, ReadsTheVersionOfTheInformerFromTheWatchCache) {
  Put(Backend("7", InSync()));

  ASSERT_TRUE(Reconcile().has_value());

  EXPECT_EQ(cluster_.Count("GET " + std::string(kRead)), 1U);
  EXPECT_EQ(cluster_.Count("GET " + std::string(kRead) + kAtLeast + "7" + kMatch), 1U);
  EXPECT_THAT(outcomes_->All(), ElementsAre(Field(&TargetOutcome::reason, Reason::kUnchanged)));
}

TEST_F(FieldWriteTest, ReadsTheNewestVersionWhenTheApiServerIsBehindTheInformer) {
  Put(Backend("7", InSync()));
  cluster_.Fail("GET " + std::string(kRead) + kAtLeast, 504, "Timeout",
                "Timeout: Too large resource version: 7, current: 6");

  ASSERT_TRUE(Reconcile().has_value());

  EXPECT_EQ(cluster_.Count("GET " + std::string(kRead)), 2U);
  EXPECT_THAT(outcomes_->All(), ElementsAre(Field(&TargetOutcome::reason, Reason::kUnchanged)));
}

// The informer's version may be the one that was outdated.
TEST_F(FieldWriteTest, ReadsTheNewestVersionAfterAConflict) {
  Put(Backend("7", R"([{"name":"a"}])"));
  cluster_.Fail("PATCH", 409, "Conflict", "the object has been modified");

  EXPECT_FALSE(Reconcile().has_value());

  EXPECT_EQ(cluster_.Count("GET " + std::string(kRead) + kAtLeast), 1U);
  EXPECT_EQ(cluster_.Count("GET " + std::string(kRead)), kApplyAttempts);
}

TEST_F(FieldWriteTest, ReadsAgainWhenAPlaceOfThePatchIsGone) {
  Put(Backend("1", R"([{"name":"a"},{"name":"b"}])"));
  PutNext(Backend("2", R"([{"name":"b"}])"));
  cluster_.Fail("PATCH", 422, "Invalid", "the server rejected our request");

  EXPECT_EQ(Reconcile()->requeue_after, kSlowRetry);  // the second 422 is for the newest version

  const auto bodies = cluster_.PatchBodies();
  ASSERT_THAT(bodies, SizeIs(2));
  EXPECT_THAT(bodies[0], HasSubstr("/spec/providers/1/ca"));
  EXPECT_THAT(bodies[1], HasSubstr(R"("path":"/metadata/resourceVersion","value":"2")"));
  EXPECT_THAT(bodies[1], ::testing::Not(HasSubstr("/spec/providers/1/ca")));
  EXPECT_THAT(cluster_.events.events(), ElementsAre(HasSubstr("Warning Rejected Backend/b")));
}

TEST_F(FieldWriteTest, ReportsARejectedObjectWithoutFurtherWrites) {
  Put(Backend("1", R"([{"name":"a"}])"));
  cluster_.Fail("PATCH", 422, "Invalid", "spec is wrong");

  EXPECT_EQ(Reconcile()->requeue_after, kSlowRetry);

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("Warning Rejected Backend/b: failed to apply Backend ns/b: "
                                    "spec is wrong")));
}

TEST_F(FieldWriteTest, KeepsACaAddedByAConcurrentWrite) {
  const std::string other = NewCaPem();
  Put(Backend("1", R"([{"name":"a"}])"));
  PutNext(Backend("2", R"([{"name":"a","ca":")" + Base64Encode(other) + R"("}])"));
  cluster_.Fail("PATCH", 409, "Conflict", "the object has been modified");

  EXPECT_FALSE(Reconcile().has_value());  // each attempt fails

  const auto bodies = cluster_.PatchBodies();
  ASSERT_THAT(bodies, SizeIs(kApplyAttempts));
  EXPECT_THAT(bodies[0], HasSubstr(Base64Encode(ca_)));
  EXPECT_THAT(bodies[1], HasSubstr(Base64Encode(other + ca_)));
}

TEST_F(FieldWriteTest, WritesNothingWhenTheAnnotationWasRemoved) {
  Put(Backend("1", R"([{"name":"a"}])"));
  std::string without = Backend("2", R"([{"name":"a"}])");
  without.replace(without.find("inject-ca-from-secret"), 21, "other");
  PutNext(without);
  cluster_.Fail("PATCH", 409, "Conflict", "the object has been modified");

  EXPECT_TRUE(Reconcile().has_value());

  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
  EXPECT_THAT(cluster_.events.events(), IsEmpty());
}

}  // namespace
}  // namespace capstan::cainjector
