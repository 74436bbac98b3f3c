// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/rotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using std::chrono::hours;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kKind = "APIService";
constexpr const char* kName = "v1.orders.example.com";

class RotationsTest : public ::testing::Test {
 protected:
  RotationEvent Put(const Certificates& source, const Certificates& former) {
    return rotations_.Put(kKind, kName, source, former);
  }
  // A verification of all endpoints with the target's trial, `after` the begin.
  RotationEvent Try(bool verified, hours after) {
    return Try(verified ? TrialResult::kVerified : TrialResult::kFailed, after);
  }
  RotationEvent Try(TrialResult result, hours after) {
    return rotations_.Tried(kKind, kName,
                            rotations_.Trial(kKind, kName).value_or(RotationTrial()).bundle, result,
                            Rotations::TimePoint(after));
  }
  Certificates Retired() const { return rotations_.Retired(kKind, kName); }

  RotationsTest() { Put(former_, {}); }

  const Certificates former_ = *ParseBundle(NewCaPem());
  const Certificates ca_ = *ParseBundle(NewCaPem());
  Rotations rotations_{hours(24)};
};

TEST_F(RotationsTest, RetiresAFormerCaAfterADayOfVerifications) {
  EXPECT_EQ(Put(ca_, former_), RotationEvent::kPublished);
  EXPECT_EQ(rotations_.Trial(kKind, kName)->bundle, EncodeBundle(ca_));
  EXPECT_EQ(Try(true, hours(1)), RotationEvent::kVerified);
  EXPECT_EQ(Try(true, hours(24)), RotationEvent::kNone);
  EXPECT_THAT(Retired(), IsEmpty());
  EXPECT_EQ(Try(true, hours(25)), RotationEvent::kDue);
  EXPECT_THAT(Retired(), SizeIs(1));
  EXPECT_EQ(Put(ca_, {}), RotationEvent::kRetired);
  EXPECT_FALSE(rotations_.Trial(kKind, kName).has_value());
}

TEST_F(RotationsTest, CountsOnlyTheTimeInWhichAllEndpointsAreKnown) {
  Put(ca_, former_);
  EXPECT_EQ(Try(TrialResult::kVerifiedInPart, hours(1)), RotationEvent::kVerifiedInPart);
  EXPECT_EQ(Try(TrialResult::kVerifiedInPart, hours(100)), RotationEvent::kNone);
  EXPECT_EQ(Try(true, hours(101)), RotationEvent::kNone);
  EXPECT_EQ(Try(true, hours(124)), RotationEvent::kNone);
  EXPECT_EQ(Try(true, hours(125)), RotationEvent::kDue);
  EXPECT_THAT(Retired(), SizeIs(1));
  EXPECT_EQ(Try(TrialResult::kVerifiedInPart, hours(126)), RotationEvent::kNone);
  EXPECT_THAT(Retired(), IsEmpty());
}

TEST_F(RotationsTest, ReportsAgainThatACaIsStillNeeded) {
  Put(ca_, former_);
  EXPECT_EQ(Try(false, hours(1)), RotationEvent::kNone);
  EXPECT_EQ(Try(false, hours(2)), RotationEvent::kStillNeeded);
  EXPECT_EQ(Try(false, hours(2)), RotationEvent::kNone);
  EXPECT_EQ(Try(false, hours(3)), RotationEvent::kStillNeeded);
  Try(true, hours(4));
  EXPECT_EQ(Try(false, hours(5)), RotationEvent::kNone);
  EXPECT_EQ(Try(false, hours(5)), RotationEvent::kStillNeeded);
}

TEST_F(RotationsTest, ReportsNoRotationFromBeforeTheStart) {
  Rotations rotations(hours(24));

  EXPECT_EQ(rotations.Put(kKind, kName, ca_, former_), RotationEvent::kNone);

  EXPECT_EQ(rotations.Trial(kKind, kName)->bundle, EncodeBundle(ca_)) << "but its end";
}

