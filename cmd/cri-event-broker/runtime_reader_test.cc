// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/runtime_reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/thread.h"

namespace capstan::cmd::cri_event_broker {
namespace {

using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr int kCreated = 0;
constexpr int kStarted = 1;
constexpr int kStopped = 2;
constexpr int kDeleted = 3;

class EventFilterTest : public ::testing::Test {
 protected:
  std::int64_t At(nanoseconds after_now) const {
    return duration_cast<nanoseconds>(clock_.WallNow().time_since_epoch() + after_now).count();
  }

  testing::FakeClock clock_;
  EventMailbox mailbox_;
  EventFilter filter_{clock_, mailbox_};
};

TEST_F(EventFilterTest, CountsOnlyCreatedAndDeleted) {
  for (const int type : {kCreated, kStarted, kStopped, kDeleted, 7, -1,
                         std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    filter_.OnEvent(type, At(seconds(0)));
  }

  const auto batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 1U);
  EXPECT_EQ(batch.deleted, 1U);
  EXPECT_FALSE(batch.full_pass);
}

TEST_F(EventFilterTest, DecodesEmptyMessageAsCreated) {
  filter_.OnEvent(0, 0);

  EXPECT_EQ(mailbox_.Take().created, 1U);
}

TEST_F(EventFilterTest, TreatsEventsWithoutTimeOrOfTheFutureAsNew) {
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{-1}, At(hours(1)), std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    filter_.OnEvent(kDeleted, time);
  }

  const auto batch = mailbox_.Take();
  EXPECT_EQ(batch.deleted, 5U);
  EXPECT_FALSE(batch.full_pass);
}

TEST_F(EventFilterTest, TreatsEventsOlderThanFiveSecondsAsReplay) {
  filter_.OnEvent(kCreated, At(-seconds(5)));
  auto batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 1U);
  EXPECT_FALSE(batch.full_pass);

  filter_.OnEvent(kCreated, At(-milliseconds(5001)));
  batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 0U);
  EXPECT_TRUE(batch.full_pass);
}

TEST_F(EventFilterTest, BacklogOfFiveMinutesIsOneFullPass) {
  int passes = 0;
  for (int i = 300; i > 5; --i) {
    filter_.OnEvent(i % 2 == 0 ? kCreated : kDeleted, At(-seconds(i)));
    const auto batch = mailbox_.Take();
    passes += batch.full_pass ? 1 : 0;
    EXPECT_EQ(batch.created + batch.deleted, 0U);
  }

  EXPECT_EQ(passes, 1);
}

TEST_F(EventFilterTest, EventsThatAreAlwaysLateStillCausePasses) {
  int passes = 0;
  for (int i = 0; i < 60; ++i) {  // a minute, one a second, each ten seconds late
    filter_.OnEvent(kCreated, At(-seconds(10)));
    passes += mailbox_.Take().full_pass ? 1 : 0;
    clock_.Step(seconds(1));
  }

  EXPECT_EQ(passes, 12);
}

TEST_F(EventFilterTest, CountsDuplicateAndUnorderedEvents) {
  filter_.OnEvent(kDeleted, At(seconds(0)));
  filter_.OnEvent(kCreated, At(-seconds(1)));
  filter_.OnEvent(kCreated, At(-seconds(1)));

  const auto batch = mailbox_.Take();
  EXPECT_EQ(batch.created, 2U);
  EXPECT_EQ(batch.deleted, 1U);
}

// Runtime accepts one stream at a time. The test ends each stream.
class Runtime {
 public:
  std::unique_ptr<EventStream> NewStream() { return std::make_unique<Stream>(*this); }

  // Blocks until the n-th stream is open.
  void AwaitStream(int number) {
    MutexLock lock(mu_);
    changed_.Wait(mu_, [&]() CAPSTAN_REQUIRES(mu_) { return opened_ >= number; });
  }
  EventStreamHandler& handler() {
    const MutexLock lock(mu_);
    return *handler_;
  }
  void End(StreamEnd end) {
    const MutexLock lock(mu_);
    end_ = std::move(end);
    changed_.NotifyAll();
  }
  int opened() {
    const MutexLock lock(mu_);
    return opened_;
  }
  int cancelled() {
    const MutexLock lock(mu_);
    return cancelled_;
  }

