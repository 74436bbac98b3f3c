// SPDX-License-Identifier: Apache-2.0
// EventFilter: which of a runtime's events are left in the mailbox, and as what.
//
// CREATED and DELETED count; STARTED, STOPPED and numbers that nobody knows do not. CREATED is
// proto3's zero, so an empty message is a CREATED. An event older than five seconds is a replay
// (containerd 2 keeps five minutes of them for its first subscriber): a whole backlog is one full
// pass. An event without a time, or of the future, is taken as new. Nothing else of an event is
// read. Not thread-safe: the reader's.
#pragma once

#include <cstdint>
#include <optional>

#include "clientgo/util/clock.h"
#include "cmd/cri-event-broker/event_mailbox.h"

namespace cmd::cri_event_broker {

class EventFilter {
 public:
  using Clock = clientgo::util::Clock;

  EventFilter(Clock& clock, EventMailbox& mailbox) : clock_(clock), mailbox_(mailbox) {}

  // `type`: the number of the event's type. `created_at`: nanoseconds since 1970, 0: not told.
  void OnEvent(int type, std::int64_t created_at);

 private:
  bool IsReplay(std::int64_t created_at) const;

  Clock& clock_;
  EventMailbox& mailbox_;
  std::optional<Clock::TimePoint> replay_told_;
};

}  // namespace cmd::cri_event_broker
