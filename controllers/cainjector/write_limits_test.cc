// SPDX-License-Identifier: Apache-2.0
// Tests of the limits on what the Injector writes, whatever its targets and sources hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "controllers/cainjector/testing/injector_fixture.h"

namespace capstan::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kEtcdBytesMax = std::size_t{1536} * 1024;

class WriteLimitsTest : public InjectorFixture {
 protected:
  // Puts a target into the cache.
  void Put(const std::string& name, const std::vector<std::string>& bundles) {
    InjectorFixture::Put(name, kRef, bundles);
  }
  // Returns a bundle of many certificates.
  static std::string NewLargeBundle() {
    std::string bundle;
    for (int i = 0; i < 60; ++i) bundle += NewCaPem();
    return bundle;
  }
};

TEST_F(WriteLimitsTest, RefusesBundlesThatEtcdWouldNotStore) {
  const std::string source = NewLargeBundle();
  cluster_.PutSecret(kRef, {.ca_crt = source});
  const std::size_t places = kEtcdBytesMax / source.size();
  Put("t", std::vector<std::string>(places + 2, ""));
  Put("fits", std::vector<std::string>(places, ""));

  for (const bool merge : {true, false}) {
    Restart({.merge_bundles = merge});
    const auto refused = Reconcile();

    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->requeue_after, std::nullopt);  // a smaller source is an event
    EXPECT_EQ(cluster_.Count("PATCH"), 0U);
    EXPECT_THAT(cluster_.events.events().back(),
                AllOf(HasSubstr("Warning TooLarge ValidatingWebhookConfiguration/t: "),
                      HasSubstr("at most 1572864 bytes"), HasSubstr("--max-request-bytes"),
                      HasSubstr("name a smaller source")));
  }
  EXPECT_TRUE(Reconcile("fits").has_value());
  EXPECT_EQ(cluster_.Count("PATCH"), 1U);
}

TEST_F(WriteLimitsTest, CountsTheCertificatesThatATargetKeeps) {
  const std::string source = NewLargeBundle();
  cluster_.PutSecret(kRef, {.ca_crt = source});
  const std::size_t places = kEtcdBytesMax / source.size();
  Put("t", std::vector<std::string>(places * 2 / 3, NewLargeBundle()));

  EXPECT_TRUE(Reconcile().has_value());

  EXPECT_EQ(cluster_.Count("PATCH"), 0U);
  EXPECT_EQ(Counted("TooLarge"), 1);
}

TEST_F(WriteLimitsTest, DoesNotRetryAWriteThatTheApiServerFindsTooLarge) {
  cluster_.PutSecret(kRef, {.ca_crt = NewCaPem()});
  Put("t", {""});
  for (const auto& [code, message] :
       {std::pair(500, "etcdserver: request is too large"),
        std::pair(413, "Request entity too large: limit is 3145728")}) {
    Restart();
    cluster_.Fail("PATCH", code, "", message);

    const auto result = Reconcile();

    ASSERT_TRUE(result.has_value()) << message;
    EXPECT_EQ(result->requeue_after, std::nullopt);
    EXPECT_THAT(cluster_.events.events().back(),
                AllOf(HasSubstr("Warning TooLarge"), HasSubstr(message),
                      HasSubstr("name a smaller source")));
    cluster_.FailNoMore();
  }
}

// A client that removes the bundle as soon as it sees it, for 15 s.
TEST_F(WriteLimitsTest, WritesMoreRarelyWhenABundleIsRemovedAgainAndAgain) {
  cluster_.PutSecret(kRef, {.ca_crt = NewCaPem()});
  int delayed = 0;
  for (int i = 0; i < 500; ++i) {
    Put("t", {""});
    const auto result = Reconcile();
    ASSERT_TRUE(result.has_value());
    if (result->requeue_after == WritePacer::kInterval) ++delayed;
    cluster_.clock.Step(std::chrono::milliseconds(30));
  }

  EXPECT_EQ(cluster_.Count("PATCH"), 11U);
  EXPECT_EQ(delayed, 500 - 11);
  EXPECT_THAT(cluster_.events.events(),
              ::testing::Contains(AllOf(HasSubstr("Warning Overwritten"),
                                        HasSubstr("another client replaces the bundle"))));
  Put("other", {""});
  EXPECT_EQ(Reconcile("other")->requeue_after, kResyncPeriod);  // it is not delayed
  EXPECT_EQ(cluster_.Count("PATCH"), 12U);

  cluster_.clock.Step(std::chrono::minutes(3));
  Put("t", {""});
  EXPECT_EQ(Reconcile()->requeue_after, kResyncPeriod);
  EXPECT_EQ(cluster_.Count("PATCH"), 13U);
}

TEST_F(WriteLimitsTest, DoesNotCountFailedWrites) {
  cluster_.PutSecret(kRef, {.ca_crt = NewCaPem()});
  Put("t", {""});
  cluster_.Fail("PATCH", 500, "InternalError", "out of order");
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(Reconcile().has_value());
  EXPECT_EQ(cluster_.Count("PATCH"), 30U);
}

TEST(WritePacerTest, ForgetsTargetsThatAreRarelyWritten) {
  testing::FakeClock clock;
  WritePacer pacer(clock);
  for (int i = 0; i < 1000; ++i) {
    pacer.Wrote("ns/" + std::to_string(i));
    clock.Step(std::chrono::seconds(1));
  }
  EXPECT_LE(pacer.Size(), 201U);
  EXPECT_TRUE(pacer.MayWrite("ns/0"));
}

}  // namespace
}  // namespace capstan::cainjector