 private:
  class Stream final : public EventStream {
   public:
    explicit Stream(Runtime& runtime) : runtime_(runtime) {}
    StreamEnd Read(EventStreamHandler& handler) override {
      Runtime& runtime = runtime_;
      MutexLock lock(runtime.mu_);
      ++runtime.opened_;
      runtime.handler_ = &handler;
      runtime.changed_.NotifyAll();
      runtime.changed_.Wait(runtime.mu_, [&runtime]() CAPSTAN_REQUIRES(runtime.mu_) {
        return runtime.end_.has_value();
      });
      return *std::exchange(runtime.end_, std::nullopt);
    }
    void Cancel() override {
      const MutexLock lock(runtime_.mu_);
      ++runtime_.cancelled_;
      runtime_.end_ = StreamEnd{.unimplemented = false, .message = "cancelled"};
      runtime_.changed_.NotifyAll();
    }

   private:
    Runtime& runtime_;
  };

  Mutex mu_;
  CondVar changed_;
  int opened_ CAPSTAN_GUARDED_BY(mu_) = 0;
  int cancelled_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::optional<StreamEnd> end_ CAPSTAN_GUARDED_BY(mu_);
  EventStreamHandler* handler_ CAPSTAN_GUARDED_BY(mu_) = nullptr;
};

const StreamEnd kBroken{.unimplemented = false, .message = "broken"};
const StreamEnd kUnimplemented{.unimplemented = true, .message = "unknown method"};

class RuntimeReaderTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime_.AwaitStream(1); }
  // Ends stream `number`, and expects that the next one is opened after exactly `wait`.
  void ExpectRetryAfter(int number, Clock::Duration wait, const StreamEnd& end = kBroken) {
    runtime_.End(end);
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(wait - milliseconds(1));
    EXPECT_TRUE(clock_.HasWaiters());
    EXPECT_EQ(runtime_.opened(), number);
    clock_.Step(milliseconds(1));
    runtime_.AwaitStream(number + 1);
  }

  testing::TempDir folder_;
  const std::string path_ = folder_.Write("runtime.sock", "");
  testing::FakeClock clock_;
  EventMailbox mailbox_;
  Runtime runtime_;
  double random_ = 0;
  RuntimeReader reader_{clock_,
                        mailbox_,
                        {.socket = path_,
                         .new_stream = [this] { return runtime_.NewStream(); },
                         .random = [this] { return random_; }}};
  std::jthread thread_ =
      StartThread("reader", [this](const std::stop_token& stop) { reader_.Run(stop); });
};

TEST_F(RuntimeReaderTest, RetriesAfterOneSecondDoublingToAMinute) {
  int number = 1;
  for (const int wait : {1, 2, 4, 8, 16, 32, 50, 50}) ExpectRetryAfter(number++, seconds(wait));
}

TEST_F(RuntimeReaderTest, JitterNeverExceedsAMinute) {
  random_ = 1;
  int number = 1;
  for (const int wait : {1200, 2400, 4800, 9600, 19'200, 38'400, 60'000, 60'000}) {
    ExpectRetryAfter(number++, milliseconds(wait));
  }
}

TEST_F(RuntimeReaderTest, ResetsBackoffAfterThirtyHealthySeconds) {
  ExpectRetryAfter(1, seconds(1));
  ExpectRetryAfter(2, seconds(2));

  runtime_.handler().OnConnected();
  clock_.Step(seconds(29));
  ExpectRetryAfter(3, seconds(4));

  runtime_.handler().OnConnected();
  clock_.Step(seconds(30));
  ExpectRetryAfter(4, seconds(1));
}

TEST_F(RuntimeReaderTest, KeepsBackoffAfterStreamThatNeverConnected) {
  ExpectRetryAfter(1, seconds(1));
  clock_.Step(hours(1));
  ExpectRetryAfter(2, seconds(2));
}

TEST_F(RuntimeReaderTest, AddsFullPassForEveryNewStream) {
  runtime_.handler().OnConnected();
  EXPECT_TRUE(mailbox_.Take().full_pass);

  ExpectRetryAfter(1, seconds(1));
  EXPECT_FALSE(mailbox_.Take().full_pass) << "not connected yet";
  runtime_.handler().OnConnected();
  EXPECT_TRUE(mailbox_.Take().full_pass);
}

