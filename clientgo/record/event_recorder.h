// SPDX-License-Identifier: Apache-2.0
// EventRecorder: Kubernetes Events about objects, sent by one thread in the background. Recording
// never blocks and never fails the caller: when the queue (1000) is full the event is dropped and
// counted. Equal events are one Event whose count grows; a burst about one object is cut by a token
// bucket (25, one per 5 min). All together are sent at 50 a second, after a burst of 25, so that
// they do not compete with the work they tell of. Thread-safe.
//
// Mirrors client-go's tools/record with its correlator. Differs: the pace of all events; a 5xx or
// 429 answer is tried again like no answer (12 times, 10 s apart); the server did not reject the
// event, it failed.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/api/event.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/clock.h"

namespace clientgo::record {

// Of a cluster-scoped object (no namespace) the Event goes to namespace "default".
using api::ObjectReference;

inline constexpr std::string_view kEventTypeNormal = "Normal";
inline constexpr std::string_view kEventTypeWarning = "Warning";

class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `reason` is UpperCamelCase and machine-read; `message` is for people, at most 1024 bytes are
  // sent. Never put secret data in either.
  virtual void Event(const ObjectReference& object, std::string_view type, std::string_view reason,
                     std::string_view message) = 0;
};

struct EventBroadcasterOptions {
  std::string component = {};  // source.component
  std::string host = {};       // source.host
  util::Clock& clock = util::Clock::Real();
};

// Sends to the API server. `client` outlives it.
class EventBroadcaster final : public EventRecorder {
 public:
  EventBroadcaster(rest::Client& client, EventBroadcasterOptions options);
  ~EventBroadcaster() override;
  void Event(const ObjectReference& object, std::string_view type, std::string_view reason,
             std::string_view message) override;
  // Sends until `stop`; then what is queued for at most two seconds more. Call once.
  void Run(std::stop_token stop);
  // Events that were never sent because the queue was full or the time after `stop` was over.
  std::uint64_t dropped() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace clientgo::record
