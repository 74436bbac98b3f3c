// SPDX-License-Identifier: Apache-2.0
// How a Reflector behaves when the API server goes away and comes back.
#include "clientgo/cache/reflector_testing.h"
#include "clientgo/rest/server_availability.h"

namespace clientgo::cache {
namespace {

constexpr char kWatchAt10[] = "WATCH rv=10 bookmarks timeout=300";

struct ReflectorOutageTest : ReflectorFixture {
  ReflectorOutageTest() { source.SetAvailability(&availability); }
  // The reflector's thread uses the members below, so it ends before they are destroyed.
  ~ReflectorOutageTest() override { Stop(); }
  void Start(bool watch_list = false) { ReflectorFixture::Start(Options(watch_list)); }
  static util::Error Refused() { return MakeError(ErrorReason::kConnectionRefused); }
  // Steps the clock until there were `count` requests; false: not within `limit` of fake time.
  bool StepUntilRequests(std::size_t count, util::Clock::Duration limit) {
    for (util::Clock::Duration passed{}; passed < limit; passed += milliseconds(50)) {
      while (!clock.HasWaiters() && source.Requests().size() < count) std::this_thread::yield();
      if (source.Requests().size() >= count) return true;
      clock.Step(milliseconds(50));
    }
    return source.Requests().size() >= count;
  }

  std::atomic<bool> up = false;
  rest::ServerAvailability availability{[this](const std::stop_token&) -> util::Expected<int> {
                                          if (up) return 200;
                                          return util::Err(Refused());
                                        },
                                        {.clock = clock, .random = [] { return 0.5; }}};
};

TEST_F(ReflectorOutageTest, ResumesWithinASecondWhenTheServerIsBack) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(Refused());
  source.OnWatch();
  Start();
  ASSERT_TRUE(source.WaitForRequests(2));

  EXPECT_FALSE(StepUntilRequests(3, seconds(60))) << "a request during the outage";
  EXPECT_EQ(reflector->Status().last_error->reason, ErrorReason::kConnectionRefused);
  up = true;

  // One interval of the probe, 0.9 s here, and half of the spread of 0.2 s.
  EXPECT_TRUE(StepUntilRequests(3, milliseconds(1050)));
  EXPECT_EQ(Request(2), kWatchAt10);
}

TEST_F(ReflectorOutageTest, SendsNothingWhileAnotherRequestHasFoundTheOutage) {
  source.OnList(Page({}, "10"));
  const auto watch = source.OnWatch();
  source.OnWatch();
  Start();
  ASSERT_TRUE(watch->WaitUntilRead());
  clock.Step(seconds(5));
  availability.OnFailure(Refused());
  watch->Break(MakeError(ErrorReason::kUnexpectedEof));

  EXPECT_FALSE(StepUntilRequests(3, seconds(10)));
  up = true;
  EXPECT_TRUE(StepUntilRequests(3, seconds(2)));
}

TEST_F(ReflectorOutageTest, ListsAtOnceWhenTheVersionHasExpired) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
  source.OnList(Page({MakeObject("a", 1)}, "20"));
  source.OnWatch();
  Start();

  EXPECT_EQ(Request(3), "WATCH rv=20 bookmarks timeout=300");
  EXPECT_EQ(source.Requests()[2], "LIST rv=10");
}

TEST_F(ReflectorOutageTest, ListsAtOnceWhenTheStreamSaysThatTheVersionHasExpired) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  const std::vector<util::Error> errors = {
      MakeError(ErrorReason::kExpired, 410),
      MakeError(ErrorReason::kGone, 410),
      {.http_code = 410, .message = "too old resource version: 12 (99)"}};
  for (const auto& error : errors) {
    const auto watch = source.OnWatch();
    watch->Bookmark("12");
    watch->SendError(error);
    source.OnList(Page({MakeObject("a", 1)}, "10"));
  }
  source.OnWatch();
  Start();

  ASSERT_TRUE(source.WaitForRequests(8));
  for (const std::size_t list : {2U, 4U, 6U}) EXPECT_EQ(source.Requests()[list], "LIST rv=12");
  EXPECT_NE(store.GetByKey("ns/a"), nullptr);
}

// Each restart expires the version of the list that followed the previous restart.
TEST_F(ReflectorOutageTest, ListsAtOnceAfterEachOfManyRestarts) {
  source.OnList(Page({}, "10"));
  auto watch = source.OnWatch();
  Start();
  std::size_t requests = 2;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(watch->WaitUntilRead());
    clock.Step(seconds(5));
    source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
    source.OnList(Page({}, "10"));
    const auto before = std::exchange(watch, source.OnWatch());
    up = false;
    availability.OnFailure(Refused());
    before->Break(MakeError(ErrorReason::kUnexpectedEof));
    EXPECT_FALSE(StepUntilRequests(requests + 1, seconds(3)));
    up = true;
    requests += 3;  // a watch, a list, and a watch
    EXPECT_TRUE(StepUntilRequests(requests, milliseconds(1050))) << "restart " << i;
  }
}

