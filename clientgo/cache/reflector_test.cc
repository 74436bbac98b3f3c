// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/reflector.h"
#include <gtest/gtest.h>
#include <array>
#include <string>
#include "capstan/rest/server_availability.h"
#include "clientgo/cache/reflector_internal.h"
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

struct ReflectorListTest : ReflectorFixture {
  void Start() { ReflectorFixture::Start(Options(/*watch_list=*/false)); }
  // Syncs with a=1 at version 10, then lets that watch expire.
  void ExpireFirstWatch() {
    source.OnList(Page({MakeObject("a", 1)}, "10"));
    source.OnWatch()->SendError(MakeError(ErrorReason::kExpired, 410));
    Start();
    ASSERT_TRUE(source.WaitForRequests(3));
  }
  std::vector<std::string> RequestsAfterTheFirstWatch(std::size_t count) {
    EXPECT_TRUE(source.WaitForRequests(2 + count));
    auto requests = source.Requests();
    requests.erase(requests.begin(), requests.begin() + 2);
    return requests;
  }
};

TEST_F(ReflectorListTest, ListsAnyVersionFirstAndWatchesFromVersionOfList) {
  source.OnList(Page({MakeObject("a", 1), MakeObject("b", 2)}, "10"));

  Start();

  ASSERT_TRUE(source.WaitForRequests(2));
  EXPECT_THAT(source.Requests(),
              ElementsAre("LIST rv=0 limit=500", "WATCH rv=10 bookmarks timeout=300"));
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1 ns/b=2"));
  EXPECT_THAT(metrics.lists.lines(), ElementsAre("ok"));
  EXPECT_EQ(reflector->Status().list_mode, "LIST");
  EXPECT_EQ(reflector->Status().resource_version, "10");
}

TEST_F(ReflectorListTest, SendsOnlyLimitAndTokenForFurtherPages) {
  source.OnList(Page({MakeObject("a", 1)}, "10", "next1"));
  source.OnList(Page({MakeObject("b", 2)}, "10", "next2"));
  source.OnList(Page({MakeObject("c", 3)}, "10"));

  Start();

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_THAT(source.Requests(),
              ElementsAre("LIST rv=0 limit=500", "LIST limit=500 continue=next1",
                          "LIST limit=500 continue=next2", "WATCH rv=10 bookmarks timeout=300"));
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1 ns/b=2 ns/c=3"));
}

TEST_F(ReflectorListTest, ListsInOneRequestAtFirstVersionAfterExpiredToken) {
  source.OnList(Page({MakeObject("a", 1)}, "10", "next"));
  source.OnList(FailedPage(MakeError(ErrorReason::kExpired, 410)));
  source.OnList(Page({MakeObject("b", 2), MakeObject("c", 3)}, "12"));

  Start();

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_THAT(source.Requests(), ElementsAre("LIST rv=0 limit=500", "LIST limit=500 continue=next",
                                             "LIST rv=0", "WATCH rv=12 bookmarks timeout=300"));
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @12 ns/b=2 ns/c=3"));
}

TEST_F(ReflectorListTest, RelistsAtLastVersionWithoutLimit) {
  ExpireFirstWatch();

  EXPECT_THAT(RequestsAfterTheFirstWatch(1), ElementsAre("LIST rv=10"));
}

TEST_F(ReflectorListTest, RelistsInPagesWhenServerHasNoWatchCache) {
  source.OnList(Page({MakeObject("a", 1)}, "10", "next"));
  source.OnList(Page({}, "10"));
  source.OnWatch()->SendError(MakeError(ErrorReason::kGone, 410));
  Start();

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_EQ(source.Requests()[3], "LIST rv=10 limit=500");
}

TEST_F(ReflectorListTest, ListsWithoutVersionAtOnceAfterExpiredRelist) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(MakeError(ErrorReason::kExpired, 410));  // as the HTTP status
  source.OnList(FailedPage(MakeError(ErrorReason::kExpired, 410)));
  source.OnList(Page({MakeObject("a", 5)}, "20"));
  Start();

  EXPECT_THAT(RequestsAfterTheFirstWatch(3),
              ElementsAre("LIST rv=10", "LIST limit=500", "WATCH rv=20 bookmarks timeout=300"));
}

