// SPDX-License-Identifier: Apache-2.0
// RuntimeReader: keeps one stream of container events open, and leaves the events in the mailbox.
//
// While a stream is open its thread only reads, counts and leaves; it logs and waits between
// streams. A stream that ends is a failure, however politely, and is opened again after 1 s,
// doubling to 60 s with jitter, from 1 s again after one that lasted 30 s. A runtime without the
// call is asked again when its socket was replaced, looked at once a minute. Every new stream is a
// full pass. The watchdog (Tick, every second, another thread) cancels a stream that does not
// connect within 10 s, and one whose reader is stuck outside of the read for 5 s: an unread
// stream stops containerd 2.
// Mirrors the client rules for CRI events of the Kubernetes enhancement 3386 (Evented PLEG);
// differs in that it never gives up.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "clientgo/util/backoff.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "cmd/cri-event-broker/event_filter.h"
#include "cmd/cri-event-broker/event_mailbox.h"
#include "cmd/cri-event-broker/event_stream.h"

namespace cmd::cri_event_broker {

struct RuntimeReaderOptions {
  std::string socket;  // the runtime's, as in the log, and to see that it was replaced
  std::function<std::unique_ptr<EventStream>()> new_stream;
  std::function<double()> random = {};  // as Backoff's
};

class RuntimeReader final : private EventStreamHandler {
 public:
  using Clock = clientgo::util::Clock;

  RuntimeReader(Clock& clock, EventMailbox& mailbox, RuntimeReaderOptions options);

  // Reads, waits, reads again, until `stop`.
  void Run(const std::stop_token& stop);
  // The watchdog's look; once a second. Whether the runtime's events are being read.
  bool Tick();

  // How many streams were tried. For tests.
  int attempts() const { return attempts_; }

 private:
  void OnConnected() override;
  void OnEvent(int type, std::int64_t created_at) override;

  StreamEnd ReadOne(const std::stop_token& stop);
  void CancelCurrent();
  // False: stopped.
  bool WaitForReplacement(const std::stop_token& stop, const std::string& identity);
  bool WaitForRetry(const std::stop_token& stop, const StreamEnd& end);

  Clock& clock_;
  EventMailbox& mailbox_;
  const RuntimeReaderOptions options_;
  EventFilter filter_;
  std::optional<clientgo::util::Backoff> backoff_;
  std::string last_told_;

  clientgo::util::Mutex mu_;
  EventStream* current_ GUARDED_BY(mu_) = nullptr;

  std::atomic<int> attempts_{0};
  std::atomic<bool> reading_{false};    // there is a stream
  std::atomic<bool> connected_{false};  // ... which the runtime has taken
  std::atomic<bool> inside_{false};     // its reader is outside of the read
  std::atomic<std::uint64_t> events_{0};
  std::atomic<Clock::Duration> connected_at_{};

  // The watchdog's.
  int watched_attempt_ = 0;
  int ticks_unconnected_ = 0;
  int ticks_connected_ = 0;
  int ticks_stuck_ = 0;
  std::uint64_t watched_events_ = 0;
};

// What tells one socket from its successor at the same path; "": there is none.
std::string SocketIdentity(const std::string& path);

}  // namespace cmd::cri_event_broker
