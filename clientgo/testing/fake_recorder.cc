// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/fake_recorder.h"

#include <utility>

namespace capstan::testing {

std::string RecordedEvent::String() const { return type + " " + reason + " " + message; }

void FakeRecorder::Event(const api::ObjectReference& object, std::string_view type,
                         std::string_view reason, std::string_view message) {
  const MutexLock lock(mu_);
  events_.push_back({.object = object,
                     .type = std::string(type),
                     .reason = std::string(reason),
                     .message = std::string(message)});
}

std::vector<RecordedEvent> FakeRecorder::events() const {
  const MutexLock lock(mu_);
  return events_;
}

std::vector<RecordedEvent> FakeRecorder::Take() {
  const MutexLock lock(mu_);
  return std::exchange(events_, {});
}

}  // namespace capstan::testing