TEST_F(ReflectorListTest, ListsWithoutVersionAtOnceAfterTooLargeVersion) {
  ExpireFirstWatch();
  source.OnList(FailedPage(TooLarge()));
  source.OnList(Page({MakeObject("a", 5)}, "7"));

  EXPECT_THAT(RequestsAfterTheFirstWatch(3),
              ElementsAre("LIST rv=10", "LIST limit=500", "WATCH rv=7 bookmarks timeout=300"));
}

TEST_F(ReflectorListTest, ListsWithoutVersionAtOnceOnlyOnceAndThenWithBackoff) {
  ExpireFirstWatch();
  for (int i = 0; i < 3; ++i) {
    source.OnList(FailedPage(MakeError(ErrorReason::kExpired, 410)));
  }

  EXPECT_THAT(RequestsAfterTheFirstWatch(2), ElementsAre("LIST rv=10", "LIST limit=500"));
  ASSERT_TRUE(PassBackoff(4, milliseconds(800)));
  // There was a wait, so only one list was at once. Later lists have no version.
  EXPECT_THAT(RequestsAfterTheFirstWatch(4),
              ElementsAre("LIST rv=10", "LIST limit=500", "LIST limit=500", "LIST limit=500"));
}

TEST_F(ReflectorListTest, RetriesFailingListWithGrowingDelays) {
  for (int i = 0; i < 8; ++i) source.OnList(FailedPage(MakeError(ErrorReason::kForbidden, 403)));
  Start();

  std::size_t requests = 1;
  for (const int delay : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    ASSERT_TRUE(clock.BlockUntilWaiters());
    EXPECT_EQ(reflector->Status().state, ReflectorState::kBackoff);
    clock.Step(milliseconds(delay - 1));
    EXPECT_EQ(source.Requests().size(), requests);
    clock.Step(milliseconds(1));
    ASSERT_TRUE(source.WaitForRequests(++requests)) << "after " << delay << " ms";
  }
  ASSERT_TRUE(reflector->Status().last_error);
  EXPECT_EQ(reflector->Status().last_error->message, "failed to list secrets: Forbidden");
  EXPECT_THAT(store.record.lines(), IsEmpty());
  EXPECT_EQ(metrics.errors.lines(), std::vector<std::string>(8, "Forbidden"));
}

TEST_F(ReflectorListTest, SyncsWhenPermissionIsGrantedLater) {
  source.OnList(FailedPage(MakeError(ErrorReason::kForbidden, 403)));
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  Start();

  ASSERT_TRUE(Pass(milliseconds(800)));

  ASSERT_TRUE(source.WaitForRequests(3));
  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1"));
  EXPECT_FALSE(reflector->Status().last_error);
}

TEST_F(ReflectorListTest, KeepsStoreWhenListBreaks) {
  ExpireFirstWatch();
  source.OnList({.items = {MakeObject("b", 2)}, .error = MakeError(ErrorReason::kUnexpectedEof)});

  ASSERT_TRUE(source.WaitForRequests(3));
  ASSERT_TRUE(clock.BlockUntilWaiters());

  EXPECT_THAT(store.record.lines(), ElementsAre("replace @10 ns/a=1"));
  EXPECT_NE(store.GetByKey("ns/a"), nullptr);
}

TEST_F(ReflectorListTest, KeepsIdentityOfUnchangedObjectOverRelist) {
  ExpireFirstWatch();
  const auto before = store.GetByKey("ns/a");

  source.OnList(Page({MakeObject("a", 1)}, "20"));

  ASSERT_TRUE(source.WaitForRequests(4));
  EXPECT_EQ(store.GetByKey("ns/a"), before);
}

