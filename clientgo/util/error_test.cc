// SPDX-License-Identifier: Apache-2.0
#include "capstan/error.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

TEST(ErrorTest, ParsesReasonsOfServersOnly) {
  for (int i = 0; i <= static_cast<int>(ErrorReason::kInvalidArgument); ++i) {
    const auto reason = static_cast<ErrorReason>(i);
    const bool ours = reason > ErrorReason::kServiceUnavailable;
    EXPECT_EQ(ReasonFromString(ToString(reason)), ours ? ErrorReason::kUnknown : reason)
        << ToString(reason);
  }
  EXPECT_EQ(ReasonFromString("NeverHeardOf"), ErrorReason::kUnknown);
}

TEST(ErrorTest, MapsHttpCodesToReasons) {
  EXPECT_EQ(ReasonFromHttpCode(404), ErrorReason::kNotFound);
  EXPECT_EQ(ReasonFromHttpCode(429), ErrorReason::kTooManyRequests);
  EXPECT_EQ(ReasonFromHttpCode(502), ErrorReason::kInternalError);
  EXPECT_EQ(ReasonFromHttpCode(418), ErrorReason::kUnknown);
  EXPECT_EQ(ReasonFromHttpCode(0), ErrorReason::kUnknown);
}

TEST(ErrorTest, IsExpiredUsesCodeOnlyWithoutReason) {
  EXPECT_TRUE(IsExpired(Error{.reason = ErrorReason::kExpired, .http_code = 410}));
  EXPECT_TRUE(IsExpired(Error{.reason = ErrorReason::kGone}));
  EXPECT_TRUE(IsExpired(Error{.http_code = 410}));
  EXPECT_FALSE(IsExpired(Error{.reason = ErrorReason::kForbidden, .http_code = 410}));
}

TEST(ErrorTest, WrapKeepsReasonAndCode) {
  const Error cause{.reason = ErrorReason::kConflict, .http_code = 409, .message = "changed"};

  const Error wrapped = cause.Wrap("failed to update Lease kube-system/x");

  EXPECT_EQ(wrapped.message, "failed to update Lease kube-system/x: changed");
  EXPECT_TRUE(IsConflict(wrapped));
  EXPECT_EQ(wrapped.http_code, 409);
}

}  // namespace
}  // namespace capstan
