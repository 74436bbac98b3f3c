// SPDX-License-Identifier: Apache-2.0
// EventRecorder records Kubernetes Events about objects. A background thread sends them. Recording
// never blocks and never fails: when the queue (1000) is full, the event is dropped and counted.
// Equal events are one Event with a count. A token bucket limits the events about one object (25,
// one per 5 min). Another one limits all events to 50 a second after a burst of 25, so that they do
// not delay other requests. Thread-safe.
//
// Mirrors client-go's tools/record with its correlator. Differs: the rate of all events is limited,
// and a 5xx or 429 response is retried like a missing one (12 times, 10 s apart), because the
// server did not reject the event.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/api/object_reference.h"
#include "capstan/clock.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"

namespace capstan::record {

// The Event of a cluster-scoped object (no namespace) is in the namespace "default".

inline constexpr std::string_view kEventTypeNormal = "Normal";
inline constexpr std::string_view kEventTypeWarning = "Warning";

class CAPSTAN_EXPORT EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `reason` is UpperCamelCase and for machines. `message` is for people and is truncated to 1024
  // bytes. Neither may contain secret data.
  virtual void Event(const api::ObjectReference& object, std::string_view type,
                     std::string_view reason, std::string_view message) = 0;
};

struct CAPSTAN_EXPORT EventBroadcasterOptions {
  std::string component = {};  // source.component
  std::string host = {};       // source.host
  Clock& clock = Clock::Real();
};

// EventBroadcaster sends Events to the API server. `client` must outlive it.
class CAPSTAN_EXPORT EventBroadcaster final : public EventRecorder {
 public:
  EventBroadcaster(rest::Client& client, EventBroadcasterOptions options);
  ~EventBroadcaster() override;
  void Event(const api::ObjectReference& object, std::string_view type, std::string_view reason,
             std::string_view message) override;
  // Sends until `stop`, then sends queued events for at most two more seconds. Call once.
  void Run(std::stop_token stop);
  // Returns the number of events that were not sent because the queue was full or the time after
  // `stop` was over.
  std::uint64_t dropped() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::record
