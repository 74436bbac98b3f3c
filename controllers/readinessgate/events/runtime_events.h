// SPDX-License-Identifier: Apache-2.0
// RuntimeEvents: the agent's end of capstan-cri-event-broker: a unix datagram socket that says
// "a container was created or deleted: look again". Owns the socket's path.
//
// Promises: without Open nothing is opened; a datagram that is not ours is counted and otherwise
// ignored, and a genuine one can do no more than wake the loop; a broker that is gone, hangs or
// has no stream is known to be so after `heartbeat_timeout`, without a timer or a wait here.
// The path is bound under another name and moved into place, so it never has the wrong mode; what
// lies there is removed only when it is a socket that nobody listens to.
//
// Run is for one thread; the rest is thread-safe.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "controllers/readinessgate/events/runtime_event_message.h"

namespace controllers::readinessgate {

struct RuntimeEventsOptions {
  std::string path;  // at most 100 bytes; its folder exists
  // Readable and writable by the group: broker and agent have different users and no capabilities,
  // so what they share is the group of the folder (fsGroup).
  mode_t mode = 0660;
  clientgo::util::Clock::Duration heartbeat_timeout = std::chrono::seconds(3);
  // Called in Run's thread for kCreated, kDeleted and kFullPass. Must not block for long: what the
  // socket cannot hold, the broker sends later, as one datagram with a count.
  std::function<void(const RuntimeEvent&)> on_event;
};

class RuntimeEvents {
 public:
  using Clock = clientgo::util::Clock;

  // kInvalidArgument: the path; the message says what is wrong with it and what to do.
  static clientgo::util::Expected<std::unique_ptr<RuntimeEvents>> Open(
      Clock& clock, RuntimeEventsOptions options);
  // Removes the socket's path, unless another has taken it over.
  ~RuntimeEvents();
  RuntimeEvents(const RuntimeEvents&) = delete;
  RuntimeEvents& operator=(const RuntimeEvents&) = delete;

  // Receives until `stop`, and may be called again then; false: the socket broke, and there will be
  // no more events.
  bool Run(std::stop_token stop);

  // The loop may count on events until then; in the past: it may not. Each kStreamUp extends it.
  Clock::TimePoint ReliableUntil() const { return Clock::TimePoint(reliable_until_.load()); }

  struct Counts {
    std::uint64_t created = 0;
    std::uint64_t deleted = 0;
    std::uint64_t full_pass = 0;
    std::uint64_t heartbeats = 0;
    std::uint64_t bad = 0;  // datagrams that were not ours
  };
  Counts counts() const;

 private:
  // File descriptors that close themselves.
  struct Descriptors {
    ~Descriptors();
    int socket = -1;
    int stop_event = -1;
  };

  RuntimeEvents(Clock& clock, RuntimeEventsOptions options);
  clientgo::util::Expected<void> Bind();
  // Reads what is there; false: the socket broke.
  bool Drain();
  void Take(const RuntimeEvent& event);

  Clock& clock_;
  const RuntimeEventsOptions options_;
  Descriptors descriptors_;
  dev_t device_ = 0;  // of the path, to know it again
  ino_t inode_ = 0;
  std::atomic<Clock::Duration> reliable_until_{Clock::TimePoint::min().time_since_epoch()};
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> deleted_{0};
  std::atomic<std::uint64_t> full_pass_{0};
  std::atomic<std::uint64_t> heartbeats_{0};
  std::atomic<std::uint64_t> bad_{0};
};

}  // namespace controllers::readinessgate
