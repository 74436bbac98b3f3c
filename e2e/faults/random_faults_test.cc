// SPDX-License-Identifier: Apache-2.0
// Tests of thousands of writes during random faults of the network and the server.
// CAPSTAN_FAULT_SEED repeats a schedule of writes and faults; their timing still varies.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <string>

#include "e2e/faults/world.h"

namespace e2e {
namespace {

using capstan::testing::apiserver::Fault;
using capstan::testing::apiserver::FaultAction;
using End = FaultProxy::End;
using std::chrono::milliseconds;

constexpr std::uint64_t kDefaultSeed = 20260411;
constexpr int kSteps = 10000;
constexpr int kStepsBetweenLooks = 500;

std::uint64_t Seed() {
  const char* text = std::getenv("CAPSTAN_FAULT_SEED");
  return text == nullptr ? kDefaultSeed : std::strtoull(text, nullptr, 10);
}

class Schedule {
 public:
  Schedule(World& world, std::uint64_t seed) : world_(world), dice_(seed) {}

  // Does one write (in 95% of the steps) or changes the faults.
  void Step() {
    if (Roll(100) >= 5) return world_.Churn(dice_);
    switch (Roll(10)) {
      case 0:
        return world_.network().Cut(AnyEnd());
      case 1:
      case 2:
        return world_.network().Damage(AnyDamage(), 1 + static_cast<int>(Roll(4)));
      case 3:
        return Roll(2) == 0 ? world_.network().Refuse() : world_.network().Accept();
      case 4:
        return world_.server().CutWatches();
      case 5:
        world_.server().CompactWatchWindow();
        return world_.network().Cut(End::kReset);
      case 6:
        return Roll(2) == 0 ? world_.StopServer() : world_.StartServer();
      case 7:
        return world_.Heal();
      default:
        return world_.server().InjectFault(AnyFault());
    }
  }
  std::mt19937_64& dice() { return dice_; }

 private:
  std::size_t Roll(std::size_t sides) {
    return std::uniform_int_distribution<std::size_t>(0, sides - 1)(dice_);
  }
  End AnyEnd() {
    constexpr std::array kEnds = {End::kReset, End::kClose, End::kSilence};
    return kEnds.at(Roll(kEnds.size()));
  }
  FaultProxy::Fault AnyDamage() {
    FaultProxy::Fault fault{.end = AnyEnd()};
    if (Roll(4) == 0) fault.delay = milliseconds(1);
    if (Roll(2) == 0) fault.segment_bytes_max = 1 + Roll(300);
    if (Roll(3) > 0) fault.bytes_max = Roll(30000);
    return fault;
  }
  Fault AnyFault() {
    constexpr std::array kActions = {
        FaultAction::kStatus, FaultAction::kPlainText, FaultAction::kErrorEvent,
        FaultAction::kDelay,  FaultAction::kCut,       FaultAction::kClose,
        FaultAction::kHang,   FaultAction::kGarbage,   FaultAction::kWithholdBookmarks};
    constexpr std::array kCodes = {400, 403, 404, 410, 429, 500, 503, 504};
    Fault fault{.match = {.verb = Roll(2) == 0 ? "list" : "watch",
                          .resource = "configmaps",
                          .user_agent = kWatchedAgent},
                .action = kActions.at(Roll(kActions.size())),
                .code = kCodes.at(Roll(kCodes.size()))};
    if (Roll(2) == 0) fault.retry_after = std::chrono::seconds(Roll(3));
    fault.delay = milliseconds(Roll(5));
    fault.bytes = Roll(5000);
    fault.count = 1 + static_cast<int>(Roll(3));
    return fault;
  }

  World& world_;
  std::mt19937_64 dice_;
};

class RandomFaultsTest : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Protocols, RandomFaultsTest, ::testing::Bool(), [](const auto& parameter) {
  return std::string(parameter.param ? "Http2" : "Http1");
});

TEST_P(RandomFaultsTest, StoreAndHandlersMatchTheServerAfterFaults) {
  const std::uint64_t seed = Seed();
  std::cout << "CAPSTAN_FAULT_SEED=" << seed << std::endl;
  World world({.http2 = GetParam()});
  Schedule schedule(world, seed);
  WatchedNotes streamed(world, true);
  WatchedNotes listed(world, false);
  WatchedNotes selected(world, true, "a");

  for (int step = 1; step <= kSteps && !::testing::Test::HasFailure(); ++step) {
    schedule.Step();
    if (step % kStepsBetweenLooks != 0) continue;
    world.Heal();
    for (WatchedNotes* notes : {&streamed, &listed, &selected}) notes->ExpectInSync();
    world.Churn(schedule.dice(), 20);  // received by watches without faults
    for (WatchedNotes* notes : {&streamed, &listed, &selected}) notes->ExpectInSync();
  }

  for (WatchedNotes* notes : {&streamed, &listed, &selected}) notes->ExpectInSyncAtLast();
  EXPECT_EQ(Difference(world.FreshList(), world.Notes()), "");
  std::cout << world.Requests("list") << " lists, " << world.Requests("watch") << " watches, "
            << world.network().connections() << " connections" << std::endl;
}

}  // namespace
}  // namespace e2e
