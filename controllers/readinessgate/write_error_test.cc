// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/write_error.h"

#include <gtest/gtest.h>

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using clientgo::util::Error;
using clientgo::util::ErrorReason;

Error Status(int code, std::string message = "") {
  return {.reason = clientgo::util::ReasonFromHttpCode(code),
          .http_code = code,
          .message = std::move(message)};
}

TEST(WriteErrorTest, TheAnswerSaysWhatBecomesOfTheWrite) {
  EXPECT_EQ(Classify(Status(404)), WriteError::kGone);
  EXPECT_EQ(Classify(Status(409, "the object has been modified")), WriteError::kConflict);
  EXPECT_EQ(Classify(Status(422,
                            "Pod \"n\" is invalid: metadata.uid: Invalid value: \"x\": field "
                            "is immutable")),
            WriteError::kReplaced);
  EXPECT_EQ(Classify(Status(422,
                            "Pod \"n\" is invalid: metadata.annotations: Too long: may not be "
                            "more than 262144 bytes")),
            WriteError::kTooLong);
  EXPECT_EQ(Classify(Status(422,
                            "pods \"n\" is forbidden: ValidatingAdmissionPolicy 'p' denied "
                            "request: not on this node")),
            WriteError::kDenied);
  EXPECT_EQ(Classify(Status(403)), WriteError::kDenied);
  EXPECT_EQ(Classify(Status(415)), WriteError::kDenied);
  EXPECT_EQ(Classify(Status(429)), WriteError::kThrottled);
  EXPECT_EQ(Classify(Status(401, "the token was rotated")), WriteError::kTransient);
  EXPECT_EQ(Classify(Status(500)), WriteError::kTransient);
  EXPECT_EQ(Classify(Status(503)), WriteError::kTransient);
  EXPECT_EQ(Classify({.reason = ErrorReason::kUnexpectedEof}), WriteError::kTransient);
}

TEST(WriteErrorTest, DelaysGrowBetweenTheirBounds) {
  EXPECT_EQ(RetryDelay(WriteError::kTransient, {}, 1, 0), 250ms);
  EXPECT_EQ(RetryDelay(WriteError::kTransient, {}, 3, 0), 1s);
  EXPECT_EQ(RetryDelay(WriteError::kTransient, {}, 1000, 0.9), 30s);
  EXPECT_EQ(RetryDelay(WriteError::kDenied, {}, 1, 0), 1s);
  EXPECT_EQ(RetryDelay(WriteError::kDenied, {}, 1000, 0), 5min);
  EXPECT_EQ(RetryDelay(WriteError::kConflict, {}, 1, 0), 200ms);
  EXPECT_EQ(RetryDelay(WriteError::kConflict, {}, 1000, 0.5), 5s);
}

TEST(WriteErrorTest, DelaysAreJittered) {
  EXPECT_GT(RetryDelay(WriteError::kTransient, {}, 1, 0.9), 300ms);
  EXPECT_LT(RetryDelay(WriteError::kTransient, {}, 1, 0.99), 375ms);
}

TEST(WriteErrorTest, RetryAfterIsHonouredWithinReason) {
  EXPECT_EQ(RetryDelay(WriteError::kThrottled, {.retry_after = 7s}, 1, 0), 7s);
  EXPECT_EQ(RetryDelay(WriteError::kThrottled, {.retry_after = 24h}, 1, 0), 5min);
  EXPECT_EQ(RetryDelay(WriteError::kThrottled, {}, 1, 0), 250ms);
}

}  // namespace
}  // namespace controllers::readinessgate
