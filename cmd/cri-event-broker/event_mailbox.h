// SPDX-License-Identifier: Apache-2.0
// EventMailbox: what the reader of the runtime's stream leaves for the thread that forwards it.
//
// Promises: leaving something never blocks, takes no lock, allocates nothing and writes no log,
// however far behind the other side is: a counter goes up, and a descriptor becomes readable. This
// is why the runtime never waits for the agent. Thread-safe; Take is for one thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace cmd::cri_event_broker {

class EventMailbox {
 public:
  EventMailbox();
  ~EventMailbox();
  EventMailbox(const EventMailbox&) = delete;
  EventMailbox& operator=(const EventMailbox&) = delete;

  void AddCreated();
  void AddDeleted();
  // Events may have been missed. Several before a Take are one.
  void AddFullPass();
  // A heartbeat is due, and this is what it says.
  void AddHeartbeat(bool stream_up);
  // Take says so from now on.
  void Stop();

  struct Batch {
    std::uint64_t created = 0;
    std::uint64_t deleted = 0;
    bool full_pass = false;
    bool heartbeat = false;
    bool stream_up = false;
    bool stopped = false;
  };
  // All that was left since the last call.
  Batch Take();

  // Readable: there is something to take. `slow_descriptor` becomes readable for a heartbeat and a
  // stop only: for one who cannot send just now and would be woken by events in vain.
  int descriptor() const { return descriptor_; }
  int slow_descriptor() const { return slow_descriptor_; }

 private:
  void Signal();

  int descriptor_;
  int slow_descriptor_;
  std::atomic<bool> signaled_{false};
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> deleted_{0};
  std::atomic<bool> full_pass_{false};
  std::atomic<bool> heartbeat_{false};
  std::atomic<bool> stream_up_{false};
  std::atomic<bool> stopped_{false};
};

}  // namespace cmd::cri_event_broker
