// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/forwarder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/testing/temp_dir.h"
#include "capstan/thread.h"

namespace capstan::cmd::cri_event_broker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using State = Forwarder::State;

constexpr auto kContainerCreated = readinessgate::RuntimeEventType::kCreated;
constexpr auto kContainerDeleted = readinessgate::RuntimeEventType::kDeleted;
constexpr auto kFullPass = readinessgate::RuntimeEventType::kFullPass;
constexpr auto kStreamUp = readinessgate::RuntimeEventType::kStreamUp;
constexpr auto kStreamDown = readinessgate::RuntimeEventType::kStreamDown;

readinessgate::RuntimeEvent Event(readinessgate::RuntimeEventType type, int count = 1) {
  return {.type = type, .count = static_cast<std::uint16_t>(count)};
}

bool Readable(int descriptor) {
  pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&wait, 1, 0) == 1;
}

TEST(EventMailboxTest, IsReadableUntilEverythingIsTaken) {
  EventMailbox mailbox;
  EXPECT_FALSE(Readable(mailbox.descriptor()));

  mailbox.AddCreated();
  mailbox.AddCreated();
  mailbox.AddDeleted();
  mailbox.AddFullPass();
  mailbox.AddFullPass();
  EXPECT_TRUE(Readable(mailbox.descriptor()));
  EXPECT_FALSE(Readable(mailbox.slow_descriptor()));

  const auto batch = mailbox.Take();
  EXPECT_EQ(batch.created, 2U);
  EXPECT_EQ(batch.deleted, 1U);
  EXPECT_TRUE(batch.full_pass);
  EXPECT_FALSE(batch.heartbeat);
  EXPECT_FALSE(Readable(mailbox.descriptor()));
  EXPECT_EQ(mailbox.Take().created, 0U);
}

TEST(EventMailboxTest, HeartbeatsAlsoWakeForwarderThatIsBehind) {
  EventMailbox mailbox;

  mailbox.AddHeartbeat(true);

  EXPECT_TRUE(Readable(mailbox.descriptor()));
  EXPECT_TRUE(Readable(mailbox.slow_descriptor()));
  const auto batch = mailbox.Take();
  EXPECT_TRUE(batch.heartbeat);
  EXPECT_TRUE(batch.stream_up);
  EXPECT_FALSE(Readable(mailbox.slow_descriptor()));
  mailbox.AddHeartbeat(false);
  EXPECT_FALSE(mailbox.Take().stream_up);
}

TEST(EventMailboxTest, NothingIsLostBetweenTwoThreads) {
  constexpr std::uint64_t kEvents = 100'000;
  EventMailbox mailbox;
  const auto adding = StartThread("adding", [&](const std::stop_token&) {
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      i % 2 == 0 ? mailbox.AddCreated() : mailbox.AddDeleted();
    }
    mailbox.Stop();
  });

  std::uint64_t created = 0;
  std::uint64_t deleted = 0;
  bool stopped = false;
  while (!stopped) {
    pollfd wait{.fd = mailbox.descriptor(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&wait, 1, 20'000), 1) << "a wake-up was lost";
    const auto batch = mailbox.Take();
    created += batch.created;
    deleted += batch.deleted;
    stopped = batch.stopped;
  }
  const auto rest = mailbox.Take();

  EXPECT_EQ(created + rest.created, kEvents / 2);
  EXPECT_EQ(deleted + rest.deleted, kEvents / 2);
}

// Receiver is the agent's socket. Tests read it explicitly.
class Receiver {
 public:
  explicit Receiver(const std::string& path) : socket_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
    unlink(path.c_str());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Receiver() { close(socket_); }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  std::vector<readinessgate::RuntimeEvent> Read() const {
    std::vector<readinessgate::RuntimeEvent> events;
    std::array<char, 64> bytes{};
    for (;;) {
      const ssize_t size = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size < 0) return events;
      const auto event =
          readinessgate::DecodeRuntimeEvent({bytes.data(), static_cast<std::size_t>(size)});
      EXPECT_TRUE(event) << "not in our format";
      if (event) events.push_back(*event);
    }
  }

 private:
  int socket_;
};

class ForwarderTest : public ::testing::Test {
 protected:
  testing::TempDir folder_;
  const std::string path_ = folder_.Path("events.sock");
  EventMailbox mailbox_;
  Forwarder forwarder_{mailbox_, path_};
};

