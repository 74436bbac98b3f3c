// SPDX-License-Identifier: Apache-2.0
// Tests of each single fault, during a first list and during a running watch. Afterwards the
// informers must have the server's objects, and no handler may have received an inconsistent call.
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "e2e/faults/world.h"

namespace e2e {
namespace {

using capstan::testing::FaultProxy;
using capstan::testing::apiserver::Fault;
using capstan::testing::apiserver::FaultAction;
using End = FaultProxy::End;
using std::chrono::milliseconds;

struct Case {
  std::string name;
  std::function<void(World&)> inject;
  bool reaches_the_server = true;  // at least the connections do
};

[[maybe_unused]] void PrintTo(const Case& fault, std::ostream* out) { *out << fault.name; }

Case Network(std::string name, FaultProxy::Fault fault, int connections = 6) {
  return {std::move(name), [=](World& world) { world.network().Damage(fault, connections); }};
}

// Returns a fault of the server for `count` requests of each verb.
Case Server(std::string name, const Fault& fault, int count = 3) {
  return {std::move(name), [=](World& world) {
            for (const char* verb : {"list", "watch"}) {
              Fault one = fault;
              one.match = {.verb = verb, .resource = "configmaps", .user_agent = kWatchedAgent};
              one.count = count;
              world.server().InjectFault(one);
            }
          }};
}

std::vector<Case> NetworkCases() {
  std::vector<Case> cases = {
      Network("DelayedSegments", {.delay = milliseconds(2), .segment_bytes_max = 1000}),
      Network("SegmentsOfOneByte", {.segment_bytes_max = 1}, -1),
      Network("SegmentsOfThreeBytes", {.segment_bytes_max = 3}, -1),
      Network("SegmentsOfSevenHundredBytes", {.segment_bytes_max = 701}, -1),
      {"Refused", [](World& world) { world.network().Refuse(); }, false},
  };
  // The faults are in the status line, a header, a chunk's size, an object and a character.
  for (const std::size_t bytes : {0U, 5U, 60U, 160U, 400U, 1111U, 4321U, 20002U}) {
    const std::string after = "After" + std::to_string(bytes) + "Bytes";
    cases.push_back(Network("Reset" + after, {.bytes_max = bytes, .end = End::kReset}));
    cases.push_back(Network("Closed" + after, {.bytes_max = bytes, .end = End::kClose}));
    cases.push_back(Network("Silent" + after, {.bytes_max = bytes, .end = End::kSilence}, 3));
  }
  return cases;
}

std::vector<Case> ServerCases() {
  std::vector<Case> cases = {
      Server("Hangs", {.action = FaultAction::kHang}, 1),
      Server("Closes", {.action = FaultAction::kClose}),
      Server("Garbage", {.action = FaultAction::kGarbage}),
      Server("Late", {.action = FaultAction::kDelay, .delay = milliseconds(5)}),
      Server("NoBookmarks", {.action = FaultAction::kWithholdBookmarks}),
      {"Restarted",
       [](World& world) {
         world.StopServer();
         world.StartServer();
       }},
      {"WatchesCut", [](World& world) { world.server().CutWatches(); }},
      {"Compacted",
       [](World& world) {
         world.server().CompactWatchWindow();
         world.server().CutWatches();
       }},
  };
  for (const std::size_t bytes : {0U, 1U, 99U, 1500U}) {
    cases.push_back(
        Server("CutAfter" + std::to_string(bytes), {.action = FaultAction::kCut, .bytes = bytes}));
  }
  for (const int code : {400, 410, 429, 500, 503, 504}) {
    const std::string name = std::to_string(code);
    const auto later = std::chrono::seconds(1);
    cases.push_back(Server("Status" + name, {.code = code}));
    cases.push_back(Server("Status" + name + "RetryAfter", {.code = code, .retry_after = later}));
    cases.push_back(
        Server("Text" + name, {.action = FaultAction::kPlainText, .code = code, .message = "no"}));
    cases.push_back(Server(
        "Text" + name + "RetryAfter",
        {.action = FaultAction::kPlainText, .code = code, .retry_after = later, .message = "no"}));
    cases.push_back(
        Server("ErrorEvent" + name, {.action = FaultAction::kErrorEvent, .code = code}));
  }
  return cases;
}

using Parameters = std::tuple<Case, bool, bool>;

class SingleFaultTest : public ::testing::TestWithParam<Parameters> {
 protected:
  // Waits up to 10 s of real time until the client has met the fault.
  static void AwaitContact(World& world, WatchedNotes& notes, int connections, bool reached) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    const auto met = [&] {
      return reached ? world.network().connections() > connections
                     : notes.Status().last_error.has_value();
    };
    while (!met() && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    EXPECT_TRUE(met());
  }
};

TEST_P(SingleFaultTest, StoreAndHandlersMatchTheServerAfterAFault) {
  const auto& [fault, watch_list, http2] = GetParam();
  std::mt19937_64 dice(1);
  World world({.http2 = http2});
  world.Churn(dice, 60);

  fault.inject(world);
  WatchedNotes all(world, watch_list);
  WatchedNotes some(world, watch_list, "a");
  AwaitContact(world, all, 0, fault.reaches_the_server);
  world.Churn(dice, 60);
  world.Heal();
  all.ExpectInSync();
  some.ExpectInSync();

  const int connections = world.network().connections();
  fault.inject(world);
  world.network().Cut(End::kReset);
  AwaitContact(world, all, connections, fault.reaches_the_server);
  world.Churn(dice, 60);
  world.Heal();
  all.ExpectInSyncAtLast();
  some.ExpectInSyncAtLast();
  EXPECT_EQ(Difference(world.FreshList(), world.Notes()), "");
}

std::string NameOf(const ::testing::TestParamInfo<Parameters>& info) {
  return std::get<0>(info.param).name + (std::get<1>(info.param) ? "WatchList" : "List") +
         (std::get<2>(info.param) ? "Http2" : "Http1");
}

INSTANTIATE_TEST_SUITE_P(Network, SingleFaultTest,
                         ::testing::Combine(::testing::ValuesIn(NetworkCases()), ::testing::Bool(),
                                            ::testing::Bool()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Server, SingleFaultTest,
                         ::testing::Combine(::testing::ValuesIn(ServerCases()), ::testing::Bool(),
                                            ::testing::Bool()),
                         NameOf);

}  // namespace
}  // namespace e2e
