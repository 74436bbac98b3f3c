// SPDX-License-Identifier: Apache-2.0
// Runtime events between capstan-cri-event-broker and the node agent: the datagram, and the agent's
// receiving socket.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/file.h"

namespace capstan::readinessgate {

enum class RuntimeEventType : std::uint8_t {
  kCreated = 1,     // a container or a sandbox was created
  kDeleted = 2,     // a container or a sandbox was deleted
  kFullPass = 3,    // events may have been missed: the stream is new, or the events are old
  kStreamUp = 4,    // heartbeat: the runtime's stream is being read
  kStreamDown = 5,  // heartbeat: there is no stream
};

// RuntimeEvent carries no name, id or time. It only causes a pass over the cached pods.
struct RuntimeEvent {
  RuntimeEventType type = RuntimeEventType::kFullPass;
  std::uint16_t count = 1;  // the number of events; more than one when the sender was behind
  bool operator==(const RuntimeEvent&) const = default;
};

// A datagram has 8 bytes:
//   0-3  "CEV1"     4  type     5  zero     6-7  count, big endian, 1 to 65535
inline constexpr std::size_t kRuntimeEventBytes = 8;
using RuntimeEventBytes = std::array<char, kRuntimeEventBytes>;

RuntimeEventBytes EncodeRuntimeEvent(const RuntimeEvent& event);
// Returns nullopt for other bytes.
std::optional<RuntimeEvent> DecodeRuntimeEvent(std::string_view bytes);

struct RuntimeEventsOptions {
  std::string path;  // at most 100 bytes, in an existing folder
  // Run calls it for kCreated, kDeleted and kFullPass. It must not block for long. The broker later
  // sends events that the socket could not hold, as one datagram with a count.
  std::function<void(const RuntimeEvent&)> on_event = {};
  // Run calls it for every datagram, before on_event. `type` is "created", "deleted", "full_pass",
  // "heartbeat" or "bad" (invalid), and `count` the number of events.
  std::function<void(const char* type, int count)> on_datagram = {};
};

// RuntimeEvents is a unix datagram socket that receives runtime events. It owns the socket's path.
//
// Invalid datagrams are counted and otherwise ignored. A broker that is gone, hangs or has no
// stream is detected after kHeartbeatTimeout, without a timer here. The path is bound under
// another name and renamed, so it never has the wrong mode. An existing file is removed only when
// it is a socket that nobody listens to. One thread calls Run; the rest is thread-safe.
class RuntimeEvents {
 public:
  static constexpr std::chrono::seconds kHeartbeatTimeout{3};

  // Errors are kInvalidArgument; the message names the path, the problem and the fix.
  static Expected<std::unique_ptr<RuntimeEvents>> Open(Clock& clock, RuntimeEventsOptions options);
  // Removes the socket's path, unless another process has replaced it.
  ~RuntimeEvents();
  RuntimeEvents(const RuntimeEvents&) = delete;
  RuntimeEvents& operator=(const RuntimeEvents&) = delete;

  // Receives until `stop`; may be called again afterwards. Returns false when the socket failed.
  bool Run(std::stop_token stop);

  // The agent may rely on events until this time, which each kStreamUp extends. It is in the past
  // while the broker is silent.
  Clock::TimePoint ReliableUntil() const { return Clock::TimePoint(reliable_until_.load()); }

 private:
  RuntimeEvents(Clock& clock, RuntimeEventsOptions options);
  Expected<void> Bind();
  // Reads all pending datagrams. Returns false when the socket failed.
  bool Drain();
  void Handle(const RuntimeEvent& event);
  void Count(const char* type, int count) const;

  Clock& clock_;
  const RuntimeEventsOptions options_;
  FileDescriptor socket_;
  FileDescriptor stop_event_;
  dev_t device_ = 0;  // identify the path's file
  ino_t inode_ = 0;
  std::atomic<Clock::Duration> reliable_until_{Clock::TimePoint::min().time_since_epoch()};
};

}  // namespace capstan::readinessgate
