// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/token_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/rest/request_throttle.h"
#include "clientgo/rest/temp_dir_for_test.h"
#include "clientgo/testing/fake_clock.h"
#include "clientgo/util/thread.h"

namespace clientgo::rest {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class TokenSourceTest : public ::testing::Test {
 protected:
  testing::FakeClock clock_;
  const TempDir dir_;
};

TEST_F(TokenSourceTest, ReadsARotatedFileWithinAMinute) {
  TokenSource source("", dir_.Write("token", "one\n"), clock_);
  EXPECT_EQ(source.Token().value(), "one");
  dir_.Write("token", "two");

  clock_.Step(seconds(49));
  EXPECT_EQ(source.Token().value(), "one");
  clock_.Step(seconds(1));
  EXPECT_EQ(source.Token().value(), "two");
}

TEST_F(TokenSourceTest, ReadsAgainAtOnceAfterA401) {
  TokenSource source("", dir_.Write("token", "one"), clock_);
  EXPECT_EQ(source.Token().value(), "one");
  dir_.Write("token", "two");

  source.OnUnauthorized();

  EXPECT_EQ(source.Token().value(), "two");
}

TEST_F(TokenSourceTest, KeepsTheOldTokenWhenTheFileCannotBeRead) {
  TokenSource source("", dir_.Write("token", "one"), clock_);
  EXPECT_EQ(source.Token().value(), "one");
  dir_.Remove("token");
  clock_.Step(seconds(51));
  EXPECT_EQ(source.Token().value(), "one");

  dir_.Write("token", "two");
  clock_.Step(seconds(10));

  EXPECT_EQ(source.Token().value(), "two");
}

TEST_F(TokenSourceTest, ExplicitTokenWinsOverTheFile) {
  TokenSource source("explicit", dir_.Write("token", "file"), clock_);
  source.OnUnauthorized();

  EXPECT_EQ(source.Token().value(), "explicit");
  EXPECT_EQ(TokenSource("", "", clock_).Token().value(), "");
}

TEST_F(TokenSourceTest, BadFileIsNamedAndItsTextIsNot) {
  const auto why = [&](const std::string& path) {
    auto token = TokenSource("", path, clock_).Token();
    return token ? "accepted " + *token : token.error().message;
  };

  EXPECT_THAT(why("/nonexistent/token"), HasSubstr("open /nonexistent/token: No such file"));
  EXPECT_THAT(why(dir_.Write("empty", " \n")), HasSubstr("empty is empty"));
  // Would otherwise end the header and begin another.
  const std::string injected = why(dir_.Write("bad", "secret\r\nX-Remote-User: admin"));
  EXPECT_THAT(injected, HasSubstr("does not hold a token"));
  EXPECT_THAT(injected, Not(HasSubstr("secret")));
}

TEST(RequestThrottleTest, LetsABurstThroughAndThenItsRate) {
  testing::FakeClock clock;
  RequestThrottle throttle(2, 3, clock);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(throttle.Wait({}));

  std::atomic<bool> went{false};
  auto thread = util::StartThread("waiter", [&](std::stop_token stop) {
    if (throttle.Wait(std::move(stop))) went = true;
  });
  ASSERT_TRUE(clock.BlockUntilWaiters());
  EXPECT_FALSE(went);
  clock.Step(std::chrono::milliseconds(500));
  thread.join();

  EXPECT_TRUE(went);
}

TEST(RequestThrottleTest, StopEndsTheWaitAndNegativeMeansNoLimit) {
  testing::FakeClock clock;
  RequestThrottle throttle(0.001, 1, clock);
  std::stop_source stop;
  EXPECT_TRUE(throttle.Wait(stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(throttle.Wait(stop.get_token()));

  RequestThrottle unlimited(-1, 0, clock);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(unlimited.Wait({}));
}

}  // namespace
}  // namespace clientgo::rest
