// SPDX-License-Identifier: Apache-2.0
// The path from a runtime's gRPC socket to the agent's socket while the runtime misbehaves. The
// parts of the program run in between, with the test's clock.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "capstan/mutex.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/thread.h"
#include "cmd/cri-event-broker/cri/testing/fake_runtime.h"
#include "cmd/cri-event-broker/event_stream.h"
#include "cmd/cri-event-broker/forwarder.h"
#include "cmd/cri-event-broker/runtime_reader.h"
#include "controllers/readinessgate/events/runtime_events.h"

namespace capstan::cmd::cri_event_broker {
namespace {

using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using End = FakeRuntime::End;

constexpr int kTypeCreated = 0;
constexpr int kTypeStarted = 1;
constexpr int kTypeDeleted = 3;

class RuntimeFaultsTest : public ::testing::Test {
 protected:
  struct Seen {
    std::uint64_t created = 0;
    std::uint64_t deleted = 0;
    std::uint64_t full_passes = 0;
  };

  void SetUp() override {
    auto opened = readinessgate::RuntimeEvents::Open(
        clock_, {.path = agent_, .on_event = [this](const readinessgate::RuntimeEvent& event) {
                   const MutexLock lock(mu_);
                   if (event.type == readinessgate::RuntimeEventType::kCreated)
                     seen_.created += event.count;
                   if (event.type == readinessgate::RuntimeEventType::kDeleted)
                     seen_.deleted += event.count;
                   if (event.type == readinessgate::RuntimeEventType::kFullPass)
                     ++seen_.full_passes;
                   changed_.NotifyAll();
                 }});
    ASSERT_TRUE(opened) << opened.error().message;
    events_ = *std::move(opened);
    StartReceiver();
  }
  void TearDown() override {
    reading_ = {};
    mailbox_.Stop();
    forwarding_ = {};
    receiving_ = {};
  }

  void StartReceiver() {
    receiving_ =
        StartThread("receiver", [this](const std::stop_token& stop) { events_->Run(stop); });
  }
  // Starts the broker. Returns after the first full pass of the agent.
  void Start() {
    forwarding_ = StartThread("forwarder", [this](const std::stop_token&) { forwarder_.Run(); });
    AwaitFullPasses(1);
    reading_ = StartThread("reader", [this](const std::stop_token& stop) { reader_.Run(stop); });
  }
  void Await(std::uint64_t created, std::uint64_t deleted) {
    MutexLock lock(mu_);
    changed_.Wait(mu_, [&]() CAPSTAN_REQUIRES(mu_) {
      return seen_.created >= created && seen_.deleted >= deleted;
    });
  }
  void AwaitFullPasses(std::uint64_t count) {
    MutexLock lock(mu_);
    changed_.Wait(mu_, [&]() CAPSTAN_REQUIRES(mu_) { return seen_.full_passes >= count; });
  }
  Seen seen() {
    const MutexLock lock(mu_);
    return seen_;
  }
  // Lets a reader between streams open the next one after `wait`.
  void PassBackoff(Clock::Duration wait) {
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(wait);
  }
  FakeStream::Event Event(int type, nanoseconds age = nanoseconds(0)) const {
    return {.type = type,
            .created_at =
                duration_cast<nanoseconds>(clock_.WallNow().time_since_epoch() - age).count()};
  }
  // Returns a script that sends one CREATED and keeps the stream open.
  FakeRuntime::Script OneEvent() const {
    return [this](FakeStream& stream) {
      stream.Send(Event(kTypeCreated));
      stream.WaitUntilGone();
      return End::kOk;
    };
  }

