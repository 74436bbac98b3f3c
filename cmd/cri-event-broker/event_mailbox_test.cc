// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/event_mailbox.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <cstdint>
#include <stop_token>

#include "clientgo/util/thread.h"

namespace cmd::cri_event_broker {
namespace {

bool Readable(int descriptor) {
  pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&wait, 1, 0) == 1;
}

TEST(EventMailboxTest, IsReadableUntilAllIsTaken) {
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

TEST(EventMailboxTest, HeartbeatsWakeAlsoOneWhoIsBehind) {
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
  const auto adding = clientgo::util::StartThread("adding", [&](const std::stop_token&) {
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

}  // namespace
}  // namespace cmd::cri_event_broker
