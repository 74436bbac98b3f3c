// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/answer_limit.h"

#include <gtest/gtest.h>

namespace clientgo::cache {
namespace {

using std::chrono::seconds;

TEST(AnswerLimitTest, DoublesWithoutAnAnswerUpToTheLongest) {
  AnswerLimit limit(seconds(30), seconds(100));
  EXPECT_EQ(limit.current(), seconds(30));

  limit.OnUnanswered();
  EXPECT_EQ(limit.current(), seconds(60));
  limit.OnUnanswered();
  limit.OnUnanswered();
  EXPECT_EQ(limit.current(), seconds(100));
}

TEST(AnswerLimitTest, AQuickAnswerBringsTheShortestBackAndASlowOneDoesNot) {
  AnswerLimit limit(seconds(30), seconds(240));
  limit.OnUnanswered();

  limit.OnAnswered(seconds(45));
  EXPECT_EQ(limit.current(), seconds(60)) << "it will be as slow again";
  limit.OnAnswered(seconds(1));
  EXPECT_EQ(limit.current(), seconds(30));
}

}  // namespace
}  // namespace clientgo::cache