TEST_F(ReflectorListTest, ResetsBackoffAfterTwoQuietMinutes) {
  source.OnList(FailedPage(MakeError(ErrorReason::kInternalError, 500)));
  source.OnList(FailedPage(MakeError(ErrorReason::kInternalError, 500)));
  source.OnList(Page({}, "10"));
  const auto watch = source.OnWatch();
  Start();
  ASSERT_TRUE(Pass(milliseconds(800)));
  ASSERT_TRUE(Pass(milliseconds(1600)));
  ASSERT_TRUE(watch->WaitUntilRead());

  clock.Step(seconds(121));
  watch->SendError(MakeError(ErrorReason::kInternalError, 500));

  ASSERT_TRUE(Pass(milliseconds(800)));
  EXPECT_TRUE(source.WaitForRequests(5)) << "the delay was not reset";
}

TEST_F(ReflectorListTest, ReportsProgressOfHangingListAndStopsDuringIt) {
  source.OnList({.items = {MakeObject("a", 1), MakeObject("b", 2)}, .hang = true});
  Start();
  ASSERT_TRUE(source.WaitForHanging());

  EXPECT_EQ(reflector->Status().objects_received, 2U);
  EXPECT_EQ(reflector->Status().state, ReflectorState::kInitialList);
  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_THAT(store.record.lines(), IsEmpty());
  EXPECT_FALSE(reflector->Status().last_error);
}

TEST_F(ReflectorListTest, StopsDuringBackoff) {
  source.OnList(FailedPage(MakeError(ErrorReason::kConnectionRefused)));
  Start();
  ASSERT_TRUE(clock.BlockUntilWaiters());

  Stop();

  EXPECT_EQ(reflector->Status().state, ReflectorState::kStopped);
  EXPECT_EQ(source.Requests().size(), 1U);
}

struct ReflectorOutageTest : ReflectorFixture {
  ReflectorOutageTest() { source.SetAvailability(&availability); }
  ~ReflectorOutageTest() override { Stop(); }  // before the members that it uses are gone
  void Start(bool watch_list = false) { ReflectorFixture::Start(Options(watch_list)); }
  static Error Refused() { return MakeError(ErrorReason::kConnectionRefused); }
  // Moves the clock until there were `count` requests. False: not within `limit` of fake time.
  bool StepUntilRequests(std::size_t count, Clock::Duration limit) {
    for (Clock::Duration passed{}; passed < limit; passed += milliseconds(50)) {
      while (!clock.HasWaiters() && source.Requests().size() < count) std::this_thread::yield();
      if (source.Requests().size() >= count) return true;
      clock.Step(milliseconds(50));
    }
    return source.Requests().size() >= count;
  }

  std::atomic<bool> up = false;
  rest::ServerAvailability availability{
      [this](const std::stop_token&, Clock::TimePoint) -> Expected<int> {
        if (up) return 200;
        return Err(Refused());
      },
      {.clock = clock, .random = [] { return 0.5; }}};
};

TEST_F(ReflectorOutageTest, ResumesWithinASecondWhenServerIsBack) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(Refused());
  source.OnWatch();
  Start();
  ASSERT_TRUE(source.WaitForRequests(2));

  EXPECT_FALSE(StepUntilRequests(3, seconds(60))) << "a request during the outage";
  EXPECT_EQ(reflector->Status().last_error->reason, ErrorReason::kConnectionRefused);
  up = true;

  // One interval between probes, 0.9 s here, and half of the spread of 0.2 s.
  EXPECT_TRUE(StepUntilRequests(3, milliseconds(1050)));
  EXPECT_EQ(Request(2), kWatchAt10);
}

TEST_F(ReflectorOutageTest, SendsNothingDuringOutageFoundByAnotherRequest) {
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

TEST_F(ReflectorOutageTest, ListsAtOnceWhenVersionHasExpired) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  source.OnWatchError(MakeError(ErrorReason::kExpired, 410));
  source.OnList(Page({MakeObject("a", 1)}, "20"));
  source.OnWatch();
  Start();

  EXPECT_EQ(Request(3), "WATCH rv=20 bookmarks timeout=300");
  EXPECT_EQ(source.Requests()[2], "LIST rv=10");
}

