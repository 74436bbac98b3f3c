// SPDX-License-Identifier: Apache-2.0
// EventMailbox collects runtime events from the reader's thread. Forwarder sends them to the
// agent's unix datagram socket.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "capstan/file.h"
#include "controllers/readinessgate/events/runtime_events.h"

namespace capstan::cmd::cri_event_broker {

// Adding to the mailbox never blocks, locks, allocates or logs, even if the forwarder is far
// behind. It only increments a counter and makes a descriptor readable. So the runtime never waits
// for the agent. Thread-safe; one thread calls Take.
class EventMailbox {
 public:
  EventMailbox();

  void AddCreated();
  void AddDeleted();
  // Events may have been missed. Several before a Take count as one.
  void AddFullPass();
  void AddHeartbeat(bool stream_up);
  // Every later batch has `stopped`.
  void Stop();

  struct Batch {
    std::uint64_t created = 0;
    std::uint64_t deleted = 0;
    bool full_pass = false;
    bool heartbeat = false;
    bool stream_up = false;
    bool stopped = false;
  };
  // Returns and removes everything that was added since the last call.
  Batch Take();

  // Readable while there is something to take. `slow_descriptor` is readable for heartbeats and
  // Stop only; a forwarder that cannot send waits for it, so that events do not wake it.
  int descriptor() const { return descriptor_.get(); }
  int slow_descriptor() const { return slow_descriptor_.get(); }

 private:
  void Signal();

  const FileDescriptor descriptor_;
  const FileDescriptor slow_descriptor_;
  std::atomic<bool> signaled_{false};
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> deleted_{0};
  std::atomic<bool> full_pass_{false};
  std::atomic<bool> heartbeat_{false};
  std::atomic<bool> stream_up_{false};
  std::atomic<bool> stopped_{false};
};

// While the agent keeps up, each event is one datagram. Otherwise the counts grow here and are sent
// as one datagram each when there is room, so nothing is queued or lost and nobody waits. While no
// agent listens, events are dropped; a new listener gets a full pass. Not thread-safe.
class Forwarder {
 public:
  Forwarder(EventMailbox& mailbox, std::string path) : mailbox_(mailbox), path_(std::move(path)) {}

  // Forwards until the mailbox is stopped.
  void Run();

  enum class State {
    kIdle,        // everything was sent
    kBehind,      // the agent's queue is full; the rest waits here
    kNoReceiver,  // nobody listens at the path; retried at the next heartbeat
    kStopped,
  };
  // Takes the content of the mailbox and sends as much as possible. Never blocks.
  State Pump();

 private:
  bool Connect();
  State SendPending();
  enum class Sent { kYes, kFull, kNoReceiver };
  Sent Send(const readinessgate::RuntimeEvent& event) const;
  // Sends `count` in as few datagrams as possible, and subtracts what was sent.
  Sent SendCount(readinessgate::RuntimeEventType type, std::uint64_t& count) const;
  // Logs when a receiver appears or disappears.
  void LogReceiver(bool present);

  EventMailbox& mailbox_;
  const std::string path_;
  FileDescriptor socket_;
  std::optional<bool> logged_present_;
  EventMailbox::Batch pending_;
};

}  // namespace capstan::cmd::cri_event_broker
