// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/expiry.h"

#include <gtest/gtest.h>

#include <chrono>

namespace controllers::cainjector {
namespace {

using std::chrono::seconds;

TEST(ExpiryTest, IsTextForAnyYear) {
  EXPECT_EQ(ExpiryText(CertificateTime(seconds(1))), "1970-01-01T00:00:01Z");
  EXPECT_EQ(ExpiryText(CertificateTime(seconds(253402300799))), "9999-12-31T23:59:59Z");
  EXPECT_EQ(ExpiryText(CertificateTime(seconds(-1))), "1969-12-31T23:59:59Z");
  EXPECT_EQ(ExpiryText(CertificateTime::max()), "never");
}

}  // namespace
}  // namespace controllers::cainjector
