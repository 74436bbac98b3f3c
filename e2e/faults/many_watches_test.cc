// SPDX-License-Identifier: Apache-2.0
// Tests that a hundred informers with silent watches stop quickly.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "e2e/faults/world.h"

namespace e2e {
namespace {

class ManyWatchesTest : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Protocols, ManyWatchesTest, ::testing::Bool(), [](const auto& parameter) {
  return std::string(parameter.param ? "Http2" : "Http1");
});

TEST_P(ManyWatchesTest, AHundredSilentInformersStopLongBeforeARequestTimesOut) {
  constexpr std::size_t kInformers = 100;
  constexpr std::chrono::seconds kRequestTimeout(30);
  // With the default of 50 bookmarks a second, a hundred watches would keep two cores busy.
  World world({.bookmark_period = std::chrono::minutes(1),
               .request_timeout = kRequestTimeout,
               .http2 = GetParam()});
  std::mt19937_64 dice(1);
  world.Churn(dice, 20);
  std::vector<std::unique_ptr<WatchedNotes>> informers;
  for (std::size_t i = 0; i < kInformers; ++i) {
    informers.push_back(std::make_unique<WatchedNotes>(world, true));
  }
  for (const auto& informer : informers) informer->ExpectInSync();

  const auto before = std::chrono::steady_clock::now();
  for (const auto& informer : informers) informer->RequestStop();
  informers.clear();
  const auto took = std::chrono::steady_clock::now() - before;

  EXPECT_LT(took, kRequestTimeout / 5);
}

}  // namespace
}  // namespace e2e
