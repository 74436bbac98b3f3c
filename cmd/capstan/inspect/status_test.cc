// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/status.h"

#include <gtest/gtest.h>

#include "capstan/testing/fake_clock.h"

namespace capstan::cmd::cli::inspect {
namespace {

using std::chrono::seconds;

Findings Of(State state) {
  Findings findings(1);
  findings[0].state = state;
  return findings;
}

// A clock on which every wait ends at once, when it is due.
class WaitTest : public ::testing::Test {
 protected:
  Expected<Findings> Wait(std::vector<Expected<Findings>> looks, seconds timeout) {
    return WaitUntilWell({},
                         [&]() -> Expected<Findings> {
                           clock_.Step(seconds(1));  // what a look takes
                           return looks[std::min(looks_++, looks.size() - 1)];
                         },
                         {.timeout = timeout, .period = seconds(0), .clock = clock_});
  }
  testing::FakeClock clock_;
  std::size_t looks_ = 0;
};

TEST_F(WaitTest, EndsWhenAllTargetsAreFine) {
  const auto findings =
      Wait({Err(ErrorReason::kConnectionRefused, "no"), Of(State::kPending), Of(State::kInSync)},
           seconds(60));

  ASSERT_TRUE(findings.has_value());
  EXPECT_TRUE(AllWell(*findings));
  EXPECT_EQ(looks_, 3U);
}

TEST_F(WaitTest, ReturnsTheLastResultAfterTheTimeout) {
  const auto findings = Wait({Of(State::kBroken)}, seconds(5));

  ASSERT_TRUE(findings.has_value());
  EXPECT_FALSE(AllWell(*findings));
  EXPECT_EQ(looks_, 5U);
}

TEST_F(WaitTest, ChecksOnceWithoutATimeout) {
  EXPECT_FALSE(Wait({Err(ErrorReason::kForbidden, "no"), Of(State::kInSync)}, seconds(0)));
  EXPECT_EQ(looks_, 1U);
}

TEST(FindingsTest, UnknownIsNeitherFineNorBroken) {
  EXPECT_FALSE(AllWell(Of(State::kUnknown)));
  EXPECT_FALSE(AnyWrong(Of(State::kUnknown)));
  EXPECT_EQ(CountUnknown(Of(State::kUnknown)), 1U);
  for (const State state : {State::kBroken, State::kPending}) {
    EXPECT_TRUE(AnyWrong(Of(state)));
    EXPECT_EQ(CountUnknown(Of(state)), 0U);
  }
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
