// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/server_availability.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/log.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/thread.h"

namespace capstan::rest {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Error Refused() {
  return {.reason = ErrorReason::kConnectionRefused, .message = "connect: connection refused"};
}

// The responses to probes are scripted. The last one is repeated.
struct AvailabilityTest : ::testing::Test {
  void Make(double random = 0.0) {
    availability = std::make_unique<ServerAvailability>(
        [this](const std::stop_token&, Clock::TimePoint) -> Expected<int> {
          ++probes;
          MutexLock lock(mu);
          const Expected<int> answer = answers.front();
          if (answers.size() > 1) answers.pop_front();
          return answer;
        },
        AvailabilityOptions{.clock = clock, .random = [random] { return random; }});
  }
  void Answer(Expected<int> answer) {
    MutexLock lock(mu);
    answers = {std::move(answer)};
  }
  // Starts `count` threads that wait for the server.
  void StartWaiting(int count) {
    for (int i = 0; i < count; ++i) {
      waiting.push_back(StartThread("waiting", [this](const std::stop_token& stop) {
        if (availability->WaitUntilReachable(stop)) ++resumed;
      }));
    }
    ASSERT_TRUE(clock.BlockUntilAnyWaiters(count));
  }
  // Steps the clock until `done`, at most `limit` of fake time.
  bool StepUntil(const std::function<bool()>& done, Clock::Duration limit) {
    const auto give_up = std::chrono::steady_clock::now() + seconds(10);
    for (Clock::Duration passed{}; passed < limit; passed += milliseconds(10)) {
      while (!done() && !clock.HasWaiters()) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::yield();
      }
      if (done()) return true;
      clock.Step(milliseconds(10));
    }
    return done();
  }

  testing::FakeClock clock;
  Mutex mu;
  std::deque<Expected<int>> answers = {Err(Refused())};
  std::atomic<int> probes = 0;
  std::atomic<int> resumed = 0;
  std::unique_ptr<ServerAvailability> availability;
  std::vector<std::jthread> waiting;
};

TEST_F(AvailabilityTest, DoesNotWaitWhileServerResponds) {
  Make();
  EXPECT_TRUE(availability->WaitUntilReachable({}));
  availability->OnAnswer(200);
  availability->OnAnswer(429);
  availability->OnAnswer(503);
  EXPECT_TRUE(availability->WaitUntilReachable({}));
  EXPECT_EQ(probes, 0);
  EXPECT_EQ(availability->Describe(), "");
}

TEST_F(AvailabilityTest, SendsOneProbeASecondForAnyNumberOfWaiters) {
  Make();
  availability->OnFailure(Refused());
  StartWaiting(20);
  EXPECT_FALSE(StepUntil([] { return false; }, seconds(60)));
  // 60 s with an interval of 0.75 s, the shortest that the jitter gives.
  EXPECT_GE(probes, 50);
  EXPECT_LE(probes, 81);
  EXPECT_EQ(resumed, 0);
  waiting.clear();
}

TEST_F(AvailabilityTest, ResumesAllWhenProbeSucceeds) {
  Make(/*random=*/0.5);
  availability->OnFailure(Refused());
  StartWaiting(20);
  StepUntil([&] { return probes >= 3; }, seconds(10));
  Answer(200);
  // One interval: 0.75 s * 1.2 here.
  EXPECT_TRUE(StepUntil([&] { return availability->IsReachable(); }, milliseconds(910)));
  ASSERT_TRUE(clock.BlockUntilWaiters(20));
  EXPECT_EQ(resumed, 0);
  clock.Step(milliseconds(100));  // half of the spread
  for (std::jthread& thread : std::exchange(waiting, {})) thread.join();
  EXPECT_EQ(resumed, 20);
}

TEST_F(AvailabilityTest, EndsOutageWhenAnotherRequestSucceeds) {
  Make();
  availability->OnFailure(Refused());
  StartWaiting(3);
  availability->OnAnswer(200);
  EXPECT_TRUE(StepUntil([&] { return resumed == 3; }, seconds(1)));
  EXPECT_EQ(probes, 0);
}

TEST_F(AvailabilityTest, KeepsWaitingWhileServerIsStarting) {
  for (const int status : {401, 403, 429, 500, 503}) {
    Make();
    probes = 0;
    availability->OnFailure(Refused());
    Answer(status);
    availability->OnAnswer(status);  // a request of a caller that does not wait
    StartWaiting(1);
    StepUntil([&] { return probes >= 4; }, seconds(10));
    EXPECT_FALSE(availability->IsReachable()) << status;
    waiting.clear();
  }
  EXPECT_EQ(resumed, 0);
}

// A manager resumes within 0.2 s, so it should not detect a ready server a second late.
TEST_F(AvailabilityTest, ProbesMoreOftenWhileServerIsStarting) {
  Make();
  availability->OnFailure(Refused());
  Answer(503);
  StartWaiting(1);
  StepUntil([&] { return probes >= 1; }, seconds(2));
  EXPECT_FALSE(StepUntil([&] { return probes >= 100; }, seconds(4)));
  EXPECT_GE(probes, 10);
  EXPECT_LE(probes, 12);
  waiting.clear();
}

