// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/events/runtime_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/testing/fake_clock.h"
#include "clientgo/testing/temp_dir.h"
#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"
#include "controllers/readinessgate/testing/runtime_event_sender.h"

namespace controllers::readinessgate {
namespace {

using clientgo::testing::FakeClock;
using clientgo::testing::TempDir;
using clientgo::util::CondVar;
using clientgo::util::Mutex;
using clientgo::util::MutexLock;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::RuntimeEventSender;

class RuntimeEventsTest : public ::testing::Test {
 protected:
  std::unique_ptr<RuntimeEvents> Open() {
    auto opened =
        RuntimeEvents::Open(clock_, {.path = path_, .on_event = [this](const auto& event) {
                                       const MutexLock lock(mu_);
                                       seen_.push_back(event);
                                       changed_.NotifyAll();
                                     }});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  std::jthread Run(RuntimeEvents& events) {
    return clientgo::util::StartThread("receiver",
                                       [&](const std::stop_token& stop) { events.Run(stop); });
  }
  // Datagrams come in order: when this one is there, so are those before it.
  std::vector<RuntimeEvent> SeenAfterMark(const RuntimeEventSender& sender) {
    EXPECT_TRUE(sender.Send(RuntimeEventType::kFullPass, 999));
    MutexLock lock(mu_);
    changed_.Wait(mu_,
                  [this]() REQUIRES(mu_) { return !seen_.empty() && seen_.back().count == 999; });
    seen_.pop_back();
    return std::exchange(seen_, {});
  }

  TempDir folder_;
  const std::string path_ = folder_.Path("events.sock");
  FakeClock clock_;
  Mutex mu_;
  CondVar changed_;
  std::vector<RuntimeEvent> seen_ GUARDED_BY(mu_);
};

TEST_F(RuntimeEventsTest, CallsBackForEachEventWithItsCount) {
  const auto events = Open();
  const auto thread = Run(*events);
  const RuntimeEventSender broker(path_);

  broker.Send(RuntimeEventType::kCreated);
  broker.Send(RuntimeEventType::kDeleted, 7);
  broker.Send(RuntimeEventType::kStreamUp);

  EXPECT_THAT(SeenAfterMark(broker),
              ElementsAre(RuntimeEvent{.type = RuntimeEventType::kCreated, .count = 1},
                          RuntimeEvent{.type = RuntimeEventType::kDeleted, .count = 7}));
  EXPECT_EQ(events->counts().created, 1U);
  EXPECT_EQ(events->counts().deleted, 7U);
  EXPECT_EQ(events->counts().heartbeats, 1U);
}

TEST_F(RuntimeEventsTest, BadDatagramsAreCountedAndNeverPassedOn) {
  const auto events = Open();
  const auto thread = Run(*events);
  const RuntimeEventSender stranger(path_);

  for (const std::string& bytes :
       {std::string(), std::string("C"), std::string("CEV1\x01\0\0\x01xxxxxxxxxxxxxxx", 23),
        std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, 'x'),
        std::string("CEV1\x09\0\0\x01", 8)}) {
    EXPECT_TRUE(stranger.SendBytes(bytes));
  }

  EXPECT_THAT(SeenAfterMark(stranger), ElementsAre());
  EXPECT_EQ(events->counts().bad, 6U);
  EXPECT_LT(events->ReliableUntil(), clock_.Now());
}

TEST_F(RuntimeEventsTest, IsReliableFromTheFirstHeartbeatUntilTheyStop) {
  const auto events = Open();
  const auto thread = Run(*events);
  const RuntimeEventSender broker(path_);
  EXPECT_LT(events->ReliableUntil(), clock_.Now()) << "nobody has said anything yet";

  broker.Send(RuntimeEventType::kStreamUp);
  SeenAfterMark(broker);
  EXPECT_EQ(events->ReliableUntil(), clock_.Now() + seconds(3));

  clock_.Step(seconds(2));
  broker.Send(RuntimeEventType::kCreated);  // an event is no heartbeat
  SeenAfterMark(broker);
  EXPECT_EQ(events->ReliableUntil(), clock_.Now() + seconds(1));

  clock_.Step(seconds(2));
  EXPECT_LT(events->ReliableUntil(), clock_.Now()) << "the broker is gone";

  broker.Send(RuntimeEventType::kStreamUp);
  SeenAfterMark(broker);
  EXPECT_GT(events->ReliableUntil(), clock_.Now()) << "it is back";

  broker.Send(RuntimeEventType::kStreamDown);
  SeenAfterMark(broker);
  EXPECT_LT(events->ReliableUntil(), clock_.Now()) << "it runs, but has no stream";
}

TEST_F(RuntimeEventsTest, StopsWhileNothingComesAndGoesOnLater) {
  const auto events = Open();
  auto thread = Run(*events);
  thread.request_stop();
  thread.join();
  const RuntimeEventSender broker(path_);
  broker.Send(RuntimeEventType::kCreated);
  EXPECT_EQ(events->counts().created, 0U);

  thread = Run(*events);

  EXPECT_EQ(SeenAfterMark(broker).size(), 1U);
}

}  // namespace
}  // namespace controllers::readinessgate
