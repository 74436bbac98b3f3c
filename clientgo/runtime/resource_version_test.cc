// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/resource_version.h"

#include <gtest/gtest.h>

#include <string>

namespace capstan::runtime {
namespace {

TEST(ResourceVersionTest, ComparesNumbersOfAnyLength) {
  const std::string huge(40, '9');

  EXPECT_EQ(*CompareResourceVersion("7", "7"), 0);
  EXPECT_LT(*CompareResourceVersion("9", "10"), 0);
  EXPECT_GT(*CompareResourceVersion("12", "11"), 0);
  EXPECT_LT(*CompareResourceVersion("18446744073709551615", huge), 0);
  EXPECT_GT(*CompareResourceVersion("1" + huge, huge), 0);
}

TEST(ResourceVersionTest, RejectsVersionsWithoutAnOrder) {
  for (const char* const version : {"", "0", "07", "-1", "1.5", "abc", "7 ", "0x7"}) {
    const auto compared = CompareResourceVersion(version, "7");
    ASSERT_FALSE(compared.has_value()) << version;
    EXPECT_EQ(compared.error().reason, ErrorReason::kInvalidArgument);
    EXPECT_FALSE(CompareResourceVersion("7", version).has_value()) << version;
  }
}

}  // namespace
}  // namespace capstan::runtime
