// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/reflector_pool.h"

#include <atomic>
#include <future>
#include <latch>
#include <optional>
#include <thread>

#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

// Member is one Reflector of a pool with its server and store.
struct Member {
  Member(ReflectorPool& pool, testing::FakeClock& clock, bool watch_list = false)
      : source(clock),
        task(pool, reflector),
        reflector(source, store,
                  {.name = "secrets", .watch_list = watch_list, .clock = clock, .random = [] {
                     return 0.0;
                   }}) {}

  FakeListerWatcher source;
  RecordingStore store;
  ReflectorPool::Task task;
  Reflector reflector;
};

struct ReflectorPoolTest : ::testing::Test {
  ~ReflectorPoolTest() override {
    for (const auto& member : members) pool.Remove(member->task);
  }
  Member& Add() {
    members.push_back(std::make_unique<Member>(pool, clock));
    members.back()->source.AllowSuspend();
    return *members.back();
  }
  // Adds a Reflector whose list is empty, and runs it. The test sends events through the result.
  std::shared_ptr<FakeWatch> AddWatching() {
    Member& member = Add();
    member.source.OnList(Page({}, "10"));
    auto watch = member.source.OnWatch();
    pool.Add(member.task);
    return watch;
  }
  void Start() { pool.Start(stop.get_token()); }

  testing::FakeClock clock;
  std::stop_source stop;
  ReflectorPool pool{clock, /*threads_max=*/1};
  std::vector<std::unique_ptr<Member>> members;
};

TEST_F(ReflectorPoolTest, RunsManyWatchesOnOneThread) {
  const auto first = AddWatching();
  Start();
  const auto second = AddWatching();
  const auto third = AddWatching();
  ASSERT_TRUE(first->WaitUntilRead());
  ASSERT_TRUE(second->WaitUntilRead());
  ASSERT_TRUE(third->WaitUntilRead());

  third->Add(MakeObject("c", 11));
  first->Add(MakeObject("a", 11));
  first->Modify(MakeObject("a", 12));

  EXPECT_TRUE(members[0]->store.record.WaitForLines(3));
  EXPECT_TRUE(members[2]->store.record.WaitForLines(2));
  EXPECT_THAT(members[0]->store.record.lines(),
              ElementsAre("replace @10", "upsert ns/a=11", "upsert ns/a=12"));
  EXPECT_THAT(members[1]->store.record.lines(), ElementsAre("replace @10"));
  EXPECT_THAT(members[2]->store.record.lines(), ElementsAre("replace @10", "upsert ns/c=11"));
}

TEST_F(ReflectorPoolTest, LosesNoEventWhileReflectorRuns) {
  const auto watch = AddWatching();
  Start();
  constexpr int kEvents = 2000;

  for (int i = 0; i < kEvents; ++i) watch->Modify(MakeObject("a", 11 + i));

  ASSERT_TRUE(members[0]->store.record.WaitForLines(1 + kEvents));
  EXPECT_EQ(members[0]->store.record.lines().back(), "upsert ns/a=" + std::to_string(10 + kEvents));
}

TEST_F(ReflectorPoolTest, GivesWatchesThatCannotBeSuspendedTheirOwnThreads) {
  Start();
  for (int i = 0; i < 3; ++i) {
    Member& member = *members.emplace_back(std::make_unique<Member>(pool, clock));
    member.source.OnList(Page({}, "10"));
    const auto watch = member.source.OnWatch();
    pool.Add(member.task);
    ASSERT_TRUE(watch->WaitUntilRead());

    watch->Add(MakeObject("a", 11));

    EXPECT_TRUE(member.store.record.WaitForLines(2));
  }
}

TEST_F(ReflectorPoolTest, BackoffOfOneDoesNotDelayOthers) {
  Member& failing = Add();
  failing.source.OnList({.error = MakeError(ErrorReason::kForbidden, 403)});
  pool.Add(failing.task);
  Start();
  ASSERT_TRUE(clock.BlockUntilWaiters());

  const auto other = AddWatching();
  EXPECT_TRUE(other->WaitUntilRead());
  EXPECT_EQ(failing.source.Requests().size(), 1U);

  failing.source.OnList(Page({MakeObject("a", 1)}, "20"));
  const auto watch = failing.source.OnWatch();
  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(seconds(1));
  EXPECT_TRUE(watch->WaitUntilRead());
  EXPECT_THAT(failing.store.record.lines(), ElementsAre("replace @20 ns/a=1"));
}

TEST_F(ReflectorPoolTest, ReopensSilentWatch) {
  const auto watch = AddWatching();
  Start();
  watch->Bookmark("11");
  ASSERT_TRUE(watch->WaitUntilRead());
  clock.Step(seconds(60));
  watch->Bookmark("12");
  ASSERT_TRUE(watch->WaitUntilRead());
  const auto next = members[0]->source.OnWatch();

  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(seconds(131));

  EXPECT_TRUE(next->WaitUntilRead());
  EXPECT_THAT(members[0]->source.Requests().back(), ::testing::StartsWith("WATCH rv=12 "));
}

TEST_F(ReflectorPoolTest, ResumesWatchThatEnds) {
  const auto watch = AddWatching();
  Start();
  watch->Add(MakeObject("a", 11));
  ASSERT_TRUE(watch->WaitUntilRead());
  const auto next = members[0]->source.OnWatch();

  watch->Close();

  EXPECT_TRUE(next->WaitUntilRead());
  EXPECT_THAT(members[0]->source.Requests().back(), ::testing::StartsWith("WATCH rv=11 "));
}