TEST_F(ReflectorOutageTest, ListsAtOnceWhenStreamReportsExpiredVersion) {
  source.OnList(Page({MakeObject("a", 1)}, "10"));
  const std::vector<Error> errors = {
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

// A restarted server expires the version of the list that the last restart caused.
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

TEST_F(ReflectorOutageTest, BacksOffWhenVersionOfNewListExpires) {
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

TEST_F(ReflectorOutageTest, BacksOffWhenRequestFailsAgainRightAfterOutage) {
  up = true;  // the server works, but the connections of this resource break
  for (int i = 0; i < 4; ++i) source.OnList(FailedPage(MakeError(ErrorReason::kUnexpectedEof)));
  source.OnList(Page({}, "10"));
  Start();

  EXPECT_TRUE(StepUntilRequests(2, milliseconds(300)));  // the first return has no backoff
  EXPECT_FALSE(StepUntilRequests(3, milliseconds(700)));
  EXPECT_TRUE(StepUntilRequests(3, milliseconds(500)));
  EXPECT_FALSE(StepUntilRequests(4, milliseconds(1500)));
  EXPECT_TRUE(StepUntilRequests(4, milliseconds(500)));
}

TEST_F(ReflectorOutageTest, BacksOffForOneRejectedResourceWhileServerResponds) {
  for (int i = 0; i < 2; ++i) {
    Error error = MakeError(ErrorReason::kTooManyRequests, 429);
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
  std::vector<std::shared_ptr<FakeWatch>> watches;
  for (int i = 0; i < 5; ++i) {
    source.OnWatchError(Refused());
    // The starting server rejects the first request.
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

TEST_F(ReflectorOutageTest, RepeatsWatchListAfterOutage) {
  std::vector<std::shared_ptr<FakeWatch>> watches = {source.OnWatch(), source.OnWatch(),
                                                     source.OnWatch()};
  Start(/*watch_list=*/true);
  for (std::size_t i = 0; i < 2; ++i) {
    watches[i]->Add(MakeObject("a", 1));
    ASSERT_TRUE(watches[i]->WaitUntilRead());
    up = false;
    availability.OnFailure(Refused());
    watches[i]->Break(MakeError(ErrorReason::kUnexpectedEof));
    // The reflector counts as a waiter of the clock until it has noticed the broken stream.
    while (metrics.errors.lines().size() <= i) std::this_thread::yield();
    EXPECT_FALSE(StepUntilRequests(i + 2, seconds(3)));
    up = true;
    EXPECT_TRUE(StepUntilRequests(i + 2, seconds(2)));
  }
  EXPECT_THAT(source.Requests(), ::testing::Each(::testing::StartsWith("WATCH initialEvents")));
  EXPECT_THAT(metrics.fallbacks.lines(), IsEmpty());
}

TEST_F(ReflectorOutageTest, WaitsForRetryAfterOfWatchList) {
  Error overload = MakeError(ErrorReason::kServiceUnavailable, 503);
  overload.retry_after = seconds(7);
  source.OnWatchError(overload);
  source.OnWatch();
  Start(/*watch_list=*/true);

  ASSERT_TRUE(PassBackoff(1, milliseconds(6900)));
  EXPECT_EQ(source.Requests().size(), 1U);
  clock.Step(milliseconds(100));
  EXPECT_EQ(Request(1), "WATCH initialEvents match=NotOlderThan bookmarks timeout=300");
  EXPECT_THAT(metrics.fallbacks.lines(), IsEmpty());
}

using State = ReflectorState;
using Outcome = ReflectorOutcome;

struct Row {
  State state;
  Outcome outcome;
  State next;
};

// All transitions except stopping.
constexpr std::array kTable = {
    Row{State::kEmpty, Outcome::kChoseList, State::kInitialList},
    Row{State::kEmpty, Outcome::kChoseWatchList, State::kInitialWatchList},
    Row{State::kInitialList, Outcome::kDone, State::kInitialListed},
    Row{State::kInitialList, Outcome::kFailed, State::kBackoff},
    Row{State::kInitialWatchList, Outcome::kDone, State::kWatching},
    Row{State::kInitialWatchList, Outcome::kAgain, State::kInitialWatchList},
    Row{State::kInitialWatchList, Outcome::kFallBack, State::kInitialList},
    Row{State::kInitialWatchList, Outcome::kRefused, State::kBackoff},
    Row{State::kInitialListed, Outcome::kDone, State::kWatching},
    Row{State::kInitialListed, Outcome::kExpired, State::kEmpty},
    Row{State::kInitialListed, Outcome::kRefused, State::kBackoff},
    Row{State::kInitialListed, Outcome::kFailed, State::kBackoff},
    Row{State::kWatching, Outcome::kClosed, State::kInitialListed},
    Row{State::kWatching, Outcome::kExpired, State::kEmpty},
    Row{State::kWatching, Outcome::kRefused, State::kBackoff},
    Row{State::kWatching, Outcome::kFailed, State::kBackoff},
    Row{State::kBackoff, Outcome::kResume, State::kInitialListed},
    Row{State::kBackoff, Outcome::kStartOver, State::kEmpty},
};

constexpr std::array kStates = {
    State::kEmpty,    State::kInitialList, State::kInitialWatchList, State::kInitialListed,
    State::kWatching, State::kBackoff,     State::kStopped};
constexpr std::array kOutcomes = {Outcome::kChoseList, Outcome::kChoseWatchList, Outcome::kDone,
                                  Outcome::kAgain,     Outcome::kFallBack,       Outcome::kClosed,
                                  Outcome::kExpired,   Outcome::kRefused,        Outcome::kFailed,
                                  Outcome::kResume,    Outcome::kStartOver,      Outcome::kStop};

TEST(ReflectorStateTest, FollowsTransitionTable) {
  for (const Row& row : kTable) {
    EXPECT_EQ(Transition(row.state, row.outcome), row.next)
        << ToString(row.state) << " after " << ToString(row.outcome);
  }
}

TEST(ReflectorStateTest, StopsInEveryState) {
  for (const State state : kStates) {
    EXPECT_EQ(Transition(state, Outcome::kStop), State::kStopped) << ToString(state);
  }
}

TEST(ReflectorStateTest, EveryStateAndOutcomeHasADistinctName) {
  for (const State a : kStates) {
    EXPECT_NE(ToString(a), "Unknown");
    for (const State b : kStates) EXPECT_EQ(a == b, ToString(a) == ToString(b));
  }
  for (const Outcome a : kOutcomes) {
    EXPECT_NE(ToString(a), "Unknown");
    for (const Outcome b : kOutcomes) EXPECT_EQ(a == b, ToString(a) == ToString(b));
  }
}

TEST(ReflectorStateDeathTest, TransitionOutsideTheTableEndsProcess) {
  EXPECT_DEATH(Transition(State::kWatching, Outcome::kDone), "Impossible reflector transition");
  EXPECT_DEATH(Transition(State::kBackoff, Outcome::kFailed), "Impossible reflector transition");
  EXPECT_DEATH(Transition(State::kStopped, Outcome::kDone), "Impossible reflector transition");
}

TEST(ReflectorStatusTest, IsDeniedForErrorsThatPersist) {
  const auto denied = [](ErrorReason reason) {
    ReflectorStatus status;
    status.last_error = Error{.reason = reason};
    return IsDenied(status);
  };

  EXPECT_FALSE(IsDenied({}));
  for (const ErrorReason reason :
       {ErrorReason::kUnauthorized, ErrorReason::kForbidden, ErrorReason::kNotFound,
        ErrorReason::kMethodNotAllowed, ErrorReason::kInvalid, ErrorReason::kBadRequest}) {
    EXPECT_TRUE(denied(reason)) << ToString(reason);
  }
  for (const ErrorReason reason :
       {ErrorReason::kTooManyRequests, ErrorReason::kInternalError, ErrorReason::kExpired,
        ErrorReason::kServiceUnavailable, ErrorReason::kConnectionRefused,
        ErrorReason::kCredentials, ErrorReason::kUnknown}) {
    EXPECT_FALSE(denied(reason)) << ToString(reason);
  }
}

}  // namespace
}  // namespace capstan::cache