TEST_F(ReflectorOutageTest, BacksOffWhenTheVersionOfANewListExpires) {
  source.OnList(Page({}, "10"));
  for (int i = 0; i < 3; ++i) {
    source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
    source.OnList(Page({}, "10"));
  }
  source.OnWatch();
  Start();

  EXPECT_TRUE(PassBackoff(4, milliseconds(800)));
  EXPECT_TRUE(PassBackoff(6, milliseconds(1600)));
  EXPECT_EQ(Request(7), kWatchAt10);
}

TEST_F(ReflectorOutageTest, BacksOffWhenARequestFailsAgainRightAfterTheOutage) {
  up = true;  // only this resource breaks its connections
  for (int i = 0; i < 4; ++i) source.OnList(FailedPage(MakeError(ErrorReason::kUnexpectedEof)));
  source.OnList(Page({}, "10"));
  Start();

  EXPECT_TRUE(StepUntilRequests(2, milliseconds(300)));  // the first return costs no backoff
  EXPECT_FALSE(StepUntilRequests(3, milliseconds(700)));
  EXPECT_TRUE(StepUntilRequests(3, milliseconds(500)));
  EXPECT_FALSE(StepUntilRequests(4, milliseconds(1500)));
  EXPECT_TRUE(StepUntilRequests(4, milliseconds(500)));
}

TEST_F(ReflectorOutageTest, BacksOffForOneResourceThatIsRefusedWhileTheServerAnswers) {
  for (int i = 0; i < 2; ++i) {
    util::Error error = MakeError(ErrorReason::kTooManyRequests, 429);
    error.retry_after = seconds(3);
    source.OnList(FailedPage(error));
  }
  Start();

  EXPECT_TRUE(availability.IsReachable());
  EXPECT_FALSE(StepUntilRequests(2, milliseconds(2900)));
  EXPECT_TRUE(StepUntilRequests(2, milliseconds(200)));
}

TEST_F(ReflectorOutageTest, OutagesDoNotMakeLaterBackoffsLonger) {
  source.OnList(Page({}, "10"));
  std::vector<std::shared_ptr<testing::FakeWatch>> watches;
  for (int i = 0; i < 5; ++i) {
    source.OnWatchError(Refused());
    // The starting server refuses the first request.
    source.OnWatchError(MakeError(ErrorReason::kTooManyRequests, 429));
    watches.push_back(source.OnWatch());
  }
  source.OnWatch();
  Start();
  std::size_t requests = 2;
  for (const auto& watch : watches) {
    ASSERT_TRUE(source.WaitForRequests(requests));
    up = true;
    EXPECT_TRUE(StepUntilRequests(requests + 1, seconds(2)));
    EXPECT_FALSE(StepUntilRequests(requests + 2, milliseconds(750)));
    EXPECT_TRUE(StepUntilRequests(requests + 2, milliseconds(150))) << "not after 0.8 s";
    watch->Bookmark("11");
    ASSERT_TRUE(watch->WaitUntilRead());
    up = false;
    watch->Break(MakeError(ErrorReason::kUnexpectedEof));
    requests += 3;
  }
}

TEST_F(ReflectorOutageTest, AsksForAWatchListAgainWhenTheServerDiedDuringOne) {
  std::vector<std::shared_ptr<testing::FakeWatch>> watches = {source.OnWatch(), source.OnWatch(),
                                                              source.OnWatch()};
  Start(/*watch_list=*/true);
  for (std::size_t i = 0; i < 2; ++i) {
    watches[i]->Add(MakeObject("a", 1));
    ASSERT_TRUE(watches[i]->WaitUntilRead());
    up = false;
    availability.OnFailure(Refused());
    watches[i]->Break(MakeError(ErrorReason::kUnexpectedEof));
    // The reflector counts as a waiter of the clock until it notices the broken stream.
    while (metrics.errors.Lines().size() <= i) std::this_thread::yield();
    EXPECT_FALSE(StepUntilRequests(i + 2, seconds(3)));
    up = true;
    EXPECT_TRUE(StepUntilRequests(i + 2, seconds(2)));
  }
  EXPECT_THAT(source.Requests(), ::testing::Each(::testing::StartsWith("WATCH initialEvents")));
  EXPECT_THAT(metrics.fallbacks.Lines(), IsEmpty());
}

TEST_F(ReflectorOutageTest, WaitsAsLongAsTheAnswerToAWatchListAsks) {
  util::Error overload = MakeError(ErrorReason::kServiceUnavailable, 503);
  overload.retry_after = seconds(7);
  source.OnWatchError(overload);
  source.OnWatch();
  Start(/*watch_list=*/true);

  ASSERT_TRUE(PassBackoff(1, milliseconds(6900)));
  EXPECT_EQ(source.Requests().size(), 1U);
  clock.Step(milliseconds(100));
  EXPECT_EQ(Request(1), "WATCH initialEvents match=NotOlderThan bookmarks timeout=300");
  EXPECT_THAT(metrics.fallbacks.Lines(), IsEmpty());
}

}  // namespace
}  // namespace clientgo::cache