TEST_F(ReflectorPoolTest, SuspendsStreamingLists) {
  std::vector<std::shared_ptr<FakeWatch>> watches;
  for (int i = 0; i < 3; ++i) {
    members.push_back(std::make_unique<Member>(pool, clock, /*watch_list=*/true));
    members.back()->source.AllowSuspend();
    watches.push_back(members.back()->source.OnWatch());
    pool.Add(members.back()->task);
  }
  Start();
  for (const auto& watch : watches) ASSERT_TRUE(watch->WaitUntilRead());

  for (const auto& watch : watches) {
    watch->Add(MakeObject("a", 1));
    watch->Bookmark("10", /*initial_events_end=*/true);
    watch->Modify(MakeObject("a", 11));
  }

  for (const auto& member : members) {
    EXPECT_TRUE(member->store.record.WaitForLines(2));
    EXPECT_THAT(member->store.record.lines(), ElementsAre("replace @10 ns/a=1", "upsert ns/a=11"));
  }
}

TEST_F(ReflectorPoolTest, FallsBackFromSilentStreamingList) {
  Member& member = *members.emplace_back(std::make_unique<Member>(pool, clock, true));
  member.source.AllowSuspend();
  const auto silent = member.source.OnWatch();
  pool.Add(member.task);
  Start();
  ASSERT_TRUE(silent->WaitUntilRead());
  member.source.OnList(Page({}, "10"));
  const auto watch = member.source.OnWatch();

  ASSERT_TRUE(clock.BlockUntilWaiters());
  clock.Step(seconds(21));

  EXPECT_TRUE(watch->WaitUntilRead());
  EXPECT_EQ(member.reflector.Status().list_mode, "LIST (WATCH-LIST: NoBookmark)");
}

TEST_F(ReflectorPoolTest, RemoveEndsRequestInProgress) {
  Member& member = Add();
  pool.Add(member.task);
  Start();
  ASSERT_TRUE(member.source.WaitForRequests(1));

  auto removed = std::async(std::launch::async, [&] { pool.Remove(member.task); });

  EXPECT_EQ(removed.wait_for(seconds(10)), std::future_status::ready);
}

TEST_F(ReflectorPoolTest, RemovedReflectorGetsNoEvents) {
  const auto watch = AddWatching();
  Start();
  ASSERT_TRUE(watch->WaitUntilRead());

  pool.Remove(members[0]->task);
  watch->Add(MakeObject("a", 11));

  const auto other = AddWatching();
  EXPECT_TRUE(other->WaitUntilRead());
  EXPECT_THAT(members[0]->store.record.lines(), ElementsAre("replace @10"));
}

// SuspendingSource has a watch whose Suspend runs until `may_suspend`. The watch notifies its pool
// when it is stopped.
class SuspendingSource final : public ListerWatcher {
 public:
  Expected<runtime::ListMeta> List(const rest::CallOptions&, const rest::ListOptions&,
                                   const std::function<void(runtime::ObjectPtr)>&) override {
    return runtime::ListMeta{.resource_version = "10"};
  }
  Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                 const rest::ListOptions&) override {
    return std::make_unique<HeldWatch>(*this, call.stop);
  }
  rest::ServerAvailability* availability() override { return nullptr; }

  std::latch suspending{1};
  std::latch may_suspend{1};

 private:
  class HeldWatch final : public rest::Watcher {
   public:
    HeldWatch(SuspendingSource& source, std::stop_token stop)
        : source_(source), on_stop_(std::move(stop), [this] {
            if (auto* const waker = waker_.exchange(nullptr)) waker->Wake();
          }) {}
    Expected<std::optional<runtime::WatchEvent>> Next(Clock::Duration) override {
      return Err(ErrorReason::kCanceled, "stopped");
    }
    bool CanSuspend() const override { return true; }
    std::optional<Clock::TimePoint> Suspend(transport::Waker& waker) override {
      waker_ = &waker;
      source_.suspending.count_down();
      source_.may_suspend.wait();
      return Clock::TimePoint::max();
    }

   private:
    SuspendingSource& source_;
    std::atomic<transport::Waker*> waker_{nullptr};
    std::stop_callback<std::function<void()>> on_stop_;
  };
};

// The stop wakes a task that runs. It becomes ready again, and no thread takes it any more.
TEST(ReflectorPoolStopTest, RemoveReturnsForATaskThatTheStopHasWoken) {
  constexpr int kRounds = 20;  // Remove must already wait when the task becomes ready
  for (int round = 0; round < kRounds; ++round) {
    ReflectorPool pool(Clock::Real(), /*threads_max=*/1);
    SuspendingSource source;
    RecordingStore store;
    std::optional<Reflector> reflector;
    reflector.emplace(source, store, ReflectorOptions{.name = "secrets", .watch_list = false});
    ReflectorPool::Task task(pool, *reflector);
    std::stop_source stop;
    pool.Add(task);
    pool.Start(stop.get_token());
    source.suspending.wait();

    stop.request_stop();
    auto removed = std::async(std::launch::async, [&] { pool.Remove(task); });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    source.may_suspend.count_down();

    if (removed.wait_for(seconds(10)) != std::future_status::ready) {
      GTEST_FAIL() << "Remove did not return in round " << round;
    }
    pool.Join();
    reflector.reset();
  }
}

TEST_F(ReflectorPoolTest, StopEndsAllThreads) {
  const auto suspended = AddWatching();
  Member& hangs = Add();
  Start();
  ASSERT_TRUE(suspended->WaitUntilRead());
  pool.Add(hangs.task);
  ASSERT_TRUE(hangs.source.WaitForRequests(1));

  stop.request_stop();
  auto joined = std::async(std::launch::async, [&] { pool.Join(); });

  EXPECT_EQ(joined.wait_for(seconds(10)), std::future_status::ready);
}

}  // namespace
}  // namespace capstan::cache