TEST_F(ForwarderTest, SendsOneDatagramForEachEvent) {
  const Receiver agent(path_);
  EXPECT_EQ(forwarder_.Pump(), State::kIdle);
  agent.Read();

  mailbox_.AddCreated();
  EXPECT_EQ(forwarder_.Pump(), State::kIdle);
  mailbox_.AddDeleted();
  EXPECT_EQ(forwarder_.Pump(), State::kIdle);
  EXPECT_EQ(forwarder_.Pump(), State::kIdle) << "nothing new: nothing sent";

  EXPECT_THAT(agent.Read(), ElementsAre(Event(kContainerCreated), Event(kContainerDeleted)));
}

TEST_F(ForwarderTest, HeartbeatsReportTheStream) {
  const Receiver agent(path_);
  forwarder_.Pump();
  agent.Read();

  mailbox_.AddHeartbeat(true);
  forwarder_.Pump();
  mailbox_.AddHeartbeat(false);
  forwarder_.Pump();

  EXPECT_THAT(agent.Read(), ElementsAre(Event(kStreamUp), Event(kStreamDown)));
}

TEST_F(ForwarderTest, NewListenerGetsFullPassInsteadOfOldEvents) {
  mailbox_.AddCreated();
  mailbox_.AddDeleted();
  EXPECT_EQ(forwarder_.Pump(), State::kNoReceiver);

  const Receiver agent(path_);
  mailbox_.AddHeartbeat(true);
  EXPECT_EQ(forwarder_.Pump(), State::kIdle);

  EXPECT_THAT(agent.Read(), ElementsAre(Event(kFullPass), Event(kStreamUp)));
}

TEST_F(ForwarderTest, FindsRestartedAgentAtOnce) {
  {
    const Receiver old(path_);
    EXPECT_EQ(forwarder_.Pump(), State::kIdle);
  }
  const Receiver agent(path_);

  mailbox_.AddCreated();
  EXPECT_EQ(forwarder_.Pump(), State::kIdle);

  EXPECT_THAT(agent.Read(), ElementsAre(Event(kFullPass), Event(kStreamDown)));
}

TEST_F(ForwarderTest, StalledAgentGetsCountsWhenItReadsAgain) {
  constexpr int kEvents = 10'000;
  const Receiver agent(path_);
  State state = forwarder_.Pump();

  for (int i = 0; i < kEvents; ++i) {  // nobody reads
    i % 4 == 0 ? mailbox_.AddDeleted() : mailbox_.AddCreated();
    state = forwarder_.Pump();
  }
  EXPECT_EQ(state, State::kBehind);

  int datagrams = 0;
  int created = 0;
  int deleted = 0;
  for (std::vector<readinessgate::RuntimeEvent> got = agent.Read(); !got.empty();
       got = agent.Read()) {
    for (const readinessgate::RuntimeEvent& event : got) {
      ++datagrams;
      if (event.type == kContainerCreated) created += event.count;
      if (event.type == kContainerDeleted) deleted += event.count;
    }
    state = forwarder_.Pump();
  }
  EXPECT_EQ(state, State::kIdle);
  EXPECT_EQ(created, kEvents * 3 / 4);
  EXPECT_EQ(deleted, kEvents / 4);
  EXPECT_LT(datagrams, kEvents / 2) << "coalesced, not queued";
}

TEST_F(ForwarderTest, SplitsCountThatExceedsADatagram) {
  const Receiver agent(path_);
  forwarder_.Pump();
  agent.Read();

  for (int i = 0; i < 65'535 + 3; ++i) mailbox_.AddCreated();
  forwarder_.Pump();

  EXPECT_THAT(agent.Read(),
              ElementsAre(Event(kContainerCreated, 65'535), Event(kContainerCreated, 3)));
}

TEST_F(ForwarderTest, TreatsInvalidPathAsNoReceiver) {
  folder_.Write("events.sock", "not a socket");
  mailbox_.AddCreated();

  EXPECT_EQ(forwarder_.Pump(), State::kNoReceiver);
  Forwarder elsewhere(mailbox_, folder_.Path("no/such/folder/events.sock"));
  EXPECT_EQ(elsewhere.Pump(), State::kNoReceiver);
}

TEST_F(ForwarderTest, StopsWhenMailboxIsStopped) {
  const Receiver agent(path_);
  mailbox_.Stop();

  forwarder_.Run();

  EXPECT_THAT(agent.Read(), IsEmpty());
}

}  // namespace
}  // namespace capstan::cmd::cri_event_broker
