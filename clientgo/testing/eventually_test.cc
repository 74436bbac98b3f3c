// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/eventually.h"

#include <gtest/gtest.h>

namespace capstan::testing {
namespace {

using std::chrono::milliseconds;

TEST(EventuallyTest, ReturnsWhenTheConditionIsTrue) {
  int calls = 0;

  EXPECT_TRUE(Eventually([&] { return ++calls == 3; }));
  EXPECT_EQ(calls, 3);
}

TEST(EventuallyTest, ReturnsFalseAfterTheTimeout) {
  EXPECT_FALSE(Eventually([] { return false; }, milliseconds(1)));
}

TEST(ConsistentlyTest, ReturnsFalseWhenTheConditionBecomesFalse) {
  int calls = 0;

  EXPECT_FALSE(Consistently([&] { return ++calls < 3; }));
  EXPECT_EQ(calls, 3);
}

TEST(ConsistentlyTest, ReturnsTrueWhenTheConditionStaysTrue) {
  int calls = 0;

  EXPECT_TRUE(Consistently([&] { return ++calls > 0; }, milliseconds(11)));
  EXPECT_GE(calls, 2);
}

}  // namespace
}  // namespace capstan::testing
