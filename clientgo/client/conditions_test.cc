// SPDX-License-Identifier: Apache-2.0
#include "capstan/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/fake_clock.h"
#include "capstan/typed_object.h"
#include "clientgo/client/testing/kinds.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;

Condition Ready(std::string_view status, std::string reason) {
  return {.type = "Ready", .status = std::string(status), .reason = std::move(reason)};
}

struct ConditionsTest : ::testing::Test {
  Time Now() const { return ToTime(clock.WallNow()); }

  testing::FakeClock clock;
  std::vector<Condition> conditions;
};

TEST_F(ConditionsTest, AddsConditionWithTime) {
  EXPECT_TRUE(SetStatusCondition(conditions, Ready(kConditionTrue, "Ok"), clock));

  ASSERT_NE(FindStatusCondition(conditions, "Ready"), nullptr);
  EXPECT_EQ(FindStatusCondition(conditions, "Ready")->last_transition_time, Now());
  EXPECT_EQ(FindStatusCondition(conditions, "Other"), nullptr);
}

TEST_F(ConditionsTest, TimeChangesOnlyWithStatus) {
  SetStatusCondition(conditions, Ready(kConditionTrue, "Ok"), clock);
  const Time first = Now();
  clock.StepWall(std::chrono::minutes(1));

  EXPECT_FALSE(SetStatusCondition(conditions, Ready(kConditionTrue, "Ok"), clock));
  EXPECT_TRUE(SetStatusCondition(conditions, Ready(kConditionTrue, "Better"), clock));
  EXPECT_EQ(conditions.at(0).last_transition_time, first);
  EXPECT_EQ(conditions.at(0).reason, "Better");
  EXPECT_TRUE(SetStatusCondition(conditions, Ready(kConditionFalse, "Bad"), clock));
  EXPECT_EQ(conditions.at(0).last_transition_time, Now());
  EXPECT_EQ(conditions.size(), 1U);
}

TEST_F(ConditionsTest, KeepsGivenTime) {
  Condition condition = Ready(kConditionTrue, "Ok");
  condition.last_transition_time = Time(std::chrono::seconds(1000));

  SetStatusCondition(conditions, condition, clock);

  EXPECT_EQ(conditions.at(0).last_transition_time, Time(std::chrono::seconds(1000)));
}

TEST_F(ConditionsTest, ReportsStatus) {
  SetStatusCondition(conditions, Ready(kConditionUnknown, "Ok"), clock);
  EXPECT_FALSE(IsStatusConditionTrue(conditions, "Ready"));
  EXPECT_FALSE(IsStatusConditionFalse(conditions, "Ready"));
  EXPECT_TRUE(IsStatusConditionPresentAndEqual(conditions, "Ready", kConditionUnknown));
  SetStatusCondition(conditions, Ready(kConditionFalse, "Ok"), clock);
  EXPECT_TRUE(IsStatusConditionFalse(conditions, "Ready"));
  EXPECT_FALSE(IsStatusConditionTrue(conditions, "Other"));
}

TEST_F(ConditionsTest, Removes) {
  SetStatusCondition(conditions, Ready(kConditionTrue, "Ok"), clock);

  EXPECT_FALSE(RemoveStatusCondition(conditions, "Other"));
  EXPECT_TRUE(RemoveStatusCondition(conditions, "Ready"));
  EXPECT_TRUE(conditions.empty());
}

TEST_F(ConditionsTest, AreFieldsOfAStatus) {
  testing::Foo foo = testing::NewFoo("a");
  Condition condition = Ready(kConditionTrue, "Ok");
  condition.last_transition_time = Time(std::chrono::seconds(0)) + std::chrono::hours(1);
  foo.status.conditions = {condition};

  const std::string json = ToJson(foo);
  EXPECT_THAT(json, HasSubstr(R"("conditions":[{"type":"Ready","status":"True",)"
                              R"("observedGeneration":0,)"
                              R"("lastTransitionTime":"1970-01-01T01:00:00Z","reason":"Ok",)"
                              R"("message":""}])"));
  const auto read = FromJson<testing::Foo>(json);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ((*read)->status.conditions, foo.status.conditions);
}

}  // namespace
}  // namespace capstan