TEST_F(AvailabilityTest, ManyAgentsDoNotProbeMoreOftenWhileServerIsStarting) {
  AvailabilityOptions options{.spread = seconds(5)};
  EXPECT_EQ(StartingProbeDelay(options, 0.0), ProbeDelay(options, 0.0));
  options.spread = milliseconds(200);
  EXPECT_EQ(StartingProbeDelay(options, 0.0), milliseconds(400));
}

TEST_F(AvailabilityTest, EndsOutageWhenServerIsNeverReady) {
  Make();
  availability->OnFailure(Refused());
  Answer(503);
  StartWaiting(1);
  EXPECT_FALSE(StepUntil([&] { return resumed > 0; }, seconds(29)));
  EXPECT_TRUE(StepUntil([&] { return resumed == 1; }, seconds(4)));
}

// The user has no permission to read /readyz.
TEST_F(AvailabilityTest, EndsOutageSoonWhenProbeIsForbidden) {
  Make();
  availability->OnFailure(Refused());
  Answer(403);
  StartWaiting(1);
  EXPECT_FALSE(StepUntil([&] { return resumed > 0; }, seconds(4)));
  EXPECT_TRUE(StepUntil([&] { return resumed == 1; }, seconds(3)));
}

TEST_F(AvailabilityTest, InvalidCredentialIsNotAnOutage) {
  Make();
  availability->OnFailure({.reason = ErrorReason::kCredentials});
  availability->OnFailure({.reason = ErrorReason::kCertificate});
  availability->OnFailure({.reason = ErrorReason::kCanceled});
  EXPECT_TRUE(availability->IsReachable());

  availability->OnFailure(Refused());
  Answer(Err(Error{.reason = ErrorReason::kCertificate}));
  StartWaiting(1);
  EXPECT_TRUE(StepUntil([&] { return resumed == 1; }, seconds(2)));
}

TEST_F(AvailabilityTest, AnotherThreadProbesWhenProbingThreadStops) {
  Make();
  availability->OnFailure(Refused());
  StartWaiting(2);
  StepUntil([&] { return probes >= 1; }, seconds(2));
  waiting.erase(waiting.begin());  // stopped and joined
  const int before = probes;
  EXPECT_TRUE(StepUntil([&] { return probes >= before + 2; }, seconds(5)));
  Answer(200);
  EXPECT_TRUE(StepUntil([&] { return resumed == 1; }, seconds(2)));
}

TEST_F(AvailabilityTest, StopsWaitingAtDeadline) {
  Make();
  availability->OnFailure(Refused());
  const auto deadline = clock.Now() + seconds(3);
  std::atomic<bool> ended = false;
  const std::jthread thread = StartThread("waiting", [&](const std::stop_token& stop) {
    EXPECT_FALSE(availability->WaitUntilReachable(stop, deadline));
    ended = true;
  });
  EXPECT_TRUE(StepUntil([&] { return ended.load(); }, milliseconds(3100)));
  EXPECT_GE(clock.Now(), deadline);
}

TEST_F(AvailabilityTest, DescribesOutage) {
  Make();
  availability->OnFailure(Refused());
  clock.Step(seconds(12));
  EXPECT_EQ(availability->Describe(), "unreachable for 12s: connect: connection refused");
  availability->OnAnswer(200);
  EXPECT_EQ(availability->Describe(), "");
}

// Simulates an outage of a minute with 5,000 nodes, whose agents have three watches each. A resumed
// watch costs two requests: its version has expired, so a list follows.
TEST(AvailabilitySimulation, FiveThousandAgentsReturnWithoutAStorm) {
  constexpr int kAgents = 5000;
  constexpr int kRequestsOfAgent = 3 * 2;
  constexpr auto kBack = seconds(60);
  std::mt19937_64 random(1);
  const auto unit = [&] { return std::uniform_real_distribution<double>(0.0, 1.0)(random); };
  const AvailabilityOptions options{.spread = seconds(5)};
  std::map<std::int64_t, int> probes;  // by second since the start of the outage
  std::map<std::int64_t, int> others;
  const auto second = [](Clock::Duration time) {
    return std::chrono::floor<seconds>(time).count();
  };
  int most_of_one_agent = 0;
  for (int agent = 0; agent < kAgents; ++agent) {
    Clock::Duration now = FirstProbeDelay(options, unit());
    int own = 1;
    for (; now < kBack; now += ProbeDelay(options, unit()), ++own) ++probes[second(now)];
    ++probes[second(now)];
    most_of_one_agent = std::max(most_of_one_agent, own);
    for (int i = 0; i < kRequestsOfAgent / 2; ++i) {
      others[second(now + ResumeDelay(options, unit()))] += 2;
    }
  }
  const auto most = [](const std::map<std::int64_t, int>& counts) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
  };
  int answered = 0;  // probes with a response
  for (const auto& [when, count] : probes) answered += when >= kBack.count() ? count : 0;
  InfoS("5000 agents after an outage of a minute", "probesInTheBusiestSecond", most(probes),
        "requestsInTheBusiestSecond", most(others), "probesOfOneAgent", most_of_one_agent,
        "probesAnswered", answered);

  EXPECT_LE(most(probes), 6300);
  EXPECT_EQ(answered, kAgents);
  EXPECT_LE(most_of_one_agent, 81);
  // 30,000 requests over five seconds.
  EXPECT_LE(most(others), 6300);
}

}  // namespace
}  // namespace capstan::rest