TEST_F(RuntimeReaderTest, RetriesUnsupportedCallOnlyWhenSocketWasReplaced) {
  runtime_.End(kUnimplemented);
  for (int minute = 0; minute < 24 * 60; ++minute) {
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(seconds(60));
  }
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(runtime_.opened(), 1);

  folder_.Remove("runtime.sock");
  clock_.Step(seconds(60));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(runtime_.opened(), 1) << "gone, but nothing came instead";

  folder_.Write("runtime.sock", "");
  clock_.Step(seconds(60));
  runtime_.AwaitStream(2);
}

TEST_F(RuntimeReaderTest, ReportsStreamFromTheSecondTickOn) {
  EXPECT_FALSE(reader_.Tick());
  runtime_.handler().OnConnected();
  EXPECT_FALSE(reader_.Tick());
  EXPECT_TRUE(reader_.Tick());

  runtime_.End(kBroken);
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_FALSE(reader_.Tick());
}

TEST_F(RuntimeReaderTest, CancelsStreamThatDoesNotConnect) {
  for (int i = 0; i < 9; ++i) reader_.Tick();
  EXPECT_EQ(runtime_.cancelled(), 0);

  reader_.Tick();

  EXPECT_EQ(runtime_.cancelled(), 1);
  ASSERT_TRUE(clock_.BlockUntilWaiters()) << "and the reader tries again later";
}

TEST_F(RuntimeReaderTest, KeepsQuietStream) {
  runtime_.handler().OnConnected();
  for (int i = 0; i < 3600; ++i) reader_.Tick();

  EXPECT_EQ(runtime_.cancelled(), 0);
}

TEST_F(RuntimeReaderTest, StopsWhileAStreamIsOpen) {
  thread_.request_stop();
  thread_.join();

  EXPECT_EQ(runtime_.cancelled(), 1);
}

TEST_F(RuntimeReaderTest, StopsWhileItWaits) {
  runtime_.End(kBroken);
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  thread_.request_stop();
  thread_.join();

  EXPECT_EQ(runtime_.opened(), 1);
}

// StickyClock blocks the callers of WallNow, like a reader that is stuck while it handles an event.
class StickyClock final : public Clock {
 public:
  TimePoint Now() const override { return TimePoint(); }
  WallTime WallNow() const override {
    MutexLock lock(mu_);
    stuck_ = true;
    changed_.NotifyAll();
    changed_.Wait(mu_, [this]() CAPSTAN_REQUIRES(mu_) { return released_; });
    return {};
  }
  bool WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint /*deadline*/,
                 const std::function<bool()>& ready) override CAPSTAN_REQUIRES(mu) {
    return cv.Wait(mu, std::move(stop), ready);
  }
  void AwaitStuck() const {
    MutexLock lock(mu_);
    changed_.Wait(mu_, [this]() CAPSTAN_REQUIRES(mu_) { return stuck_; });
  }
  void Release() {
    const MutexLock lock(mu_);
    released_ = true;
    changed_.NotifyAll();
  }

 private:
  mutable Mutex mu_;
  mutable CondVar changed_;
  mutable bool stuck_ CAPSTAN_GUARDED_BY(mu_) = false;
  bool released_ CAPSTAN_GUARDED_BY(mu_) = false;
};

TEST(RuntimeReaderWatchdogTest, CancelsTheStreamOfAStuckReader) {
  StickyClock clock;
  EventMailbox mailbox;
  Runtime runtime;
  RuntimeReader reader(clock, mailbox,
                       {.socket = "/none", .new_stream = [&] { return runtime.NewStream(); }});
  const auto thread = StartThread("reader", [&](const std::stop_token& stop) { reader.Run(stop); });
  runtime.AwaitStream(1);
  runtime.handler().OnConnected();
  const auto event =
      StartThread("event", [&](const std::stop_token&) { runtime.handler().OnEvent(0, 1); });
  clock.AwaitStuck();

  for (int i = 0; i < 4; ++i) reader.Tick();
  EXPECT_EQ(runtime.cancelled(), 0);
  reader.Tick();
  const int cancelled = runtime.cancelled();
  clock.Release();

  EXPECT_EQ(cancelled, 1);
}

}  // namespace
}  // namespace capstan::cmd::cri_event_broker