TEST_F(RotationsTest, NeverRetiresACaThatAnEndpointNeeds) {
  Put(ca_, former_);
  Try(true, hours(1));
  Try(true, hours(25));

  EXPECT_EQ(Try(false, hours(26)), RotationEvent::kNone);

  EXPECT_THAT(Retired(), IsEmpty()) << "between the decision and the write";
  EXPECT_EQ(Try(true, hours(27)), RotationEvent::kVerified);
  EXPECT_EQ(Try(true, hours(50)), RotationEvent::kNone) << "the day begins again";
  EXPECT_EQ(Try(true, hours(51)), RotationEvent::kDue);
}

TEST_F(RotationsTest, ReportsOnceThatACaIsStillNeeded) {
  Put(ca_, former_);

  EXPECT_EQ(Try(false, hours(1)), RotationEvent::kNone);
  EXPECT_EQ(Try(false, hours(2)), RotationEvent::kStillNeeded);
}

TEST_F(RotationsTest, BeginsAgainWithTheNextRotation) {
  Put(ca_, former_);
  const std::string trial = rotations_.Trial(kKind, kName)->bundle;
  Try(true, hours(1));
  const Certificates next = *ParseBundle(NewCaPem());
  Certificates both = former_;
  both.push_back(ca_.front());

  EXPECT_EQ(Put(next, both), RotationEvent::kPublished);

  EXPECT_EQ(rotations_.Tried(kKind, kName, trial, TrialResult::kVerified,
                             Rotations::TimePoint(hours(30))),
            RotationEvent::kNone)
      << "a verification that began before";
  EXPECT_THAT(Retired(), IsEmpty());
}

TEST_F(RotationsTest, DoesNotBeginAgainWhenOneOfTheFormerCasExpires) {
  Certificates both = former_;
  both.push_back(ParseBundle(NewCaPem())->front());
  Put(ca_, both);
  Try(true, hours(1));

  EXPECT_EQ(Put(ca_, former_), RotationEvent::kNone);

  EXPECT_EQ(Try(true, hours(25)), RotationEvent::kDue);
  EXPECT_THAT(Retired(), SizeIs(1));
}

TEST_F(RotationsTest, BeginsAgainWhenAFormerCaIsAddedByHand) {
  Put(ca_, former_);
  Try(true, hours(1));
  Certificates both = former_;
  both.push_back(ParseBundle(NewCaPem())->front());

  EXPECT_EQ(Put(ca_, both), RotationEvent::kNone);

  EXPECT_EQ(Try(true, hours(25)), RotationEvent::kVerified);
  EXPECT_THAT(Retired(), IsEmpty());
  EXPECT_EQ(Try(true, hours(49)), RotationEvent::kDue);
  EXPECT_THAT(Retired(), SizeIs(2));
  both.push_back(ParseBundle(NewCaPem())->front());
  Put(ca_, both);
  EXPECT_THAT(Retired(), IsEmpty()) << "before the write";
}

TEST_F(RotationsTest, DoesNotCallAnExpiredCaRetired) {
  Put(ca_, former_);
  Try(true, hours(1));

  EXPECT_EQ(Put(ca_, {}), RotationEvent::kNone);
  EXPECT_FALSE(rotations_.Trial(kKind, kName).has_value());
}

TEST_F(RotationsTest, RetiresNothingByDefault) {
  Rotations rotations(std::nullopt);
  rotations.Put(kKind, kName, ca_, former_);
  rotations.Tried(kKind, kName, EncodeBundle(ca_), TrialResult::kVerified,
                  Rotations::TimePoint(hours(0)));

  EXPECT_EQ(rotations.Tried(kKind, kName, EncodeBundle(ca_), TrialResult::kVerified,
                            Rotations::TimePoint(hours(1000))),
            RotationEvent::kNone);
  EXPECT_THAT(rotations.Retired(kKind, kName), IsEmpty());
}

TEST_F(RotationsTest, ForgetsATarget) {
  Put(ca_, former_);

  rotations_.Forget(kKind, kName);

  EXPECT_FALSE(rotations_.Trial(kKind, kName).has_value());
}

}  // namespace
}  // namespace capstan::cainjector
