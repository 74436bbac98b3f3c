// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/loop/adaptive_interval.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace controllers::readinessgate {
namespace {

using std::chrono::milliseconds;

TEST(AdaptiveIntervalTest, GrowsAfterTheThirdIdlePassUpToASecond) {
  const std::vector<int> expected = {100, 100, 100, 100, 200, 300,  400,
                                     500, 600, 700, 800, 900, 1000, 1000};

  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(AdaptiveInterval(static_cast<int>(n)), milliseconds(expected[n])) << n;
  }
}

TEST(AdaptiveIntervalTest, StaysAtASecondForEver) {
  EXPECT_EQ(AdaptiveInterval(1'000'000), milliseconds(1000));
  EXPECT_EQ(AdaptiveInterval(std::numeric_limits<int>::max()), milliseconds(1000));
}

}  // namespace
}  // namespace controllers::readinessgate
