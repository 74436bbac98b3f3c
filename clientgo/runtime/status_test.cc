// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "clientgo/runtime/golden_testing.h"
#include "clientgo/runtime/watch_event.h"

namespace clientgo::runtime {
namespace {

using ::testing::HasSubstr;
using util::ErrorReason;

TEST(DecodeStatusTest, ReadsAConflictOfARealServer) {
  const util::Error error = DecodeStatus(409, ReadGolden("status_conflict.json"));
  EXPECT_TRUE(util::IsConflict(error));
  EXPECT_EQ(error.http_code, 409);
  EXPECT_THAT(error.message, HasSubstr("the object has been modified"));
  EXPECT_EQ(error.retry_after, std::nullopt);
  EXPECT_FALSE(error.resource_version_too_large);
}

TEST(DecodeStatusTest, ReadsTooLargeResourceVersionOfARealServer) {
  const util::Error error = DecodeStatus(504, ReadGolden("status_too_large.json"));
  EXPECT_EQ(error.reason, ErrorReason::kTimeout);
  EXPECT_EQ(error.retry_after, std::chrono::seconds(1));
  EXPECT_TRUE(error.resource_version_too_large);
}

TEST(DecodeStatusTest, KnowsTheLegacyFormsOfTooLargeResourceVersion) {
  EXPECT_TRUE(DecodeStatus(504, R"({"kind":"Status","reason":"Timeout",
      "message":"Timeout: Too large resource version: 9, current: 8"})")
                  .resource_version_too_large);
  EXPECT_TRUE(DecodeStatus(504, R"({"kind":"Status","reason":"Timeout","message":"m",
      "details":{"causes":[{"message":"x"},{"message":"Too large resource version"}]}})")
                  .resource_version_too_large);
  EXPECT_FALSE(DecodeStatus(500, R"({"kind":"Status","reason":"InternalError",
      "message":"Too large resource version"})")
                   .resource_version_too_large);
}

TEST(DecodeStatusTest, TheReasonCountsMoreThanTheCode) {
  EXPECT_EQ(DecodeStatus(409, R"({"kind":"Status","reason":"AlreadyExists","code":409})").reason,
            ErrorReason::kAlreadyExists);
  EXPECT_EQ(DecodeStatus(410, R"({"kind":"Status","reason":"Expired"})").reason,
            ErrorReason::kExpired);
  EXPECT_EQ(DecodeStatus(410, R"({"kind":"Status","reason":""})").reason, ErrorReason::kGone);
  EXPECT_EQ(DecodeStatus(404, R"({"kind":"Status","reason":"NeverHeardOf"})").reason,
            ErrorReason::kNotFound);
}

TEST(DecodeStatusTest, AnythingElseIsAReasonByCodeAndItsText) {
  const std::string overload = "Too many requests, please try again later.\n";
  const util::Error error = DecodeStatus(429, overload);
  EXPECT_EQ(error.reason, ErrorReason::kTooManyRequests);
  EXPECT_EQ(error.message, "Too many requests, please try again later.");

  EXPECT_EQ(DecodeStatus(503, "<html>bad gateway</html>").reason, ErrorReason::kServiceUnavailable);
  EXPECT_EQ(DecodeStatus(502, "").message, "the server answered 502 without a message");
  EXPECT_EQ(DecodeStatus(404, R"({"error":"no such page"})").message,
            R"({"error":"no such page"})");
  EXPECT_EQ(DecodeStatus(500, R"({"kind":"Status","message":"cut of)").reason,
            ErrorReason::kInternalError);
}

TEST(DecodeStatusTest, CutsALongTextAtACharacter) {
  EXPECT_EQ(DecodeStatus(500, std::string(5000, 'x')).message.size(), 2048U);
  const std::string text = std::string(2047, 'x') + "\xe2\x82\xac";
  EXPECT_EQ(DecodeStatus(500, text).message, std::string(2047, 'x'));
}

TEST(DecodeStatusTest, SurvivesHostileBodies) {
  EXPECT_EQ(DecodeStatus(500, std::string(1'000'000, '[')).message, std::string(2048, '['));
  EXPECT_EQ(
      DecodeStatus(500, R"({"kind":"Status","details":{"retryAfterSeconds":-5}})").retry_after,
      std::nullopt);
  EXPECT_EQ(
      DecodeStatus(500, R"({"kind":"Status","details":{"causes":[7,null,{}]},"code":"x"})").reason,
      ErrorReason::kInternalError);
  EXPECT_EQ(DecodeStatus(500, R"({"kind":"Status","details":"text","message":{}})").message,
            "the server answered 500 without a message");
}

}  // namespace
}  // namespace clientgo::runtime