  testing::TempDir folder_;
  const std::string agent_ = folder_.Path("agent.sock");
  const std::string socket_ = folder_.Path("runtime.sock");
  testing::FakeClock clock_;
  Mutex mu_;
  CondVar changed_;
  Seen seen_ CAPSTAN_GUARDED_BY(mu_);
  std::unique_ptr<readinessgate::RuntimeEvents> events_;
  std::jthread receiving_;
  EventMailbox mailbox_;
  Forwarder forwarder_{mailbox_, agent_};
  RuntimeReader reader_{clock_,
                        mailbox_,
                        {.socket = socket_,
                         .new_stream = [this] { return NewGrpcEventStream("unix://" + socket_); },
                         .random = [] { return 0.0; }}};
  std::jthread forwarding_;
  std::jthread reading_;
};

TEST_F(RuntimeFaultsTest, ForwardsOnlyCreatedAndDeleted) {
  const FakeRuntime runtime(socket_, [this](FakeStream& stream) {
    for (const int type :
         {kTypeStarted, kTypeCreated, 2, 7, kTypeDeleted, kTypeStarted, kTypeDeleted}) {
      stream.Send(Event(type));
    }
    stream.WaitUntilGone();
    return End::kOk;
  });
  Start();

  Await(1, 2);

  EXPECT_EQ(seen().created, 1U);
  EXPECT_EQ(seen().deleted, 2U);
  EXPECT_EQ(runtime.calls(), 1);
}

TEST_F(RuntimeFaultsTest, DecodesEmptyMessageAsCreatedAndAcceptsAnyOrder) {
  const FakeRuntime runtime(socket_, [this](FakeStream& stream) {
    stream.Send(Event(kTypeDeleted));
    stream.Send({});                              // an empty message
    stream.Send({.other_fields = "\x0a\x02id"});  // an id, no sandbox status
    stream.Send({.other_fields = "\x0a\x02id"});  // the same again
    stream.Send(Event(kTypeCreated, -hours(1)));  // in the future
    stream.WaitUntilGone();
    return End::kOk;
  });
  Start();

  Await(4, 1);

  EXPECT_EQ(seen().created, 4U);
  EXPECT_EQ(seen().deleted, 1U);
}

TEST_F(RuntimeFaultsTest, WaitsForReplacedSocketAfterUnimplemented) {
  auto old =
      std::make_unique<FakeRuntime>(socket_, [](FakeStream&) { return End::kUnimplemented; });
  Start();
  for (int minute = 0; minute < 60; ++minute) PassBackoff(seconds(60));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(old->calls(), 1);

  old.reset();
  const FakeRuntime upgraded(socket_, OneEvent());
  clock_.Step(seconds(60));

  Await(1, 0);
}

TEST_F(RuntimeFaultsTest, RetriesWithBackoffAfterCleanEnd) {
  const FakeRuntime runtime(socket_, [](FakeStream&) { return End::kOk; });
  Start();

  int calls = 1;
  for (const int wait : {1, 2, 4}) {
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(seconds(wait) - milliseconds(1));
    EXPECT_EQ(runtime.calls(), calls);
    clock_.Step(milliseconds(1));
    runtime.WaitForCalls(++calls);
  }
}

TEST_F(RuntimeFaultsTest, ForwardsEventsBeforeTheEndAndFullPassForTheNextStream) {
  const FakeRuntime runtime(socket_, [this](FakeStream& stream) {
    for (int i = 0; i < 5; ++i) stream.Send(Event(kTypeCreated));
    if (stream.number() == 1) return End::kInternal;
    stream.WaitUntilGone();
    return End::kOk;
  });
  Start();
  Await(5, 0);
  const std::uint64_t before = seen().full_passes;

  PassBackoff(seconds(1));

  Await(10, 0);
  AwaitFullPasses(before + 1);
}

TEST_F(RuntimeFaultsTest, RetriesAfterReset) {
  auto broken = std::make_unique<SilentSocket>(socket_);
  Start();
  broken->Accept();
  broken->Reset();
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  broken.reset();
  const FakeRuntime runtime(socket_, OneEvent());
  clock_.Step(seconds(1));

  Await(1, 0);
}

TEST_F(RuntimeFaultsTest, CancelsCallOfSilentRuntime) {
  auto silent = std::make_unique<SilentSocket>(socket_);
  Start();
  silent->Accept();

  for (int i = 0; i < 11; ++i) EXPECT_FALSE(reader_.Tick());
  ASSERT_TRUE(clock_.BlockUntilWaiters()) << "the call was not cancelled";

  silent.reset();
  const FakeRuntime runtime(socket_, OneEvent());
  clock_.Step(seconds(1));
  Await(1, 0);
}

TEST_F(RuntimeFaultsTest, ConnectsWhenSocketAppearsAndIsReplaced) {
  Start();
  PassBackoff(seconds(1));
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  auto first = std::make_unique<FakeRuntime>(socket_, OneEvent());
  clock_.Step(seconds(2));
  Await(1, 0);

  first.reset();  // a restart of the runtime
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  const FakeRuntime second(socket_, OneEvent());
  clock_.Step(seconds(4));
  Await(2, 0);
}

TEST_F(RuntimeFaultsTest, BacklogOfFiveMinutesIsOneFullPass) {
  const FakeRuntime runtime(socket_, [this](FakeStream& stream) {
    for (int i = 0; i < 250; ++i) stream.Send(Event(kTypeCreated, minutes(5) - seconds(i)));
    stream.Send(Event(kTypeDeleted));
    stream.WaitUntilGone();
    return End::kOk;
  });
  Start();

  Await(0, 1);

  EXPECT_EQ(seen().created, 0U);
  // One for the agent's start, one for the stream, one for the backlog; the last two may be one.
  EXPECT_GE(seen().full_passes, 2U);
  EXPECT_LE(seen().full_passes, 3U);
}

TEST_F(RuntimeFaultsTest, ReadsMessageOfFiveMebibytes) {
  const FakeRuntime runtime(socket_, [this](FakeStream& stream) {
    FakeStream::Event big = Event(kTypeCreated);
    constexpr std::size_t kBytes = 5 * 1024 * 1024;
    // Field 4 is the sandbox's status: its length as a varint, then the bytes.
    big.other_fields = "\x22";
    for (std::size_t rest = kBytes; rest > 0; rest >>= 7) {
      big.other_fields += static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    }
    big.other_fields.append(kBytes, 'x');
    stream.Send(big);
    stream.Send(Event(kTypeDeleted));
    stream.WaitUntilGone();
    return End::kOk;
  });
  Start();

  Await(1, 1);

  EXPECT_EQ(runtime.calls(), 1) << "the stream survived it";
}

TEST_F(RuntimeFaultsTest, ReadsStreamWhileAgentReadsNothing) {
  constexpr int kEvents = 10'000;
  Mutex mu;
  CondVar changed;
  int sent = 0;
  const FakeRuntime runtime(socket_, [&](FakeStream& stream) {
    for (int i = 0; i < kEvents && stream.Send(Event(i % 2 == 0 ? kTypeCreated : kTypeDeleted));
         ++i) {
      const MutexLock lock(mu);
      ++sent;
    }
    changed.NotifyAll();
    stream.WaitUntilGone();
    return End::kOk;
  });
  forwarding_ = StartThread("forwarder", [this](const std::stop_token&) { forwarder_.Run(); });
  AwaitFullPasses(1);
  receiving_ = {};  // nobody receives, but the socket exists
  reading_ = StartThread("reader", [this](const std::stop_token& stop) { reader_.Run(stop); });

  {
    MutexLock lock(mu);
    changed.Wait(mu, [&] { return sent == kEvents; });  // the runtime was never blocked
  }
  StartReceiver();

  Await(kEvents / 2, kEvents / 2);
  EXPECT_EQ(seen().created + seen().deleted, static_cast<std::uint64_t>(kEvents));
}

TEST_F(RuntimeFaultsTest, StopClosesStream) {
  std::atomic<bool> gone = false;
  const FakeRuntime runtime(socket_, [&](FakeStream& stream) {
    stream.Send(Event(kTypeCreated));
    stream.WaitUntilGone();
    gone = true;
    gone.notify_all();
    return End::kOk;
  });
  Start();
  Await(1, 0);
  EXPECT_FALSE(gone);

  reading_ = {};  // joins: the reader has ended

  gone.wait(false);
}

}  // namespace
}  // namespace capstan::cmd::cri_event_broker
