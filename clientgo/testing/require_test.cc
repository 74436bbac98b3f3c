// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/require.h"

#include <gtest/gtest.h>

namespace capstan::testing {
namespace {

template <class F>
std::string TextOf(F test) {
  try {
    test();
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(RequireTest, ThrowsItsTextUnlessTheConditionIsTrue) {
  EXPECT_EQ(TextOf([] { Require(true, "it is there"); }), "");
  EXPECT_EQ(TextOf([] { Require(false, "it is there"); }), "it is there");
}

TEST(RequireTest, ValueReturnsTheValueOrThrowsTheError) {
  EXPECT_EQ(Value(Expected<int>(3), "a number"), 3);
  Value(Expected<void>(), "a call");
  EXPECT_EQ(TextOf([] {
              Value(Expected<int>(Err(ErrorReason::kNotFound, "foo a is missing")), "a number");
            }),
            "a number: foo a is missing");
}

}  // namespace
}  // namespace capstan::testing
