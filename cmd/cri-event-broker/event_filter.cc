// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/event_filter.h"

#include <chrono>

namespace cmd::cri_event_broker {
namespace {

// runtime.v1 ContainerEventType. Numbers, because this file knows no protobuf.
constexpr int kCreated = 0;
constexpr int kDeleted = 3;
constexpr auto kReplayAge = std::chrono::seconds(5);

}  // namespace

bool EventFilter::IsReplay(std::int64_t created_at) const {
  if (created_at <= 0) return false;
  const std::chrono::nanoseconds now = clock_.WallNow().time_since_epoch();
  // No subtraction of a number that others chose: it might overflow.
  return std::chrono::nanoseconds(created_at) < now - kReplayAge;
}

void EventFilter::OnEvent(int type, std::int64_t created_at) {
  if (type != kCreated && type != kDeleted) return;
  if (IsReplay(created_at)) {
    const Clock::TimePoint now = clock_.Now();
    if (!replay_told_ || now - *replay_told_ >= kReplayAge) {
      replay_told_ = now;
      mailbox_.AddFullPass();
    }
    return;
  }
  type == kCreated ? mailbox_.AddCreated() : mailbox_.AddDeleted();
}

}  // namespace cmd::cri_event_broker
