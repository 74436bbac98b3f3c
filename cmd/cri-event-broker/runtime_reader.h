// SPDX-License-Identifier: Apache-2.0
// RuntimeReader keeps one stream of the runtime's container events open. EventFilter decides which
// events it adds to the mailbox.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "capstan/backoff.h"
#include "capstan/clock.h"
#include "capstan/mutex.h"
#include "cmd/cri-event-broker/event_stream.h"
#include "cmd/cri-event-broker/forwarder.h"

namespace capstan::cmd::cri_event_broker {

// CREATED and DELETED events count; STARTED, STOPPED and unknown types do not. CREATED is the zero
// of proto3, so an empty message is CREATED. An event older than five seconds is a replay:
// containerd 2 keeps five minutes of events for its first subscriber. A backlog of replays is one
// full pass. An event without a time, or with a future one, is new. Not thread-safe.
class EventFilter {
 public:
  EventFilter(Clock& clock, EventMailbox& mailbox) : clock_(clock), mailbox_(mailbox) {}

  // See EventStreamHandler::OnEvent.
  void OnEvent(int type, std::int64_t created_at);

 private:
  Clock& clock_;
  EventMailbox& mailbox_;
  std::optional<Clock::TimePoint> replayed_at_;  // the last full pass for a replay
};

struct RuntimeReaderOptions {
  std::string socket;  // the runtime's; a replaced socket is detected by its identity
  std::function<std::unique_ptr<EventStream>()> new_stream;
  std::function<double()> random = {};  // for the Backoff
};

// While a stream is open, its thread only reads and counts. It logs and waits between streams. A
// stream that ends, even cleanly, has failed. It is opened again after 1 s, doubling to 60 s with
// jitter. The backoff is reset by a stream that lasted 30 s. A runtime that does not support the
// call is called again when its socket was replaced, which is checked once a minute. Every new
// stream is a full pass.
//
// The watchdog (Tick, every second on another thread) cancels a stream that does not connect within
// 10 s. It also cancels a stream whose reader is stuck outside of the read for 5 s, because an
// unread stream blocks containerd 2.
//
// Mirrors the client rules for CRI events of KEP-3386 (Evented PLEG), except that it never gives
// up.
class RuntimeReader final : private EventStreamHandler {
 public:
  RuntimeReader(Clock& clock, EventMailbox& mailbox, RuntimeReaderOptions options);

  // Reads streams until `stop`.
  void Run(const std::stop_token& stop);
  // Runs the watchdog; call once a second. Returns whether the runtime's events are being read.
  bool Tick();

 private:
  void OnConnected() override;
  void OnEvent(int type, std::int64_t created_at) override;

  StreamEnd ReadOne(const std::stop_token& stop);
  void CancelCurrent();
  // Both return false when stopped.
  bool WaitForReplacement(const std::stop_token& stop, const std::string& identity);
  bool WaitForRetry(const std::stop_token& stop, const StreamEnd& end);

  Clock& clock_;
  EventMailbox& mailbox_;
  const RuntimeReaderOptions options_;
  EventFilter filter_;
  std::optional<Backoff> backoff_;
  std::string last_logged_;  // message of a StreamEnd

  Mutex mu_;
  EventStream* current_ CAPSTAN_GUARDED_BY(mu_) = nullptr;

  std::atomic<int> attempts_{0};
  std::atomic<bool> reading_{false};    // there is a stream
  std::atomic<bool> connected_{false};  // the runtime has accepted the call
  std::atomic<bool> handling_{false};   // the reader handles an event
  std::atomic<std::uint64_t> events_{0};
  std::atomic<Clock::Duration> connected_at_{};

  // For the watchdog's thread.
  int watched_attempt_ = 0;
  int ticks_unconnected_ = 0;
  int ticks_connected_ = 0;
  int ticks_stuck_ = 0;
  std::uint64_t watched_events_ = 0;
};

}  // namespace capstan::cmd::cri_event_broker
