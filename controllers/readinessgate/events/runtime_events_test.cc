// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/events/runtime_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/thread.h"
#include "controllers/readinessgate/testing/runtime_event_sender.h"

namespace capstan::readinessgate {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Bytes(const RuntimeEvent& event) {
  const RuntimeEventBytes bytes = EncodeRuntimeEvent(event);
  return {bytes.begin(), bytes.end()};
}

TEST(RuntimeEventMessageTest, DecodesEveryEncodedEvent) {
  for (const RuntimeEventType type :
       {RuntimeEventType::kCreated, RuntimeEventType::kDeleted, RuntimeEventType::kFullPass,
        RuntimeEventType::kStreamUp, RuntimeEventType::kStreamDown}) {
    for (const int count : {1, 2, 255, 256, 65535}) {
      const RuntimeEvent event{.type = type, .count = static_cast<std::uint16_t>(count)};

      EXPECT_EQ(DecodeRuntimeEvent(Bytes(event)), event);
    }
  }
}

TEST(RuntimeEventMessageTest, EncodesFixedBytes) {
  EXPECT_EQ(Bytes({.type = RuntimeEventType::kDeleted, .count = 0x1234}),
            std::string("CEV1\x02\0\x12\x34", 8));
}

TEST(RuntimeEventMessageTest, RejectsInvalidBytes) {
  const std::string good = Bytes({.type = RuntimeEventType::kCreated});
  ASSERT_TRUE(DecodeRuntimeEvent(good));

  EXPECT_FALSE(DecodeRuntimeEvent(""));
  EXPECT_FALSE(DecodeRuntimeEvent(good.substr(0, 7)));
  EXPECT_FALSE(DecodeRuntimeEvent(good + "x"));
  EXPECT_FALSE(DecodeRuntimeEvent("CEV2" + good.substr(4)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x00\0\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x06\0\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\xff\0\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x01\x01\0\x01", 8)));
  EXPECT_FALSE(DecodeRuntimeEvent(std::string("CEV1\x01\0\0\0", 8))) << "stands for no event";
}

bool Connects(const std::string& path) {
  const int client = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const bool connected =
      connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(client);
  return connected;
}

class RuntimeEventsPathTest : public ::testing::Test {
 protected:
  std::unique_ptr<RuntimeEvents> Open() {
    auto opened = RuntimeEvents::Open(clock_, {.path = path_});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  std::string OpenError(const std::string& path) {
    auto opened = RuntimeEvents::Open(clock_, {.path = path});
    return opened ? "" : opened.error().message;
  }

  testing::TempDir folder_;
  const std::string path_ = folder_.Path("events.sock");
  testing::FakeClock clock_;
};

TEST_F(RuntimeEventsPathTest, SetsModeAndRemovesSocketAtTheEnd) {
  {
    const auto events = Open();
    struct stat found {};
    ASSERT_EQ(lstat(path_.c_str(), &found), 0);
    EXPECT_TRUE(S_ISSOCK(found.st_mode));
    EXPECT_EQ(found.st_mode & 07777, 0660U);
    EXPECT_NE(access((path_ + ".new").c_str(), F_OK), 0);
  }

  EXPECT_NE(access(path_.c_str(), F_OK), 0);
}

TEST_F(RuntimeEventsPathTest, ReplacesSocketOfDeadProcess) {
  const int dead = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(dead);  // as after a SIGKILL: the file stays

  const auto events = Open();

  EXPECT_TRUE(Connects(path_));
}

TEST_F(RuntimeEventsPathTest, KeepsSocketOfLivingProcess) {
  const auto first = Open();

  EXPECT_THAT(OpenError(path_), HasSubstr("another process listens there"));

  EXPECT_TRUE(Connects(path_));
}

TEST_F(RuntimeEventsPathTest, KeepsFileThatIsNotASocket) {
  folder_.Write("file", "precious");
  ASSERT_EQ(symlink(folder_.Path("file").c_str(), folder_.Path("link").c_str()), 0);

  EXPECT_THAT(OpenError(folder_.Path("file")), HasSubstr("is no socket"));
  EXPECT_THAT(OpenError(folder_.Path("link")), HasSubstr("is no socket"));

  EXPECT_EQ(access(folder_.Path("file").c_str(), F_OK), 0);
  EXPECT_EQ(access(folder_.Path("link").c_str(), F_OK), 0);
}

TEST_F(RuntimeEventsPathTest, ErrorNamesInvalidPath) {
  EXPECT_THAT(OpenError(""), HasSubstr("absolute path"));
  EXPECT_THAT(OpenError("events.sock"), HasSubstr("absolute path"));
  EXPECT_THAT(OpenError("/" + std::string(200, 'x')), HasSubstr("at most 100 bytes"));
  EXPECT_THAT(OpenError(folder_.Path("no/such/folder")), HasSubstr("No such file or directory"));
}

TEST_F(RuntimeEventsPathTest, KeepsPathOfItsSuccessor) {
  auto old = Open();
  folder_.Remove("events.sock");
  const auto successor = Open();

  old.reset();

  EXPECT_TRUE(Connects(path_));
}

class RuntimeEventsTest : public ::testing::Test {
 protected:
  std::unique_ptr<RuntimeEvents> Open() {
    auto opened = RuntimeEvents::Open(clock_, {.path = path_,
                                               .on_event =
                                                   [this](const auto& event) {
                                                     const MutexLock lock(mu_);
                                                     seen_.push_back(event);
                                                     changed_.NotifyAll();
                                                   },
                                               .on_datagram =
                                                   [this](const std::string& type, int count) {
                                                     const MutexLock lock(mu_);
                                                     counts_[type] += count;
                                                   }});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  std::jthread Run(RuntimeEvents& events) {
    return StartThread("receiver", [&](const std::stop_token& stop) { events.Run(stop); });
  }
  // Sends one more event. Datagrams arrive in order, so all earlier ones have arrived with it.
  std::vector<RuntimeEvent> SeenAfterMark(const RuntimeEventSender& sender) {
    EXPECT_TRUE(sender.Send(RuntimeEventType::kFullPass, 999));
    MutexLock lock(mu_);
    changed_.Wait(mu_, [this]() CAPSTAN_REQUIRES(mu_) {
      return !seen_.empty() && seen_.back().count == 999;
    });
    seen_.pop_back();
    return std::exchange(seen_, {});
  }

  int Count(const std::string& type) {
    const MutexLock lock(mu_);
    return counts_[type];
  }

  testing::TempDir folder_;
  const std::string path_ = folder_.Path("events.sock");
  testing::FakeClock clock_;
  Mutex mu_;
  CondVar changed_;
  std::vector<RuntimeEvent> seen_ CAPSTAN_GUARDED_BY(mu_);
  std::map<std::string, int> counts_ CAPSTAN_GUARDED_BY(mu_);
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
  EXPECT_EQ(Count("created"), 1);
  EXPECT_EQ(Count("deleted"), 7);
  EXPECT_EQ(Count("heartbeat"), 1);
}

TEST_F(RuntimeEventsTest, CountsAndDropsInvalidDatagrams) {
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
  EXPECT_EQ(Count("bad"), 6);
  EXPECT_LT(events->ReliableUntil(), clock_.Now());
}

TEST_F(RuntimeEventsTest, IsReliableFromFirstHeartbeatUntilTheyStop) {
  const auto events = Open();
  const auto thread = Run(*events);
  const RuntimeEventSender broker(path_);
  EXPECT_LT(events->ReliableUntil(), clock_.Now()) << "no heartbeat has arrived yet";

  broker.Send(RuntimeEventType::kStreamUp);
  SeenAfterMark(broker);
  EXPECT_EQ(events->ReliableUntil(), clock_.Now() + seconds(3));

  clock_.Step(seconds(2));
  broker.Send(RuntimeEventType::kCreated);  // an event is not a heartbeat
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

TEST_F(RuntimeEventsTest, StopsWhileIdleAndRunsAgain) {
  const auto events = Open();
  auto thread = Run(*events);
  thread.request_stop();
  thread.join();
  const RuntimeEventSender broker(path_);
  broker.Send(RuntimeEventType::kCreated);
  EXPECT_EQ(Count("created"), 0);

  thread = Run(*events);

  EXPECT_EQ(SeenAfterMark(broker).size(), 1U);
}

}  // namespace
}  // namespace capstan::readinessgate
