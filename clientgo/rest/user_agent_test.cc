// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/rest/config.h"

namespace clientgo::rest {
namespace {

using ::testing::HasSubstr;

TEST(DefaultUserAgentTest, IsClientGos) {
#if defined(__x86_64__)
  EXPECT_EQ(DefaultUserAgent("/usr/bin/capstan", "0.1.0-rc.1+0123456789"),
            "capstan/0.1.0 (linux/amd64) kubernetes/0123456");
#endif
  EXPECT_THAT(DefaultUserAgent("", ""), HasSubstr("unknown/unknown (linux/"));
}

}  // namespace
}  // namespace clientgo::rest
