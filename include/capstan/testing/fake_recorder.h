// SPDX-License-Identifier: Apache-2.0
// FakeRecorder is an EventRecorder that keeps Events for a test and sends nothing. It keeps every
// Event, also equal ones, in the order of the calls. Thread-safe.
//
//   testing::FakeRecorder recorder;
//   ...
//   for (const auto& event : recorder.Take()) InfoS("Event", "text", event.String());
//
// Mirrors client-go's record.FakeRecorder. Differs: Events are structs instead of texts, and their
// number is not limited.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/export.h"
#include "capstan/mutex.h"
#include "capstan/record/event_recorder.h"

namespace capstan::testing {

struct CAPSTAN_EXPORT RecordedEvent {
  api::ObjectReference object = {};
  std::string type = {};  // kEventTypeNormal or kEventTypeWarning
  std::string reason = {};
  std::string message = {};

  // Returns "Warning FailedCreate Failed to create Job a", as client-go's FakeRecorder.
  std::string String() const;
  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

class CAPSTAN_EXPORT FakeRecorder final : public record::EventRecorder {
 public:
  void Event(const api::ObjectReference& object, std::string_view type, std::string_view reason,
             std::string_view message) override;
  // Returns the Events so far.
  std::vector<RecordedEvent> events() const;
  // Returns the Events since the last Take, and forgets them.
  std::vector<RecordedEvent> Take();

 private:
  mutable Mutex mu_;
  std::vector<RecordedEvent> events_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::testing
